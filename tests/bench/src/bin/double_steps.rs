//! Compares stored levels of positions with a double step that can be answered en passant with the levels that follow from their
//! moves.
//!
//! `cargo run --release -p plyfold-bench --bin double_steps -- --tables DIR [--positions NUMBER] [--seed NUMBER] [--winner
//! white|black] MATERIAL…`. The folder has egtgen's tables of the materials with all that they need, for both winners or for one:
//! `egtgen generate MATERIAL… --out DIR [--winner white|black]`.

use std::path::PathBuf;
use std::process::ExitCode;

use egtgen::folder::TableFolder;
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, Prober, TableMaterial};
use plyfold_tests::double_steps::{DoubleSteps, compare};
use shakmaty::Color;

fn main() -> ExitCode {
    let (mut tables, mut positions, mut seed, mut materials) = (None, 100_000, 1, Vec::new());
    let mut winners = Color::ALL.to_vec();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--tables" => tables = Some(PathBuf::from(value())),
            "--positions" => positions = value().parse().expect("a number of positions"),
            "--seed" => seed = value().parse().expect("a number"),
            "--winner" => winners = vec![Color::from_white(value() == "white")],
            name => materials.push(TableMaterial::parse(name).expect("a material")),
        }
    }
    let folder = TableFolder::new(tables.expect("--tables names the folder of tables"));
    let prober = Prober::new(CachedTables::open(folder, DEFAULT_CACHE_BYTES));
    let mut is_sound = !materials.is_empty();
    println!("material    compared  two takers  pinned takers  different");
    for material in materials {
        let found = compare(&prober, material, &winners, (positions, seed)).expect("a whole table");
        let DoubleSteps { compared, two_takers, pinned_takers, different } = found;
        println!(
            "{material:<9} {compared:>10} {two_takers:>11} {pinned_takers:>14} {different:>10}",
            material = material.to_string()
        );
        is_sound &= different == 0;
    }
    ExitCode::from(u8::from(!is_sound))
}
