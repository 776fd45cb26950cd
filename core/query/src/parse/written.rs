//! Reads moves as they are written: `Bxh7+`, `O-O-O`, and lines of them: `1. e4 c5 2. Nf3`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::scan::predicate::PieceName;
use shakmaty::san::SanPlus;
use shakmaty::{Color, Position};

use super::QueryParser;
use crate::error::QueryError;
use crate::forms::san::WrittenMoveOfSide;
use crate::side::SideSelector;
use crate::token::TokenKind;
use crate::tree::QueryTree;
use crate::window::{WindowClause, ply_filter};
use crate::written::{WrittenLine, WrittenMove};

/// The most tokens of a move: `O-O-O#`.
const MAX_MOVE_TOKENS: usize = 6;
/// The most plies of a line.
///
/// Every move of a line is played when it is read, and an editor reads a query hundreds of times for each letter.
const MAX_LINE_PLIES: usize = 300;
const A_MOVE: &[&str] = &["a move"];

impl QueryParser {
    /// A move that is written from a token on without a space, and the token after it. Names of pieces that are in use are none.
    pub(crate) fn written_move_at(&self, at: usize) -> Option<(WrittenMove, usize)> {
        let name = PieceName::new(self.word_at(at)?);
        if self.names.iter().any(|(known, _)| Some(*known) == name) {
            return None;
        }
        let tokens = self.tokens.get(at..)?;
        let joined = 1 + tokens.windows(2).take(MAX_MOVE_TOKENS - 1).take_while(|two| two[0].to == two[1].from).count();
        let from = tokens.first()?.from;
        (1..=joined).rev().find_map(|count| {
            let text = self.text.get(from..tokens[count - 1].to)?;
            WrittenMove::read(text).map(|written| (written, at + count))
        })
    }

    /// Whether the number of a move stands here, with its dots.
    pub(crate) fn is_move_number(&self) -> bool {
        self.move_number_at(self.at).is_some()
    }

    /// The number of a move at a token, the side whose move follows, and the token after the dots: `12.`, `12...`.
    fn move_number_at(&self, at: usize) -> Option<(i64, Color, usize)> {
        let &TokenKind::Number(number) = self.kind_at(at)? else { return None };
        // `0.5` is no number of a move.
        let is_fraction = || matches!(self.kind_at(at + 2), Some(TokenKind::Number(_)));
        if self.is_sign(at + 1, ".") && !is_fraction() {
            return Some((number, Color::White, at + 2));
        }
        (self.is_sign(at + 1, "..") && self.is_sign(at + 2, ".")).then_some((number, Color::Black, at + 3))
    }

    /// A line of moves from the initial position.
    pub(crate) fn written_line(&mut self) -> Result<WrittenLine, QueryError> {
        let mut line = WrittenLine::default();
        self.moves_of_line(&mut line).map(|()| line)
    }

    /// Reads moves at the end of a line, up to the first token that is none.
    fn moves_of_line(&mut self, line: &mut WrittenLine) -> Result<(), QueryError> {
        loop {
            let is_numbered = self.number_of_line(line.plies())?;
            let Some((written, after)) = self.written_move_at(self.at) else {
                if is_numbered || line.plies() == 0 {
                    return Err(self.expected("a move such as `e4` or `Nf3`", A_MOVE));
                }
                self.followers = (self.at, A_MOVE);
                return Ok(());
            };
            if line.plies() == MAX_LINE_PLIES {
                return Err(self.error(&format!("a line has at most {MAX_LINE_PLIES} moves of both sides"), &[]));
            }
            let dots = if line.plies().is_multiple_of(2) { ". " } else { "..." };
            let found = written
                .in_position(line.position())
                .map_err(|why| self.error(&format!("`{}{dots}{written}` {why}", line.plies() / 2 + 1), A_MOVE))?;
            line.push(found);
            self.at = after;
        }
    }

    /// The number before a move of a line after so many plies, if one is written.
    fn number_of_line(&mut self, plies: usize) -> Result<bool, QueryError> {
        let Some((number, colour, after)) = self.move_number_at(self.at) else { return Ok(false) };
        let (expected, mover) = (plies / 2 + 1, Color::from_white(plies.is_multiple_of(2)));
        if usize::try_from(number).ok() != Some(expected) || colour != mover {
            let (side, dots) = mover.fold_wb(("White", "."), ("Black", "..."));
            let message = match plies {
                0 => String::from(
                    "a line begins with `1.`: for one move at its number write `{ white Qd2 and move 12 }`, or `after 12. Qd2`",
                ),
                _ => format!("the next move of this line is number {expected} of {side}: write `{expected}{dots}`"),
            };
            return Err(self.error(&message, A_MOVE));
        }
        self.at = after;
        Ok(true)
    }

    /// `after 12. Qd2`, if it stands here: the condition that this move is played at its number.
    pub(super) fn after_written_move(&mut self) -> Result<Option<QueryTree>, QueryError> {
        let begin = self.at;
        let Some((number, colour, at)) = self.move_number_at(begin + 1).filter(|_| self.word() == Some("after")) else {
            return Ok(None);
        };
        self.at += 1;
        let number = self.bounded_number(number, 1, "the number of a move")?;
        let Some((written, after)) = self.written_move_at(at) else {
            self.at = at;
            return Err(self.expected("a move such as `Qd2`", A_MOVE));
        };
        if let Some(message) = written.contradiction() {
            return Err(self.error_at(at, message, A_MOVE));
        }
        self.at = after;
        let played = WrittenMoveOfSide { side: SideSelector::of_colour(colour), written };
        let window = WindowClause { when: ply_filter(true, (number, number)), ..WindowClause::EVER };
        Ok(Some(QueryTree::Condition { inner: Box::new(QueryTree::Leaf(played.into())), window }))
    }
}

/// The moves that can go on a line with which a text ends.
pub(crate) fn moves_after(text: &str) -> Vec<String> {
    let Ok(mut parser) = QueryParser::new(text) else { return Vec::new() };
    let begins = |at: &usize| {
        matches!(parser.word_at(*at), Some("played" | "reached"))
            || matches!(parser.move_number_at(*at), Some((1, Color::White, _)))
    };
    let Some(begin) = (0..parser.tokens.len()).rev().find(begins) else { return Vec::new() };
    parser.at = begin + usize::from(parser.word_at(begin).is_some());
    let mut line = WrittenLine::default();
    // A line that ends with a number is one to go on with, too.
    let _ = parser.moves_of_line(&mut line);
    if parser.at < parser.tokens.len() {
        return Vec::new();
    }
    let position = line.position();
    position.legal_moves().into_iter().map(|mv| SanPlus::from_move(position.clone(), mv).to_string()).collect()
}

/// Reads a line that is the whole text.
///
/// # Errors
///
/// The first thing wrong.
#[cfg(feature = "json")]
pub(crate) fn parse_line(text: &str) -> Result<WrittenLine, QueryError> {
    let mut parser = QueryParser::new(text)?;
    let line = parser.written_line()?;
    match parser.peek() {
        None => Ok(line),
        Some(_) => Err(parser.expected("a move", A_MOVE)),
    }
}
