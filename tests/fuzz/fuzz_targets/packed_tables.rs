//! Any bytes as a packed table: an error or an answer, never a panic.
//!
//! Random bytes seldom pass a checksum. So the input overwrites a few bytes of a sound table, and the target repairs the checksums of
//! its header and its summary: only the checks of consistency and of the coding can then catch the damage.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::material::TableMaterial;
use plyfold_core::table::packed::geometry::UnitAddress;
use plyfold_core::table::packed::head::{BLOCK_UNITS, HeadWriter, PackedFacts, PackedLayout};
use plyfold_core::table::packed::model::Unit;
use plyfold_core::table::packed::pack::PackingCounts;
use plyfold_core::table::packed::tables::{Answer, PackedTables};
use plyfold_core::table::successors::TablePosition;
use xxhash_rust::xxh3::xxh3_64;

struct Sound {
    material: TableMaterial,
    bytes: Vec<u8>,
    summary: std::ops::Range<usize>,
    positions: Vec<TablePosition>,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let material: TableMaterial = "KRvK".parse().expect("a material");
    let (index, mut unit) = (TableIndex::new(material), Unit::default());
    let layout = PackedLayout::new(&index);
    // Levels need not be true: most are like those beside them.
    let levels: Vec<u16> = (0..4096u32).map(|place| (place / 300 + u32::from(place % 97 == 0) * 30) as u16).collect();
    let units: Vec<_> = UnitAddress::all(&index).map(|at| at.rows(&index)).collect();
    let mut counts = PackingCounts::default();
    units.iter().for_each(|rows| counts.count(rows, &levels[..64 * rows.len()]));
    let model = counts.model();
    let mut head =
        HeadWriter::new(&layout, material, (model.neighborhood, &model.distributions), &PackedFacts::default());
    let summary = layout.summary_offset() as usize..head.block_offset() as usize;
    let packed: Vec<Vec<u8>> =
        units.iter().map(|rows| model.pack(&mut unit, rows, &levels[..64 * rows.len()])).collect();
    let blocks: Vec<u8> = packed.chunks(BLOCK_UNITS as usize).flat_map(|units| head.push_block(units)).collect();
    let bytes = [head.finish(), blocks].concat();
    let fens = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/4k3/8/8/8/1R6/K7 b - - 0 1", "7k/8/6K1/8/8/8/8/R7 w - - 0 1"];
    let positions = fens.map(|fen| TablePosition::from_fen(fen).expect("a position")).into();
    Sound { material, bytes, summary, positions }
});

fuzz_target!(|data: &[u8]| {
    let sound = &*SOUND;
    let mut bytes = sound.bytes.clone();
    let (cut, patches) = data.split_first().map_or((0, data), |(cut, rest)| (*cut, rest));
    for patch in patches.chunks_exact(4).take(16) {
        let at = usize::from(u16::from_le_bytes([patch[0], patch[1]])) % bytes.len();
        bytes[at] = patch[2];
    }
    let summary = xxh3_64(&bytes[sound.summary.clone()]).to_le_bytes();
    bytes[48..56].copy_from_slice(&summary);
    let header = xxh3_64(&bytes[..56]).to_le_bytes();
    bytes[56..64].copy_from_slice(&header);
    if cut & 1 != 0 {
        bytes.truncate(bytes.len() * usize::from(cut) / 256);
    }
    let mut tables = PackedTables::new(usize::from(cut) << 12);
    for position in &sound.positions {
        for _ in 0..6 {
            let Ok(Answer::Needs(ranges)) = tables.value(position) else { break };
            for range in ranges {
                let from = bytes.len().min(range.bytes.start as usize);
                let to = bytes.len().min(range.bytes.end as usize);
                let _ = tables.supply(sound.material, from as u64, &bytes[from..to]);
            }
        }
    }
});
