//! Conditions on the headers of a game.

use plyfold_core::corpus::record::INCOMPLETE;
use plyfold_core::headers::{Eco, HeaderText, NamePattern};
use plyfold_core::query::header::{EloLead, EloSelector, HeaderCondition, NameSelector, PlayerSelector};
use plyfold_core::query::span::SpannedName;

use crate::queries::is_in_set;

use super::Trace;

impl Trace<'_> {
    pub(super) fn named(&self, of: NameSelector, pattern: &str) -> bool {
        let pattern = NamePattern::new(pattern);
        let (record, names) = (self.span.record(self.nth), self.span.names());
        let white = || pattern.matches(names.players.get(record.white));
        let black = || pattern.matches(names.players.get(record.black));
        match (of, record.result().name()) {
            (NameSelector::White, _) | (NameSelector::Winner, "1-0") | (NameSelector::Loser, "0-1") => white(),
            (NameSelector::Black, _) | (NameSelector::Winner, "0-1") | (NameSelector::Loser, "1-0") => black(),
            (NameSelector::Player, _) => white() || black(),
            (NameSelector::Winner | NameSelector::Loser, _) => false,
            (NameSelector::Event, _) => pattern.matches(names.events.get(record.event)),
            (NameSelector::Site, _) => pattern.matches(names.sites.get(record.site)),
            (NameSelector::Source, _) => false,
            (NameSelector::Round, _) => self.has_text(HeaderText::Round, &pattern),
            (NameSelector::Annotator, _) => self.has_text(HeaderText::Annotator, &pattern),
            (NameSelector::TimeControl, _) => self.has_text(HeaderText::TimeControl, &pattern),
        }
    }

    /// Whether a text of the header is known and like this.
    pub(super) fn has_text(&self, text: HeaderText, pattern: &NamePattern) -> bool {
        let is_round = text == HeaderText::Round;
        let text = self.span.names().texts.of_game(text, self.span.first_in_shard + self.nth);
        let is_unknown = text.is_empty() || is_round && text.starts_with('?');
        !is_unknown && pattern.matches(text)
    }

    pub(super) fn has_title(&self, players: PlayerSelector, titles: &[SpannedName]) -> bool {
        let any = |of| titles.iter().any(|title| self.has_text(of, &NamePattern::new(title)));
        self.of_players(players, any(HeaderText::WhiteTitle), any(HeaderText::BlackTitle))
    }

    /// Whether what holds for White or for Black holds for these players.
    pub(super) fn of_players(&self, players: PlayerSelector, white: bool, black: bool) -> bool {
        use PlayerSelector::{Black, Both, Either, Loser, White, Winner};
        match (players, self.span.record(self.nth).result().name()) {
            (White, _) | (Winner, "1-0") | (Loser, "0-1") => white,
            (Black, _) | (Winner, "0-1") | (Loser, "1-0") => black,
            (Winner | Loser, _) => false,
            (Either, _) => white || black,
            (Both, _) => white && black,
        }
    }

    pub(super) fn has_elo_lead(&self, lead: &EloLead) -> bool {
        let record = self.span.record(self.nth);
        let (white, black) = (i32::from(record.white_elo), i32::from(record.black_elo));
        if lead.player.opponent().is_none() || !self.of_players(lead.player, true, true) {
            return false;
        }
        let white_is_first = self.of_players(lead.player, true, false);
        let (first, second) = if white_is_first { (white, black) } else { (black, white) };
        let second_and_margin = second + lead.margin;
        white != 0
            && black != 0
            && match lead.comparison.symbol() {
                "=" => first == second_and_margin,
                "!=" => first != second_and_margin,
                "<" => first < second_and_margin,
                "<=" => first <= second_and_margin,
                ">" => first > second_and_margin,
                _ => first >= second_and_margin,
            }
    }

    pub(super) fn header(&self, header: &HeaderCondition) -> bool {
        let record = self.span.record(self.nth);
        match header {
            HeaderCondition::Result(results) => results.contains(&record.result()),
            HeaderCondition::Name { selector: of, pattern } => self.named(*of, pattern),
            HeaderCondition::Elo { selector: of, range } => {
                let (white, black) = (u32::from(record.white_elo), u32::from(record.black_elo));
                let within = |elo: u32| elo != 0 && range.min <= elo && elo <= range.max;
                let known = white != 0 && black != 0;
                match *of {
                    EloSelector::Of(players) => self.of_players(players, within(white), within(black)),
                    EloSelector::Average => known && within((white + black) / 2),
                    EloSelector::Difference => {
                        let difference = white.abs_diff(black);
                        known && range.min <= difference && difference <= range.max
                    }
                }
            }
            HeaderCondition::Title { selector, titles } => self.has_title(*selector, titles),
            HeaderCondition::EloLead(lead) => self.has_elo_lead(lead),
            HeaderCondition::Eco(ranges) => {
                let openings = self.span.names().openings;
                let found = openings.of_game(self.span.first_in_shard + self.nth).map(|opening| opening.code);
                is_among(ranges, if openings.is_stored() { found.unwrap_or_default() } else { record.eco })
            }
            HeaderCondition::EcoTag(ranges) => is_among(ranges, record.eco),
            HeaderCondition::Tag { .. } => panic!("no texts are at hand"),
            HeaderCondition::Set(name) => is_in_set(name, self.span.first_game.0 + self.nth),
            HeaderCondition::Opening(_) => panic!("no names of openings are at hand"),
            HeaderCondition::Date { from, to } => {
                let date = (record.date.year(), record.date.month(), record.date.day());
                let late =
                    from.is_none_or(|day| (u32::from(day.year), u32::from(day.month), u32::from(day.day)) <= date);
                let end = |part: u8| if part == 0 { 99 } else { u32::from(part) };
                let early = to.is_none_or(|day| date <= (u32::from(day.year), end(day.month), end(day.day)));
                date.0 != 0 && late && early
            }
            HeaderCondition::Plies(range) => (range.min..=range.max).contains(&u32::from(record.plies)),
            HeaderCondition::Incomplete => record.flags() & INCOMPLETE != 0,
            HeaderCondition::Ended(endings) => endings.contains(&record.ending()),
            HeaderCondition::TimeClass(classes) => classes.contains(&record.time_class()),
        }
    }
}

fn is_among(ranges: &[(Eco, Eco)], code: Eco) -> bool {
    !code.is_unknown() && ranges.iter().any(|(from, to)| *from <= code && code <= *to)
}
