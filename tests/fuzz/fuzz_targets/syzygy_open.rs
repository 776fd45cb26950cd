//! Any bytes as Syzygy tables: an error or a value, never a panic and never a question without end.
//!
//! Few inputs would have the right magic number, flags and men, so these are written before the input: of king and rook against
//! king, or of pawn against pawn.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use egtgen::TablePosition;
use egtgen::syzygy::SyzygyTables;
use libfuzzer_sys::fuzz_target;

struct Material {
    name: &'static str,
    /// What follows the magic number.
    head: &'static [u8],
    positions: [TablePosition; 2],
}

static MATERIALS: LazyLock<[Material; 2]> = LazyLock::new(|| {
    let position = |fen| TablePosition::from_fen(fen).expect("a position");
    let rook = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/8/8/8/2k5/8/KR6 b - - 0 1"].map(position);
    let pawns = ["8/p7/4k3/8/8/8/3P4/K7 w - - 0 1", "8/8/4k3/8/3pP3/8/8/K7 b - e3 0 1"].map(position);
    [
        Material { name: "KRvK", head: &[1, 0, 0x44, 0x66, 0xee, 0], positions: rook },
        Material {
            name: "KPvKP",
            head: &[
                2, 16, 15, 17, 153, 102, 238, 16, 15, 17, 153, 102, 238, 16, 15, 17, 153, 102, 238, 16, 15, 17, 153,
                102, 238, 0,
            ],
            positions: pawns,
        },
    ]
});

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("syzygy-open-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, input)) = input.split_first() else { return };
    for material in MATERIALS.iter() {
        let whole = [&[0x71, 0xe8, 0x23, 0x5d], material.head, input].concat();
        // The file of distances is only asked where the file of outcomes answers.
        let sound = [&[0x71, 0xe8, 0x23, 0x5d], material.head, &[128, choice % 5].repeat(4)].concat();
        let distances = [&[0xd7, 0x66, 0x0c, 0xa5], material.head, input].concat();
        for (mut wdl, mut dtz) in [(whole, distances.clone()), (sound, distances)] {
            for (extension, bytes) in [("rtbw", &mut wdl), ("rtbz", &mut dtz)] {
                let blocks = bytes.len().saturating_sub(16).div_ceil(64);
                bytes.resize(64 * blocks + 16, 0);
                std::fs::write(FOLDER.join(format!("{}.{extension}", material.name)), bytes).expect("room");
            }
            let tables = SyzygyTables::open(std::slice::from_ref(&*FOLDER), usize::MAX, &mut Vec::new());
            for position in &material.positions {
                let _ = (tables.wdl(position.as_chess()), tables.dtz(position.as_chess()));
                let _ = tables.best_move(position.as_chess());
            }
        }
    }
});
