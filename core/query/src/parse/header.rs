//! Reads facts about the game: `result 1-0`, `white "Kasparov*"`, `elo >= 2500`, `eco B80-B99`, `year 1985..1995`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::headers::{Eco, Ending, GameResult, TimeClass};

use super::QueryParser;
use crate::error::QueryError;
use crate::header::{
    EloSelector, HeaderCondition, NameSelector, NumberRange, PartialDate, PlayerSelector, is_title_word,
};
use crate::keywords::named;
use crate::span::{SpannedName, TextSpan};
use crate::token::{Token, TokenKind};
use crate::window::MAX_PLIES;

/// No rating is higher.
pub(super) const HIGHEST_ELO: u32 = 9999;
/// No year is later.
const LAST_YEAR: u32 = 9999;

impl QueryParser {
    /// A fact about the game, if one begins here.
    pub(crate) fn header(&mut self) -> Result<Option<HeaderCondition>, QueryError> {
        if let Some(name) = self.quoted_name_at(self.at) {
            return self.player_in_quotes(name);
        }
        if self.word() == Some("in")
            && let Some(name) = self.set_name_at(self.at + 1)
        {
            self.at += 2;
            return Ok(Some(HeaderCondition::Set(name)));
        }
        if let Some(condition) = self.named_header()? {
            return Ok(Some(condition));
        }
        if let Some((selector, after)) = self.elo_selector() {
            let begin = self.at;
            self.at = after;
            if self.is_elo_comparison() {
                return self.elo_lead(begin, selector).map(|lead| Some(HeaderCondition::EloLead(lead)));
            }
            let (min, max) = self.range("elo", HIGHEST_ELO)?;
            return Ok(Some(HeaderCondition::Elo { selector, range: NumberRange { min, max } }));
        }
        if let Some((selector, after)) = self.title_selector() {
            self.at = after;
            return self.titles().map(|titles| Some(HeaderCondition::Title { selector, titles }));
        }
        self.header_by_word()
    }

    /// A player of either side: `"Carlsen*"`. If a predicate follows, the player is the side of that predicate.
    fn player_in_quotes(&mut self, name: SpannedName) -> Result<Option<HeaderCondition>, QueryError> {
        let begin = self.at;
        if self.word_at(begin + 1) == Some("elo") {
            let message = "`player` takes no `elo`: write two conditions";
            return Err(self.error_at(begin + 1, message, &["`and`"]));
        }
        self.at += 1;
        if self.is_side_of_predicate() {
            self.at = begin;
            return Ok(None);
        }
        self.name_condition(begin, NameSelector::Player, name).map(Some)
    }

    /// `white "Kasparov*"`, `event "*Candidates*"`.
    fn named_header(&mut self) -> Result<Option<HeaderCondition>, QueryError> {
        let begin = self.at;
        let known = self.longest_name(|word| named(word, NameSelector::NAMED));
        let Some((selector, after)) = known else { return Ok(None) };
        let number = if selector == NameSelector::Round { self.number_as_name_at(after) } else { None };
        let Some(name) = self.quoted_name_at(after).or(number) else {
            if selector == NameSelector::TimeControl {
                self.at = after;
                return Err(self.expected("a time control in quotes", &["`\"`"]));
            }
            return Ok(None);
        };
        self.at = after + 1;
        let is_side =
            matches!(selector, NameSelector::White | NameSelector::Black | NameSelector::Winner | NameSelector::Loser);
        if is_side && self.is_side_of_predicate() {
            let message = format!("name one side only: `{}` or the name", selector.name());
            return Err(self.error_at(begin, &message, &["a predicate"]));
        }
        self.name_condition(after, selector, name).map(Some)
    }

    /// A fact that begins with a word and is not a name.
    fn header_by_word(&mut self) -> Result<Option<HeaderCondition>, QueryError> {
        if let Some("draw" | "drawn" | "decisive") = self.word() {
            return self.result().map(|results| Some(HeaderCondition::Result(results)));
        }
        let rest: fn(&mut QueryParser) -> Result<HeaderCondition, QueryError> = match self.word() {
            Some("player" | "event" | "site" | "source" | "round" | "annotator") => {
                |parser| Err(parser.expected("a name in quotes", &["`\"`"]))
            }
            Some("average") => |parser| Err(parser.expected("`elo`", &["`elo`"])),
            Some("result") => |parser| parser.result().map(HeaderCondition::Result),
            Some("eco") => |parser| parser.eco_ranges().map(HeaderCondition::Eco),
            Some("eco_tag") => |parser| parser.eco_ranges().map(HeaderCondition::EcoTag),
            Some("opening") => QueryParser::opening,
            Some("year") => QueryParser::year_condition,
            Some("date") => QueryParser::date_condition,
            Some("plies") => QueryParser::game_length,
            Some("ended") => QueryParser::ending,
            Some("tag") => QueryParser::tag,
            Some("incomplete") => |_| Ok(HeaderCondition::Incomplete),
            Some("time_class" | "time") => return self.time_class(),
            _ => return Ok(None),
        };
        self.at += 1;
        rest(self).map(Some)
    }

    fn opening(&mut self) -> Result<HeaderCondition, QueryError> {
        let Some(name) = self.quoted_name_at(self.at) else {
            return Err(self.expected("the name of an opening in quotes", &["`\"`"]));
        };
        if name.is_empty() {
            return Err(self.error("there is no name between the quotes", &["a name"]));
        }
        self.at += 1;
        Ok(HeaderCondition::Opening(name))
    }

    /// `"Board" "3"`, `"WhiteTeam" *`.
    fn tag(&mut self) -> Result<HeaderCondition, QueryError> {
        let name = self.quoted_name_at(self.at).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| self.expected("the name of a tag in quotes", &["`\"Board\"`"]))?;
        self.at += 1;
        if self.take_sign("*") {
            return Ok(HeaderCondition::Tag { name, pattern: SpannedName::from(String::from("*")) });
        }
        let Some(pattern) = self.quoted_name_at(self.at).or(self.number_as_name_at(self.at)) else {
            return Err(self.expected("the value of the tag in quotes, or `*` for any", &["`\"3\"`", "`*`"]));
        };
        if pattern.is_empty() {
            return Err(self.error("there is no value between the quotes", &["a value"]));
        }
        self.at += 1;
        Ok(HeaderCondition::Tag { name, pattern })
    }

    fn year_condition(&mut self) -> Result<HeaderCondition, QueryError> {
        let at = self.at;
        let (first, last) = self.range("year", LAST_YEAR)?;
        let day = |year: u32| PartialDate { year: year as u16, month: 0, day: 0 };
        if last == 0 || (first, last) == (0, u32::MAX) {
            return Err(self.error_at(at, "years range from 1 to 9999", &["a number"]));
        }
        let from = (first > 1).then(|| day(first));
        Ok(HeaderCondition::Date { from, to: (last <= LAST_YEAR).then(|| day(last)) })
    }

    fn game_length(&mut self) -> Result<HeaderCondition, QueryError> {
        let (min, max) = self.range("plies", MAX_PLIES)?;
        Ok(HeaderCondition::Plies(NumberRange { min, max }))
    }

    fn ending(&mut self) -> Result<HeaderCondition, QueryError> {
        let named = Ending::ALL.iter().map(|&ending| (ending.name(), ending));
        self.list(|parser| parser.choose_named("an ending", named.clone(), ENDINGS)).map(HeaderCondition::Ended)
    }

    /// `time_class blitz`, also with a space in its first name.
    fn time_class(&mut self) -> Result<Option<HeaderCondition>, QueryError> {
        let Some(after) = self.after_name("time_class") else { return Ok(None) };
        self.at = after;
        let named = TimeClass::ALL.iter().map(|&class| (class.name(), class));
        let classes = self.list(|parser| parser.choose_named("a time class", named.clone(), TIME_CLASSES));
        classes.map(|classes| Some(HeaderCondition::TimeClass(classes)))
    }

    /// The name in quotes at a token, without the space around it; its place includes the quotes.
    pub(crate) fn quoted_name_at(&self, at: usize) -> Option<SpannedName> {
        let Token { kind: TokenKind::Text(name), from, to } = self.tokens.get(at)? else { return None };
        Some(SpannedName::new(name.trim(), TextSpan { from: *from, to: *to }))
    }

    /// The number at a token as a name, because `round 3` needs no quotes.
    fn number_as_name_at(&self, at: usize) -> Option<SpannedName> {
        let Token { kind: TokenKind::Number(number), from, to } = self.tokens.get(at)? else { return None };
        Some(SpannedName::new(&number.to_string(), TextSpan { from: *from, to: *to }))
    }

    /// The name of a set at a token, without its `@`; its place includes that.
    pub(crate) fn set_name_at(&self, at: usize) -> Option<SpannedName> {
        let Token { kind: TokenKind::Set(name), from, to } = self.tokens.get(at)? else { return None };
        Some(SpannedName::new(name, TextSpan { from: *from, to: *to }))
    }

    /// Whether a predicate follows a side here.
    fn is_side_of_predicate(&self) -> bool {
        self.peek_feature().is_some()
            || self.word().is_some_and(|word| {
                let goes_on =
                    ["and", "or", "then", "for", "at", "exactly", "before", "after", "from", "until", "between", "in"];
                !goes_on.contains(&word)
            })
    }

    fn name_condition(
        &mut self,
        at: usize,
        selector: NameSelector,
        pattern: SpannedName,
    ) -> Result<HeaderCondition, QueryError> {
        if pattern.is_empty() {
            return Err(self.error_at(at, "there is no name between the quotes", &["a name"]));
        }
        Ok(HeaderCondition::Name { selector, pattern })
    }

    /// `elo`, `white elo`, `average elo`, `elo difference`, and the token after it.
    pub(crate) fn elo_selector(&self) -> Option<(EloSelector, usize)> {
        self.longest_name(|words| EloSelector::named(&words.replace("rating", "elo")))
    }

    /// `title`, `white title`, and the token after it.
    fn title_selector(&self) -> Option<(PlayerSelector, usize)> {
        self.longest_name(|words| PlayerSelector::before(&words.replace("titles", "title"), "title"))
    }

    /// One or several titles, with commas between: `GM, IM`; in quotes if they are no words.
    fn titles(&mut self) -> Result<Vec<SpannedName>, QueryError> {
        const TITLES: &[&str] = &["`GM`", "`IM`", "`FM`", "`CM`", "`WGM`", "`WIM`", "`WFM`", "`WCM`", "`NM`", "`\"`"];
        self.list(|parser| {
            let word = parser.word().map(str::to_ascii_uppercase).filter(|word| is_title_word(word));
            let title = match (parser.quoted_name_at(parser.at), word, parser.tokens.get(parser.at)) {
                (Some(name), ..) if name.is_empty() => {
                    return Err(parser.error("there is no title between the quotes", &["a title"]));
                }
                (Some(name), ..) => name,
                (None, Some(word), Some(&Token { from, to, .. })) => SpannedName::new(&word, TextSpan { from, to }),
                _ => return Err(parser.expected("a title such as `GM`", TITLES)),
            };
            parser.at += 1;
            // In a list of conditions, a player with a predicate begins the next one.
            if parser.lists > 0 && parser.quoted_name_at(parser.at - 1).is_some() && parser.is_side_of_predicate() {
                parser.at -= 1;
                return Err(parser.error("this is a player, not a title", TITLES));
            }
            Ok(title)
        })
    }

    /// What comes after `result`.
    fn result(&mut self) -> Result<Vec<GameResult>, QueryError> {
        use TokenKind::{Number, Sign, Word};
        const RESULTS: &[&str] = &["`1-0`", "`0-1`", "`1/2-1/2`", "`draw`", "`decisive`", "`*`"];
        let kinds: Vec<&TokenKind> = self.tokens.iter().skip(self.at).take(7).map(|token| &token.kind).collect();
        let (results, tokens): (&[GameResult], usize) = match kinds[..] {
            [Word(word), ..] if word == "decisive" => (&[GameResult::White, GameResult::Black], 1),
            [Word(word), ..] if word == "draw" || word == "drawn" => (&[GameResult::Draw], 1),
            [Number(1), Sign("-"), Number(0), ..] => (&[GameResult::White], 3),
            [Number(0), Sign("-"), Number(1), ..] => (&[GameResult::Black], 3),
            [Number(1), Sign("/"), Number(2), Sign("-"), Number(1), Sign("/"), Number(2)] => (&[GameResult::Draw], 7),
            [Sign("*"), ..] => (&[GameResult::Unknown], 1),
            _ => return Err(self.expected("a result", RESULTS)),
        };
        self.at += tokens;
        Ok(results.to_vec())
    }

    /// `B80`, `B80-B99`, `B8`, `C`; several with commas.
    fn eco_ranges(&mut self) -> Result<Vec<(Eco, Eco)>, QueryError> {
        self.list(|parser| {
            let (from, to) = parser.eco_range()?;
            let at = parser.at;
            let last = if parser.take_range_sign() { parser.eco_range()?.1 } else { to };
            if last < from {
                return Err(parser.error_at(at + 1, &format!("{last} comes before {from}"), &["an ECO code"]));
            }
            Ok((from, last))
        })
    }

    /// The first and the last code that are meant by one, or by the beginning of one.
    fn eco_range(&mut self) -> Result<(Eco, Eco), QueryError> {
        let code = |text: &str| Some(Eco::from_pgn(text)).filter(|eco| text.len() == 3 && !eco.is_unknown());
        let range = self.word().and_then(|word| {
            let padded = |digit: &str| code(&format!("{word}{}", digit.repeat(3usize.checked_sub(word.len())?)));
            padded("0").zip(padded("9"))
        });
        let Some(found) = range else {
            return Err(self.expected("an ECO code such as `B90`", &["an ECO code"]));
        };
        self.at += 1;
        Ok(found)
    }

    /// `>= 1990.05`, `1990.05.01..1991`.
    fn date_condition(&mut self) -> Result<HeaderCondition, QueryError> {
        use plyfold_scan::scan::predicate::NumberComparison;
        const DATES: &[&str] = &["a date", "`>=`", "`<=`", "`=`"];
        let at = self.at;
        let comparison = self.comparison_sign();
        let first = self.partial_date(DATES)?;
        let (from, to) = match comparison {
            None if self.take_range_sign() => {
                let at = self.at;
                let last = self.partial_date(&["a date"])?;
                let whole = |day: PartialDate| {
                    (day.year, if day.month == 0 { 99 } else { day.month }, if day.day == 0 { 99 } else { day.day })
                };
                if whole(last) < (first.year, first.month, first.day) {
                    return Err(self.error_at(at, &format!("{last} comes before {first}"), &["a date"]));
                }
                (Some(first), Some(last))
            }
            None | Some(NumberComparison::Equal) => (Some(first), Some(first)),
            Some(NumberComparison::AtLeast) => (Some(first), None),
            Some(NumberComparison::AtMost) => (None, Some(first)),
            Some(_) => {
                return Err(self.error_at(at, "a date is compared with `>=`, `<=`, `=` or `..`", DATES));
            }
        };
        Ok(HeaderCondition::Date { from, to })
    }

    /// `1990`, `1990.05` or `1990.05.01`.
    fn partial_date(&mut self, expected: &[&'static str]) -> Result<PartialDate, QueryError> {
        let mut parts = [0; 3];
        for (index, (part, (least, most))) in parts.iter_mut().zip([(1, 9999), (1, 12), (1, 31)]).enumerate() {
            if index > 0 && !self.take_sign(".") {
                break;
            }
            let number = self.require_number("a date such as `1990` or `1990.05.01`", expected)?;
            let Some(number) = u16::try_from(number).ok().filter(|number| (least..=most).contains(number)) else {
                let name = ["a year", "a month", "a day"][index];
                return Err(self.error(&format!("{name} is from {least} to {most}"), expected));
            };
            *part = number;
            self.at += 1;
        }
        Ok(PartialDate { year: parts[0], month: parts[1] as u8, day: parts[2] as u8 })
    }
}

const ENDINGS: &[&str] = &[
    "`checkmate`",
    "`stalemate`",
    "`insufficient_material`",
    "`normal`",
    "`time_forfeit`",
    "`abandoned`",
    "`adjudication`",
    "`rules_infraction`",
    "`unterminated`",
    "`unknown`",
    "`resignation`",
    "`agreement`",
    "`repetition`",
    "`fifty_moves`",
];
const TIME_CLASSES: &[&str] =
    &["`ultrabullet`", "`bullet`", "`blitz`", "`rapid`", "`classical`", "`correspondence`", "`unknown`"];
