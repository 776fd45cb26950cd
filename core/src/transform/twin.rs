//! The twinning grammar of the solving engines Popeye and Olive, as far as its commands change a board.
//!
//! | command | what it does |
//! |---|---|
//! | `Move b3 b4` | the man goes there; whoever stands there is gone |
//! | `Exchange c7 c2` | the two men change places |
//! | `Remove d6e5` | the men are gone |
//! | `Add white Qh8 black Pa2b2` | men are set; whoever stands there is gone |
//! | `Substitute S B` | all men of a kind, of both sides, become another |
//! | `Rotate 90` | 90, 180 or 270 degrees to the left |
//! | `Mirror a1<-->h1` | also `a1<-->a8`, `a1<-->h8`, `a8<-->h1`: the two squares change places, they are no axis |
//! | `Shift a1 b2` | all men go as far as from the first square to the second |
//! | `PolishType` | men exchange colours, and stay where they are |
//!
//! Keywords may be cut short as long as one is meant, in capitals or not; a knight is `S`. The names of transforms (`flipH`, `rot90`,
//! `shift:2,-1`) are commands as well. Commands of one twin follow each other. `Continued` before them says that they go on from the twin
//! before, and not from the diagram. A list of twins has `Twin` before each, or `ZeroPosition` before the first: then the diagram itself is
//! none of them.
//!
//! Popeye refuses a shift that takes a man off the board, Olive lets him fall; [`Leaving`] chooses.
//!
//! Source: the manual `py-engl.txt` and `input/plaintext/twin.c` of Popeye.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use shakmaty::{Color, Piece, Role, Setup, Square};

use super::read::Misread;
use super::shift::Shift;
use super::symmetry::Symmetry;
use super::{Dropped, Transform};

/// The letters of men: a knight is a Springer.
const ROLES: [(char, Role); 6] = [
    ('K', Role::King),
    ('Q', Role::Queen),
    ('R', Role::Rook),
    ('B', Role::Bishop),
    ('S', Role::Knight),
    ('P', Role::Pawn),
];

/// The four mirrors: two squares that change places, in the one order that the engines know.
pub(super) const MIRRORS: [(&str, Symmetry); 4] = [
    ("a1<-->h1", Symmetry::FLIP_H),
    ("a1<-->a8", Symmetry::FLIP_V),
    ("a1<-->h8", Symmetry::FLIP_AD),
    ("a8<-->h1", Symmetry::FLIP_D),
];

/// What becomes of men that a shift takes off the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leaving {
    /// As each command says by itself: `Shift a1 b2` refuses, `shift:1,1` lets them fall.
    #[default]
    AsWritten,
    /// The shift is refused.
    Refused,
    /// They are gone.
    Dropped,
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A man goes from one square to another.
    Move(Square, Square),
    /// Two men change places.
    Exchange(Square, Square),
    /// The men on these squares go.
    Remove(Vec<Square>),
    /// Men are set.
    Add(Vec<(Piece, Square)>),
    /// All men of the first kind become men of the second.
    Substitute(Role, Role),
    /// All men go as far as from the first square to the second.
    Shift(Square, Square),
    /// Rotations, mirrors, `PolishType`, and everything that has a name.
    Transform(Transform),
}

/// A command and its place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What is to be done.
    pub command: Command,
    /// First byte in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

/// The commands of one twin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Twin {
    /// Whether it goes on from the twin before.
    pub continued: bool,
    /// What is done, in this order.
    pub steps: Vec<Step>,
}

/// A list of twins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Twins {
    /// Whether the diagram itself is none of them.
    pub zero_position: bool,
    /// One after the other.
    pub twins: Vec<Twin>,
}

/// A twin that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// What was done, as Popeye prints it; empty for the diagram itself.
    pub told: String,
    /// The position.
    pub position: Setup,
}

/// A step that was done.
#[derive(Clone, Debug)]
pub struct Done {
    /// What was done, as Popeye prints it.
    pub told: String,
    /// First byte of the command in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
    /// The position after it.
    pub position: Setup,
}

/// A twin and the way to it.
#[derive(Clone, Debug)]
pub struct Way {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// Where it begins: the diagram, or the twin before.
    pub from: Setup,
    /// What was done, in this order; nothing for the diagram itself.
    pub done: Vec<Done>,
}

impl Command {
    /// What is done to `position`.
    ///
    /// # Errors
    ///
    /// An empty square where a man is wanted; a man that leaves the board where none may.
    pub fn apply(&self, position: &Setup, leaving: Leaving) -> Result<Setup, String> {
        let mut changed = position.clone();
        let board = &mut changed.board;
        match self {
            Command::Move(from, to) => {
                let piece = board.remove_piece_at(*from).ok_or_else(|| format!("there is no man on {from} to move"))?;
                board.set_piece_at(*to, piece);
            }
            Command::Exchange(one, two) => {
                let man = |square: &Square| {
                    position.board.piece_at(*square).ok_or_else(|| format!("there is no man on {square} to exchange"))
                };
                let (first, second) = (man(one)?, man(two)?);
                board.set_piece_at(*one, second);
                board.set_piece_at(*two, first);
            }
            Command::Remove(squares) => {
                for square in squares {
                    let gone = board.remove_piece_at(*square);
                    gone.ok_or_else(|| format!("there is no man on {square} to remove"))?;
                }
            }
            Command::Add(men) => men.iter().for_each(|(piece, square)| board.set_piece_at(*square, *piece)),
            Command::Substitute(from, to) => {
                for square in position.board.by_role(*from) {
                    if let Some(Piece { color, .. }) = position.board.piece_at(square) {
                        board.set_piece_at(square, Piece { color, role: *to });
                    }
                }
            }
            Command::Shift(from, to) => {
                let shift = Transform::Shift(Shift::between(*from, *to));
                return shifted(shift, position, leaving != Leaving::Dropped);
            }
            Command::Transform(transform) => return shifted(*transform, position, leaving == Leaving::Refused),
        }
        // Who may castle and whose pawn may be taken en passant hangs on men that stand where they stood.
        let kept = |square: &Square| {
            let king = position.board.piece_at(*square).and_then(|rook| position.board.king_of(rook.color));
            let stands = |square: Square| changed.board.piece_at(square) == position.board.piece_at(square);
            stands(*square) && king.is_some_and(stands)
        };
        changed.castling_rights = position.castling_rights.into_iter().filter(kept).collect();
        changed.ep_square = None;
        changed.promoted &= changed.board.occupied();
        Ok(changed)
    }

    /// What is done to `position`, as Popeye prints it: `wSb3-->b4`, `+wQh8`, `rotate 90`.
    pub fn told(&self, position: &Setup) -> String {
        let man = |square: &Square| {
            let piece = position.board.piece_at(*square);
            piece.map_or_else(|| format!("{square}"), |piece| format!("{}{square}", of_colour(piece)))
        };
        let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(" ");
        match self {
            Command::Move(from, to) => format!("{}-->{to}", man(from)),
            Command::Exchange(one, two) => format!("{}<-->{}", man(one), man(two)),
            Command::Remove(squares) => join(&mut squares.iter().map(|square| format!("-{}", man(square)))),
            Command::Add(men) => join(&mut men.iter().map(|(piece, square)| format!("+{}{square}", of_colour(*piece)))),
            Command::Substitute(from, to) => format!("{} ==> {}", letter(*from), letter(*to)),
            Command::Shift(from, to) => format!("shift {from} ==> {to}"),
            Command::Transform(_) => {
                let text = format!("{self}");
                match text.strip_prefix("Rotate").or_else(|| text.strip_prefix("Mirror")) {
                    Some(rest) => format!("{}{rest}", text[..6].to_ascii_lowercase()),
                    None => text,
                }
            }
        }
    }
}

fn shifted(transform: Transform, position: &Setup, is_strict: bool) -> Result<Setup, String> {
    match is_strict {
        true => transform.apply_strictly(position).map_err(|dropped: Dropped| format!("{dropped}")),
        false => Ok(transform.apply(position)),
    }
}

/// As it is read.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Move(from, to) => write!(f, "Move {from} {to}"),
            Command::Exchange(one, two) => write!(f, "Exchange {one} {two}"),
            Command::Remove(squares) => {
                f.write_str("Remove ")?;
                squares.iter().try_for_each(|square| write!(f, "{square}"))
            }
            Command::Add(men) => {
                f.write_str("Add")?;
                let mut colour = None;
                men.iter().try_for_each(|(piece, square)| {
                    if colour != Some(piece.color) {
                        colour = Some(piece.color);
                        f.write_str(piece.color.fold_wb(" white", " black"))?;
                    }
                    write!(f, " {}{square}", letter(piece.role))
                })
            }
            Command::Substitute(from, to) => write!(f, "Substitute {} {}", letter(*from), letter(*to)),
            Command::Shift(from, to) => write!(f, "Shift {from} {to}"),
            Command::Transform(Transform::Polish) => f.write_str("PolishType"),
            Command::Transform(transform) => match *transform {
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
        f.write_str(if self.continued { "Continued" } else { "" })?;
        for (nth, step) in self.steps.iter().enumerate() {
            let blank = if nth > 0 || self.continued { " " } else { "" };
            write!(f, "{blank}{}", step.command)?;
        }
        Ok(())
    }
}

/// A twin a line.
impl fmt::Display for Twins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, twin) in self.twins.iter().enumerate() {
            let word = if nth == 0 && self.zero_position { "ZeroPosition" } else { "Twin" };
            write!(f, "{}{word} {twin}", if nth > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl Twin {
    /// Reads commands, with nothing before them but `Continued` where that is wanted.
    ///
    /// # Errors
    ///
    /// The first word that cannot be read.
    pub fn read(text: &str) -> Result<Twin, Misread> {
        let mut words = Words::of(text);
        let twin = words.twin(&|_| false)?;
        match words.next() {
            Some(word) => Err(word.wrong("this is no command")),
            None => Ok(twin),
        }
    }

    /// What is done to `position`, step after step.
    ///
    /// # Errors
    ///
    /// The step that cannot be done, by its place in the text.
    pub fn apply(&self, position: &Setup, leaving: Leaving) -> Result<Setup, Misread> {
        self.steps.iter().try_fold(position.clone(), |position, step| {
            let done = step.command.apply(&position, leaving);
            done.map_err(|message| Misread::new(message, step.from..step.to))
        })
    }
}

impl Twins {
    /// Whether a text is a list of twins, of which each has a label: whether it begins with `Twin` or `ZeroPosition`.
    #[must_use]
    pub fn is_list(text: &str) -> bool {
        Words::of(text).peek().is_some_and(|first| begins(first.text) || begins_with_zero(first.text))
    }

    /// Reads a list of twins. A text that begins with neither `Twin` nor `ZeroPosition` is one.
    ///
    /// # Errors
    ///
    /// The first word that cannot be read.
    pub fn read(text: &str) -> Result<Twins, Misread> {
        let mut words = Words::of(text);
        let mut all = Twins::default();
        if Twins::is_list(text)
            && let Some(first) = words.next()
        {
            all.zero_position = begins_with_zero(first.text);
        }
        loop {
            all.twins.push(words.twin(&begins)?);
            match words.next() {
                None => return Ok(all),
                Some(word) if begins(word.text) => {}
                Some(word) => return Err(word.wrong("this is no command")),
            }
        }
    }

    /// The twins made of `position`, with the diagram itself where it is one of them.
    ///
    /// # Errors
    ///
    /// The step that cannot be done, by its place in the text, and the label of its twin.
    pub fn apply(&self, position: &Setup, leaving: Leaving) -> Result<Vec<Made>, Misread> {
        let (ways, fault) = self.walk(position, leaving);
        match fault {
            Some(fault) => Err(fault),
            None => Ok(ways.into_iter().map(Way::made).collect()),
        }
    }

    /// The same step by step: the twins with what was done to each, as far as it could be done, and the step that could not.
    pub fn walk(&self, position: &Setup, leaving: Leaving) -> (Vec<Way>, Option<Misread>) {
        let way = |nth, from| Way { label: label(nth), from, done: Vec::new() };
        let mut ways: Vec<Way> = Vec::new();
        if !self.zero_position {
            ways.push(way(0, position.clone()));
        }
        for twin in &self.twins {
            let before = ways.last().filter(|_| twin.continued).map(|before| before.position().clone());
            ways.push(way(ways.len(), before.unwrap_or_else(|| position.clone())));
            let Some(way) = ways.last_mut() else { break };
            for step in &twin.steps {
                let told = step.command.told(way.position());
                match step.command.apply(way.position(), leaving) {
                    Ok(position) => way.done.push(Done { told, from: step.from, to: step.to, position }),
                    Err(message) => {
                        let message = format!("twin {}: {message}", way.label);
                        return (ways, Some(Misread::new(message, step.from..step.to)));
                    }
                }
            }
        }
        (ways, None)
    }
}

impl Way {
    /// The position at its end.
    #[must_use]
    pub fn position(&self) -> &Setup {
        self.done.last().map_or(&self.from, |done| &done.position)
    }

    fn made(mut self) -> Made {
        let told = self.done.iter().map(|done| done.told.as_str()).collect::<Vec<_>>().join(", ");
        let position = self.done.pop().map_or(self.from, |done| done.position);
        Made { label: self.label, told, position }
    }
}

/// Whether a twin begins with this word.
fn begins(word: &str) -> bool {
    word.eq_ignore_ascii_case("twin")
}

/// Whether the first twin begins with this word, and the diagram is none.
fn begins_with_zero(word: &str) -> bool {
    word.len() >= 4 && starts("zeroposition", word)
}

/// `a` to `z`, then `z1` and so on.
fn label(nth: usize) -> String {
    match nth {
        0..=25 => String::from(char::from(b'a' + nth as u8)),
        _ => format!("z{}", nth - 25),
    }
}

fn letter(role: Role) -> char {
    ROLES.iter().find(|(_, one)| *one == role).map_or('?', |(letter, _)| *letter)
}

fn of_colour(piece: Piece) -> String {
    format!("{}{}", piece.color.fold_wb('w', 'b'), letter(piece.role))
}

/// Whether `word` begins with `typed`, in capitals or not.
fn starts(word: &str, typed: &str) -> bool {
    !typed.is_empty() && word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    at: usize,
}

impl Word<'_> {
    fn place(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }

    fn wrong(&self, what: &str) -> Misread {
        Misread::new(format!("`{}`: {what}", self.text), self.place())
    }
}

/// What is left to read.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

/// A keyword of the grammar. All are here, for a word cut short is told from all.
#[derive(Clone, Copy)]
enum Keyword {
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
    /// It changes what is asked of a position, and not the position.
    Other(&'static str),
}

const KEYWORDS: [(&str, Keyword); 13] = [
    ("move", Keyword::Move),
    ("exchange", Keyword::Exchange),
    ("remove", Keyword::Remove),
    ("add", Keyword::Add),
    ("substitute", Keyword::Substitute),
    ("rotate", Keyword::Rotate),
    ("mirror", Keyword::Mirror),
    ("shift", Keyword::Shift),
    ("polishtype", Keyword::Polish),
    ("continued", Keyword::Continued),
    ("stipulation", Keyword::Other("stipulation")),
    ("sstipulation", Keyword::Other("sstipulation")),
    ("condition", Keyword::Other("condition")),
];

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        Words { text, at: 0 }
    }

    fn peek(&self) -> Option<Word<'a>> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let text = rest.trim_start();
        let at = self.at + rest.len() - text.len();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        (end > 0).then(|| Word { text: &text[..end], at })
    }

    fn next(&mut self) -> Option<Word<'a>> {
        let word = self.peek()?;
        self.at = word.place().end;
        Some(word)
    }

    /// The next word, for which `command` waits.
    fn wanted(&mut self, command: &str, what: &str) -> Result<Word<'a>, Misread> {
        let end = self.text.len();
        self.next().ok_or_else(|| Misread::new(format!("`{command}` wants {what}"), end..end))
    }

    fn twin(&mut self, ends: &dyn Fn(&str) -> bool) -> Result<Twin, Misread> {
        let mut twin = Twin::default();
        while let Some(word) = self.peek().filter(|word| !ends(word.text)) {
            self.next();
            let command = match Transform::named(word.text) {
                Some(transform) => Command::Transform(transform),
                None => match keyword(word)? {
                    Keyword::Continued if twin == Twin::default() => {
                        twin.continued = true;
                        continue;
                    }
                    Keyword::Continued => return Err(word.wrong("this stands first in a twin")),
                    Keyword::Other(name) => {
                        return Err(word.wrong(&format!("{name} changes what is asked of a board, and no board")));
                    }
                    known => self.command(known, word)?,
                },
            };
            twin.steps.push(Step { command, from: word.at, to: self.at });
        }
        if twin.steps.is_empty() {
            let end = self.peek().map_or(self.text.len(), |word| word.at);
            return Err(Misread::new("a twin has at least one command", end..end));
        }
        Ok(twin)
    }

    fn command(&mut self, keyword: Keyword, word: Word<'a>) -> Result<Command, Misread> {
        let name = word.text;
        Ok(match keyword {
            Keyword::Move => {
                let (from, to) = self.two_squares(name)?;
                Command::Move(from, to)
            }
            Keyword::Exchange => {
                let (one, two) = self.two_squares(name)?;
                Command::Exchange(one, two)
            }
            Keyword::Shift => {
                let (from, to) = self.two_squares(name)?;
                Command::Shift(from, to)
            }
            Keyword::Remove => {
                let mut all = squares(self.wanted(name, "squares")?)?;
                // Olive parts them by blanks.
                while let Some(more) = self.peek().and_then(|word| squares(word).ok()) {
                    self.next();
                    all.extend(more);
                }
                Command::Remove(all)
            }
            Keyword::Add => Command::Add(self.men(name)?),
            Keyword::Substitute => {
                let from = role(self.wanted(name, "two kinds of men")?)?;
                Command::Substitute(from, role(self.wanted(name, "a second kind of men")?)?)
            }
            Keyword::Rotate => {
                let by = self.wanted(name, "90, 180 or 270")?;
                let symmetry = match by.text {
                    "90" => Symmetry::ROT90,
                    "180" => Symmetry::ROT180,
                    "270" => Symmetry::ROT270,
                    _ => return Err(by.wrong("a board is rotated by 90, 180 or 270 degrees, to the left")),
                };
                Command::Transform(Transform::Rigid(symmetry))
            }
            Keyword::Mirror => Command::Transform(Transform::Rigid(self.mirror(name)?)),
            Keyword::Polish | Keyword::Continued | Keyword::Other(_) => Command::Transform(Transform::Polish),
        })
    }

    /// Two squares, with or without a blank or an arrow between them.
    fn two_squares(&mut self, command: &str) -> Result<(Square, Square), Misread> {
        let first = self.wanted(command, "two squares")?;
        let mut all = squares(first)?;
        if all.len() == 1 {
            let mut second = self.wanted(command, "a second square")?;
            if matches!(second.text, "==>" | "-->" | "<-->") {
                second = self.wanted(command, "a second square")?;
            }
            all.extend(squares(second)?);
        }
        match all[..] {
            [one, two] => Ok((one, two)),
            _ => Err(Misread::new(format!("`{command}` wants two squares, not {}", all.len()), first.at..self.at)),
        }
    }

    fn mirror(&mut self, command: &str) -> Result<Symmetry, Misread> {
        let plain = |text: &str| text.chars().filter(|sign| !matches!(sign, '<' | '-' | '>')).collect::<String>();
        let pair = self.wanted(command, "two squares that change places")?;
        let mut typed = plain(pair.text).to_ascii_lowercase();
        // Olive writes the two squares apart.
        while typed.len() <= 2
            && let Some(more) = self.peek().filter(|word| word.text == "<-->" || squares(*word).is_ok())
        {
            self.next();
            typed += &plain(more.text).to_ascii_lowercase();
        }
        let mut fitting = MIRRORS.iter().filter(|(squares, _)| starts(&plain(squares), &typed));
        let place = pair.at..self.at;
        match (fitting.next(), fitting.next()) {
            (Some((_, symmetry)), None) => Ok(*symmetry),
            (Some(_), Some(_)) => {
                Err(Misread::new("more than one mirror begins so: a1<-->h1, a1<-->a8, a1<-->h8", place))
            }
            _ => Err(Misread::new("a mirror is a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1", place)),
        }
    }

    /// Groups of men, each after its colour.
    fn men(&mut self, command: &str) -> Result<Vec<(Piece, Square)>, Misread> {
        let mut all = Vec::new();
        let mut color = colour(self.wanted(command, "`white` or `black`, and men")?)?;
        loop {
            let is_empty = all.is_empty();
            let Some(word) = self.peek() else { break };
            if let Some(men) = men(word) {
                self.next();
                let (role, squares) = men?;
                all.extend(squares.into_iter().map(|square| (Piece { color, role }, square)));
            } else if !is_empty && let Ok(other) = colour(word) {
                self.next();
                color = other;
                // A colour is of men.
                let next = self.peek();
                if next.and_then(men).is_none() {
                    let at = next.map_or(self.text.len(), |word| word.at);
                    return Err(Misread::new("men are missing after their colour: `Qh8`", at..at));
                }
            } else {
                break;
            }
        }
        match all.is_empty() {
            false => Ok(all),
            true => {
                let at = self.peek().map_or(self.text.len()..self.text.len(), |word| word.place());
                Err(Misread::new("men are missing after their colour: `Qh8`", at))
            }
        }
    }
}

/// The keyword that begins so.
fn keyword(word: Word<'_>) -> Result<Keyword, Misread> {
    let mut fitting = KEYWORDS.iter().filter(|(name, _)| starts(name, word.text));
    let whole = KEYWORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.text));
    match (whole, fitting.next(), fitting.next()) {
        (Some((_, keyword)), ..) | (_, Some((_, keyword)), None) => Ok(*keyword),
        (_, Some((one, _)), Some((two, _))) => Err(word.wrong(&format!("both {one} and {two} begin so"))),
        _ => Err(word.wrong(
            "this is no command: move, exchange, remove, add, substitute, rotate, mirror, shift, polish, continued, or a \
             transform such as flipH, rot90, flipcolor, shift:1,0",
        )),
    }
}

/// Squares one after the other: `d6e5`.
fn squares(word: Word<'_>) -> Result<Vec<Square>, Misread> {
    let pairs = word.text.as_bytes().chunks(2);
    let all: Option<Vec<Square>> = pairs.map(|pair| Square::from_ascii(&pair.to_ascii_lowercase()).ok()).collect();
    all.filter(|all| !all.is_empty()).ok_or_else(|| word.wrong("this is no square"))
}

fn role(word: Word<'_>) -> Result<Role, Misread> {
    let mut signs = word.text.chars();
    match (signs.next().map(|sign| sign.to_ascii_uppercase()), signs.next()) {
        (Some('N'), None) => Err(word.wrong("this is a nightrider in Popeye; a knight is `S`")),
        (Some(sign), None) => {
            let known = ROLES.iter().find(|(letter, _)| *letter == sign).map(|(_, role)| *role);
            known.ok_or_else(|| word.wrong("men are K, Q, R, B, S (a knight) and P"))
        }
        _ => Err(word.wrong("men are K, Q, R, B, S (a knight) and P")),
    }
}

fn colour(word: Word<'_>) -> Result<Color, Misread> {
    match word.text {
        typed if starts("white", typed) => Ok(Color::White),
        typed if starts("black", typed) => Ok(Color::Black),
        typed if starts("neutral", typed) => Err(word.wrong("there are no neutral men here")),
        _ => Err(word.wrong("a colour is wanted: `white` or `black`")),
    }
}

/// A kind of man and its squares, `Qd4e5`, if the word looks like that.
fn men(word: Word<'_>) -> Option<Result<(Role, Vec<Square>), Misread>> {
    let first = word.text.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = Word { text: &word.text[first.len_utf8()..], at: word.at + first.len_utf8() };
    let squares = squares(rest).ok()?;
    Some(role(Word { text: &word.text[..first.len_utf8()], at: word.at }).map(|role| (role, squares)))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::super::read;
    use super::*;

    const BOARD: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8";

    fn made(text: &str) -> Result<String, Misread> {
        let position = read::fen(BOARD).expect("a FEN");
        Twin::read(text)?.apply(&position, Leaving::AsWritten).map(|position| read::placement(&position))
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
            ("rotate 90 frobnicate", 10..20, "no command"),
            ("r 90", 0..1, "both remove and rotate"),
            ("con", 0..3, "both continued and condition"),
            ("rotate 45", 7..9, "90, 180 or 270"),
            ("rotate", 6..6, "wants 90, 180 or 270"),
            ("mirror a1", 7..9, "more than one"),
            ("mirror h1<-->a1", 7..15, "a mirror is"),
            ("move b3", 7..7, "a second square"),
            ("move b3 b9", 8..10, "no square"),
            ("move b3b4c5", 5..11, "two squares, not 3"),
            ("add Qh8", 4..7, "a colour"),
            ("add white", 9..9, "men are missing"),
            ("add white Nh8", 10..11, "nightrider"),
            ("add white Xh8", 10..11, "men are K"),
            ("add neutral Qh8", 4..11, "neutral"),
            ("add white Qh8 black rotate 90", 20..20, "men are missing"),
            ("substitute N B", 11..12, "nightrider"),
            ("rotate 90 cont", 10..14, "first in a twin"),
            ("stip h#2", 0..4, "no board"),
            ("remove a1", 0..9, "no man on a1"),
            ("rotate 90 exchange c7 c8", 10..24, "no man on c7"),
            ("shift c1 a1", 0..11, "leaves the board: Nb3"),
        ] {
            let wrong = made(text).expect_err(text);
            assert!(wrong.message.contains(message), "{text}: {wrong}");
            assert_eq!(wrong.from..wrong.to, place, "{text}: {wrong}");
        }
    }

    #[test]
    fn twins_have_labels_and_follow_each_other() {
        let position = read::fen(BOARD).expect("a FEN");
        let text = "Twin rotate 90 Twin continued mirror a1<-->h1 Twin add white Qh8";
        let twins = Twins::read(text).expect(text);
        let made = twins.apply(&position, Leaving::AsWritten).expect("made");
        let lines: Vec<String> =
            made.iter().map(|one| format!("{}) {} {}", one.label, one.told, read::placement(&one.position))).collect();
        assert_eq!(
            lines,
            [
                "a)  8/2k5/3p4/4P3/8/1N6/2K5/8",
                "b) rotate 90 8/8/8/3P4/2p5/1k4K1/5N2/8",
                "c) mirror a1<-->h1 8/8/8/4P3/5p2/1K4k1/2N5/8",
                "d) +wQh8 7Q/2k5/3p4/4P3/8/1N6/2K5/8",
            ]
        );
        assert_eq!(Twins::read(&twins.to_string()).expect("printed").to_string(), twins.to_string());

        let zero = Twins::read("zero move b3 b4 twin remove d6").expect("twins");
        let made = zero.apply(&position, Leaving::AsWritten).expect("made");
        assert_eq!(made.iter().map(|one| &one.label[..]).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(made[0].told, "wSb3-->b4");
        let wrong = Twins::read("twin rotate 90 twin remove c7 twin continued remove c7").expect("twins");
        let wrong = wrong.apply(&position, Leaving::AsWritten).expect_err("nobody is there any more");
        assert_eq!((wrong.message.as_str(), wrong.from), ("twin d: there is no man on c7 to remove", 45));
        assert_eq!([label(25), label(26), label(27)], ["z", "z1", "z2"]);
    }

    #[test]
    fn rights_stay_with_those_who_stay() {
        let position = read::fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").expect("a FEN");
        let after = |text| {
            let position = Twin::read(text).expect(text).apply(&position, Leaving::AsWritten).expect(text);
            read::write(&position)
        };
        assert_eq!(after("move h1 h2"), "r3k2r/8/8/8/8/8/7R/R3K3 w Qkq - 0 1");
        assert_eq!(after("move e8 d8"), "r2k3r/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        assert_eq!(after("add white Qd4"), "r3k2r/8/8/8/3Q4/8/8/R3K2R w KQkq - 0 1");
    }

    #[test]
    fn a_way_has_every_step_up_to_the_one_that_cannot_be_done() {
        let position = read::fen(BOARD).expect("a FEN");
        let walk = |text: &str| {
            let (ways, fault) = Twins::read(text).expect(text).walk(&position, Leaving::AsWritten);
            let told = |way: &Way| way.done.iter().map(|done| done.told.clone()).collect::<Vec<_>>().join(" then ");
            let ways = ways.iter().map(|way| format!("{}: {}", way.label, told(way)));
            (ways.collect::<Vec<_>>().join("; "), fault.map(|fault| (fault.from, fault.to)))
        };
        let whole = "Twin Remove b3 Rotate 90 Twin cont Rotate 90";
        assert_eq!(walk(whole), ("a: ; b: -wSb3 then rotate 90; c: rotate 90".to_string(), None));
        let broken = "Zero Rotate 90 Remove a8 flipH Twin Rotate 90";
        assert_eq!(walk(broken), ("a: rotate 90".to_string(), Some((15, 24))));
        let (ways, _) = Twins::read(whole).expect("twins").walk(&position, Leaving::AsWritten);
        assert_eq!(read::placement(&ways[2].from), read::placement(ways[1].position()), "it goes on from there");
        let half = Twin::read("Remove b3 Rotate 180").expect("a twin").apply(&position, Leaving::AsWritten);
        assert_eq!(half.expect("done"), *ways[2].position());
    }
}
