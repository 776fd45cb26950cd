//! Estimates how likely each candidate is to be the move that was played: a logistic regression on three features of a move, which
//! learns from every move that it codes.
//!
//! Everything is calculated with whole numbers, so that every machine unpacks what any other has packed.

use alloc::boxed::Box;

use plyfold_board::board::Board;
use plyfold_board::moves::Move;

use super::candidates::{Candidate, Candidates, EXCHANGES, MOST, URGENCIES, WAYS};
use super::entropy::{Coder, TOTAL};

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

/// The weights of the three features.
///
/// PERF: their numbers are powers of two, so that an index needs no check; that saves a tenth of the instructions of unpacking.
struct Weights {
    ways: Box<[i32; WAYS]>,
    exchanges: Box<[i32; EXCHANGES]>,
    urgencies: [i32; URGENCIES],
}

impl Weights {
    #[inline(always)]
    fn of(&mut self, candidate: &Candidate) -> [&mut i32; 3] {
        let [way, exchange, urgency] = candidate.features.map(usize::from);
        let Weights { ways, exchanges, urgencies } = self;
        [&mut ways[way % WAYS], &mut exchanges[exchange % EXCHANGES], &mut urgencies[urgency % URGENCIES]]
    }
}

/// The model, and what it needs for one position.
pub(super) struct MoveModel {
    weights: Weights,
    candidates: Candidates,
    likelihoods: [u64; MOST],
    frequencies: [u32; MOST],
}

impl Default for MoveModel {
    fn default() -> MoveModel {
        let (ways, exchanges) = (Box::new([0; WAYS]), Box::new([0; EXCHANGES]));
        MoveModel {
            weights: Weights { ways, exchanges, urgencies: [0; URGENCIES] },
            candidates: Candidates::default(),
            likelihoods: [0; MOST],
            frequencies: [0; MOST],
        }
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
        let chosen = coder.choose(&self.frequencies[..candidates.len()], chosen);
        self.learn(chosen);
        match self.candidates.as_slice().get(chosen) {
            Some(candidate) => candidate.mv,
            // A move that the rules do not know, such as a null move.
            None => Move::from_bits(coder.raw(u32::from(played.bits()), 16) as u16),
        }
    }

    /// Sets the frequencies: in proportion to the likelihoods, each at least 1, with something left for any other move.
    fn estimate(&mut self) {
        let MoveModel { weights, candidates, likelihoods, frequencies } = self;
        let candidates = candidates.as_slice();
        let mut sum = 0;
        for (candidate, likelihood) in candidates.iter().zip(likelihoods.iter_mut()) {
            let [way, exchange, urgency] = weights.of(candidate);
            let weight = way.wrapping_add(*exchange).wrapping_add(*urgency).clamp(-WIDEST, WIDEST) + WIDEST;
            *likelihood = u64::from(POWERS[(weight >> 8 & 255) as usize]) << (weight >> 16);
            sum += *likelihood;
        }
        // The sum is brought below 2 to the power of 32, so that one division and a multiplication for each candidate are enough.
        let shift = (64 - sum.leading_zeros()).saturating_sub(32);
        let room = u64::from(TOTAL) - 1 - candidates.len() as u64;
        let scale = (room << 32) / (sum >> shift).max(1);
        for (likelihood, frequency) in likelihoods[..candidates.len()].iter().zip(frequencies.iter_mut()) {
            *frequency = (((likelihood >> shift) * scale) >> 32) as u32 + 1;
        }
    }

    /// Makes the chosen candidate more likely and the others less, each by how wrong its frequency was.
    fn learn(&mut self, chosen: usize) {
        let MoveModel { weights, candidates, frequencies, .. } = self;
        for (at, (candidate, &frequency)) in candidates.as_slice().iter().zip(&*frequencies).enumerate() {
            let outcome = if at == chosen { TOTAL as i32 } else { 0 };
            let error = outcome - frequency as i32;
            if error.abs() < SMALLEST_ERROR {
                continue;
            }
            let step = (error * LEARNING_RATE) >> 16;
            for weight in weights.of(candidate) {
                *weight = weight.wrapping_add(step);
            }
        }
    }
}
