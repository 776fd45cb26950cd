//! When and how often a condition must hold: the words around it.

use alloc::string::String;
use core::fmt;
use core::fmt::Write;

use crate::scan::Edge;
use crate::scan::when::When;

/// The most plies that `for` can ask for, and the highest number of a ply or of plies anywhere: no game has more.
pub const MOST_PLIES: u32 = 65535;

/// The words around a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// `ever`, `never`, `always`.
    pub quantifier: Quantifier,
    /// `became`, `ceased`.
    pub edge: Option<Edge>,
    /// `for 8`, `at least 3 times`.
    pub often: Often,
    /// `before move 20`, `at end`.
    pub when: When,
    /// `in endgame`.
    pub phase: Option<Phase>,
}

impl Window {
    /// What is meant without a word: ever.
    pub const EVER: Window =
        Window { quantifier: Quantifier::Ever, edge: None, often: Often::Once, when: When::ALWAYS, phase: None };
}

/// Whether it must be fulfilled, must not, or at every ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// It is fulfilled: what is meant without a word.
    Ever,
    /// It is not fulfilled.
    Never,
    /// At each ply that counts.
    Always,
}

/// How often it must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Often {
    /// Once: what is meant without a word.
    Once,
    /// At so many plies in a row, from 1.
    Row(u32),
    /// At so many plies: at least, and at most.
    Times {
        /// 0 for any number.
        least: u32,
        /// [`u32::MAX`] for any number.
        most: u32,
    },
}

/// A part of a game, by what is on the board: see [`plan`](super::plan).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// More than ten queens, rooks, bishops and knights, and on both first ranks four men or more.
    Opening,
    /// Neither of the others.
    Middlegame,
    /// At most six queens, rooks, bishops and knights, both sides together.
    Endgame,
}

impl Phase {
    /// Names as written after `in`.
    pub const NAMED: &[(&str, Phase)] =
        &[("opening", Phase::Opening), ("middlegame", Phase::Middlegame), ("endgame", Phase::Endgame)];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, phase)| *phase == self).map_or("", |(name, _)| name)
    }
}

impl Window {
    /// The words before the condition, with a space after each.
    pub fn before(&self) -> String {
        let mut text = String::from(match self.quantifier {
            Quantifier::Ever => "",
            Quantifier::Never => "never ",
            Quantifier::Always => "always ",
        });
        text.push_str(match self.edge {
            None => "",
            Some(Edge::Became) => "became ",
            Some(Edge::Ceased) => "ceased ",
        });
        text
    }

    /// The words after it, with a space before each.
    pub fn after(&self) -> String {
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = match self.often {
            Often::Once => Ok(()),
            Often::Row(plies) => write!(text, " for {plies}"),
            Often::Times { least, most } if least == most => write!(text, " exactly {least} times"),
            Often::Times { least, most: u32::MAX } => write!(text, " at least {least} times"),
            Often::Times { least: 0, most } => write!(text, " at most {most} times"),
            Often::Times { least, most } => write!(text, " at least {least} times at most {most} times"),
        };
        let _ = bounds(&mut text, "ply", self.when.plies, When::ALWAYS.plies);
        let _ = bounds(&mut text, "move", self.when.moves, When::ALWAYS.moves);
        if self.when.at_end {
            text.push_str(" at end");
        }
        if let Some(phase) = self.phase {
            let _ = write!(text, " in {}", phase.name());
        }
        text
    }
}

/// ` from move 10 until move 20`, as far as it is bounded.
fn bounds(text: &mut String, unit: &str, (first, last): (u32, u32), any: (u32, u32)) -> fmt::Result {
    match (first > any.0, last < any.1) {
        (false, false) => Ok(()),
        (true, false) => write!(text, " from {unit} {first}"),
        (false, true) => write!(text, " until {unit} {last}"),
        (true, true) if first == last => write!(text, " at {unit} {first}"),
        (true, true) => {
            let units = if unit == "ply" { "plies" } else { "moves" };
            write!(text, " between {units} {first}..{last}")
        }
    }
}
