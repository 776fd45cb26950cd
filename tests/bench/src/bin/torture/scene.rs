//! A folder with one sound file of every kind, and every command that reads them: the starting point of attacks on the
//! programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::programs::{Program, TortureSandbox, words};
use crate::subjects::corpus::{CHESS960, PGN, RARE};
use crate::subjects::table::MADE;

/// The files of the scene.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A command that reads files of the scene.
pub struct SceneCommand {
    /// The program to run.
    pub program: Program,
    /// The arguments, with `·` for a space within one.
    pub line: &'static str,
    /// Files of the scene that the command reads, those in its arguments first.
    pub reads: &'static [&'static str],
    /// Files that the command may write or replace.
    pub writes: &'static [&'static str],
}

const fn plyfold(line: &'static str, reads: &'static [&'static str], writes: &'static [&'static str]) -> SceneCommand {
    SceneCommand { program: Program::Plyfold, line, reads, writes }
}

const fn egtgen(line: &'static str, reads: &'static [&'static str], writes: &'static [&'static str]) -> SceneCommand {
    SceneCommand { program: Program::Egtgen, line, reads, writes }
}

/// Commands that together read each kind of file.
pub const COMMANDS: &[SceneCommand] = &[
    plyfold("info c.plyfold --verify --format json", &["c.plyfold"], &[]),
    plyfold("info c.plyfold", &["c.plyfold"], &[]),
    plyfold("query c.plyfold check --games --format json", &["c.plyfold"], &[]),
    plyfold("query c.plyfold queens_off --heatmap --format csv", &["c.plyfold"], &[]),
    plyfold("query c.plyfold check --within s.pmote --format json", &["s.pmote", "c.plyfold"], &[]),
    plyfold("query c.plyfold check --within @kept --format json", &["c.sets/kept.bm", "c.plyfold"], &[]),
    plyfold("sets c.plyfold s.pmote --format json", &["s.pmote", "c.plyfold"], &[]),
    plyfold("sets c.plyfold --format json", &["c.sets/kept.bm", "c.plyfold"], &[]),
    plyfold("show c.plyfold 1", &["c.plyfold"], &[]),
    plyfold("export c.plyfold", &["c.plyfold"], &[]),
    plyfold("export c.plyfold --query check --format csv --positions -o out.csv", &["c.plyfold"], &["out.csv"]),
    plyfold("position c.plyfold startpos --format json", &["c.plyindex", "c.plyfold"], &[]),
    plyfold("scan c.plyfold plan.json --format json", &["plan.json", "c.plyfold"], &[]),
    plyfold("upgrade c.plyfold", &["c.plyfold"], &["c.plyfold"]),
    plyfold("index c.plyfold", &["c.plyfold", "c.plyindex"], &["c.plyindex"]),
    plyfold("import games.pgn -o new.plyfold", &["games.pgn"], &["new.plyfold"]),
    plyfold("import games.pgn -o c.plyfold --append", &["c.plyfold", "games.pgn"], &["c.plyfold"]),
    egtgen("probe 8/8/8/8/8/2k5/1R6/K7·w·-·-·0·1 --tables t --format json", &["t/KRvK.egt"], &[]),
    egtgen("probe 8/8/8/8/4k3/8/1P6/K7·w·-·-·0·1 --tables t --format json", &["t/KPvK.egt", "t/KQvK.egt"], &[]),
    egtgen("list --tables t --check --format json", &["t/KPvK.egt", "t/KRvK.egt"], &[]),
    egtgen("stats KRvK --tables t --format json", &["t/KRvK.egt"], &[]),
    egtgen("verify KNvK --tables t --format json", &["t/KNvK.egt"], &[]),
    egtgen("generate KPvK --out u", &["u/KPvK.egt.part", "u/KQvK.egt"], &["u/KPvK.egt", "u/KPvK.egt.part"]),
    egtgen("transform flipV --file fens.txt", &["fens.txt"], &[]),
];

/// Creates the scene.
pub fn files() -> Files {
    let sandbox = TortureSandbox::new().expect("a folder");
    sandbox.put("games.pgn", &[PGN, RARE, CHESS960].join(&b"\n\n"[..]));
    sandbox.put("fens.txt", b"8/8/8/8/8/2k5/1R6/K7 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 b - - 3 9\n");
    sandbox.put("plan.json", br#"{"queries":[{"name":"a","query":"check"},{"name":"b","query":"queens_off"}]}"#);
    for (name, bytes) in MADE.iter() {
        sandbox.put(format!("t/{name}"), bytes);
        if name != "KPvK.egt" {
            sandbox.put(format!("u/{name}"), bytes);
        }
    }
    sandbox.put("u/KPvK.egt.part", &MADE["KPvK.egt"][..MADE["KPvK.egt"].len() / 2]);
    for line in [
        "import games.pgn -o c.plyfold",
        "index c.plyfold",
        "query c.plyfold check --save-games s.pmote",
        "query c.plyfold check --save-games @kept",
    ] {
        let ran = sandbox.run(Program::Plyfold, &words(line));
        // The import refuses some games of the file.
        assert!(matches!(ran.code(), Some(0 | 3)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    sandbox.files()
}

/// A folder with these files.
pub fn sandbox(files: &Files) -> TortureSandbox {
    let sandbox = TortureSandbox::new().expect("a folder");
    files.iter().for_each(|(name, bytes)| sandbox.put(name, bytes));
    sandbox
}

/// The first file that is missing or changed although the command does not write it.
pub fn lost(before: &Files, after: &Files, may_change: &[impl AsRef<Path>]) -> Option<String> {
    let is_lost = |(name, bytes): &(&PathBuf, &Vec<u8>)| {
        !may_change.iter().any(|may| name.as_path() == may.as_ref()) && after.get(*name) != Some(bytes)
    };
    before.iter().find(is_lost).map(|(name, _)| format!("{} is gone or changed", name.display()))
}
