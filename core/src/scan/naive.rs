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
        for (number, &mv) in (1..).zip(game.moves) {
            reducer.before(&board, mv, matched);
            board.make::<Whole>(mv);
            let holding = query.holding(query.tested(&board));
            ever |= holding;
            let matches = query.verdict.holds(holding);
            reducer.after(&Ply { board: &board, change: EVERYTHING, number, matched_before: matched, matches });
            matched += u32::from(matches);
        }
        reducer.end(&End { game: &game, board: &board, matched, verdict: query.verdict.holds(ever) });
    }
    reducer
}
