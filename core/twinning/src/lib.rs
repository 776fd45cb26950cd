//! The twinning grammar of the solving engines Popeye and Olive: the commands that change a board.
//!
//! | command | what it does |
//! |---|---|
//! | `Move b3 b4` | moves the piece, and removes a piece on its target |
//! | `Exchange c7 c2` | swaps the two pieces |
//! | `Remove d6e5` | removes the pieces |
//! | `Add white Qh8 black Pa2b2` | adds pieces, and removes those that stood on the squares |
//! | `Substitute S B` | replaces all pieces of a kind, of both sides, by another kind |
//! | `Rotate 90` | 90, 180 or 270 degrees to the left |
//! | `Mirror a1<-->h1` | also `a1<-->a8`, `a1<-->h8`, `a8<-->h1`: the two squares change places; they are not the axis |
//! | `Shift a1 b2` | moves all pieces as far as from the first square to the second |
//! | `PolishType` | swaps the colours of the pieces, which stay on their squares |
//!
//! Keywords may be abbreviated as long as they are unique, and case does not matter; a knight is `S`. The names of transforms
//! (`flipH`, `rot90`, `shift:2,-1`) are commands as well. The commands of a twin follow each other. With `Continued` before them
//! they start from the twin before, otherwise from the diagram. A list of twins has `Twin` before each of them; with `ZeroPosition`
//! before the first, the diagram itself is not one of the twins.
//!
//! If a shift moves a piece off the board, Popeye refuses it and Olive drops the piece; [`OffBoardRule`] chooses.
//!
//! Source: the manual `py-engl.txt` and `input/plaintext/twin.c` of Popeye.

#![no_std]

extern crate alloc;

pub mod epd;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use shakmaty::{Color, Piece, Role, Setup, Square};

use plyfold_transform::position_text::PositionTextError;
use plyfold_transform::shift::Shift;
use plyfold_transform::symmetry::Symmetry;
use plyfold_transform::{DroppedPieces, Transform};

/// The letters of the pieces: a knight is a Springer.
const ROLE_LETTERS: [(char, Role); 6] = [
    ('K', Role::King),
    ('Q', Role::Queen),
    ('R', Role::Rook),
    ('B', Role::Bishop),
    ('S', Role::Knight),
    ('P', Role::Pawn),
];

/// The four mirrors, each with two squares that change places, in the order in which the engines write them.
const MIRRORS: [(&str, Symmetry); 4] = [
    ("a1<-->h1", Symmetry::FLIP_H),
    ("a1<-->a8", Symmetry::FLIP_V),
    ("a1<-->h8", Symmetry::FLIP_AD),
    ("a8<-->h1", Symmetry::FLIP_D),
];

/// What happens to pieces that a shift moves off the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OffBoardRule {
    /// Each command has its own rule: `Shift a1 b2` is refused, `shift:1,1` drops the pieces.
    #[default]
    AsWritten,
    /// The shift is refused.
    Refuse,
    /// The pieces are dropped.
    Drop,
}

/// A command that changes the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TwinCommand {
    /// Moves a piece from the first square to the second.
    Move(Square, Square),
    /// Swaps the pieces on two squares.
    Exchange(Square, Square),
    /// Removes the pieces on these squares.
    Remove(Vec<Square>),
    /// Adds pieces.
    Add(Vec<(Piece, Square)>),
    /// Replaces all pieces of the first kind by the second kind.
    Substitute(Role, Role),
    /// Moves all pieces as far as from the first square to the second.
    Shift(Square, Square),
    /// A rotation, a mirror, `PolishType`, or any transform by its name.
    Transform(Transform),
}

/// A command and its place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TwinStep {
    /// The command.
    pub command: TwinCommand,
    /// First byte in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

/// The commands of one twin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Twin {
    /// Whether it starts from the twin before.
    pub is_continued: bool,
    /// Its commands, in their order.
    pub steps: Vec<TwinStep>,
}

/// A list of twins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TwinList {
    /// Whether the diagram itself is not one of them.
    pub has_zero_position: bool,
    /// The twins, in their order.
    pub twins: Vec<Twin>,
}

/// The position of a twin.
#[derive(Clone, Debug)]
pub struct TwinPosition {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// What was done, as Popeye prints it; empty for the diagram itself.
    pub description: String,
    /// The position.
    pub position: Setup,
}

/// A command that was carried out.
#[derive(Clone, Debug)]
pub struct AppliedStep {
    /// What was done, as Popeye prints it.
    pub description: String,
    /// First byte of the command in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
    /// The position after it.
    pub position: Setup,
}

/// A twin with the positions after each of its commands.
#[derive(Clone, Debug)]
pub struct TwinPath {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// The position from which it starts: the diagram, or the twin before.
    pub start: Setup,
    /// The commands that were carried out, in their order; none for the diagram itself.
    pub steps: Vec<AppliedStep>,
}

impl TwinCommand {
    /// The position after the command.
    ///
    /// # Errors
    ///
    /// A square that must have a piece is empty, or a piece leaves the board although none may.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Setup, String> {
        let mut changed = position.clone();
        let board = &mut changed.board;
        match self {
            TwinCommand::Move(from, to) => {
                let piece =
                    board.remove_piece_at(*from).ok_or_else(|| format!("there is no piece on {from} to move"))?;
                board.set_piece_at(*to, piece);
            }
            TwinCommand::Exchange(one, two) => {
                let piece_on = |square: &Square| {
                    position.board.piece_at(*square).ok_or_else(|| format!("there is no piece on {square} to exchange"))
                };
                let (first, second) = (piece_on(one)?, piece_on(two)?);
                board.set_piece_at(*one, second);
                board.set_piece_at(*two, first);
            }
            TwinCommand::Remove(squares) => {
                for square in squares {
                    let gone = board.remove_piece_at(*square);
                    gone.ok_or_else(|| format!("there is no piece on {square} to remove"))?;
                }
            }
            TwinCommand::Add(pieces) => pieces.iter().for_each(|(piece, square)| board.set_piece_at(*square, *piece)),
            TwinCommand::Substitute(from, to) => {
                for square in position.board.by_role(*from) {
                    if let Some(Piece { color, .. }) = position.board.piece_at(square) {
                        board.set_piece_at(square, Piece { color, role: *to });
                    }
                }
            }
            TwinCommand::Shift(from, to) => {
                let shift = Transform::Shift(Shift::between(*from, *to));
                return apply_shift(shift, position, off_board != OffBoardRule::Drop);
            }
            TwinCommand::Transform(transform) => {
                return apply_shift(*transform, position, off_board == OffBoardRule::Refuse);
            }
        }
        // Castling rights and en passant need pieces that have not moved.
        let remains = |square: &Square| {
            let king = position.board.piece_at(*square).and_then(|rook| position.board.king_of(rook.color));
            let stands = |square: Square| changed.board.piece_at(square) == position.board.piece_at(square);
            stands(*square) && king.is_some_and(stands)
        };
        changed.castling_rights = position.castling_rights.into_iter().filter(remains).collect();
        changed.ep_square = None;
        changed.promoted &= changed.board.occupied();
        Ok(changed)
    }

    /// The command on `position` as Popeye prints it: `wSb3-->b4`, `+wQh8`, `rotate 90`.
    pub fn describe(&self, position: &Setup) -> String {
        let piece_on = |square: &Square| {
            let piece = position.board.piece_at(*square);
            piece.map_or_else(|| format!("{square}"), |piece| format!("{}{square}", piece_text(piece)))
        };
        let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(" ");
        match self {
            TwinCommand::Move(from, to) => format!("{}-->{to}", piece_on(from)),
            TwinCommand::Exchange(one, two) => format!("{}<-->{}", piece_on(one), piece_on(two)),
            TwinCommand::Remove(squares) => join(&mut squares.iter().map(|square| format!("-{}", piece_on(square)))),
            TwinCommand::Add(pieces) => {
                join(&mut pieces.iter().map(|(piece, square)| format!("+{}{square}", piece_text(*piece))))
            }
            TwinCommand::Substitute(from, to) => format!("{} ==> {}", role_letter(*from), role_letter(*to)),
            TwinCommand::Shift(from, to) => format!("shift {from} ==> {to}"),
            TwinCommand::Transform(_) => {
                let text = format!("{self}");
                match text.strip_prefix("Rotate").or_else(|| text.strip_prefix("Mirror")) {
                    Some(rest) => format!("{}{rest}", text[..6].to_ascii_lowercase()),
                    None => text,
                }
            }
        }
    }
}

fn apply_shift(transform: Transform, position: &Setup, is_strict: bool) -> Result<Setup, String> {
    match is_strict {
        true => transform.apply_strictly(position).map_err(|dropped: DroppedPieces| format!("{dropped}")),
        false => Ok(transform.apply(position)),
    }
}

/// The command as it can be read again.
impl fmt::Display for TwinCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TwinCommand::Move(from, to) => write!(f, "Move {from} {to}"),
            TwinCommand::Exchange(one, two) => write!(f, "Exchange {one} {two}"),
            TwinCommand::Remove(squares) => {
                f.write_str("Remove ")?;
                squares.iter().try_for_each(|square| write!(f, "{square}"))
            }
            TwinCommand::Add(pieces) => {
                f.write_str("Add")?;
                let mut colour = None;
                pieces.iter().try_for_each(|(piece, square)| {
                    if colour != Some(piece.color) {
                        colour = Some(piece.color);
                        f.write_str(piece.color.fold_wb(" white", " black"))?;
                    }
                    write!(f, " {}{square}", role_letter(piece.role))
                })
            }
            TwinCommand::Substitute(from, to) => write!(f, "Substitute {} {}", role_letter(*from), role_letter(*to)),
            TwinCommand::Shift(from, to) => write!(f, "Shift {from} {to}"),
            TwinCommand::Transform(Transform::SwapColours) => f.write_str("PolishType"),
            TwinCommand::Transform(transform) => match *transform {
                Transform::Rigid(Symmetry::ROT90) => f.write_str("Rotate 90"),
                Transform::Rigid(Symmetry::ROT180) => f.write_str("Rotate 180"),
                Transform::Rigid(Symmetry::ROT270) => f.write_str("Rotate 270"),
                Transform::Rigid(symmetry) if symmetry.is_flip() => {
                    let squares = MIRRORS.iter().find(|(_, one)| *one == symmetry).map_or("", |(squares, _)| squares);
                    write!(f, "Mirror {squares}")
                }
                named => write!(f, "{named}"),
            },
        }
    }
}

impl fmt::Display for Twin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_continued { "Continued" } else { "" })?;
        for (index, step) in self.steps.iter().enumerate() {
            let blank = if index > 0 || self.is_continued { " " } else { "" };
            write!(f, "{blank}{}", step.command)?;
        }
        Ok(())
    }
}

/// The list with one twin on each line.
impl fmt::Display for TwinList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, twin) in self.twins.iter().enumerate() {
            let word = if index == 0 && self.has_zero_position { "ZeroPosition" } else { "Twin" };
            write!(f, "{}{word} {twin}", if index > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl Twin {
    /// Reads commands, which may have `Continued` before them.
    ///
    /// # Errors
    ///
    /// The first word that cannot be read.
    pub fn read(text: &str) -> Result<Twin, PositionTextError> {
        let mut words = TwinWords::new(text);
        let twin = words.twin(&|_| false)?;
        match words.next() {
            Some(word) => Err(word.error("this is not a command")),
            None => Ok(twin),
        }
    }

    /// The position after all commands.
    ///
    /// # Errors
    ///
    /// The command that cannot be carried out, by its place in the text.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Setup, PositionTextError> {
        self.steps.iter().try_fold(position.clone(), |position, step| {
            let result = step.command.apply(&position, off_board);
            result.map_err(|message| PositionTextError::new(message, step.from..step.to))
        })
    }
}

impl TwinList {
    /// Whether a text is a list of twins with labels: whether it begins with `Twin` or `ZeroPosition`.
    #[must_use]
    pub fn is_list(text: &str) -> bool {
        TwinWords::new(text).peek().is_some_and(|first| is_twin_word(first.text) || is_zero_position_word(first.text))
    }

    /// Reads a list of twins. A text that begins with neither `Twin` nor `ZeroPosition` is a single twin.
    ///
    /// # Errors
    ///
    /// The first word that cannot be read.
    pub fn read(text: &str) -> Result<TwinList, PositionTextError> {
        let mut words = TwinWords::new(text);
        let mut list = TwinList::default();
        if TwinList::is_list(text)
            && let Some(first) = words.next()
        {
            list.has_zero_position = is_zero_position_word(first.text);
        }
        loop {
            list.twins.push(words.twin(&is_twin_word)?);
            match words.next() {
                None => return Ok(list),
                Some(word) if is_twin_word(word.text) => {}
                Some(word) => return Err(word.error("this is not a command")),
            }
        }
    }

    /// The twins of `position`, with the diagram itself if it is one of them.
    ///
    /// # Errors
    ///
    /// The command that cannot be carried out, by its place in the text, and the label of its twin.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Vec<TwinPosition>, PositionTextError> {
        let (paths, fault) = self.apply_stepwise(position, off_board);
        match fault {
            Some(fault) => Err(fault),
            None => Ok(paths.into_iter().map(TwinPath::into_position).collect()),
        }
    }

    /// The twins with the positions after each command, up to the first command that cannot be carried out, and the error of that
    /// command.
    pub fn apply_stepwise(
        &self,
        position: &Setup,
        off_board: OffBoardRule,
    ) -> (Vec<TwinPath>, Option<PositionTextError>) {
        let new_path = |index, from| TwinPath { label: twin_label(index), start: from, steps: Vec::new() };
        let mut paths: Vec<TwinPath> = Vec::new();
        if !self.has_zero_position {
            paths.push(new_path(0, position.clone()));
        }
        for twin in &self.twins {
            let before = paths.last().filter(|_| twin.is_continued).map(|before| before.position().clone());
            paths.push(new_path(paths.len(), before.unwrap_or_else(|| position.clone())));
            let Some(path) = paths.last_mut() else { break };
            for step in &twin.steps {
                let description = step.command.describe(path.position());
                match step.command.apply(path.position(), off_board) {
                    Ok(position) => {
                        path.steps.push(AppliedStep { description, from: step.from, to: step.to, position })
                    }
                    Err(message) => {
                        let message = format!("twin {}: {message}", path.label);
                        return (paths, Some(PositionTextError::new(message, step.from..step.to)));
                    }
                }
            }
        }
        (paths, None)
    }
}

impl TwinPath {
    /// The position after the last command.
    #[must_use]
    pub fn position(&self) -> &Setup {
        self.steps.last().map_or(&self.start, |done| &done.position)
    }

    fn into_position(mut self) -> TwinPosition {
        let descriptions = self.steps.iter().map(|done| done.description.as_str()).collect::<Vec<_>>().join(", ");
        let position = self.steps.pop().map_or(self.start, |done| done.position);
        TwinPosition { label: self.label, description: descriptions, position }
    }
}

/// Whether a twin begins with this word.
fn is_twin_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("twin")
}

/// Whether the first twin begins with this word, and the diagram is not one of the twins.
fn is_zero_position_word(word: &str) -> bool {
    word.len() >= 4 && is_abbreviation("zeroposition", word)
}

/// `a` to `z`, then `z1` and so on.
fn twin_label(index: usize) -> String {
    match index {
        0..=25 => String::from(char::from(b'a' + index as u8)),
        _ => format!("z{}", index - 25),
    }
}

fn role_letter(role: Role) -> char {
    ROLE_LETTERS.iter().find(|(_, one)| *one == role).map_or('?', |(letter, _)| *letter)
}

fn piece_text(piece: Piece) -> String {
    format!("{}{}", piece.color.fold_wb('w', 'b'), role_letter(piece.role))
}

/// Whether `word` begins with `typed`; case does not matter.
fn is_abbreviation(word: &str, typed: &str) -> bool {
    !typed.is_empty() && word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

#[derive(Clone, Copy)]
struct TwinWord<'a> {
    text: &'a str,
    at: usize,
}

impl TwinWord<'_> {
    fn byte_range(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn error(&self, what: &str) -> PositionTextError {
        PositionTextError::new(format!("`{}`: {what}", self.text), self.byte_range())
    }
}

/// The rest of the text.
struct TwinWords<'a> {
    text: &'a str,
    at: usize,
}

/// A keyword of the grammar. All keywords are here, because an abbreviation must be unique among all of them.
#[derive(Clone, Copy)]
enum TwinKeyword {
    Move,
    Exchange,
    Remove,
    Add,
    Substitute,
    Rotate,
    Mirror,
    Shift,
    Polish,
    Continued,
    /// It changes the stipulation and not the position.
    Other(&'static str),
}

const TWIN_KEYWORDS: [(&str, TwinKeyword); 13] = [
    ("move", TwinKeyword::Move),
    ("exchange", TwinKeyword::Exchange),
    ("remove", TwinKeyword::Remove),
    ("add", TwinKeyword::Add),
    ("substitute", TwinKeyword::Substitute),
    ("rotate", TwinKeyword::Rotate),
    ("mirror", TwinKeyword::Mirror),
    ("shift", TwinKeyword::Shift),
    ("polishtype", TwinKeyword::Polish),
    ("continued", TwinKeyword::Continued),
    ("stipulation", TwinKeyword::Other("stipulation")),
    ("sstipulation", TwinKeyword::Other("sstipulation")),
    ("condition", TwinKeyword::Other("condition")),
];

impl<'a> TwinWords<'a> {
    fn new(text: &'a str) -> TwinWords<'a> {
        TwinWords { text, at: 0 }
    }

    fn peek(&self) -> Option<TwinWord<'a>> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let text = rest.trim_start();
        let at = self.at + rest.len() - text.len();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        (end > 0).then(|| TwinWord { text: &text[..end], at })
    }

    fn next(&mut self) -> Option<TwinWord<'a>> {
        let word = self.peek()?;
        self.at = word.byte_range().end;
        Some(word)
    }

    /// The next word, which `command` requires.
    fn expect_word(&mut self, command: &str, what: &str) -> Result<TwinWord<'a>, PositionTextError> {
        let end = self.text.len();
        self.next().ok_or_else(|| PositionTextError::new(format!("`{command}` needs {what}"), end..end))
    }

    fn twin(&mut self, ends: &dyn Fn(&str) -> bool) -> Result<Twin, PositionTextError> {
        let mut twin = Twin::default();
        while let Some(word) = self.peek().filter(|word| !ends(word.text)) {
            self.next();
            let command = match Transform::named(word.text) {
                Some(transform) => TwinCommand::Transform(transform),
                None => match find_keyword(word)? {
                    TwinKeyword::Continued if twin == Twin::default() => {
                        twin.is_continued = true;
                        continue;
                    }
                    TwinKeyword::Continued => return Err(word.error("write this first in a twin")),
                    TwinKeyword::Other(name) => {
                        return Err(word.error(&format!("{name} changes the task, not the board")));
                    }
                    known => self.command(known, word)?,
                },
            };
            twin.steps.push(TwinStep { command, from: word.at, to: self.at });
        }
        if twin.steps.is_empty() {
            let end = self.peek().map_or(self.text.len(), |word| word.at);
            return Err(PositionTextError::new("a twin has at least one command", end..end));
        }
        Ok(twin)
    }

    fn command(&mut self, keyword: TwinKeyword, word: TwinWord<'a>) -> Result<TwinCommand, PositionTextError> {
        let name = word.text;
        Ok(match keyword {
            TwinKeyword::Move => self.of_two_squares(name, TwinCommand::Move)?,
            TwinKeyword::Exchange => self.of_two_squares(name, TwinCommand::Exchange)?,
            TwinKeyword::Shift => self.of_two_squares(name, TwinCommand::Shift)?,
            TwinKeyword::Remove => {
                let mut squares_named = read_squares(self.expect_word(name, "squares")?)?;
                // Olive separates them by blanks.
                while let Some(more) = self.peek().and_then(|word| read_squares(word).ok()) {
                    self.next();
                    squares_named.extend(more);
                }
                TwinCommand::Remove(squares_named)
            }
            TwinKeyword::Add => TwinCommand::Add(self.pieces_to_add(name)?),
            TwinKeyword::Substitute => {
                let from = read_role(self.expect_word(name, "two kinds of pieces")?)?;
                TwinCommand::Substitute(from, read_role(self.expect_word(name, "a second kind of piece")?)?)
            }
            TwinKeyword::Rotate => {
                let by = self.expect_word(name, "90, 180 or 270")?;
                let symmetry = match by.text {
                    "90" => Symmetry::ROT90,
                    "180" => Symmetry::ROT180,
                    "270" => Symmetry::ROT270,
                    _ => return Err(by.error("a board is rotated anticlockwise by 90, 180 or 270 degrees")),
                };
                TwinCommand::Transform(Transform::Rigid(symmetry))
            }
            TwinKeyword::Mirror => TwinCommand::Transform(Transform::Rigid(self.mirror(name)?)),
            TwinKeyword::Polish | TwinKeyword::Continued | TwinKeyword::Other(_) => {
                TwinCommand::Transform(Transform::SwapColours)
            }
        })
    }

    /// A command of two squares, with or without a blank or an arrow between them.
    fn of_two_squares(
        &mut self,
        command: &str,
        make: fn(Square, Square) -> TwinCommand,
    ) -> Result<TwinCommand, PositionTextError> {
        let first = self.expect_word(command, "two squares")?;
        let mut squares_named = read_squares(first)?;
        if squares_named.len() == 1 {
            let mut second = self.expect_word(command, "a second square")?;
            if matches!(second.text, "==>" | "-->" | "<-->") {
                second = self.expect_word(command, "a second square")?;
            }
            squares_named.extend(read_squares(second)?);
        }
        match squares_named[..] {
            [one, two] => Ok(make(one, two)),
            _ => Err(PositionTextError::new(
                format!("`{command}` needs two squares, not {}", squares_named.len()),
                first.at..self.at,
            )),
        }
    }

    fn mirror(&mut self, command: &str) -> Result<Symmetry, PositionTextError> {
        let plain = |text: &str| text.chars().filter(|sign| !matches!(sign, '<' | '-' | '>')).collect::<String>();
        let pair = self.expect_word(command, "the two squares of a mirror")?;
        let mut typed = plain(pair.text).to_ascii_lowercase();
        // Olive writes a blank between the two squares.
        while typed.len() <= 2
            && let Some(more) = self.peek().filter(|word| word.text == "<-->" || read_squares(*word).is_ok())
        {
            self.next();
            typed += &plain(more.text).to_ascii_lowercase();
        }
        let mut fitting = MIRRORS.iter().filter(|(squares, _)| is_abbreviation(&plain(squares), &typed));
        let range = pair.at..self.at;
        match (fitting.next(), fitting.next()) {
            (Some((_, symmetry)), None) => Ok(*symmetry),
            (Some(_), Some(_)) => Err(PositionTextError::new(
                "more than one mirror begins like this: a1<-->h1, a1<-->a8, a1<-->h8",
                range,
            )),
            _ => Err(PositionTextError::new("a mirror is a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1", range)),
        }
    }

    /// Groups of pieces, each after its colour.
    fn pieces_to_add(&mut self, command: &str) -> Result<Vec<(Piece, Square)>, PositionTextError> {
        let mut pieces = Vec::new();
        let mut color = read_colour(self.expect_word(command, "`white` or `black`, and pieces")?)?;
        loop {
            let before = pieces.len();
            while let Some(group) = self.peek().and_then(read_group) {
                self.next();
                let (role, squares) = group?;
                pieces.extend(squares.into_iter().map(|square| (Piece { color, role }, square)));
            }
            let next = self.peek();
            if pieces.len() == before {
                let word = next.map_or(self.text.len()..self.text.len(), |word| word.byte_range());
                let place = if before == 0 { word } else { word.start..word.start };
                return Err(PositionTextError::new("there are no pieces after the colour: write `Qh8`", place));
            }
            match next.map(read_colour) {
                Some(Ok(other)) => color = other,
                _ => return Ok(pieces),
            }
            self.next();
        }
    }
}

/// The keyword that begins with this word.
fn find_keyword(word: TwinWord<'_>) -> Result<TwinKeyword, PositionTextError> {
    let mut fitting = TWIN_KEYWORDS.iter().filter(|(name, _)| is_abbreviation(name, word.text));
    let whole = TWIN_KEYWORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.text));
    match (whole, fitting.next(), fitting.next()) {
        (Some((_, keyword)), ..) | (_, Some((_, keyword)), None) => Ok(*keyword),
        (_, Some((one, _)), Some((two, _))) => Err(word.error(&format!("both {one} and {two} begin like this"))),
        _ => Err(word.error(
            "this is not a command: move, exchange, remove, add, substitute, rotate, mirror, shift, polish, continued, or a \
             transform such as flipH, rot90, flipcolor, shift:1,0",
        )),
    }
}

/// Squares one after the other: `d6e5`.
fn read_squares(word: TwinWord<'_>) -> Result<Vec<Square>, PositionTextError> {
    let pairs = word.text.as_bytes().chunks(2);
    let squares_read: Option<Vec<Square>> =
        pairs.map(|pair| Square::from_ascii(&pair.to_ascii_lowercase()).ok()).collect();
    squares_read.filter(|all| !all.is_empty()).ok_or_else(|| word.error("this is not a square"))
}

fn read_role(word: TwinWord<'_>) -> Result<Role, PositionTextError> {
    let mut signs = word.text.chars();
    match (signs.next().map(|sign| sign.to_ascii_uppercase()), signs.next()) {
        (Some('N'), None) => Err(word.error("this is a nightrider in Popeye; a knight is `S`")),
        (Some(sign), None) => {
            let known = ROLE_LETTERS.iter().find(|(letter, _)| *letter == sign).map(|(_, role)| *role);
            known.ok_or_else(|| word.error("pieces are K, Q, R, B, S (a knight) and P"))
        }
        _ => Err(word.error("pieces are K, Q, R, B, S (a knight) and P")),
    }
}

fn read_colour(word: TwinWord<'_>) -> Result<Color, PositionTextError> {
    match word.text {
        typed if is_abbreviation("white", typed) => Ok(Color::White),
        typed if is_abbreviation("black", typed) => Ok(Color::Black),
        typed if is_abbreviation("neutral", typed) => Err(word.error("there are no neutral pieces here")),
        _ => Err(word.error("expected a colour: `white` or `black`")),
    }
}

/// A kind of piece and its squares, `Qd4e5`, if the word has that form.
fn read_group(word: TwinWord<'_>) -> Option<Result<(Role, Vec<Square>), PositionTextError>> {
    let first = word.text.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = TwinWord { text: &word.text[first.len_utf8()..], at: word.at + first.len_utf8() };
    let squares = read_squares(rest).ok()?;
    Some(read_role(TwinWord { text: &word.text[..first.len_utf8()], at: word.at }).map(|role| (role, squares)))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use plyfold_transform::position_text;

    use super::*;

    const BOARD: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8";

    fn made(text: &str) -> Result<String, PositionTextError> {
        let position = position_text::read_fen(BOARD).expect("a FEN");
        Twin::read(text)?.apply(&position, OffBoardRule::AsWritten).map(|position| position_text::placement(&position))
    }

    #[test]
    fn commands_print_as_they_are_read() {
        for (text, printed) in [
            ("mov b3b4", "Move b3 b4"),
            ("EXCHANGE c7 c2", "Exchange c7 c2"),
            ("rem d6 e5 add w qh8 ra1b1 b sa8", "Remove d6e5 Add white Qh8 Ra1 Rb1 black Sa8"),
            ("sub s b", "Substitute S B"),
            ("rot 90 mir a8 mirror a1 h8 mirror a1<-->a", "Rotate 90 Mirror a8<-->h1 Mirror a1<-->h8 Mirror a1<-->a8"),
            ("cont sh a1 ==> b2 polish", "Continued Shift a1 b2 PolishType"),
            ("flipcolor shift:2,-1 flipv", "flipcolor shift:2,-1 Mirror a1<-->a8"),
        ] {
            let twin = Twin::read(text).expect(text);
            assert_eq!(twin.to_string(), printed);
            assert_eq!(Twin::read(printed).expect(printed).to_string(), printed);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, place, message) in [
            ("", 0..0, "at least one command"),
            ("cont", 4..4, "at least one command"),
            ("rotate 90 frobnicate", 10..20, "not a command"),
            ("r 90", 0..1, "both remove and rotate"),
            ("con", 0..3, "both continued and condition"),
            ("rotate 45", 7..9, "90, 180 or 270"),
            ("rotate", 6..6, "needs 90, 180 or 270"),
            ("mirror a1", 7..9, "more than one"),
            ("mirror h1<-->a1", 7..15, "a mirror is"),
            ("move b3", 7..7, "a second square"),
            ("move b3 b9", 8..10, "not a square"),
            ("move b3b4c5", 5..11, "two squares, not 3"),
            ("add Qh8", 4..7, "a colour"),
            ("add white", 9..9, "there are no pieces"),
            ("add white Nh8", 10..11, "nightrider"),
            ("add white Xh8", 10..11, "pieces are K"),
            ("add neutral Qh8", 4..11, "neutral"),
            ("add white Qh8 black rotate 90", 20..20, "there are no pieces"),
            ("substitute N B", 11..12, "nightrider"),
            ("rotate 90 cont", 10..14, "first in a twin"),
            ("stip h#2", 0..4, "not the board"),
            ("remove a1", 0..9, "no piece on a1"),
            ("rotate 90 exchange c7 c8", 10..24, "no piece on c7"),
            ("shift c1 a1", 0..11, "leaves the board: Nb3"),
        ] {
            let wrong = made(text).expect_err(text);
            assert!(wrong.message.contains(message), "{text}: {wrong}");
            assert_eq!(wrong.from..wrong.to, place, "{text}: {wrong}");
        }
    }

    #[test]
    fn twins_have_labels_and_follow_each_other() {
        let position = position_text::read_fen(BOARD).expect("a FEN");
        let text = "Twin rotate 90 Twin continued mirror a1<-->h1 Twin add white Qh8";
        let twins = TwinList::read(text).expect(text);
        let made = twins.apply(&position, OffBoardRule::AsWritten).expect("made");
        let lines: Vec<String> = made
            .iter()
            .map(|one| format!("{}) {} {}", one.label, one.description, position_text::placement(&one.position)))
            .collect();
        assert_eq!(
            lines,
            [
                "a)  8/2k5/3p4/4P3/8/1N6/2K5/8",
                "b) rotate 90 8/8/8/3P4/2p5/1k4K1/5N2/8",
                "c) mirror a1<-->h1 8/8/8/4P3/5p2/1K4k1/2N5/8",
                "d) +wQh8 7Q/2k5/3p4/4P3/8/1N6/2K5/8",
            ]
        );
        assert_eq!(TwinList::read(&twins.to_string()).expect("printed").to_string(), twins.to_string());

        let zero = TwinList::read("zero move b3 b4 twin remove d6").expect("twins");
        let made = zero.apply(&position, OffBoardRule::AsWritten).expect("made");
        assert_eq!(made.iter().map(|one| &one.label[..]).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(made[0].description, "wSb3-->b4");
        let wrong = TwinList::read("twin rotate 90 twin remove c7 twin continued remove c7").expect("twins");
        let wrong = wrong.apply(&position, OffBoardRule::AsWritten).expect_err("nobody is there any more");
        assert_eq!((wrong.message.as_str(), wrong.from), ("twin d: there is no piece on c7 to remove", 45));
        assert_eq!([twin_label(25), twin_label(26), twin_label(27)], ["z", "z1", "z2"]);
    }

    #[test]
    fn rights_stay_with_those_who_stay() {
        let position = position_text::read_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a FEN");
        let after = |text| {
            let position = Twin::read(text).expect(text).apply(&position, OffBoardRule::AsWritten).expect(text);
            position_text::to_fen(&position)
        };
        assert_eq!(after("move h1 h2"), "r3k2r/8/8/8/8/8/7R/R3K3 w Qkq - 0 1");
        assert_eq!(after("move e8 d8"), "r2k3r/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(after("add white Qd4"), "r3k2r/8/8/8/3Q4/8/8/R3K2R w KQkq - 0 1");
    }

    #[test]
    fn a_way_has_every_step_up_to_the_one_that_cannot_be_done() {
        let position = position_text::read_fen(BOARD).expect("a FEN");
        let walk = |text: &str| {
            let (ways, fault) = TwinList::read(text).expect(text).apply_stepwise(&position, OffBoardRule::AsWritten);
            let told = |way: &TwinPath| {
                way.steps.iter().map(|done| done.description.clone()).collect::<Vec<_>>().join(" then ")
            };
            let ways = ways.iter().map(|way| format!("{}: {}", way.label, told(way)));
            (ways.collect::<Vec<_>>().join("; "), fault.map(|fault| (fault.from, fault.to)))
        };
        let whole = "Twin Remove b3 Rotate 90 Twin cont Rotate 90";
        assert_eq!(walk(whole), ("a: ; b: -wSb3 then rotate 90; c: rotate 90".to_string(), None));
        let broken = "Zero Rotate 90 Remove a8 flipH Twin Rotate 90";
        assert_eq!(walk(broken), ("a: rotate 90".to_string(), Some((15, 24))));
        let (ways, _) = TwinList::read(whole).expect("twins").apply_stepwise(&position, OffBoardRule::AsWritten);
        assert_eq!(
            position_text::placement(&ways[2].start),
            position_text::placement(ways[1].position()),
            "it goes on from there"
        );
        let half = Twin::read("Remove b3 Rotate 180").expect("a twin").apply(&position, OffBoardRule::AsWritten);
        assert_eq!(half.expect("done"), *ways[2].position());
    }
}
