//! Any bytes as PGN, read by the finders of game beginnings and move ends: each imported game has a beginning, and as many
//! move ends as moves, in ascending order within its text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::pgn::{MoveEndFinder, PgnEntry, find_game_starts, read_games};

fuzz_target!(|text: &[u8]| {
    let (mut games, mut begun) = (0, 0);
    let mut offsets = Vec::new();
    let mut finder = MoveEndFinder::default();
    read_games(text, 0, &mut |entry| {
        games += 1;
        let PgnEntry::Game { moves, text, offset, .. } = entry else { return };
        offsets.push(offset);
        let ends = finder.find(text);
        assert_eq!(ends.len(), moves.len(), "a move has no end");
        assert!(ends.is_sorted_by(|one, other| one < other) && ends.last().is_none_or(|end| *end <= text.len()));
    });
    let mut found = Vec::new();
    find_game_starts(text, 0, &mut |game| {
        begun += 1;
        found.extend(game.map(|game| game.offset));
    });
    // `0-0` is a result where castling is impossible and the tag says so. A reader that does not play the moves cannot know.
    if text.windows(3).any(|part| part == b"0-0") {
        return;
    }
    // A game refused before its first tag or move has no beginning. Every imported game has one.
    assert!(begun <= games, "{begun} beginnings of {games} games");
    assert!(offsets.iter().all(|offset| found.contains(offset)), "{offsets:?} begin at {found:?}");
});
