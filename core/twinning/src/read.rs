//! Reads commands, twins and lists of twins, with the place of each command in the text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use shakmaty::{Color, Piece, Role, Square};

use plyfold_transform::Transform;
use plyfold_transform::position_text::PositionTextError;
use plyfold_transform::symmetry::Symmetry;

use super::text::{MIRRORS, ROLE_LETTERS};
use super::{Twin, TwinCommand, TwinList, TwinStep};

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
}

impl TwinList {
    /// Returns whether a text is a list of twins with labels: whether it begins with `Twin` or `ZeroPosition`.
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
}

/// Whether a twin begins with this word.
fn is_twin_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("twin")
}

/// Whether the first twin begins with this word, and the diagram is not one of the twins.
fn is_zero_position_word(word: &str) -> bool {
    word.len() >= 4 && is_abbreviation("zeroposition", word)
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
        command_of: fn(Square, Square) -> TwinCommand,
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
            [one, two] => Ok(command_of(one, two)),
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
