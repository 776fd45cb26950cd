//! The twin of the fold: obviously right, and slow.
//!
//! Keeps everything up, tests everything afresh after every ply, exits nowhere, and has no sources but the board. Tests compare the
//! two on random queries and games; nothing else uses it.

use alloc::vec;

use super::Query;
use super::reducer::{Found, Matches, Ply, Reducer};
use crate::board::make::Whole;
use crate::course::Courses;
use crate::game::Span;

/// What [`fold::scan`](super::fold::scan) should return.
pub fn scan<R: Reducer>(spans: &[Span<'_>], query: &Query, mut reducer: R) -> R {
    for game in spans.iter().flat_map(Span::games) {
        let start = game.start();
        let mut board = start.clone();
        let mut matches = vec![0u64; game.moves.len().div_ceil(64)];
        let mut ever = 0;
        let mut row = [0; 64];
        for (nth, &mv) in game.moves.iter().enumerate() {
            board.make::<Whole>(mv);
            let holding = query.holding(query.tested(&board));
            for (n, condition) in query.conditions.iter().enumerate() {
                row[n] = if holding >> n & 1 != 0 { row[n] + 1 } else { 0 };
                ever |= u64::from(row[n] >= condition.streak.max(1)) << n;
            }
            if query.verdict.holds(holding) {
                matches[nth / 64] |= 1 << (nth % 64);
                reducer.position(&Ply { game: &game, board: &board, number: nth as u32 + 1 });
            }
        }
        let mut courses = Courses::default();
        courses.push(&start, game.moves);
        let matches = Matches::of(&matches, game.moves.len());
        let verdict = query.verdict.holds(ever);
        if verdict || matches.number() > 0 {
            reducer.game(&Found { game: &game, start: &start, course: courses.as_course(), matches, verdict });
        }
    }
    reducer
}
