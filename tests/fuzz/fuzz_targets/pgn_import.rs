//! Any bytes as PGN: no panic, the same games wherever the text is cut, legal moves only, and a shard that can be opened.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::pgn::{PgnEntry, RejectedGame, last_game_boundary, pack_shard, read_games};

fn entries(text: &[u8], base: u64) -> Vec<String> {
    let mut entries = Vec::new();
    read_games(text, base, &mut |entry| {
        if let PgnEntry::Game { start, moves, .. } = &entry {
            let mut board = start.as_ref().map_or_else(Board::initial, Board::from_start);
            for &mv in *moves {
                let mover = board.side_to_move();
                board.make::<FullState>(mv);
                assert!(!board.is_in_check(mover), "a king is left in check");
            }
        }
        entries.push(match entry {
            PgnEntry::Rejected(rejected) => format!("{:?}", RejectedGame { game: 0, ..rejected }),
            game => format!("{game:?}"),
        });
    });
    entries
}

fuzz_target!(|text: &[u8]| {
    let whole = entries(text, 0);
    let mut pieces = Vec::new();
    let (mut from, mut seen) = (0, 0);
    while seen < text.len() {
        seen = text.len().min(seen + 1 + text.len() % 61);
        if seen < text.len()
            && let Some(boundary) = last_game_boundary(&text[from..seen])
        {
            pieces.extend(entries(&text[from..from + boundary], from as u64));
            from += boundary;
        }
    }
    pieces.extend(entries(&text[from..], from as u64));
    assert_eq!(pieces, whole);
    let (_, report) = pack_shard(text, 0);
    assert_eq!(report.games() as usize, whole.len());
});
