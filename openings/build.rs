//! Makes one list of the tables in the crate esca and of [`LATER`]: code, tab, name, tab, and the moves of each line.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The tables, one for each letter of the code.
const VOLUMES: [&str; 5] = ["a.tsv", "b.tsv", "c.tsv", "d.tsv", "e.tsv"];
/// Lines that lichess-org/chess-openings has, and the crate does not have yet.
const LATER: &str = "later.tsv";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={LATER}");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    let folder = folder_of("esca").join("data/openings");
    let tables = VOLUMES.iter().map(|volume| folder.join(volume)).chain([PathBuf::from(LATER)]);
    let mut lines: Vec<String> = tables.flat_map(|path| lines_of(&path)).collect();
    lines.sort();
    lines.dedup();
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets it")).join("opening-lines.tsv");
    fs::write(&out, lines.concat()).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
}

/// The lines of a table as they are written.
fn lines_of(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let (Some(code), Some(name), Some(pgn)) = (parts.next(), parts.next(), parts.next()) else {
            panic!("{}: a line without code, name and moves: {line}", path.display())
        };
        format!("{code}\t{name}\t{}\n", moves_of(pgn))
    };
    text.lines().skip(1).map(line).collect()
}

/// The moves of a line without their numbers: `e4 c5 Nf3`.
fn moves_of(pgn: &str) -> String {
    let moves: Vec<&str> =
        pgn.split_whitespace().filter(|word| !word.starts_with(|c: char| c.is_ascii_digit())).collect();
    moves.join(" ")
}

/// The folder into which cargo has unpacked a package of the lock file.
fn folder_of(package: &str) -> PathBuf {
    // The lock file resolves everything. Cargo needs the network only if it lacks packages that this build does not
    // need.
    let metadata = |more: &[&str]| {
        let host = env::var("HOST").expect("cargo sets it");
        let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
        let arguments = ["metadata", "--format-version", "1", "--filter-platform", &host];
        cargo.args(arguments).args(more).output().ok().filter(|output| output.status.success())
    };
    let output = metadata(&["--offline"]).or_else(|| metadata(&[])).expect("cargo metadata");
    let known: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = known["packages"].as_array().into_iter().flatten();
    let mut manifests =
        packages.filter(|found| found["name"] == package).filter_map(|found| found["manifest_path"].as_str());
    let manifest = manifests.next().unwrap_or_else(|| panic!("{package} is not among the packages"));
    Path::new(manifest).parent().expect("a manifest lies in a folder").to_path_buf()
}
