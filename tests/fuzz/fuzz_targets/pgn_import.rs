//! Any bytes as PGN: no panic, the same games wherever the text is cut, legal moves only, and a shard that opens.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::board::Board;
use plyfold_core::board::make::Whole;
use plyfold_core::pgn::{Entry, Refusal, into_shard, last_border, read};

fn entries(text: &[u8], base: u64) -> Vec<String> {
    let mut entries = Vec::new();
    read(text, base, &mut |entry| {
        if let Entry::Game { start, moves, .. } = &entry {
            let mut board = start.as_ref().map_or_else(Board::initial, Board::from_start);
            for &mv in *moves {
                let mover = board.turn();
                board.make::<Whole>(mv);
                assert!(!board.in_check(mover), "a king is left in check");
            }
        }
        entries.push(match entry {
            Entry::Refused(refusal) => format!("{:?}", Refusal { game: 0, ..refusal }),
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
            && let Some(border) = last_border(&text[from..seen])
        {
            pieces.extend(entries(&text[from..from + border], from as u64));
            from += border;
        }
    }
    pieces.extend(entries(&text[from..], from as u64));
    assert_eq!(pieces, whole);
    let (_, report) = into_shard(text, 0);
    assert_eq!(report.games() as usize, whole.len());
});
