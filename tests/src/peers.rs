//! Runs the same searches with other programs where they are installed: Scid, which searches a database built from the games,
//! and pgn-extract, which reads the PGN text each time.
//!
//! This module only runs the programs. If one is missing or fails, its rows are replaced by a line that says why.
//! Their runs and ours alternate. For Scid, the time is that of the search alone, by Scid's own clock; for pgn-extract, that
//! of the whole command. The table shows the numbers of games side by side, because times are comparable only if the results
//! agree. The numbers may differ by a few games: Scid leaves out Chess960 games, and pgn-extract (19-04) also finds positions
//! in variations and miscounts the pieces after a promotion.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// A search in the languages of both sides.
pub struct PeerQuestion {
    /// What is searched for.
    pub what: &'static str,
    /// Our query.
    pub ours: &'static str,
    /// A command of `peers.tcl`, or options of pgn-extract and the text of the file that they name.
    pub theirs: &'static str,
}

/// Scid's material search leaves a game at its first match, and so does our scan if only games are requested.
pub const OF_SCID: [PeerQuestion; 6] = [
    PeerQuestion {
        what: "Spanish after 3...a6",
        ours: r#"fen "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4""#,
        theirs: "position {r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4}",
    },
    // One knight is on an unusual square: these pawns occur in many games, but the position occurs in none of the reference
    // games.
    PeerQuestion {
        what: "a Scheveningen that nobody played",
        ours: r#"fen "r1bq1rk1/1p2bppp/p1npp3/7n/3NPP2/2N1B3/PPP1B1PP/R2Q1R1K b - - 0 1""#,
        theirs: "position {r1bq1rk1/1p2bppp/p1npp3/7n/3NPP2/2N1B3/PPP1B1PP/R2Q1R1K b - - 0 1}",
    },
    PeerQuestion { what: "no queens", ours: "queens_off", theirs: "material {wq {0 0} bq {0 0}} 1" },
    PeerQuestion { what: "rook endgame", ours: "endgame rook", theirs: "material $rooks 1" },
    PeerQuestion { what: "rook endgame for 8 plies", ours: "endgame rook for 8", theirs: "material $rooks 8" },
    PeerQuestion {
        what: "white pawn e5, black knight f6",
        ours: "{ white pawn on e5 and black knight on f6 }",
        theirs: "material {} 1 {Yes wp e 5} {Yes bn f 6}",
    },
];

/// The number before a material says for how many more plies it must last, and pgn-extract never looks at the last position
/// of a game. So `0` finds material at least 2 plies before the end, which equals 2 plies in a row for queens that do not
/// come back. And `7` misses 8 plies that end the game.
pub const OF_PGN_EXTRACT: [PeerQuestion; 4] = [
    PeerQuestion {
        what: "Spanish after 3...a6",
        ours: r#"fen "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4""#,
        theirs: "-t FEN \"r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4\"",
    },
    PeerQuestion { what: "no queens for 2 plies", ours: "queens_off for 2", theirs: "-y 0 r*b*n*p* r*b*n*p*" },
    PeerQuestion { what: "rook endgame for 8 plies", ours: "endgame rook for 8", theirs: "-y 7 rp* rp*" },
    PeerQuestion {
        what: "white pawn e5, black knight f6",
        ours: "{ white pawn on e5 and black knight on f6 }",
        theirs: "-t FENPattern \"*/*/?????n??/????P???/*/*/*/*\"",
    },
];

/// The seconds that a search took, and the number of games that it found.
pub type Found = (f64, u64);

/// Prints a row for each search by each installed program.
///
/// `text` is the PGN and `plies` its number of plies. `ours` runs a query of ours on one thread and returns the number of
/// games found.
pub fn table(text: &[u8], plies: u64, runs: usize, ours: &dyn Fn(&str) -> u64) {
    let (scid, pgn_extract) = (installed("tkscid", "scid"), installed("pgn-extract", "pgn-extract"));
    if scid.is_none() && pgn_extract.is_none() {
        return;
    }
    let folder = match with_games(text) {
        Ok(folder) => folder,
        Err(error) => {
            return println!("no rows of other programs: the games cannot be written to a temporary folder: {error}");
        }
    };
    let table = Table { folder: folder.path(), plies, runs, ours };
    println!("{:<44} {:>9} {:>8} {:>11} {:>9} {:>9}", "", "their", "our", "our time /", "games", "games");
    println!(
        "{:<44} {:>9} {:>8} {:>11} {:>9} {:>9}",
        "other programs", "ns/ply", "ns/ply", "their time", "theirs", "ours"
    );
    if let Some(program) = scid
        && let Err(reason) = table.scid(&program)
    {
        println!("no more rows of Scid: {reason}");
    }
    if let Some(program) = pgn_extract
        && let Err(reason) = table.pgn_extract(&program)
    {
        println!("no more rows of pgn-extract: {reason}");
    }
}

/// A temporary folder with the games in `games.pgn`.
pub fn with_games(text: &[u8]) -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("games.pgn"), text)?;
    Ok(folder)
}

/// The path of a program. If it is not installed, returns `None` and prints how to get it.
pub fn installed(program: &str, package: &str) -> Option<PathBuf> {
    // Debian installs games in a folder that is not always in root's path.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/games".into()]);
    let found = folders.map(|folder| folder.join(program)).find(|path| path.is_file());
    if found.is_none() {
        println!("no rows of {package}: to have them, install it (`apt-get install {package}`)");
    }
    found
}

struct Table<'a> {
    folder: &'a Path,
    plies: u64,
    runs: usize,
    ours: &'a dyn Fn(&str) -> u64,
}

impl Table<'_> {
    fn scid(&self, program: &Path) -> Result<(), String> {
        let mut scid = Scid::open(program, self.folder)?;
        let ns = self.ns(scid.seconds);
        println!(
            "Scid {}, which made a base of {} games in {:.1} s, {ns:.0} ns/ply",
            scid.version, scid.games, scid.seconds
        );
        for question in &OF_SCID {
            // A warm-up, so that no side's first run counts.
            scid.ask(question.theirs)?;
            self.row(question, self.runs, &mut || scid.ask(question.theirs))?;
        }
        Ok(())
    }

    fn pgn_extract(&self, program: &Path) -> Result<(), String> {
        println!("pgn-extract, which reads the PGN for each question; one run");
        for question in &OF_PGN_EXTRACT {
            self.row(question, 1, &mut || pgn_extract(program, self.folder, question.theirs))?;
        }
        Ok(())
    }

    /// Runs both sides alternately and prints their median times.
    fn row(
        &self,
        question: &PeerQuestion,
        runs: usize,
        theirs: &mut dyn FnMut() -> Result<Found, String>,
    ) -> Result<(), String> {
        let games = (self.ours)(question.ours);
        let mut found = 0;
        let mut times = Vec::new();
        for _ in 0..runs {
            let (seconds, games) = theirs()?;
            let start = Instant::now();
            (self.ours)(question.ours);
            times.push((seconds, start.elapsed().as_secs_f64()));
            found = games;
        }
        let (their, our) = (median(times.iter().map(|time| time.0)), median(times.iter().map(|time| time.1)));
        let ratio = median(times.iter().map(|(their, our)| our / their));
        let (their, our) = (self.ns(their), self.ns(our));
        println!("  {:<42} {their:>9.3} {our:>8.3} {ratio:>11.3} {found:>9} {games:>9}", question.what);
        Ok(())
    }

    fn ns(&self, seconds: f64) -> f64 {
        seconds * 1e9 / self.plies.max(1) as f64
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Scid without windows, with a database of the games, waiting for commands.
pub struct Scid {
    child: Child,
    /// Closing this stream ends Scid.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    version: String,
    /// The games of the database.
    pub games: u64,
    /// The seconds that building the database took.
    seconds: f64,
}

impl Scid {
    /// Builds a database of `games.pgn` in `folder`.
    pub fn open(program: &Path, folder: &Path) -> Result<Self, String> {
        let failed = |error| format!("{} cannot be run: {error}", program.display());
        let script = folder.join("peers.tcl");
        fs::write(&script, include_str!("peers.tcl"))
            .map_err(|error| format!("its script cannot be written: {error}"))?;
        let mut child = Command::new(program)
            .args([&script, &folder.join("games.pgn"), &folder.join("base")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().ok_or("it has no output")?);
        let mut scid = Self { child, questions, answers, version: String::new(), games: 0, seconds: 0.0 };
        (scid.seconds, scid.games) = scid.answer()?;
        scid.version = scid.line()?;
        Ok(scid)
    }

    /// Runs a command. Returns the seconds by Scid's own clock and the number of games in the filter.
    pub fn ask(&mut self, command: &str) -> Result<Found, String> {
        // If Scid has ended, its last message says more than the broken pipe.
        if let Some(questions) = &mut self.questions {
            let _ = writeln!(questions, "{command}");
        }
        self.answer().map_err(|reason| format!("{reason} (asked for `{command}`)"))
    }

    fn answer(&mut self) -> Result<Found, String> {
        let line = self.line()?;
        microseconds_and_games(&line).ok_or(line)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => {
                let mut reason = String::new();
                self.child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut reason));
                Err(format!("it ended early, its last words: {:?}", reason.trim()))
            }
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(format!("its answer cannot be read: {error}")),
        }
    }
}

impl Drop for Scid {
    fn drop(&mut self) {
        self.questions = None;
        // The folder is deleted next, so Scid must not write to it any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses the output of `peers.tcl` for a command that succeeded.
pub fn microseconds_and_games(line: &str) -> Option<Found> {
    let (microseconds, games) = line.split_once(' ')?;
    Some((microseconds.parse::<u64>().ok()? as f64 / 1e6, games.parse().ok()?))
}

/// Runs one command over `games.pgn` in `folder`, and discards the games that it finds.
pub fn pgn_extract(program: &Path, folder: &Path, question: &str) -> Result<Found, String> {
    let failed = |error| format!("{} cannot be run: {error}", program.display());
    let (option, text) = question.split_once(' ').unwrap_or((question, ""));
    let file = folder.join("question.txt");
    fs::write(&file, format!("{text}\n")).map_err(|error| format!("the question cannot be written: {error}"))?;
    let start = Instant::now();
    let output = Command::new(program)
        .arg(format!("{option}{}", file.display()))
        .arg("-o/dev/null")
        .arg(folder.join("games.pgn"))
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    let seconds = start.elapsed().as_secs_f64();
    let words = String::from_utf8_lossy(&output.stderr);
    let games = matched(&words).ok_or_else(|| {
        format!(
            "it ended with {} and does not say what matched: {:?}",
            output.status,
            words.lines().last().unwrap_or("")
        )
    })?;
    Ok((seconds, games))
}

/// Parses the number of games from the last message of pgn-extract: `17 games matched out of 30.`, perhaps after a counter on
/// the same line.
pub fn matched(words: &str) -> Option<u64> {
    let (before, _) = words.rsplit_once(" matched out of ")?;
    before.split_whitespace().rev().nth(1)?.parse().ok()
}
