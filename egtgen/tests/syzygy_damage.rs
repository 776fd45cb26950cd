//! Damaged Syzygy files: an error or a value, never a panic. The files are those that the tests write, and small real ones if they are in a
//! folder beside the project.

#[path = "common/single_value.rs"]
mod single_value;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use egtgen::Error;
use egtgen::syzygy::SyzygyTables;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};
use single_value::{Outcome, pawn_files, single_value_files};

/// A real file that is longer is not damaged here, because each attack writes the file.
const MAX_BYTES: u64 = 100_000;

fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position")
}

/// Positions of three and four men, both sides to move, and those after each move.
fn positions() -> Vec<Chess> {
    let roots = [
        "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
        "8/8/4k3/8/8/8/1Q6/K7 b - - 0 1",
        "8/8/4k3/8/3P4/8/8/K7 w - - 0 1",
        "8/8/4k3/8/8/3p4/8/K7 b - - 0 1",
        "8/p7/4k3/8/8/8/3P4/K7 w - - 0 1",
        "8/8/4k3/8/3pP3/8/8/K7 b - e3 0 1",
        "8/8/4k3/8/8/1n6/3Q4/K7 w - - 0 1",
        "8/2N5/4k3/8/8/8/3B4/K7 b - - 0 1",
        "8/8/4k3/8/8/8/1RR5/K7 b - - 0 1",
        "8/8/4k3/1r6/8/8/1R6/K7 w - - 0 1",
    ];
    let after = |root: &Chess| {
        let next = root.legal_moves().into_iter().map(|played| root.clone().play(played).expect("a legal move"));
        next.collect::<Vec<Chess>>()
    };
    roots.into_iter().map(position).flat_map(|root| [after(&root), vec![root]].concat()).collect()
}

/// Asks everything of all positions, and returns how many errors there were. A panic of the library is one of them, but none is
/// allowed.
fn ask(folder: &Path, positions: &[Chess]) -> usize {
    let tables = SyzygyTables::open(&[folder.to_path_buf()], usize::MAX, &mut Vec::new());
    let mut errors = 0;
    for position in positions {
        let answers = [tables.wdl(position).err(), tables.dtz(position).err(), tables.best_move(position).err()];
        for error in answers.into_iter().flatten() {
            assert!(!error.to_string().contains("or a table after a capture"), "a panic: {error}");
            assert!(error.to_string().contains(".rtb"), "no file is named: {error}");
            errors += 1;
        }
    }
    errors
}

/// The files to damage, by name, in a folder of their own.
fn sound_files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut put = |name: &str, [wdl, dtz]: [Vec<u8>; 2]| {
        files.extend([(format!("{name}.rtbw"), wdl), (format!("{name}.rtbz"), dtz)]);
    };
    put("KRvK", single_value_files('R', [Outcome::Win, Outcome::Loss]));
    put("KQvK", single_value_files('Q', [Outcome::CursedWin, Outcome::BlessedLoss]));
    put("KPvKP", pawn_files(0));
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/syzygy"));
    let Ok(entries) = fs::read_dir(&path) else {
        // The test harness captures `println!` of tests that pass, and this line must be seen.
        let line = "\nSKIPPED: shared/data/syzygy is not beside the project; files of one value are damaged alone\n";
        std::io::stderr().write_all(line.as_bytes()).ok();
        return files;
    };
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a name");
        if entry.metadata().expect("a file").len() <= MAX_BYTES {
            files.retain(|(other, _)| *other != name);
            files.push((name, fs::read(entry.path()).expect("a file")));
        }
    }
    files.sort();
    files
}

/// Overwrites or flips some bytes, most of them in the header, or cuts the file.
fn damage(bytes: &mut Vec<u8>, random: &mut StdRng) {
    for _ in 0..random.random_range(1..5) {
        let most = if random.random_ratio(3, 4) { bytes.len().min(96) } else { bytes.len() };
        let at = random.random_range(0..most);
        bytes[at] = match random.random_range(0..4) {
            0 => random.random(),
            1 => bytes[at] ^ 1 << random.random_range(0..8),
            2 => 0,
            _ => u8::MAX,
        };
    }
    if random.random_ratio(1, 5) {
        // A size that no table has is refused before the file is read.
        let blocks = random.random_range(0..=bytes.len() / 64);
        bytes.truncate(64 * blocks + 16);
    }
}

#[test]
fn damaged_files_are_errors_or_values() {
    let files = sound_files();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in &files {
        fs::write(folder.path().join(name), bytes).expect("room");
    }
    let positions = positions();
    assert_eq!(ask(folder.path(), &positions), 0, "the files are sound");
    let seed = std::env::var("PLYFOLD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = StdRng::seed_from_u64(seed);
    let mut errors = 0;
    for (name, sound) in &files {
        let place = folder.path().join(name);
        for _ in 0..12 {
            let mut bytes = sound.clone();
            damage(&mut bytes, &mut random);
            fs::write(&place, &bytes).expect("room");
            errors += ask(folder.path(), &positions);
        }
        fs::write(&place, sound).expect("room");
    }
    assert!(errors > 100, "{errors} errors only: the damage is not noticed");
}

#[test]
fn a_file_that_would_be_asked_without_end_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = |side_to_move: u8| {
        for (extension, bytes) in ["rtbw", "rtbz"].iter().zip(pawn_files(side_to_move)) {
            fs::write(folder.path().join(format!("KPvKP.{extension}")), bytes).expect("room");
        }
        let mut left_out = Vec::new();
        let tables = SyzygyTables::open(&[folder.path().to_path_buf()], usize::MAX, &mut left_out);
        assert!(left_out.is_empty(), "{left_out:?}");
        tables.dtz(&position("8/p7/4k3/8/8/8/3P4/K7 w - - 0 1"))
    };
    assert!(matches!(asked(0), Ok(Some(_))));
    let error = asked(1).expect_err("no such file can be asked");
    assert!(matches!(&error, Error::Damaged { path, .. } if path.ends_with("KPvKP.rtbz")), "{error}");
}
