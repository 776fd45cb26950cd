//! Packed tables are probed without I/O: what a question needs, how often it asks, and what damage does.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use egtgen::packing::{PackingContext, pack_in_memory};
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, MemoryLibrary, ProbeValue, Prober, TableMaterial, TablePosition};
use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::material::closure;
use plyfold_tables::packed::tables::{Answer, PackedFault, PackedTables};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use shakmaty::Color;

/// Files of packed tables, as a host has them.
type Host = HashMap<TableMaterial, Vec<u8>>;

fn made(names: &[&str]) -> (Prober<CachedTables>, Host) {
    let materials = names.iter().map(|name| name.parse::<TableMaterial>().expect("a material"));
    let winners: Vec<TableMaterial> =
        materials.flat_map(|material| [material, material.swapped()]).filter(|table| table.can_win()).collect();
    let stop = AtomicBool::new(false);
    let library = MemoryLibrary::generate(&winners, &stop).expect("nobody stops it");
    let context = PackingContext { source: &library, stop: &stop, on_progress: &|_| () };
    let pack = |table: TableMaterial| (table, pack_in_memory(&context, table).expect("a table"));
    let host = closure(&winners).into_iter().map(pack).collect();
    (Prober::new(CachedTables::new(Box::new(library), DEFAULT_CACHE_BYTES)), host)
}

fn positions(name: &str, number: usize, seed: u64) -> Vec<TablePosition> {
    let index = TableIndex::new(name.parse().expect("a material"));
    let mut random = StdRng::seed_from_u64(seed);
    let position = || {
        let pawn_slice = random.random_range(0..index.pawn_slices().len() as u32);
        let tile = random.random_range(0..index.tiles());
        let bit = random.random_range(0..64 * index.tile_words(tile) as u64);
        let turn = if random.random() { Color::White } else { Color::Black };
        let board = index.board_at(TableAddress { pawn_slice, tile, bit })?;
        TablePosition::from_board(if random.random() { board } else { board.into_mirrored() }, turn, None).ok()
    };
    std::iter::repeat_with(position).flatten().take(number).collect()
}

/// Asks until there is an answer. Returns it with the rounds of requests and the bytes that they brought.
fn asked<T>(
    tables: &mut PackedTables,
    host: &Host,
    question: impl Fn(&PackedTables) -> Result<Answer<T>, PackedFault>,
) -> Result<(T, usize, usize), PackedFault> {
    let (mut rounds, mut bytes) = (0, 0);
    loop {
        match question(tables)? {
            Answer::Known(answer) => return Ok((answer, rounds, bytes)),
            Answer::Needs(ranges) => {
                assert!(!ranges.is_empty(), "a question without an answer needs something");
                rounds += 1;
                for range in ranges {
                    let Some(file) = host.get(&range.table) else {
                        tables.set_absent(range.table);
                        continue;
                    };
                    let piece =
                        &file[(range.bytes.start as usize).min(file.len())..(range.bytes.end as usize).min(file.len())];
                    bytes += piece.len();
                    tables.supply(range.table, range.bytes.start, piece)?;
                }
            }
        }
    }
}

#[test]
#[ignore = "slow"]
fn answers_are_those_of_generated_tables_after_two_rounds_at_most() {
    let (expected, host) = made(&["KQvKR", "KPvKP"]);
    // Bytes that a cold probe may take: a pawn that promotes leads to four more tables with heads of their own.
    for (name, bound, most) in [("KQvKR", 0, 128 << 10), ("KPvKP", 1 << 20, 512 << 10), ("KRvK", 1 << 24, 16 << 10)] {
        let mut warm = PackedTables::new(bound);
        for position in positions(name, 300, 5) {
            let value = expected.value(&position).expect("a table");
            let mut cold = PackedTables::new(bound);
            let (found, rounds, bytes) = asked(&mut cold, &host, |tables| tables.value(&position)).expect("tables");
            assert_eq!(found, value, "{position}");
            assert!(rounds <= 2, "{position} takes {rounds} rounds");
            assert!(bytes <= most, "{position} takes {bytes} bytes");
            let (found, rounds, _) = asked(&mut warm, &host, |tables| tables.value(&position)).expect("tables");
            assert!(found == value && rounds <= 2, "{position}");
            let (found, rounds, _) = asked(&mut warm, &host, |tables| tables.value(&position)).expect("tables");
            assert!(found == value && rounds == 0, "{position}: asked again, {rounds} rounds");
            let (moves, ..) = asked(&mut warm, &host, |tables| tables.rated_moves(&position)).expect("tables");
            assert_eq!(moves, expected.rated_moves(&position).expect("tables"), "{position}");
        }
    }
}

#[test]
fn a_table_that_is_not_there_is_named_and_the_others_answer() {
    let (expected, mut host) = made(&["KRvKP"]);
    let missing: TableMaterial = "KRvKQ".parse().expect("a material");
    host.remove(&missing);
    let mut tables = PackedTables::new(1 << 20);
    let mut named = 0;
    for position in positions("KRvKP", 300, 6) {
        match asked(&mut tables, &host, |tables| tables.value(&position)) {
            Ok((value, ..)) => assert_eq!(value, expected.value(&position).expect("a table")),
            Err(PackedFault::Missing(table)) => {
                assert_eq!(table, missing);
                named += 1;
            }
            Err(fault) => panic!("{fault}"),
        }
    }
    assert!(named > 0, "some positions need the missing table");
    let many = positions("KRvKP", 9, 7);
    let (values, ..) = asked(&mut tables, &host, |tables| tables.values(&many)).expect("sound tables");
    assert_eq!(values.len(), many.len());
}

#[test]
fn damage_is_an_error_or_no_difference() {
    let (expected, host) = made(&["KRvK"]);
    let material: TableMaterial = "KRvK".parse().expect("a material");
    let known: Vec<(TablePosition, ProbeValue)> = positions("KRvK", 10, 8)
        .into_iter()
        .map(|position| (position.clone(), expected.value(&position).expect("a table")))
        .collect();
    let whole = &host[&material];
    let mut refused = 0;
    for at in (0..whole.len()).step_by(41) {
        for cut in [false, true] {
            let mut bytes = whole.clone();
            if cut {
                bytes.truncate(at)
            } else {
                bytes[at] ^= 0x20
            }
            let host = Host::from([(material, bytes)]);
            let mut tables = PackedTables::new(1 << 20);
            for (position, value) in &known {
                match asked(&mut tables, &host, |tables| tables.value(position)) {
                    Ok((found, ..)) => assert_eq!(found, *value, "byte {at}, {position}"),
                    Err(PackedFault::Damaged { table, error }) => {
                        assert_eq!(table, material);
                        assert!(!error.to_string().is_empty());
                        refused += 1;
                    }
                    Err(fault) => panic!("byte {at}: {fault}"),
                }
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn another_table_and_other_files_are_refused_by_name() {
    let (_, host) = made(&["KRvK", "KQvK"]);
    let [rook, queen] = ["KRvK", "KQvK"].map(|name| name.parse::<TableMaterial>().expect("a material"));
    let position = &positions("KRvK", 1, 9)[0];
    let swapped = Host::from([(rook, host[&queen].clone())]);
    let fault = asked(&mut PackedTables::new(0), &swapped, |tables| tables.value(position)).expect_err("another table");
    assert_eq!(fault.to_string(), "KRvK.egp: it holds the table KQvK, not KRvK: give the file its right name");
    let foreign = Host::from([(rook, b"<!doctype html>, says the host".repeat(99))]);
    let fault = asked(&mut PackedTables::new(0), &foreign, |tables| tables.value(position)).expect_err("another file");
    assert!(fault.to_string().starts_with("KRvK.egp: not a packed table"), "{fault}");
}
