//! Syzygy tables in the library: beside egtgen's own, in memory and in place, and damaged, which is an error or a value and never a
//! panic. The files are those that the tests write, and small real ones if they are in a folder beside the project.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use egtgen::syzygy::SyzygyTables;
use egtgen::tablebase::SharedSource;
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, Error, MemoryLibrary, TableMaterial, TablePosition};
use egtgen::{Tablebase, Verdict, Wdl};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use crate::common::single_value::{Outcome, pawn_files, single_value_files};

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
        for _ in 0..5 {
            let mut bytes = sound.clone();
            damage(&mut bytes, &mut random);
            fs::write(&place, &bytes).expect("room");
            errors += ask(folder.path(), &positions);
        }
        fs::write(&place, sound).expect("room");
    }
    assert!(errors > 40, "{errors} errors only: the damage is not noticed");
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

#[test]
fn files_in_memory_and_in_place_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in sound_files() {
        fs::write(folder.path().join(name), bytes).expect("room");
    }
    let open = |bytes| SyzygyTables::open(&[folder.path().to_path_buf()], bytes, &mut Vec::new());
    let (in_memory, in_place) = (open(usize::MAX), open(0));
    let mut known = 0;
    for position in positions() {
        let ask = |tables: &SyzygyTables| {
            let best = tables.best_move(&position).expect("sound files").map(|(best, _)| best);
            let dtz = tables.dtz(&position).expect("sound files").map(|dtz| (dtz.ignore_rounding(), dtz.precise()));
            (tables.wdl(&position).expect("sound files"), dtz, best)
        };
        let told = ask(&in_memory);
        assert_eq!(told, ask(&in_place), "{position:?}");
        known += usize::from(told.0.is_some());
    }
    assert!(known > 20, "{known} positions");
}

#[test]
fn the_first_source_that_knows_a_position_tells() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let put = |folder: &tempfile::TempDir, piece: char, outcomes: [Outcome; 2]| {
        for (extension, bytes) in ["rtbw", "rtbz"].iter().zip(single_value_files(piece, outcomes)) {
            fs::write(folder.path().join(format!("K{piece}vK.{extension}")), bytes).expect("room");
        }
    };
    // Each folder has a rook that draws and one that wins; the first folder counts.
    put(&folders[0], 'R', [Outcome::Draw, Outcome::Draw]);
    put(&folders[1], 'R', [Outcome::Win, Outcome::Loss]);
    put(&folders[1], 'Q', [Outcome::CursedWin, Outcome::BlessedLoss]);
    let paths = folders.iter().map(|folder| folder.path().to_path_buf()).collect::<Vec<_>>();
    let [rook, queen, knight] =
        ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/4k3/8/8/8/1Q6/K7 b - - 0 1", "8/8/4k3/8/8/8/1N6/K7 b - - 0 1"]
            .map(|fen| TablePosition::from_fen(fen).expect("a position"));

    let syzygy = Tablebase::open(&[], &paths, 1 << 20).expect("folders of tables");
    assert!(syzygy.left_out().is_empty(), "{:?}", syzygy.left_out());
    let verdict = |tables: &Tablebase, position| tables.verdict(position).expect("sound tables");
    let told = |outcome, moves_to_mate| Some(Verdict { outcome, moves_to_mate });
    assert_eq!(verdict(&syzygy, &rook), told(Wdl::Draw, None));
    assert_eq!(verdict(&syzygy, &queen), told(Wdl::Loss, None), "the fifty-move rule is ignored");
    assert_eq!(verdict(&syzygy, &knight), None);

    let library = |name: &str| {
        let materials = [TableMaterial::parse(name).expect("a material")];
        let library = MemoryLibrary::generate(&materials, &AtomicBool::new(false)).expect("tables");
        Arc::new(CachedTables::new(Box::new(library), DEFAULT_CACHE_BYTES)) as SharedSource
    };
    let both = SyzygyTables::open(&paths, 1 << 20, &mut Vec::new());
    let both = Tablebase::new(vec![library("KRvK"), library("KNvK")], both);
    assert_eq!(verdict(&both, &rook), told(Wdl::Win, Some(16)));
    assert_eq!(verdict(&both, &queen), told(Wdl::Loss, None));
    assert_eq!(verdict(&both, &knight), told(Wdl::Draw, None));
}

#[test]
fn what_cannot_be_used_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("s")).expect("a folder");
    let [wdl, _] = single_value_files('R', [Outcome::Win, Outcome::Loss]);
    fs::write(path("s/KRvK.rtbw"), &wdl).expect("room");
    fs::write(path("s/KQvK.rtbw"), &wdl[1..]).expect("room");
    fs::write(path("s/README.rtbw"), b"no table").expect("room");
    fs::create_dir(path("s/KBvK.rtbw")).expect("a folder");
    let syzygy = [path("nowhere"), path("s")];
    let tables = Tablebase::open(&[path("no tables")], &syzygy, 1 << 20).expect("one table");
    let told: Vec<String> = tables.left_out().iter().map(ToString::to_string).collect();
    let expected = ["nowhere: ", "KBvK.rtbw: ", "KQvK.rtbw: ", "KRvK.rtbz: is missing", "no tables: "];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    assert!(told.iter().zip(expected).all(|(told, expected)| told.contains(expected)), "{told:?}");
    let error = Tablebase::open(&[path("no tables")], &[path("nowhere")], 1 << 20).err().expect("nothing can be used");
    assert!(error.to_string().contains("nowhere: "), "{error}");
    assert!(Tablebase::open(&[], &[], 1 << 20).is_ok(), "nothing is asked for");
}
