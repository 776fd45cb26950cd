//! Collects what a verification finds: its report, and the findings of parts that are merged into it.

use plyfold_tables::material::TableMaterial;
use rayon::prelude::*;
use serde::Serialize;

use crate::Error;
use crate::prober::{IndexedTable, ListSide};

/// How many differences a report lists.
pub const SHOWN_DIFFERENCES: usize = 10;

/// The result of a verification.
#[derive(Clone, Debug, Serialize)]
pub struct VerificationReport {
    /// The material.
    pub material: String,
    /// The tables that were verified; White is the winner in each.
    pub tables: Vec<String>,
    /// The fraction of positions that were drawn. Of a sample, the part of the board that it represents.
    pub fraction: f64,
    /// The number of positions that were drawn, of a sample of so many.
    pub sample: Option<u64>,
    /// The seed of the drawing.
    pub seed: u64,
    /// Whether the verification was stopped early.
    pub is_stopped: bool,
    /// Legal positions checked, up to symmetry, for both sides to move.
    pub checked: u64,
    /// The positions on the whole board that these stand for.
    pub covered: u64,
    /// All legal positions, as the tables count them. Equal to `covered` if all were checked.
    pub legal: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// Positions with a wrong value, and addresses with a value but no legal position.
    pub differences: u64,
    /// The first differences.
    pub first: Vec<Difference>,
    /// Totals of the tables that differ from the counted positions; found only if all were checked.
    pub miscounts: Vec<Miscount>,
}

impl VerificationReport {
    /// Positions checked per second.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.checked as f64 / self.seconds.max(1e-9)
    }

    /// Returns whether no fault was found: no difference and no wrong total.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.differences == 0 && self.miscounts.is_empty()
    }
}

/// A total of a table that differs from the counted positions, on the whole board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Miscount {
    /// The table; White is the winner.
    pub table: String,
    /// The kind of positions, such as `positions won in 5` or `legal positions with Black to move`.
    pub what: String,
    /// The total that the table stores.
    pub stored: u64,
    /// The counted number.
    pub counted: u64,
}

/// A position whose stored value does not follow from the positions after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The table; White is the winner.
    pub table: String,
    /// The position, as FEN; White is the winner.
    pub fen: String,
    /// The stored moves to mate; `None` if White does not win.
    pub stored: Option<u16>,
    /// The derived moves to mate; `None` if White does not win or there is no legal position.
    pub derived: Option<u16>,
}

/// The findings of a part. Differences are sorted by pawn slice, tile and bit, so that the first ones do not depend on the
/// number of threads.
#[derive(Default)]
pub(super) struct VerificationFindings {
    pub checked: u64,
    pub covered: u64,
    pub differences: u64,
    pub first: Vec<((TableMaterial, u32, u32, u64), Difference)>,
    /// The counts with White to move and with Black to move.
    pub counts: [CountedLevels; 2],
}

/// Positions on the whole board with one side to move.
#[derive(Default)]
pub(super) struct CountedLevels {
    legal: u64,
    /// Positions by their stored level.
    levels: Vec<u64>,
}

impl CountedLevels {
    pub fn add(&mut self, weight: u64, level: Option<u16>) {
        self.legal += weight;
        if let Some(level) = level.map(usize::from) {
            self.levels.resize(self.levels.len().max(level + 1), 0);
            self.levels[level] += weight;
        }
    }

    fn merge(&mut self, other: &CountedLevels) {
        self.legal += other.legal;
        self.levels.resize(self.levels.len().max(other.levels.len()), 0);
        self.levels.iter_mut().zip(&other.levels).for_each(|(sum, more)| *sum += more);
    }

    /// The totals that a table stores wrongly.
    pub fn miscounts(&self, table: &IndexedTable, side: ListSide) -> impl Iterator<Item = Miscount> {
        let stored = &table.summary;
        let turn = side.side_to_move();
        let legal = (format!("legal positions with {turn} to move"), stored.legal[side as usize], self.legal);
        let levels = (0..stored.levels.len().max(self.levels.len())).map(move |level| {
            let word = if side == ListSide::Won { "won" } else { "lost" };
            let said = stored.levels.get(level).map_or(0, |totals| side.count(totals));
            (format!("positions {word} in {level}"), said, self.levels.get(level).copied().unwrap_or(0))
        });
        let differing = std::iter::once(legal).chain(levels).filter(|(_, stored, counted)| stored != counted);
        differing.map(|(what, stored, counted)| Miscount { table: table.material.to_string(), what, stored, counted })
    }
}

impl VerificationFindings {
    pub fn merge(mut self, other: VerificationFindings) -> VerificationFindings {
        self.checked += other.checked;
        self.covered += other.covered;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| sum.merge(more));
        self.differences += other.differences;
        self.first.extend(other.first);
        self.first.sort_by_key(|(at, _)| *at);
        self.first.truncate(SHOWN_DIFFERENCES);
        self
    }

    /// The findings of all parts.
    pub fn of_parts(
        parts: impl ParallelIterator<Item = Result<VerificationFindings, Error>>,
    ) -> Result<VerificationFindings, Error> {
        parts.try_reduce(VerificationFindings::default, |one, other| Ok(one.merge(other)))
    }
}
