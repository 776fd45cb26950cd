//! Tells whether the headers of two games with the same moves may be those of one game.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_corpus::HeaderText;
use plyfold_corpus::record::{Date, GameResult};

use super::DuplicateRules;
use super::candidates::mix;
use crate::game::{Game, GameId, GameSpan};
use crate::headers::{NameAgreement, PersonName, folded_name};

/// What two games differ in that are one game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HeaderDifference {
    /// One has only the first moves of the other.
    Moves,
    /// The name of the white player is written otherwise.
    White,
    /// The name of the black player is written otherwise.
    Black,
    /// One knows more of the date, or they are days apart.
    Date,
    /// The round is written otherwise, or one does not know it.
    Round,
    /// The event has another name.
    Event,
    /// The site has another name.
    Site,
    /// One does not know the result.
    Result,
    /// A rating is another one, or one does not know it.
    Ratings,
}

impl HeaderDifference {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            HeaderDifference::Moves => "moves",
            HeaderDifference::White => "white",
            HeaderDifference::Black => "black",
            HeaderDifference::Date => "date",
            HeaderDifference::Round => "round",
            HeaderDifference::Event => "event",
            HeaderDifference::Site => "site",
            HeaderDifference::Result => "result",
            HeaderDifference::Ratings => "ratings",
        }
    }
}

/// The differences of two games, none for exact doubles.
pub type Differences = Vec<HeaderDifference>;

/// So many plies in a row that are the same are one game, whoever has forgotten its date.
const LONG_GAME: usize = 40;
/// Games of fewer plies are doubles only if their headers say the same.
const SHORT_GAME: usize = 10;
/// Databases have the first day of an event for that of a game.
const NEAR_DAYS: u32 = 31;

/// The headers of all games, ready to be compared.
pub(super) struct GameFacts<'a> {
    pub(super) spans: &'a [GameSpan<'a>],
    /// The different names of players, and their keys.
    names: Vec<(PersonName, Vec<u64>)>,
    /// For each shard, its players' names among those.
    name_of_shard: BTreeMap<u32, Vec<u32>>,
}

impl<'a> GameFacts<'a> {
    pub(super) fn new(spans: &'a [GameSpan<'a>]) -> GameFacts<'a> {
        let (mut names, mut known, mut name_of_shard) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for span in spans {
            name_of_shard.entry(span.shard).or_insert_with(|| {
                let number = |name: &'a str| {
                    *known.entry(name).or_insert_with(|| {
                        let person = PersonName::read(name);
                        let keys = person.keys().map(|key| hash_text(&key)).collect();
                        names.push((person, keys));
                        names.len() as u32 - 1
                    })
                };
                span.names().players.iter().map(number).collect::<Vec<u32>>()
            });
        }
        GameFacts { spans, names, name_of_shard }
    }

    fn span_of(&self, id: GameId) -> Option<&'a GameSpan<'a>> {
        let at = self.spans.partition_point(|span| span.first_game <= id);
        self.spans.get(at.checked_sub(1)?)
    }

    /// The game with this number.
    pub(super) fn game(&self, id: GameId) -> Option<Game<'a>> {
        let span = self.span_of(id)?;
        Some(span.game(span.index_of(id)?))
    }

    /// White's and Black's names.
    fn players(&self, game: &Game<'_>) -> [&(PersonName, Vec<u64>); 2] {
        let shard = self.span_of(game.id).map_or(0, |span| span.shard);
        [game.record.white, game.record.black]
            .map(|name| &self.names[self.name_of_shard[&shard][name as usize] as usize])
    }

    /// The keys of a game, of which two that are one game share one. Nobody knows who played if both players are unknown.
    pub(super) fn keys(&self, game: &Game<'_>) -> impl Iterator<Item = u64> + use<'_, 'a> {
        let [white, black] = self.players(game).map(|(_, keys)| keys);
        white.iter().flat_map(|&white| black.iter().map(move |&black| mix(white) ^ black))
    }

    /// How many keys a game has.
    pub(super) fn key_count(&self, game: &Game<'_>) -> usize {
        self.players(game).iter().map(|(_, keys)| keys.len()).product()
    }

    /// Returns how many headers of a game are known.
    pub(super) fn known_headers(&self, id: GameId) -> usize {
        let Some((game, span)) = self.game(id).zip(self.span_of(id)) else { return 0 };
        let record = game.record;
        let (date, names) = (record.date, span.names());
        let texts = [names.events.get(record.event), names.sites.get(record.site), self.round(&game)];
        let numbers = [date.year(), date.month(), date.day(), record.white_elo.into(), record.black_elo.into()];
        texts.iter().filter(|text| !folded_name(text).is_empty()).count()
            + numbers.iter().filter(|number| **number > 0).count()
            + usize::from(record.result() != GameResult::Unknown)
    }

    fn round(&self, game: &Game<'_>) -> &'a str {
        let Some(span) = self.span_of(game.id) else { return "" };
        let in_shard = span.first_in_shard + (game.id.0 - span.first_game.0);
        span.names().texts.of_game(HeaderText::Round, in_shard)
    }

    fn name_of_event(&self, game: &Game<'_>) -> &'a str {
        self.span_of(game.id).map_or("", |span| span.names().events.get(game.record.event))
    }

    fn name_of_site(&self, game: &Game<'_>) -> &'a str {
        self.span_of(game.id).map_or("", |span| span.names().sites.get(game.record.site))
    }

    /// The differences of two games that may be one; none if they are not.
    pub(super) fn differences(&self, one: GameId, other: GameId, rules: DuplicateRules) -> Option<Differences> {
        let (one, other) = (self.game(one)?, self.game(other)?);
        let plies = one.moves.len().min(other.moves.len());
        let is_contained = one.moves.len() != other.moves.len();
        let starts = [one, other].map(|game| game.custom_start_board().map(|board| board.hash));
        if one.moves[..plies] != other.moves[..plies]
            || starts[0] != starts[1]
            || is_contained && plies < usize::from(rules.least_plies)
        {
            return None;
        }
        let [white, black] = self.players(&one);
        let [other_white, other_black] = self.players(&other);
        let names = [white.0.agreement(&other_white.0)?, black.0.agreement(&other_black.0)?];
        let results = [one.record.result(), other.record.result()];
        if results[0] != results[1] && !results.contains(&GameResult::Unknown) {
            return None;
        }
        let dates = DateAgreement::of(one.record.date, other.record.date);
        let events = [&one, &other].map(|game| folded_name(self.name_of_event(game)));
        // `Hastings` and `Hastings 1930/31`.
        let is_same_event = events[0].starts_with(&*events[1]) || events[1].starts_with(&*events[0]);
        // A name that is unknown begins every name.
        if is_same_event && !rounds_agree(self.round(&one), self.round(&other)) {
            return None;
        }
        let is_known_event = is_same_event && !events.iter().any(String::is_empty);
        // A game that somebody won does not go on.
        let is_decided = is_contained && results.iter().all(|result| *result != GameResult::Draw);
        let agrees_somewhere = dates >= DateAgreement::SameYear || dates >= DateAgreement::Compatible && is_known_event;
        let is_sure = if plies < SHORT_GAME {
            dates == DateAgreement::SameDay && is_known_event && names == [NameAgreement::Equal; 2]
        } else if plies >= LONG_GAME {
            dates >= DateAgreement::Compatible || dates == DateAgreement::Near && !is_contained
        } else if is_contained && !is_decided {
            dates == DateAgreement::SameDay || dates >= DateAgreement::Compatible && is_known_event
        } else {
            agrees_somewhere
        };
        is_sure.then(|| self.compare(one.id, other.id))
    }

    /// In what two games differ.
    pub(super) fn compare(&self, one: GameId, other: GameId) -> Differences {
        let Some((one, other)) = self.game(one).zip(self.game(other)) else { return Differences::new() };
        let name = |of: fn(&GameFacts<'a>, &Game<'_>) -> &'a str| of(self, &one) != of(self, &other);
        let (one_record, other_record) = (one.record, other.record);
        let span_names = [&one, &other].map(|game| self.span_of(game.id).map(|span| span.names().players));
        let player = |of: fn(&Game<'_>) -> u32| {
            let [one_name, other_name] = [(&one, span_names[0]), (&other, span_names[1])]
                .map(|(game, table)| table.map_or("", |table| table.get(of(game))));
            one_name != other_name
        };
        let differs = [
            (HeaderDifference::Moves, one.moves.len() != other.moves.len()),
            (HeaderDifference::White, player(|game| game.record.white)),
            (HeaderDifference::Black, player(|game| game.record.black)),
            (HeaderDifference::Date, one_record.date != other_record.date),
            (HeaderDifference::Round, name(GameFacts::round)),
            (HeaderDifference::Event, name(GameFacts::name_of_event)),
            (HeaderDifference::Site, name(GameFacts::name_of_site)),
            (HeaderDifference::Result, one_record.result() != other_record.result()),
            (
                HeaderDifference::Ratings,
                [one_record.white_elo, one_record.black_elo] != [other_record.white_elo, other_record.black_elo],
            ),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(difference, _)| difference).collect()
    }

    /// How surely two games are one that differ so: what they share counts.
    pub(super) fn weight(&self, one: GameId, other: GameId, differences: &Differences) -> u32 {
        let plies = [one, other].map(|id| self.game(id).map_or(0, |game| game.moves.len() as u32));
        let same = [
            HeaderDifference::Date,
            HeaderDifference::Event,
            HeaderDifference::Round,
            HeaderDifference::White,
            HeaderDifference::Black,
        ];
        let same = same.iter().filter(|difference| !differences.contains(difference)).count() as u32;
        same << 16 | plies[0].min(plies[1])
    }
}

/// In how far two dates may be one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DateAgreement {
    /// They are other dates.
    Different,
    /// They are days apart, at most [`NEAR_DAYS`].
    Near,
    /// Nothing speaks against it.
    Compatible,
    /// The years are the same, and nothing else speaks against it.
    SameYear,
    /// They are the same day.
    SameDay,
}

impl DateAgreement {
    fn of(one: Date, other: Date) -> DateAgreement {
        let parts = [(one.year(), other.year()), (one.month(), other.month()), (one.day(), other.day())];
        let is_known = |&(one, other): &(u32, u32)| one > 0 && other > 0;
        if parts.iter().any(|part| is_known(part) && part.0 != part.1) {
            let days = |date: Date| date.year() * 372 + date.month() * 31 + date.day();
            let are_known = parts.iter().all(is_known);
            return match are_known && days(one).abs_diff(days(other)) <= NEAR_DAYS {
                true => DateAgreement::Near,
                false => DateAgreement::Different,
            };
        }
        match parts.map(|part| is_known(&part)) {
            [true, true, true] => DateAgreement::SameDay,
            [true, ..] => DateAgreement::SameYear,
            _ => DateAgreement::Compatible,
        }
    }
}

/// Whether two rounds may be one: `3`, `03`, `3.1`, `(3)`, `?`.
fn rounds_agree(one: &str, other: &str) -> bool {
    let numbers = |round: &str| {
        let parts = round.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
        parts.take(4).collect::<Vec<u32>>()
    };
    numbers(one).iter().zip(&numbers(other)).all(|(one, other)| one == other)
}

fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)).wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_may_be_one() {
        for (one, other, expected) in [
            ("3", "03", true),
            ("3", "(3)", true),
            ("3.1", "3", true),
            ("3.1", "3.2", false),
            ("3", "4", false),
            ("?", "4", true),
            ("", "4.1", true),
            ("final", "semifinal", true),
        ] {
            assert_eq!(rounds_agree(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn dates_that_may_be_one() {
        let of = |one: &str, other: &str| DateAgreement::of(Date::from_pgn(one), Date::from_pgn(other)) as u8;
        for (one, other, expected) in [
            ("1990.05.03", "1990.05.03", DateAgreement::SameDay),
            ("1990.05.03", "1990.??.??", DateAgreement::SameYear),
            ("1990.05.03", "????.??.??", DateAgreement::Compatible),
            ("1990.05.03", "1990.05.21", DateAgreement::Near),
            ("1990.12.31", "1991.01.01", DateAgreement::Near),
            ("1990.05.03", "1990.08.03", DateAgreement::Different),
            ("1990.05.??", "1990.06.03", DateAgreement::Different),
        ] {
            assert_eq!(of(one, other), expected as u8, "{one} {other}");
        }
    }
}
