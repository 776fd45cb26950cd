//! Packs units of levels into bytes, and unpacks bytes into levels.
//!
//! A table is packed in two passes. The first counts the symbols of some units or of all, and chooses how levels foretell each other; the
//! second writes every unit.

use alloc::vec::Vec;

use super::ans::{Decoder, encode};
use super::distributions::{Distributions, SymbolCounts};
use super::geometry::{MAX_ROWS, Row};
use super::model::{COARSE_CONTEXTS, Neighborhood, SymbolReader, SymbolWriter, Unit};

/// The model by which the levels of a table are written.
pub struct PackingModel {
    /// How they foretell each other.
    pub neighborhood: Neighborhood,
    /// How frequent each symbol is.
    pub distributions: Distributions,
}

/// The symbols of units that have been counted, for either neighbourhood.
pub struct PackingCounts {
    unit: Unit,
    counts: [SymbolCounts; 2],
}

impl Default for PackingCounts {
    fn default() -> PackingCounts {
        PackingCounts { unit: Unit::default(), counts: [(); 2].map(|()| SymbolCounts::new(COARSE_CONTEXTS)) }
    }
}

impl PackingCounts {
    /// Counts the symbols of a unit: `levels` has 64 for each row, 0 where White does not win.
    pub fn count(&mut self, rows: &[Row], levels: &[u16]) {
        if levels.iter().all(|level| *level == 0) {
            return;
        }
        for (neighborhood, counts) in Neighborhood::BOTH.into_iter().zip(&mut self.counts) {
            self.unit.code((rows, neighborhood), levels.len() - 1, |place| levels[place], counts);
        }
    }

    /// Adds what another thread has counted.
    pub fn add(&mut self, other: &PackingCounts) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(counts, other)| counts.add(other));
    }

    /// The model with which these units take the fewest bytes, about.
    pub fn model(&self) -> PackingModel {
        let [(straight, straight_bits), (diagonal, diagonal_bits)] = [0, 1].map(|of| self.counts[of].distributions());
        match diagonal_bits < straight_bits {
            true => PackingModel { neighborhood: Neighborhood::Diagonal, distributions: diagonal },
            false => PackingModel { neighborhood: Neighborhood::Straight, distributions: straight },
        }
    }
}

impl PackingModel {
    /// The bytes of a unit; none if White wins nothing in it.
    pub fn pack(&self, unit: &mut Unit, rows: &[Row], levels: &[u16]) -> Vec<u8> {
        let mut bytes = Vec::new();
        if levels.iter().any(|level| *level != 0) {
            let mut writer = SymbolWriter { distributions: &self.distributions, shares: Vec::new() };
            unit.code((rows, self.neighborhood), levels.len() - 1, |place| levels[place], &mut writer);
            encode(&writer.shares, &mut bytes);
        }
        bytes
    }

    /// Reads the levels of a unit up to the place `last`. Returns whether the bytes end where the levels do, if all were read.
    pub fn unpack(&self, unit: &mut Unit, rows: &[Row], last: usize, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            unit.clear(rows);
            return true;
        }
        let mut reader = SymbolReader { distributions: &self.distributions, decoder: Decoder::new(bytes) };
        unit.code((rows, self.neighborhood), last, |_| 0, &mut reader);
        last < 64 * MAX_ROWS - 1 || reader.decoder.is_at_end()
    }
}
