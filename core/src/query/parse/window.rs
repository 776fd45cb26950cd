//! The words around a condition: `never`, `became`, `for 8`, `at least 3 times`, `before move 20`, `in endgame`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::Parser;
use crate::query::error::QueryError;
use crate::query::token::Kind;
use crate::query::tree::Tree;
use crate::query::window::{MOST_PLIES, Often, Phase, Quantifier, Window};
use crate::scan::Edge;
use crate::scan::when::When;

const UNITS: &[&str] = &["`move`", "`ply`"];
const PHASES: &[&str] = &["`opening`", "`middlegame`", "`endgame`"];

impl Parser {
    /// `never`, `became` and so on, and the plies that count, as far as they stand before the condition.
    pub(super) fn window_before(&mut self, window: &mut Window) -> Result<(), QueryError> {
        let mut quantified = false;
        loop {
            let at = self.at;
            let quantifier = match self.word() {
                Some("ever") => Some(Quantifier::Ever),
                Some("never") => Some(Quantifier::Never),
                Some("always") => Some(Quantifier::Always),
                _ => None,
            };
            let edge = match self.word() {
                Some("became") => Some(Edge::Became),
                Some("ceased") => Some(Edge::Ceased),
                _ => None,
            };
            if let Some(quantifier) = quantifier {
                if quantified {
                    return Err(self.error("a condition has one of `ever`, `never` and `always`", &["a condition"]));
                }
                quantified = true;
                window.quantifier = quantifier;
                self.at += 1;
            } else if edge.is_some() {
                if window.edge.is_some() {
                    return Err(self.error("a condition has one of `became` and `ceased`", &["a condition"]));
                }
                window.edge = edge;
                self.at += 1;
            } else if !self.plies_that_count(window)? {
                return Ok(());
            }
            if self.braces > 0 {
                return Err(self.outside_braces(at));
            }
        }
    }

    /// How often, and the plies that count, after condition `what`.
    pub(super) fn window_after(&mut self, window: &mut Window, what: &Tree) -> Result<(), QueryError> {
        loop {
            let at = self.at;
            let often = self.often()?;
            if often.is_none() && !self.plies_that_count(window)? {
                return Ok(());
            }
            if self.braces > 0 {
                return Err(self.outside_braces(at));
            }
            if let Some(message) = takes_no_window(what, self.word_at(at).unwrap_or("for")) {
                return Err(self.error_at(at, &message, super::AFTER));
            }
            if let Some(often) = often {
                window.often = both(window.often, often).map_err(|message| self.error_at(at, message, super::AFTER))?;
            }
        }
    }

    /// The condition with its window; the words begin at token `begin`.
    pub(super) fn windowed(&mut self, what: Tree, window: Window, begin: usize) -> Result<Tree, QueryError> {
        if window == Window::EVER {
            return Ok(what);
        }
        let end = self.at;
        if let Some(message) = takes_no_window(&what, self.word_at(begin).unwrap_or("for")) {
            return Err(self.error_at(begin, &message, &["a condition"]));
        }
        let always = window.quantifier == Quantifier::Always;
        let message = match window.often {
            _ if window.when.is_never() => Some("these plies contradict each other: no game has any of them"),
            _ if always && window.edge.is_some() => Some("a change is at one ply and then over: it cannot be `always`"),
            Often::Row(_) if always => Some("`always` is every ply: leave out `for`"),
            Often::Times { .. } if always => Some("`always` is every ply: leave out how often"),
            Often::Row(2..) if window.edge.is_some() => {
                Some("a change is at one ply: it never lasts for several in a row")
            }
            _ => None,
        };
        if let Some(message) = message {
            return Err(self.error_at(begin, message, &[]));
        }
        self.at = end;
        let often = if window.often == Often::Row(1) { Often::Once } else { window.often };
        let window = Window { often, ..window };
        if window == Window::EVER {
            return Ok(what);
        }
        Ok(Tree::Condition { what: Box::new(what), window })
    }

    fn outside_braces(&mut self, at: usize) -> QueryError {
        let message = format!(
            "braces are one position, and `{}` asks for more: write it outside the braces",
            self.word_at(at).unwrap_or("for")
        );
        self.error_at(at, &message, super::AFTER_IN_BRACES)
    }

    /// `for 8`, `at least 3 times`, if it stands here.
    fn often(&mut self) -> Result<Option<Often>, QueryError> {
        if self.take_word("for") {
            return self.number_of_plies("`for`").map(|plies| Some(Often::Row(plies)));
        }
        let at = self.at;
        let (least, most) = match (self.word(), self.word_at(at + 1)) {
            (Some("at"), Some("least")) => (true, false),
            (Some("at"), Some("most")) => (false, true),
            (Some("exactly"), _) => (true, true),
            _ => return Ok(None),
        };
        self.at += if least && most { 1 } else { 2 };
        let Some(&Kind::Number(number)) = self.peek() else {
            return Err(self.expected("a number of plies", &["a number"]));
        };
        let number = self.bounded(number, 0, "how often")?;
        if !(self.take_word("times") || self.take_word("time") || self.take_word("plies") || self.take_word("ply")) {
            return Err(self.expected("`times`", &["`times`"]));
        }
        // Any number is no fewer than none.
        let often = Often::Times { least: if least { number } else { 0 }, most: if most { number } else { u32::MAX } };
        Ok(Some(often))
    }

    /// `before move 20`, `at end`, `between plies 10..20`, `in endgame`, if one stands here.
    fn plies_that_count(&mut self, window: &mut Window) -> Result<bool, QueryError> {
        let at = self.at;
        let more = match self.word() {
            // Games of a set are a condition of their own.
            Some("in") if matches!(self.kind_at(at + 1), Some(Kind::Set(_))) => return Ok(false),
            Some("in") => {
                self.at += 1;
                let Some(&(_, phase)) =
                    self.word().and_then(|word| Phase::NAMED.iter().find(|(name, _)| *name == word))
                else {
                    return Err(self.expected("a part of the game", PHASES));
                };
                self.at += 1;
                if window.phase.is_some_and(|other| other != phase) {
                    return Err(self.error_at(at, "no ply is in two parts of the game", super::AFTER));
                }
                window.phase = Some(phase);
                return Ok(true);
            }
            Some("at") if self.word_at(at + 1) == Some("end") => {
                self.at += 2;
                When { at_end: true, ..When::ALWAYS }
            }
            Some("at") if !matches!(self.word_at(at + 1), Some("least" | "most")) => {
                self.at += 1;
                if !matches!(self.word(), Some("ply" | "move")) {
                    return Err(self.expected(
                        "`ply`, `move`, `end`, `least` or `most`",
                        &["`ply`", "`move`", "`end`", "`least`", "`most`"],
                    ));
                }
                let (of_move, number) = self.numbered()?;
                when(of_move, number, number)
            }
            Some("before") => {
                self.at += 1;
                let (of_move, number) = self.numbered()?;
                if number == 1 {
                    return Err(self.error_at(self.at - 1, "nothing comes before the first", &["a number"]));
                }
                when(of_move, 0, number - 1)
            }
            Some("after") => {
                self.at += 1;
                let (of_move, number) = self.numbered()?;
                when(of_move, number + 1, u32::MAX)
            }
            Some("from") => {
                self.at += 1;
                let (of_move, number) = self.numbered()?;
                when(of_move, number, u32::MAX)
            }
            Some("until") => {
                self.at += 1;
                let (of_move, number) = self.numbered()?;
                when(of_move, 0, number)
            }
            Some("between") => {
                self.at += 1;
                let of_move = self.unit();
                let (first, last) = self.span()?;
                let of_move = of_move.or_else(|| self.unit_after()).unwrap_or(false);
                when(of_move, first, last)
            }
            _ => return Ok(false),
        };
        window.when = window.when.and(more);
        Ok(true)
    }

    /// `move 20`, `ply 40`, or `40` for a ply.
    fn numbered(&mut self) -> Result<(bool, u32), QueryError> {
        let unit = self.unit();
        let Some(&Kind::Number(number)) = self.peek() else {
            let expected: &[&str] = if unit.is_some() { &["a number"] } else { UNITS };
            return Err(self.expected("`move` or `ply` and its number", expected));
        };
        let of_move = unit.unwrap_or(false);
        self.bounded(number, 1, if of_move { "the number of a move" } else { "the number of a ply" })
            .map(|number| (of_move, number))
    }

    /// `move`, `moves` (true), `ply`, `plies` (false), if one stands here.
    fn unit(&mut self) -> Option<bool> {
        if self.take_word("move") || self.take_word("moves") {
            return Some(true);
        }
        (self.take_word("ply") || self.take_word("plies")).then_some(false)
    }

    /// The same after a number, unless the word begins something else: `then within 8 plies >= 40`, `then within 8 ply 1..22`.
    fn unit_after(&mut self) -> Option<bool> {
        let signs = ["=", "==", "!=", "<>", "<", "<=", ">", ">="];
        let is_range = matches!(self.kind_at(self.at + 1), Some(Kind::Number(_))) && self.is_sign(self.at + 2, "..");
        let goes_on = is_range || signs.iter().any(|sign| self.is_sign(self.at + 1, sign));
        if goes_on { None } else { self.unit() }
    }

    /// `10..20`.
    fn span(&mut self) -> Result<(u32, u32), QueryError> {
        let first = self.one_number(1)?;
        if !(self.take_sign("..") || self.take_word("and")) {
            return Err(self.expected("`..`", &["`..`"]));
        }
        let at = self.at;
        let last = self.one_number(1)?;
        if last < first {
            return Err(self.error_at(at, &format!("{last} comes before {first}"), &["a number"]));
        }
        Ok((first, last))
    }

    pub(super) fn one_number(&mut self, least: u32) -> Result<u32, QueryError> {
        match self.peek() {
            Some(&Kind::Number(number)) => self.bounded(number, least, "the number"),
            _ => Err(self.expected("a number", &["a number"])),
        }
    }

    /// Takes the number that stands here, if it lies within what a game can have.
    pub(super) fn bounded(&mut self, number: i64, least: u32, what: &str) -> Result<u32, QueryError> {
        let within = u32::try_from(number).ok().filter(|number| (least..=MOST_PLIES).contains(number));
        let Some(number) = within else {
            return Err(self.error(&format!("{what} is from {least} to {MOST_PLIES}"), &["a number"]));
        };
        self.at += 1;
        Ok(number)
    }

    /// `8`, `8 plies`, `4 moves`, which are 8 plies.
    pub(super) fn number_of_plies(&mut self, what: &str) -> Result<u32, QueryError> {
        let Some(&Kind::Number(number)) = self.peek() else {
            return Err(self.expected("a number of plies or moves", &["a number"]));
        };
        let at = self.at;
        self.at += 1;
        let moves = self.unit_after().unwrap_or(false);
        let plies = u32::try_from(number).ok().and_then(|number| number.checked_mul(1 + u32::from(moves)));
        plies.filter(|plies| (1..=MOST_PLIES).contains(plies)).ok_or_else(|| {
            let message = format!("{what} takes 1 to {MOST_PLIES} plies, which is {} moves", MOST_PLIES / 2);
            self.error_at(at, &message, &["a number"])
        })
    }
}

fn when(of_move: bool, first: u32, last: u32) -> When {
    if of_move {
        When { moves: (first, last), ..When::ALWAYS }
    } else {
        When { plies: (first.max(1), last), ..When::ALWAYS }
    }
}

/// Both of them, if a condition can have both.
fn both(one: Often, two: Often) -> Result<Often, &'static str> {
    match (one, two) {
        (Often::Once, other) | (other, Often::Once) => match other {
            Often::Times { least: 0, most: u32::MAX } => {
                Err("that is so of any number of times: say how often at least from 1")
            }
            other => Ok(other),
        },
        (Often::Row(_), Often::Row(_)) => Err("there is a `for` already"),
        (Often::Times { least, most }, Often::Times { least: least2, most: most2 }) => {
            let (least, most) = (least.max(least2), most.min(most2));
            if least > most { Err("this contradicts how often it is before") } else { Ok(Often::Times { least, most }) }
        }
        _ => Err("a condition has `for` or a number of times, not both"),
    }
}

/// Why words about plies cannot stand around this, if they cannot; `{}` is the first of them.
fn takes_no_window(what: &Tree, word: &str) -> Option<String> {
    let reason = match what {
        Tree::Leaf(_) | Tree::Together(_) => return None,
        Tree::Header(_) => "a header speaks of the whole game, and `{}` of plies",
        Tree::Condition { .. } => "the condition in these brackets has words such as `{}` already",
        Tree::Not(_) => "`not` speaks of the whole game here, and `{}` of plies: `{ not … }` is said of a position",
        Tree::Then { .. } => "`then` speaks of several plies: `{}` stands around one condition of it",
        _ => "`{}` stands around one condition: `{ … }` makes one of what holds at the same position",
    };
    Some(reason.replace("{}", word))
}
