//! Reads the words around a condition: `never`, `became`, `for 8`, `at least 3 times`, `before move 20`, `in endgame`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use plyfold_scan::scan::ply_filter::PlyFilter;

use super::QueryParser;
use crate::error::{MistakeKind, QueryError};
use crate::header::NumberRange;
use crate::token::TokenKind;
use crate::tree::QueryTree;
use crate::window::{EDGES, GamePhase, MAX_PLIES, OccurrenceRule, WindowClause, WindowQuantifier, ply_filter};

const UNITS: &[&str] = &["`move`", "`ply`"];
const PHASES: &[&str] = &["`opening`", "`middlegame`", "`endgame`"];

impl QueryParser {
    /// `never`, `became` and so on, and the plies that count, if they come before the condition.
    pub(crate) fn window_before(&mut self, window: &mut WindowClause) -> Result<(), QueryError> {
        let mut quantified = false;
        loop {
            let at = self.at;
            if let Some(quantifier) = self.take_named(WindowQuantifier::NAMED) {
                if quantified {
                    let message = "a condition takes only one of `ever`, `never` and `always`";
                    return Err(self.error_at(at, message, &["a condition"]));
                }
                (quantified, window.quantifier) = (true, quantifier);
            } else if let Some(edge) = self.take_named(EDGES) {
                if window.edge.is_some() {
                    let message = "a condition takes only one of `became` and `ceased`";
                    return Err(self.error_at(at, message, &["a condition"]));
                }
                window.edge = Some(edge);
            } else if !self.ply_window(window)? {
                return Ok(());
            }
            if self.braces > 0 {
                return Err(self.braces_error(at));
            }
        }
    }

    /// How often, and the plies that count, after condition `what`.
    pub(crate) fn window_after(&mut self, window: &mut WindowClause, what: &QueryTree) -> Result<(), QueryError> {
        loop {
            let at = self.at;
            let occurrence = self.occurrence()?;
            if occurrence.is_none() && !self.ply_window(window)? {
                return Ok(());
            }
            if self.braces > 0 {
                return Err(self.braces_error(at));
            }
            if let Some(message) = window_refusal(what, self.word_at(at).unwrap_or("for")) {
                return Err(self.error_at(at, &message, super::CONDITION_FOLLOWERS));
            }
            if let Some(occurrence) = occurrence {
                window.occurrence = merge_occurrences(window.occurrence, occurrence)
                    .map_err(|message| self.error_at(at, message, super::CONDITION_FOLLOWERS))?;
            }
        }
    }

    /// The condition with its window; the words begin at token `begin`.
    pub(crate) fn with_window(
        &mut self,
        what: QueryTree,
        window: WindowClause,
        begin: usize,
    ) -> Result<QueryTree, QueryError> {
        if window == WindowClause::EVER {
            return Ok(what);
        }
        if let Some(message) = window_refusal(&what, self.word_at(begin).unwrap_or("for")) {
            return Err(self.error_at(begin, &message, &["a condition"]));
        }
        let always = window.quantifier == WindowQuantifier::Always;
        let message = match window.occurrence {
            _ if matches!(&what, QueryTree::Leaf(leaf) if leaf.is_of_several_plies()) && !is_simple(&window) => {
                Some("this takes several plies, so it takes only words such as `never` and `before move 20`")
            }
            _ if window.when.is_empty() => Some("these plies contradict each other: no game has any of them"),
            _ if always && window.edge.is_some() => Some("a change happens at one ply: it cannot be `always`"),
            OccurrenceRule::Consecutive(_) if always => Some("`always` is every ply: leave out `for`"),
            OccurrenceRule::Times(_) if always => Some("`always` is every ply: leave out the number of times"),
            OccurrenceRule::Consecutive(2..) if window.edge.is_some() => {
                Some("a change happens at one ply: it never lasts for several plies")
            }
            _ => None,
        };
        if let Some(message) = message {
            return Err(self.error_at(begin, message, &[]));
        }
        let occurrence =
            if window.occurrence == OccurrenceRule::Consecutive(1) { OccurrenceRule::Once } else { window.occurrence };
        let window = WindowClause { occurrence, ..window };
        if window == WindowClause::EVER {
            return Ok(what);
        }
        Ok(QueryTree::Condition { inner: Box::new(what), window })
    }

    fn braces_error(&mut self, at: usize) -> QueryError {
        let word = String::from(self.word_at(at).unwrap_or("for"));
        let message = format!("braces are one position, and `{word}` needs several: write it outside the braces");
        self.error_at(at, &message, super::BRACED_FOLLOWERS).of_kind(MistakeKind::InBraces, alloc::vec![word])
    }

    /// `for 8`, `at least 3 times`, if it comes next.
    pub(super) fn occurrence(&mut self) -> Result<Option<OccurrenceRule>, QueryError> {
        if self.take_word("for") {
            // Plies in a row are always at least so many.
            if self.word() == Some("at") && self.word_at(self.at + 1) == Some("least") {
                self.at += 2;
            }
            return self.number_of_plies("`for`").map(|plies| Some(OccurrenceRule::Consecutive(plies)));
        }
        let at = self.at;
        let (least, most) = match (self.word(), self.word_at(at + 1)) {
            (Some("at"), Some("least")) => (true, false),
            (Some("at"), Some("most")) => (false, true),
            (Some("exactly"), _) => (true, true),
            _ => return Ok(None),
        };
        self.at += if least && most { 1 } else { 2 };
        let number = self.require_number("a number of plies", &["a number"])?;
        let number = self.bounded_number(number, 0, "how often")?;
        if !(self.take_word("times") || self.take_word("time") || self.take_word("plies") || self.take_word("ply")) {
            return Err(self.expected("`times`", &["`times`"]));
        }
        // A minimum of 0 allows any number.
        let occurrence = OccurrenceRule::Times(NumberRange {
            min: if least { number } else { 0 },
            max: if most { number } else { u32::MAX },
        });
        Ok(Some(occurrence))
    }

    /// `before move 20`, `at end`, `between plies 10..20`, `in endgame`, if one comes next.
    pub(super) fn ply_window(&mut self, window: &mut WindowClause) -> Result<bool, QueryError> {
        let begin = self.at;
        if let Some(played) = self.after_written_move()? {
            if self.after_move.replace(played).is_some() {
                return Err(self.error_at(begin, "a condition takes only one `after` with a move: use `then`", &[]));
            }
            return Ok(true);
        }
        if self.word() == Some("in") {
            // Games of a set are a condition of their own.
            if matches!(self.kind_at(self.at + 1), Some(TokenKind::Set(_))) {
                return Ok(false);
            }
            return self.game_phase(window).map(|()| true);
        }
        let Some(more) = self.ply_filter()? else { return Ok(false) };
        window.when = window.when.intersect(more);
        Ok(true)
    }

    /// `in endgame`.
    fn game_phase(&mut self, window: &mut WindowClause) -> Result<(), QueryError> {
        let begin = self.at;
        self.at += 1;
        let Some(phase) = self.take_named(GamePhase::NAMED) else {
            return Err(self.expected("a phase of the game", PHASES));
        };
        if window.phase.is_some_and(|other| other != phase) {
            return Err(self.error_at(begin, "no ply is in two phases of the game", super::CONDITION_FOLLOWERS));
        }
        window.phase = Some(phase);
        Ok(())
    }

    /// The plies that words such as `before move 20` and `at end` select, if such words come next.
    fn ply_filter(&mut self) -> Result<Option<PlyFilter>, QueryError> {
        let bounds: fn(u32) -> (u32, u32) = match self.word() {
            Some("at") => return self.ply_filter_at(),
            Some("between") => return self.ply_filter_between().map(Some),
            Some("before") => |number| (0, number - 1),
            Some("after") => |number| (number + 1, u32::MAX),
            Some("from") => |number| (number, u32::MAX),
            Some("until") => |number| (0, number),
            _ => return Ok(None),
        };
        let is_before = self.word() == Some("before");
        self.at += 1;
        let (of_move, number) = self.ply_or_move()?;
        if is_before && number == 1 {
            return Err(self.error_at(self.at - 1, "nothing comes before number 1", &["a number"]));
        }
        Ok(Some(ply_filter(of_move, bounds(number))))
    }

    /// `at end`, `at move 20`; nothing for `at least` and `at most`, which say how often.
    fn ply_filter_at(&mut self) -> Result<Option<PlyFilter>, QueryError> {
        match self.word_at(self.at + 1) {
            Some("least" | "most") => return Ok(None),
            Some("end") => {
                self.at += 2;
                return Ok(Some(PlyFilter { at_end: true, ..PlyFilter::EVERY_PLY }));
            }
            _ => self.at += 1,
        }
        if !matches!(self.word(), Some("ply" | "move")) {
            return Err(self.expected(
                "`ply`, `move`, `end`, `least` or `most`",
                &["`ply`", "`move`", "`end`", "`least`", "`most`"],
            ));
        }
        let (of_move, number) = self.ply_or_move()?;
        Ok(Some(ply_filter(of_move, (number, number))))
    }

    /// `between moves 10..20`, `between 10 and 20 plies`.
    fn ply_filter_between(&mut self) -> Result<PlyFilter, QueryError> {
        self.at += 1;
        let of_move = self.unit();
        let span = self.ply_span()?;
        let of_move = of_move.or_else(|| self.unit_after()).unwrap_or(false);
        Ok(ply_filter(of_move, span))
    }

    /// `move 20`, `ply 40`, or `40` for a ply.
    fn ply_or_move(&mut self) -> Result<(bool, u32), QueryError> {
        let unit = self.unit();
        let expected: &[&str] = if unit.is_some() { &["a number"] } else { UNITS };
        let number = self.require_number("`move` or `ply` and its number", expected)?;
        let of_move = unit.unwrap_or(false);
        self.bounded_number(number, 1, if of_move { "the number of a move" } else { "the number of a ply" })
            .map(|number| (of_move, number))
    }

    /// `move`, `moves` (true), `ply`, `plies` (false), if one comes next.
    fn unit(&mut self) -> Option<bool> {
        if self.take_word("move") || self.take_word("moves") {
            return Some(true);
        }
        (self.take_word("ply") || self.take_word("plies")).then_some(false)
    }

    /// A unit after a number, unless the word begins something else: `then within 8 plies >= 40`, `then within 8 ply 1..22`.
    fn unit_after(&mut self) -> Option<bool> {
        let is_range =
            matches!(self.kind_at(self.at + 1), Some(TokenKind::Number(_))) && self.is_sign(self.at + 2, "..");
        let goes_on = is_range || self.comparison_at(self.at + 1).is_some();
        if goes_on { None } else { self.unit() }
    }

    /// `10..20`.
    fn ply_span(&mut self) -> Result<(u32, u32), QueryError> {
        let first = self.number_at_least(1)?;
        if !(self.take_range_sign() || self.take_word("and")) {
            return Err(self.expected("`..`", &["`..`"]));
        }
        let at = self.at;
        let last = self.number_at_least(1)?;
        if last < first {
            return Err(self.error_at(at, &format!("{last} comes before {first}"), &["a number"]));
        }
        Ok((first, last))
    }

    pub(crate) fn number_at_least(&mut self, min: u32) -> Result<u32, QueryError> {
        let number = self.require_number("a number", &["a number"])?;
        self.bounded_number(number, min, "the number")
    }

    /// Takes the number at this token, if it lies within what a game can have.
    pub(crate) fn bounded_number(&mut self, number: i64, min: u32, what: &str) -> Result<u32, QueryError> {
        let within = u32::try_from(number).ok().filter(|number| (min..=MAX_PLIES).contains(number));
        let Some(number) = within else {
            return Err(self.error(&format!("{what} is from {min} to {MAX_PLIES}"), &["a number"]));
        };
        self.at += 1;
        Ok(number)
    }

    /// `8`, `8 plies`, or `4 moves`, which are 8 plies.
    pub(crate) fn number_of_plies(&mut self, what: &str) -> Result<u32, QueryError> {
        let number = self.require_number("a number of plies or moves", &["a number"])?;
        let at = self.at;
        self.at += 1;
        let moves = self.unit_after().unwrap_or(false);
        let plies = u32::try_from(number).ok().and_then(|number| number.checked_mul(1 + u32::from(moves)));
        plies.filter(|plies| (1..=MAX_PLIES).contains(plies)).ok_or_else(|| {
            let message = format!("{what} takes 1 to {MAX_PLIES} plies, which is {} moves", MAX_PLIES / 2);
            self.error_at(at, &message, &["a number"])
        })
    }
}

/// Both rules as one, if a condition can have both.
fn merge_occurrences(first: OccurrenceRule, second: OccurrenceRule) -> Result<OccurrenceRule, &'static str> {
    match (first, second) {
        (OccurrenceRule::Once, other) | (other, OccurrenceRule::Once) => match other {
            OccurrenceRule::Times(NumberRange { min: 0, max: u32::MAX }) => {
                Err("every number of times is at least 0: write 1 or more")
            }
            other => Ok(other),
        },
        (OccurrenceRule::Consecutive(_), OccurrenceRule::Consecutive(_)) => Err("there already is a `for`"),
        (
            OccurrenceRule::Times(NumberRange { min: least, max: most }),
            OccurrenceRule::Times(NumberRange { min: least2, max: most2 }),
        ) => {
            let (least, most) = (least.max(least2), most.min(most2));
            if least > most {
                Err("this contradicts the number of times before it")
            } else {
                Ok(OccurrenceRule::Times(NumberRange { min: least, max: most }))
            }
        }
        _ => Err("a condition takes `for` or a number of times, not both"),
    }
}

/// Whether a window says only which plies count, and perhaps `never`.
fn is_simple(window: &WindowClause) -> bool {
    window.edge.is_none() && window.occurrence == OccurrenceRule::Once && window.quantifier != WindowQuantifier::Always
}

/// Why no words about plies are allowed around this condition; none if they are allowed. `word` is the first of them.
fn window_refusal(what: &QueryTree, word: &str) -> Option<String> {
    let reason = match what {
        QueryTree::Leaf(_) | QueryTree::Together(_) => return None,
        QueryTree::Header(_) => "a header condition applies to the whole game, and `{}` to plies",
        QueryTree::Condition { .. } => "the condition in these brackets already has words such as `{}`",
        QueryTree::Not(_) => "`not` applies to the whole game here, and `{}` to plies: write `{ not … }`",
        QueryTree::Then { .. } => "`then` needs several plies: put `{}` on one of its conditions",
        _ => "`{}` applies to one condition: join several by `{ … }` at the same position",
    };
    Some(reason.replace("{}", word))
}
