//! How likely each candidate is to be the move that was played: a logistic regression on three features of a move, which learns from
//! every move that it codes.
//!
//! Everything is calculated with whole numbers, so that every machine unpacks what any other has packed.

use alloc::vec;
use alloc::vec::Vec;

use super::candidates::{Candidate, Candidates, FEATURES};
use super::entropy::{Coder, TOTAL};
use crate::board::Board;
use crate::moves::Move;

/// A weight of 1 means twice as likely.
const ONE: i32 = 1 << 16;
/// No candidate is believed to be more likely than another by more than this power of two, up or down.
const WIDEST: i32 = 14 * ONE;
/// How far a weight moves if the outcome was certain to be another one.
const LEARNING_RATE: i32 = 2836;
/// Smaller errors than this, out of [`TOTAL`], teach nothing.
const SMALLEST_ERROR: i32 = 256;

/// 2 to the power of n / 256, times 65,536.
const POWERS: [u32; 256] = powers();

const fn powers() -> [u32; 256] {
    // 2 to the power of 1 / 256, times 2 to the power of 62.
    const STEP: u128 = 4_624_189_567_668_517_720;
    let mut powers = [0; 256];
    let mut power: u128 = 1 << 62;
    let mut n = 0;
    while n < 256 {
        powers[n] = (power >> 46) as u32;
        power = (power * STEP) >> 62;
        n += 1;
    }
    powers
}

/// The model, and what it needs for one position.
pub(super) struct MoveModel {
    weights: [Vec<i32>; 3],
    candidates: Candidates,
    likelihoods: Vec<u64>,
    frequencies: Vec<u32>,
}

impl Default for MoveModel {
    fn default() -> MoveModel {
        let (candidates, likelihoods, frequencies) = Default::default();
        MoveModel { weights: FEATURES.map(|values| vec![0; values]), candidates, likelihoods, frequencies }
    }
}

impl MoveModel {
    /// Codes the move played at a position; `before` are the last two moves, the latest first.
    pub fn code<C: Coder>(&mut self, coder: &mut C, board: &Board, before: [Move; 2], played: Move) -> Move {
        self.candidates.list(board, before);
        self.estimate();
        let known = |candidate: &Candidate| candidate.mv == played;
        let candidates = self.candidates.as_slice();
        let chosen = if C::READS { 0 } else { candidates.iter().position(known).unwrap_or(candidates.len()) };
        let chosen = coder.choose(&self.frequencies, chosen);
        self.learn(chosen);
        match self.candidates.as_slice().get(chosen) {
            Some(candidate) => candidate.mv,
            // A move that the rules do not know, such as a null move.
            None => Move::from_bits(coder.raw(u32::from(played.bits()), 16) as u16),
        }
    }

    /// Sets the frequencies: in proportion to the likelihoods, each at least 1, with something left for any other move.
    fn estimate(&mut self) {
        let MoveModel { weights: [ways, exchanges, urgencies], candidates, likelihoods, frequencies } = self;
        let candidates = candidates.as_slice();
        likelihoods.clear();
        likelihoods.extend(candidates.iter().map(|candidate| {
            let [way, exchange, urgency] = candidate.features.map(usize::from);
            let weight = ways[way].wrapping_add(exchanges[exchange]).wrapping_add(urgencies[urgency]);
            let weight = weight.clamp(-WIDEST, WIDEST) + WIDEST;
            u64::from(POWERS[(weight >> 8 & 255) as usize]) << (weight >> 16)
        }));
        let sum: u64 = likelihoods.iter().sum();
        // The sum is brought below 2 to the power of 32, so that one division and a multiplication for each candidate are enough.
        let shift = (64 - sum.leading_zeros()).saturating_sub(32);
        let room = u64::from(TOTAL) - 1 - candidates.len() as u64;
        let scale = (room << 32) / (sum >> shift).max(1);
        frequencies.clear();
        frequencies.extend(likelihoods.iter().map(|likelihood| (((likelihood >> shift) * scale) >> 32) as u32 + 1));
    }

    /// Makes the chosen candidate more likely and the others less, each by how wrong its frequency was.
    fn learn(&mut self, chosen: usize) {
        let MoveModel { weights: [ways, exchanges, urgencies], candidates, frequencies, .. } = self;
        for (at, (candidate, &frequency)) in candidates.as_slice().iter().zip(&*frequencies).enumerate() {
            let outcome = if at == chosen { TOTAL as i32 } else { 0 };
            let error = outcome - frequency as i32;
            if error.abs() < SMALLEST_ERROR {
                continue;
            }
            let step = (error * LEARNING_RATE) >> 16;
            let [way, exchange, urgency] = candidate.features.map(usize::from);
            for weight in [&mut ways[way], &mut exchanges[exchange], &mut urgencies[urgency]] {
                *weight = weight.wrapping_add(step);
            }
        }
    }
}
