//! Levels of real tables, written as a few bits and read again.

use std::sync::atomic::AtomicBool;

use egtgen::prober::{Archive, ListSide, TileKey};
use egtgen::{MemoryLibrary, TableMaterial};
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::packed::coder::{RangeDecoder, RangeEncoder};
use plyfold_core::table::packed::geometry::{Row, UnitAddress};
use plyfold_core::table::packed::model::{AnswerReader, AnswerWriter, COARSE_CONTEXTS, MAX_LEVEL, NOT_WON, Unit};
use plyfold_core::table::packed::probabilities::Probabilities;

/// A unit: its rows, and the level of each place with White to move.
type KnownUnit = (Vec<Row>, Vec<u16>);

fn units(library: &MemoryLibrary, index: &TableIndex) -> Vec<KnownUnit> {
    let (mut units, mut tile_levels): (Vec<KnownUnit>, Vec<u16>) = (Vec::new(), Vec::new());
    for at in UnitAddress::all(index) {
        if at.unit == 0 {
            let side = ListSide::Won;
            let key = TileKey { table: index.material(), pawn_slice: at.pawn_slice, tile: at.tile, side };
            let words = index.tile_words(at.tile);
            tile_levels = vec![NOT_WON; 64 * words];
            let put = &mut |bit: u64, level| tile_levels[bit as usize] = level;
            library.decode(key, words, 0..=MAX_LEVEL, put).expect("a table in memory");
        }
        let (rows, first) = (at.rows(index), at.place(0).bit as usize);
        let levels = tile_levels[first..][..64 * rows.len()].to_vec();
        units.push((rows, levels));
    }
    units
}

fn probabilities(units: &[KnownUnit], out: &mut Vec<u8>) -> Probabilities {
    let mut unit = Unit::default();
    let counted = Probabilities::counted(COARSE_CONTEXTS, |counts| {
        for (rows, levels) in units {
            unit.code(rows, levels.len() - 1, |place| levels[place], counts);
        }
    });
    counted.write(out);
    Probabilities::read(out, COARSE_CONTEXTS)
}

/// Packs a table, compares every level, and returns the bytes that it takes.
fn packed_bytes(library: &MemoryLibrary, material: TableMaterial) -> usize {
    let index = TableIndex::new(material);
    let (units, mut bytes) = (units(library, &index), Vec::new());
    let probabilities = &probabilities(&units, &mut bytes);
    let mut unit = Unit::default();
    for (rows, levels) in &units {
        let mut packed = Vec::new();
        let mut writer = AnswerWriter { probabilities, coder: RangeEncoder::new(&mut packed) };
        unit.code(rows, levels.len() - 1, |place| levels[place], &mut writer);
        writer.coder.finish();
        let mut reader = AnswerReader { probabilities, coder: RangeDecoder::new(&packed) };
        unit.code(rows, levels.len() - 1, |_| 0, &mut reader);
        for (place, &level) in levels.iter().enumerate() {
            let is_legal = rows[place / 64].legal >> (place % 64) & 1 != 0;
            assert_eq!(unit.level(place), is_legal.then_some(level), "{material}, place {place}");
            assert!(is_legal || level == NOT_WON, "{material} has a won position that is none, at place {place}");
        }
        bytes.extend(packed);
    }
    bytes.len()
}

#[test]
fn every_level_is_read_as_it_was_and_takes_a_few_bits() {
    // Tables for either winner, and the bytes that they may take.
    for (name, most) in [("KRvK", 6_000), ("KPvK", 16_000), ("KQvKR", 490_000), ("KPPvK", 180_000)] {
        let material: TableMaterial = name.parse().expect("a material");
        let winners = [material, material.swapped()].into_iter().filter(|table| table.can_win()).collect::<Vec<_>>();
        let library = MemoryLibrary::generate(&winners, &AtomicBool::new(false)).expect("nobody stops it");
        let bytes: usize = winners.iter().map(|table| packed_bytes(&library, *table)).sum();
        assert!(bytes < most, "{name} takes {bytes} bytes");
    }
}
