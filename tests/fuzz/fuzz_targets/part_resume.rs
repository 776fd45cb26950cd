//! Any bytes as an unfinished table: resuming keeps whole sections and cuts off the rest, so resuming again finds the same
//! bytes.
//!
//! Random bytes seldom pass a checksum, so most inputs cut a sound partial table and overwrite a few of its bytes.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use egtgen::partial_table::PartialTable;
use libfuzzer_sys::fuzz_target;
use plyfold_core::table::layout::{BlockKind, LevelTotals, TableInfo, TableName};
use xxhash_rust::xxh3::xxh3_64;

struct Sound {
    /// The path of the finished table. The partial file is beside it.
    place: PathBuf,
    bytes: Vec<u8>,
}

fn info() -> TableInfo {
    TableInfo { name: TableName::new("KRvK").expect("a name"), pawn_slices: 2, tiles: 3 }
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("part-resume-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let place = folder.join("KRvK.egt");
    // An earlier process of the same number may have left one.
    let _ = std::fs::remove_file(place.with_file_name("KRvK.egt.part"));
    let mut part = PartialTable::resume(&place, info()).expect("a part");
    for (pawn_slice, n, is_last) in [(0, 0, false), (0, 1, true), (1, 0, false)] {
        part.begin_section(pawn_slice).expect("room");
        part.add_block(BlockKind::Lost, n, 0, b"first").expect("room");
        part.add_block(BlockKind::Won, n, 2, b"second").expect("room");
        part.end_section(&[LevelTotals { n, won: 5, lost: 7 }], if n == 0 { [9, 8] } else { [0; 2] }, is_last)
            .expect("room");
    }
    drop(part);
    let bytes = std::fs::read(place.with_file_name("KRvK.egt.part")).expect("a file");
    Sound { place, bytes }
});

fuzz_target!(|input: &[u8]| {
    let Sound { place, bytes } = &*SOUND;
    let part = place.with_file_name("KRvK.egt.part");
    let is_patched = input.first().is_some_and(|byte| byte & 3 != 0);
    let mut begun = if is_patched { bytes.clone() } else { input.to_vec() };
    for patch in input.chunks_exact(3).filter(|_| is_patched) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % begun.len();
        begun[at] = patch[2];
    }
    if is_patched && input[0] & 4 != 0 {
        let checksum = xxh3_64(&begun[..56]).to_le_bytes();
        begun[56..64].copy_from_slice(&checksum);
    }
    if is_patched && input[0] & 8 != 0 {
        begun.truncate(usize::from(input.last().copied().unwrap_or(0)) * begun.len() / 255);
    }
    std::fs::write(&part, &begun).expect("room");
    let Ok(resumed) = PartialTable::resume(place, info()) else {
        // A file that egtgen did not begin belongs to somebody else and stays unchanged.
        assert_eq!(std::fs::read(&part).expect("a file"), begun);
        return;
    };
    let found = resumed.written_table().contents().sections().to_vec();
    drop(resumed);
    let kept = std::fs::read(&part).expect("a file");
    // The remaining bytes are unchanged, except for the header, which says that the table is unfinished.
    assert!(kept.len() <= begun.len().max(64) && (kept.len() == 64 || kept[64..] == begun[64..kept.len()]));
    let resumed = PartialTable::resume(place, info()).expect("what was resumed");
    assert_eq!(resumed.written_table().contents().sections(), found);
    drop(resumed);
    assert_eq!(std::fs::read(&part).expect("a file"), kept);
});
