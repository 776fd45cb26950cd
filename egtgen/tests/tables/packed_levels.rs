//! Packed tables say the same as those that were generated, in fewer bytes.

use std::sync::atomic::AtomicBool;

use egtgen::packed_folder::packed_path;
use egtgen::packing::{PackingContext, pack_in_memory};
use egtgen::prober::{Archive, ListSide, TileKey};
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, MemoryLibrary, TableFolder, TableMaterial};
use plyfold_tables::index::TableIndex;
use plyfold_tables::packed::model::MAX_LEVEL;

/// The level of each place of a tile; `None` where White does not win.
fn levels(
    archive: &dyn Archive,
    index: &TableIndex,
    (pawn_slice, tile): (u32, u32),
    side: ListSide,
) -> Vec<Option<u16>> {
    let key = TileKey { table: index.material(), pawn_slice, tile, side };
    let words = index.tile_words(tile);
    let mut levels = vec![None; 64 * words];
    archive.decode(key, words, 0..=MAX_LEVEL, &mut |bit, level| levels[bit as usize] = Some(level)).expect("a table");
    levels
}

/// Packs tables for either winner and all that they need, compares every level, and returns the bytes of the named ones.
fn packed_bytes(name: &str, sides: &[ListSide]) -> usize {
    let material: TableMaterial = name.parse().expect("a material");
    let winners = [material, material.swapped()].into_iter().filter(|table| table.can_win()).collect::<Vec<_>>();
    let stop = AtomicBool::new(false);
    let library = MemoryLibrary::generate(&winners, &stop).expect("nobody stops it");
    let folder = tempfile::tempdir().expect("a folder");
    let context = PackingContext { source: &library, stop: &stop, on_progress: &|_| () };
    let tables = plyfold_tables::material::closure(&winners);
    for table in &tables {
        let bytes = pack_in_memory(&context, *table).expect("a table in memory");
        std::fs::write(packed_path(folder.path(), *table), bytes).expect("room");
    }
    let packed = CachedTables::open(TableFolder::new(folder.path()), DEFAULT_CACHE_BYTES);
    for table in &tables {
        let index = TableIndex::new(*table);
        let open = packed.table(*table).expect("a packed table");
        assert_eq!(open.summary, library.summary(&index).expect("a table"), "{table}");
        for pawn_slice in 0..index.pawn_slices().len() as u32 {
            for (tile, side) in (0..index.tiles()).flat_map(|tile| sides.iter().map(move |side| (tile, *side))) {
                let expected = levels(&library, &index, (pawn_slice, tile), side);
                let key = TileKey { table: *table, pawn_slice, tile, side };
                let found = packed.levels(&open, key).expect("a packed table");
                let found = found.levels().expect("a tile");
                for (bit, expected) in (0..).zip(expected) {
                    assert_eq!(found.get(bit), expected, "{table} {pawn_slice} {tile} {side:?} {bit}");
                }
            }
        }
    }
    winners.iter().map(|table| packed_path(folder.path(), *table).metadata().expect("a file").len() as usize).sum()
}

#[test]
#[ignore = "slow"]
fn every_level_is_read_as_it_was_and_takes_a_few_bits() {
    // Tables for either winner, and the bytes that they may take.
    for (name, most) in [("KRvK", 7_000), ("KPvK", 20_000), ("KQvKR", 530_000), ("KPPvK", 180_000)] {
        let bytes = packed_bytes(name, &[ListSide::Won]);
        assert!(bytes < most, "{name} takes {bytes} bytes");
    }
}

#[test]
fn levels_of_the_loser_follow_from_the_moves() {
    packed_bytes("KRvK", &ListSide::BOTH);
    packed_bytes("KPvK", &ListSide::BOTH);
}

#[test]
fn the_worked_example_is_what_is_packed() {
    let page = include_str!("../../../core/tables/src/packed/FORMAT.md");
    let example = page.rsplit("```").nth(1).expect("an example");
    // A line has up to sixteen bytes, then more blanks and words.
    let hex = |line: &str| line[..48].split_whitespace().map(|byte| u8::from_str_radix(byte, 16)).collect();
    let lines: Result<Vec<Vec<u8>>, _> = example.trim().lines().map(hex).collect();
    let table: TableMaterial = "KBvK".parse().expect("a material");
    let stop = AtomicBool::new(false);
    let library = MemoryLibrary::generate(&[table], &stop).expect("nobody stops it");
    let context = PackingContext { source: &library, stop: &stop, on_progress: &|_| () };
    assert_eq!(pack_in_memory(&context, table).expect("a table in memory"), lines.expect("bytes").concat());
}
