//! Stores games as bits: 512 at once, which is how many a header test is evaluated for in one step.

use crate::game::GameSpan;

/// Games of a span that match: game `n` of the span if bit `n % 64` of word `n / 64` is set.
pub type GameMask = [u64; 8];

/// The first games of a span, so many as `games`, at most 512.
#[inline(always)]
pub(crate) fn first_games(games: u32) -> GameMask {
    core::array::from_fn(|nth| match (games as usize).saturating_sub(nth * 64) {
        rest @ 0..64 => (1 << rest) - 1,
        _ => u64::MAX,
    })
}

/// Which of the first 512 games from that of `span` on are in a set of words, whether they belong to the span or not.
pub(crate) fn mask_of_set(words: &[u64], span: &GameSpan<'_>) -> GameMask {
    let (first, shift) = (span.first_game.index() / 64, span.first_game.0 % 64);
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    core::array::from_fn(|nth| {
        let above = if shift == 0 { 0 } else { word(first + nth + 1) << (64 - shift) };
        word(first + nth) >> shift | above
    })
}
