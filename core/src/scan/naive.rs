//! The twin of the fold: obviously right, and slow.
//!
//! Keeps everything up, tests everything afresh after every ply, exits nowhere. Tests compare the two on random queries
//! and games; nothing else uses it.

use super::Query;
use super::reducer::{End, Ply, Reducer};
use crate::board::EVERYTHING;
use crate::board::make::Whole;
use crate::game::Span;

/// What [`fold::scan`](super::fold::scan) should return.
pub fn scan<R: Reducer>(spans: &[Span<'_>], query: &Query, mut reducer: R) -> R {
    for game in spans.iter().flat_map(Span::games) {
        let mut board = game.start();
        reducer.begin(&game, &board);
        let mut matched = 0;
        let mut ever = 0;
        let mut row = [0; 64];
        for (number, &mv) in (1..).zip(game.moves) {
            reducer.before(&board, mv, matched);
            board.make::<Whole>(mv);
            let holding = query.holding(query.tested(&board));
            for (n, condition) in query.conditions.iter().enumerate() {
                row[n] = if holding >> n & 1 != 0 { row[n] + 1 } else { 0 };
                ever |= u64::from(row[n] >= condition.streak) << n;
            }
            let matches = query.verdict.holds(holding);
            reducer.after(&Ply { board: &board, change: EVERYTHING, number, matched_before: matched, matches });
            matched += u32::from(matches);
        }
        reducer.end(&End { game: &game, board: &board, matched, verdict: query.verdict.holds(ever) });
    }
    reducer
}
