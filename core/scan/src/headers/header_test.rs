//! A test of the header of a game, and the plain way to evaluate it.

use plyfold_corpus::HeaderText;
use plyfold_corpus::StringTable;
use plyfold_corpus::names::ShardNames;
use plyfold_corpus::record::{Date, HeaderRecord, INCOMPLETE};

use super::codes::EcoCodes;
use super::named_set::NamedSet;
use super::openings::ResolvedOpening;
use super::pattern::NamePattern;
use super::tag_test::TagTest;
use crate::game::{GameId, GameSpan};

/// The name of a game that is tested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameField {
    /// The white player.
    White,
    /// The black player.
    Black,
    /// The tournament or match.
    Event,
    /// The place, or the address of an online game.
    Site,
    /// The file that the game came from; games of older corpora have none and never match.
    Source,
    /// A text of the header that may be unknown: the round, the annotator, the time control, a title. An unknown one never matches.
    Text(HeaderText),
}

impl NameField {
    /// Returns what has such a name.
    pub const fn description(self) -> &'static str {
        match self {
            NameField::White | NameField::Black => "player",
            NameField::Event => "event",
            NameField::Site => "site",
            NameField::Source => "source file",
            NameField::Text(HeaderText::Round) => "round",
            NameField::Text(HeaderText::Annotator) => "annotator",
            NameField::Text(HeaderText::TimeControl) => "time control",
            NameField::Text(HeaderText::WhiteTitle | HeaderText::BlackTitle) => "title",
        }
    }

    /// The index of a game's name in [`string_table`](NameField::string_table). None for what no record names.
    pub(super) fn index(self, game: &HeaderRecord) -> Option<u32> {
        match self {
            NameField::White => Some(game.white),
            NameField::Black => Some(game.black),
            NameField::Event => Some(game.event),
            NameField::Site => Some(game.site),
            NameField::Source | NameField::Text(_) => None,
        }
    }

    /// The table of a shard that has these names.
    pub(super) fn string_table<'a>(self, names: &ShardNames<'a>) -> StringTable<'a> {
        match self {
            NameField::White | NameField::Black => names.players,
            NameField::Event => names.events,
            NameField::Site => names.sites,
            NameField::Source => names.sources.names,
            NameField::Text(text) => names.texts.column(text).names,
        }
    }

    /// Whether some names are unknown, so that no pattern matches them.
    pub(super) fn may_be_unknown(self) -> bool {
        matches!(self, NameField::Text(_))
    }

    /// Whether a name is unknown: an empty text, and a board of a round that is not known, as in `?.3`.
    pub(super) fn is_unknown(self, name: &str) -> bool {
        match self {
            NameField::Text(HeaderText::Round) => name.is_empty() || name.starts_with('?'),
            NameField::Text(_) => name.is_empty(),
            _ => false,
        }
    }
}

/// A number that is derived from the ratings of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RatingField {
    /// White's.
    White,
    /// Black's.
    Black,
    /// Half the sum of both, rounded down.
    Average,
    /// By how much the higher one exceeds the lower.
    Difference,
}

/// A test of the header of a game.
#[derive(Clone, PartialEq, Debug)]
pub enum HeaderTest {
    /// The result is one of these: bit `n` stands for number `n` of [`Outcome::ALL`](plyfold_corpus::record::GameResult::ALL).
    Result(u16),
    /// A name matches a pattern.
    Name {
        /// Which name.
        field: NameField,
        /// The pattern.
        pattern: NamePattern,
    },
    /// A rating is within bounds, both included. It fails if a rating that it needs is unknown.
    Elo {
        /// Which rating.
        which: RatingField,
        /// The lowest.
        least: u16,
        /// The highest.
        most: u16,
    },
    /// White's rating minus Black's is within bounds, both included. It fails if a rating is unknown.
    EloLead {
        /// The lowest; negative if Black's is higher.
        least: i32,
        /// The highest.
        most: i32,
    },
    /// The code of the opening, by the positions of the game, is one of these. Where a shard does not store openings, the code of the
    /// tag decides.
    Eco(EcoCodes),
    /// The opening, by the positions of the game, has one of these names. Where a shard does not store openings, the code of the tag
    /// decides.
    Opening(ResolvedOpening),
    /// The code of the tag is one of these.
    EcoTag(EcoCodes),
    /// The date is within bounds, both included, by the order of [`Date`]: an unknown day comes before the first of the month, an
    /// unknown month before January. A game of an unknown year fails.
    Date {
        /// The earliest.
        from: Date,
        /// The latest.
        to: Date,
    },
    /// The length in plies is within bounds, both included.
    Plies {
        /// The shortest.
        least: u16,
        /// The longest.
        most: u16,
    },
    /// How it ended is one of these: bit `n` stands for number `n` of [`Ending::ALL`](plyfold_corpus::record::Ending::ALL).
    Ending(u16),
    /// How fast it was is one of these: bit `n` stands for number `n` of [`TimeClass::ALL`](plyfold_corpus::record::TimeClass::ALL).
    TimeClass(u16),
    /// Only the moves before one that could not be played or read are kept.
    Incomplete,
    /// It is in a set that has a name.
    Set(NamedSet),
    /// Its text has a tag with a value.
    Tag(TagTest),
}

impl HeaderTest {
    /// Returns whether game `game` of `span` passes the test, evaluated the plain way: one game at a time, names compared letter by
    /// letter.
    ///
    /// # Panics
    ///
    /// If there is no such game.
    pub fn matches(&self, span: &GameSpan<'_>, game: u32) -> bool {
        let (record, openings, in_shard) = (span.record(game), span.names().openings, span.first_in_shard + game);
        match self {
            HeaderTest::Result(mask) => mask >> record.result() as u16 & 1 != 0,
            HeaderTest::Ending(mask) => mask >> record.ending() as u16 & 1 != 0,
            HeaderTest::TimeClass(mask) => mask >> record.time_class() as u16 & 1 != 0,
            HeaderTest::EcoTag(codes) => codes.contains(record.eco),
            HeaderTest::Eco(codes) => codes.contains(openings.code_of(in_shard, record.eco)),
            HeaderTest::Opening(requested) => match openings.is_stored() {
                true => openings.of_game(in_shard).is_some_and(|opening| requested.has_name(opening.name)),
                false => requested.codes.contains(record.eco),
            },
            HeaderTest::Plies { least, most } => (least..=most).contains(&&record.plies),
            HeaderTest::Date { from, to } => record.date.year() != 0 && (from..=to).contains(&&record.date),
            &HeaderTest::Elo { which, least, most } => {
                let (white, black) = (record.white_elo, record.black_elo);
                let both = |value: u32| (white != 0 && black != 0).then_some(value as u16);
                let value = match which {
                    RatingField::White => Some(white).filter(|&elo| elo != 0),
                    RatingField::Black => Some(black).filter(|&elo| elo != 0),
                    RatingField::Average => both((u32::from(white) + u32::from(black)) / 2),
                    RatingField::Difference => both(u32::from(white.abs_diff(black))),
                };
                value.is_some_and(|value| (least..=most).contains(&value))
            }
            HeaderTest::EloLead { least, most } => {
                let (white, black) = (i32::from(record.white_elo), i32::from(record.black_elo));
                white != 0 && black != 0 && (least..=most).contains(&&(white - black))
            }
            HeaderTest::Incomplete => record.flags() & INCOMPLETE != 0,
            HeaderTest::Set(set) => set.contains(GameId(span.first_game.0 + game)),
            HeaderTest::Tag(tag) => tag.contains(GameId(span.first_game.0 + game)),
            HeaderTest::Name { field, pattern } => {
                let names = span.names();
                let name = match (field.index(record), field) {
                    (Some(index), _) => Some(field.string_table(&names).get(index)),
                    (None, &NameField::Text(text)) => Some(names.texts.of_game(text, in_shard)),
                    (None, _) => names.sources.of_game(in_shard),
                };
                name.is_some_and(|name| !field.is_unknown(name) && pattern.matches(name))
            }
        }
    }
}
