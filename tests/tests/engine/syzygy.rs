//! Random positions of three and four men in Syzygy tables and in egtgen's: who wins is the same but for the fifty-move rule, and the
//! distances fit. `cargo run --release -p plyfold-bench --bin syzygy` compares all positions.

use std::sync::atomic::AtomicBool;

use egtgen::folder::TableFolder;
use egtgen::generation::{GenerationRequest, generate_tables};
use egtgen::syzygy::SyzygyTables;
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, Prober, TableMaterial};
use plyfold_tests::syzygy::{BothTables, materials_of, total};

#[test]
fn outcomes_are_those_of_syzygy_tables() {
    let Some(folder) = plyfold_tests::data::shared("syzygy") else { return };
    let materials: Vec<TableMaterial> =
        materials_of(&folder).into_iter().filter(|material| material.men() <= 4).collect();
    assert_eq!(materials.len(), 35, "all of three and four men");
    let own = tempfile::tempdir().expect("a folder");
    let tables: Vec<TableMaterial> = materials.iter().flat_map(|material| [*material, material.swapped()]).collect();
    let request = GenerationRequest::with_closure(&tables, own.path()).with_memory(1 << 30);
    generate_tables(&request, &|_| {}, &AtomicBool::new(false)).expect("tables");
    let mut left_out = Vec::new();
    let both = BothTables {
        own: Prober::new(CachedTables::open(TableFolder::new(own.path()), DEFAULT_CACHE_BYTES)),
        syzygy: SyzygyTables::open(&[folder], usize::MAX, &mut left_out),
    };
    assert!(left_out.is_empty(), "{left_out:?}");
    let seed = std::env::var("PLYFOLD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let sum = total(materials.into_iter().map(|material| both.compare_random(material, 300, seed)));
    assert_eq!(sum.unequal, 0, "{sum:?}");
    assert!(sum.distances >= 35 * 300 && sum.en_passant > 0, "{sum:?}");
    assert_eq!(sum.compared, sum.equal + sum.cursed + sum.blessed);
}
