//! The header record: 36 bytes per game with everything that a header test or a list of games needs.

use alloc::borrow::Cow;
use core::fmt;

use bytemuck::{Pod, Zeroable};
use plyfold_board::moves::Move;
use shakmaty::Color;

pub use super::date::Date;
use super::header_texts::HeaderText;
use super::names::ShardNames;

/// Facts of one game, as stored.
///
/// 36 bytes, little-endian, aligned to 4. Names are indices into the string tables of the same shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct HeaderRecord {
    /// Index of the white player's name.
    pub white: u32,
    /// Index of the black player's name.
    pub black: u32,
    /// Index of the event's name.
    pub event: u32,
    /// Index of the site's name.
    pub site: u32,
    /// Index of the game's first move in the shard's moves.
    pub first_move: u32,
    /// When the game was played.
    pub date: Date,
    /// White's rating, 0 if unknown.
    pub white_elo: u16,
    /// Black's rating, 0 if unknown.
    pub black_elo: u16,
    /// Opening code.
    pub eco: Eco,
    /// Length in plies.
    pub plies: u16,
    pub(super) result: u8,
    pub(super) ending: u8,
    pub(super) time_class: u8,
    pub(super) flags: u8,
}

/// The game does not start from the initial position: the shard's start positions have its start.
pub const CUSTOM_START: u8 = 1;
/// The game is Chess960.
pub const CHESS960: u8 = 2;
/// Only the first moves of the game are kept.
pub const INCOMPLETE: u8 = 4;

impl HeaderRecord {
    /// The result of the game.
    pub fn result(&self) -> GameResult {
        GameResult::ALL.get(usize::from(self.result)).copied().unwrap_or(GameResult::Unknown)
    }

    /// Returns how the game ended.
    pub fn ending(&self) -> Ending {
        Ending::ALL.get(usize::from(self.ending)).copied().unwrap_or(Ending::Unknown)
    }

    /// Returns how fast the game was.
    pub fn time_class(&self) -> TimeClass {
        TimeClass::ALL.get(usize::from(self.time_class)).copied().unwrap_or(TimeClass::Unknown)
    }

    /// Returns the moves of the game among those of its shard; none if there are not so many.
    pub(super) fn moves_among<'m>(&self, moves: &'m [Move]) -> &'m [Move] {
        let from = self.first_move as usize;
        moves.get(from..from + usize::from(self.plies)).unwrap_or(&[])
    }

    /// Returns the flags: [`CUSTOM_START`], [`CHESS960`], [`INCOMPLETE`].
    pub fn flags(&self) -> u8 {
        self.flags
    }
}

/// Facts of one game before they are stored, names spelled out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameHeader<'a> {
    /// White player; "?" if unknown.
    pub white: Cow<'a, str>,
    /// Black player; "?" if unknown.
    pub black: Cow<'a, str>,
    /// Tournament or match.
    pub event: Cow<'a, str>,
    /// Place, or the address of an online game.
    pub site: Cow<'a, str>,
    /// When the game was played.
    pub date: Date,
    /// White's rating, 0 if unknown.
    pub white_elo: u16,
    /// Black's rating, 0 if unknown.
    pub black_elo: u16,
    /// Opening code.
    pub eco: Eco,
    /// Who won.
    pub result: GameResult,
    /// How the game ended.
    pub ending: Ending,
    /// How fast the game was.
    pub time_class: TimeClass,
    /// The game is Chess960.
    pub chess960: bool,
    /// Only the moves before one that could not be played or read are kept.
    pub incomplete: bool,
    /// The round; this and the texts that follow are empty if unknown.
    pub round: Cow<'a, str>,
    /// Who annotated the game.
    pub annotator: Cow<'a, str>,
    /// The time control as its tag says it: `300+3`.
    pub time_control: Cow<'a, str>,
    /// White's title: `GM`.
    pub white_title: Cow<'a, str>,
    /// Black's title.
    pub black_title: Cow<'a, str>,
}

impl<'a> GameHeader<'a> {
    /// Makes the header from the record of a game; `names` are those of its names, and `game` is its index in the shard.
    pub(super) fn from_record(record: &HeaderRecord, names: &ShardNames<'a>, game: u32) -> GameHeader<'a> {
        let text = |text| names.texts.of_game(text, game).into();
        GameHeader {
            white: names.players.get(record.white).into(),
            black: names.players.get(record.black).into(),
            event: names.events.get(record.event).into(),
            site: names.sites.get(record.site).into(),
            date: record.date,
            white_elo: record.white_elo,
            black_elo: record.black_elo,
            eco: record.eco,
            result: record.result(),
            ending: record.ending(),
            time_class: record.time_class(),
            chess960: record.flags & CHESS960 != 0,
            incomplete: record.flags & INCOMPLETE != 0,
            round: text(HeaderText::Round),
            annotator: text(HeaderText::Annotator),
            time_control: text(HeaderText::TimeControl),
            white_title: text(HeaderText::WhiteTitle),
            black_title: text(HeaderText::BlackTitle),
        }
    }

    /// The record of this header: `names` are white, black, event, site; `moves` is the index of the first of `plies` moves.
    pub(super) fn to_record(&self, names: [u32; 4], moves: u32, plies: u16, flags: u8) -> HeaderRecord {
        let [white, black, event, site] = names;
        HeaderRecord {
            white,
            black,
            event,
            site,
            first_move: moves,
            date: self.date,
            white_elo: self.white_elo,
            black_elo: self.black_elo,
            eco: self.eco,
            plies,
            result: self.result as u8,
            ending: self.ending as u8,
            time_class: self.time_class as u8,
            flags: flags | if self.chess960 { CHESS960 } else { 0 } | if self.incomplete { INCOMPLETE } else { 0 },
        }
    }
}

/// An opening code A00–E99, stored as 1–500; 0 if unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Eco(u16);

impl Eco {
    /// Reads `B90`, `b90` or `B90h`; anything else is unknown.
    pub fn from_pgn(text: &str) -> Eco {
        match *text.trim().as_bytes() {
            [letter, tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] if (b'A'..=b'E').contains(&(letter & !32)) => {
                Eco(1 + u16::from((letter & !32) - b'A') * 100 + u16::from(tens - b'0') * 10 + u16::from(ones - b'0'))
            }
            _ => Eco(0),
        }
    }

    /// All, ascending.
    pub fn all() -> impl Iterator<Item = Eco> {
        (1..=500).map(Eco)
    }

    /// Returns 1 for A00 to 500 for E99, as stored.
    #[inline(always)]
    pub fn number(self) -> u16 {
        self.0
    }

    /// Returns whether there is none.
    pub fn is_unknown(self) -> bool {
        !(1..=500).contains(&self.0)
    }
}

impl fmt::Display for Eco {
    /// Writes `B90`, or nothing if the code is unknown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unknown() {
            return Ok(());
        }
        let code = self.0 - 1;
        write!(f, "{}{:02}", char::from(b'A' + (code / 100) as u8), code % 100)
    }
}

/// A closed list of values, each with a name and stored as its index.
macro_rules! named_values {
    ($(#[$doc:meta])* $name:ident { $($(#[$case_doc:meta])* $case:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
        #[repr(u8)]
        pub enum $name {
            #[default]
            $($(#[$case_doc])* $case),+
        }

        impl $name {
            /// All, in the order of their stored numbers.
            pub const ALL: &[$name] = &[$($name::$case),+];

            /// The name as shown and as written in JSON.
            pub const fn name(self) -> &'static str {
                match self { $($name::$case => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

named_values! {
    /// The result of a game.
    GameResult {
        /// `*`, missing, or unreadable.
        Unknown => "*",
        /// White won.
        White => "1-0",
        /// Black won.
        Black => "0-1",
        /// Drawn.
        Draw => "1/2-1/2",
    }
}

impl GameResult {
    /// The side that won.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::White => Some(Color::White),
            GameResult::Black => Some(Color::Black),
            GameResult::Unknown | GameResult::Draw => None,
        }
    }
}

named_values! {
    /// How a game ended: according to the rules in its last position, or else according to its Termination tag.
    Ending {
        /// Nothing is known.
        Unknown => "unknown",
        /// The last move mates.
        Checkmate => "checkmate",
        /// The side to move has no move and is not in check.
        Stalemate => "stalemate",
        /// Neither side can mate.
        InsufficientMaterial => "insufficient material",
        /// Neither the clock nor the rules ended it: a player resigned, or the players agreed to a draw.
        Normal => "normal",
        /// Lost on time, or drawn by it.
        TimeForfeit => "time forfeit",
        /// Broken off.
        Abandoned => "abandoned",
        /// Decided by an arbiter.
        Adjudication => "adjudication",
        /// A rule was broken.
        RulesInfraction => "rules infraction",
        /// Still going on.
        Unterminated => "unterminated",
    }
}

named_values! {
    /// How fast a game was, by Lichess's estimate: initial seconds + 40 × increment.
    TimeClass {
        /// No time control is given.
        Unknown => "unknown",
        /// Under 30 s.
        UltraBullet => "ultrabullet",
        /// Under 180 s.
        Bullet => "bullet",
        /// Under 480 s.
        Blitz => "blitz",
        /// Under 1500 s.
        Rapid => "rapid",
        /// 1500 s and more.
        Classical => "classical",
        /// Days per move.
        Correspondence => "correspondence",
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn codes_round_trip() {
        for text in ["A00", "B90", "E99"] {
            assert_eq!(Eco::from_pgn(text).to_string(), text);
        }
        assert_eq!(Eco::from_pgn("b33a").to_string(), "B33");
        assert!(Eco::from_pgn("F00").is_unknown() && Eco::from_pgn("?").is_unknown());
    }
}
