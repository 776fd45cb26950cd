//! Attacks on everything that reads: `torture [SECONDS] [--short] [--seed S] [--only KIND] [--attack N] [--json FILE]`.
//!
//! Attacks damage, forge and cut files, mangle queries and games, kill programs, fill disks and starve servers. Each must end
//! with an error, or with exactly the result of the undamaged input. Anything else counts as a failure: wrong results,
//! panics, hangs and lost files. If there is a failure, the exit code is 1, and the inputs are in `target/torture`.
//!
//! An attack depends only on the seed, its kind and its number: `--seed S --only KIND --attack N` repeats it. Each kind runs
//! in a process of its own, so that an abort is just another outcome. Speed is not judged; the time limit only ends hangs.

mod attack;
mod bytes;
mod clients;
mod companions;
mod disk;
mod files;
mod foreign;
mod hostile;
mod kills;
mod mangle;
mod neighbours;
mod nested;
mod nesting;
mod programs;
mod published;
mod queries;
mod random;
mod run;
mod scene;
mod site;
mod statements;
mod subjects;
mod texts;

use std::path::PathBuf;
use std::process::ExitCode;

use attack::{AttackSeries, AttackTally};
use bytes::{Damage, Damaged};

/// A kind of attack.
pub struct AttackKind {
    /// Its name, for `--only`.
    pub name: &'static str,
    /// What the attacks do, in a few words.
    pub what: &'static str,
    /// Attacks of a short run.
    pub short: u64,
    /// Its share of the time of a long run.
    pub share: u32,
    /// Prepares the attacks. The error says why this machine does not allow them.
    pub ready: fn() -> Result<Box<dyn AttackSeries>, String>,
}

/// All kinds, in the order in which they run.
const KINDS: &[AttackKind] = &[
    AttackKind {
        name: "flips",
        what: "bits and bytes flipped in files",
        short: 4000,
        share: 4,
        ready: || Ok(Box::new(Damaged::new(Damage::Flips))),
    },
    AttackKind {
        name: "cuts",
        what: "files cut at borders and anywhere",
        short: 4000,
        share: 3,
        ready: || Ok(Box::new(Damaged::new(Damage::Cuts))),
    },
    AttackKind {
        name: "forged",
        what: "files with changes under right checksums",
        short: 3000,
        share: 5,
        ready: || Ok(Box::new(Damaged::new(Damage::Forged))),
    },
    AttackKind {
        name: "sections",
        what: "parts of files exchanged, repeated, left out",
        short: 1500,
        share: 3,
        ready: || Ok(Box::new(Damaged::new(Damage::Sections))),
    },
    AttackKind {
        name: "queries",
        what: "mangled queries, as text and JSON, and expressions of sets",
        short: 6000,
        share: 3,
        ready: || Ok(Box::new(queries::Queries::new())),
    },
    AttackKind {
        name: "nested",
        what: "nested queries, plans, sets, libraries, games and positions",
        short: 600,
        share: 3,
        ready: || Ok(Box::new(nested::NestedTexts::new())),
    },
    AttackKind {
        name: "texts",
        what: "mangled PGN, plain and in gzip, bzip2, zstd, zip and 7z",
        short: 3000,
        share: 4,
        ready: || Ok(Box::new(texts::TextAttacks::new())),
    },
    AttackKind {
        name: "programs",
        what: "damaged files given to the programs",
        short: 200,
        share: 4,
        ready: || Ok(Box::new(files::DamagedFiles::new())),
    },
    AttackKind {
        name: "strange",
        what: "pipes, folders, devices, sockets and links in place of files",
        short: 150,
        share: 2,
        ready: || Ok(Box::new(hostile::Strange::new())),
    },
    AttackKind {
        name: "names",
        what: "names of files and sets that are hard on somebody",
        short: 150,
        share: 2,
        ready: || Ok(Box::new(hostile::HostileNames::new())),
    },
    AttackKind {
        name: "foreign",
        what: "files of others with the names that commands use beside their outputs",
        short: 100,
        share: 3,
        ready: || Ok(Box::new(foreign::ForeignFiles::new())),
    },
    AttackKind {
        name: "companions",
        what: "mangled definitions, sets, plans, journals and leases",
        short: 80,
        share: 3,
        ready: || Ok(Box::new(companions::Companions::new())),
    },
    AttackKind {
        name: "published",
        what: "mangled folders of publish, checked and published again",
        short: 80,
        share: 3,
        ready: || Ok(Box::new(published::PublishedFolders::new())),
    },
    AttackKind {
        name: "statements",
        what: "mangled SQL",
        short: 60,
        share: 3,
        ready: || statements::Statements::new().map(|sql| Box::new(sql) as Box<dyn AttackSeries>),
    },
    AttackKind {
        name: "kills",
        what: "programs killed while they write",
        short: 40,
        share: 4,
        ready: || Ok(Box::new(kills::Kills::new())),
    },
    AttackKind {
        name: "disk",
        what: "full disks",
        short: 40,
        share: 2,
        ready: || disk::FullDisk::new().map(|disk| Box::new(disk) as Box<dyn AttackSeries>),
    },
    AttackKind {
        name: "clients",
        what: "slow and broken clients of egtgen serve",
        short: 300,
        share: 4,
        ready: || clients::Clients::new().map(|clients| Box::new(clients) as Box<dyn AttackSeries>),
    },
];

/// The options of the command line.
#[derive(Clone)]
struct Options {
    seconds: u64,
    short: bool,
    seed: u64,
    only: Option<String>,
    attack: Option<u64>,
    json: Option<PathBuf>,
    /// Whether this process tries the attacks of `only` and prints its tally.
    child: bool,
}

const USAGE: &str = "torture [SECONDS] [--short] [--seed S] [--only KIND] [--attack N] [--json FILE]";

fn main() -> ExitCode {
    let Some(options) = options() else {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        eprintln!("{USAGE}\nkinds: {}", kinds.join(", "));
        return ExitCode::from(2);
    };
    if options.child {
        run::child(&options);
        return ExitCode::SUCCESS;
    }
    let all = run::all(&options);
    let mut sum = AttackTally::default();
    all.iter().for_each(|(_, tally)| sum.add(tally));
    print_table(&all, &sum);
    if let Some(path) = &options.json {
        let kinds: serde_json::Map<_, _> =
            all.iter().map(|(kind, tally)| (kind.name.to_owned(), tally.to_json())).collect();
        let report = serde_json::json!({ "seed": options.seed, "kinds": kinds, "sum": sum.to_json() });
        if let Err(error) = std::fs::write(path, format!("{report:#}\n")) {
            eprintln!("torture: {}: cannot be written: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    if sum.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn options() -> Option<Options> {
    let mut options =
        Options { seconds: 600, short: false, seed: 1, only: None, attack: None, json: None, child: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match &*word {
            "--short" => options.short = true,
            "--child" => options.child = true,
            "--seed" => options.seed = words.next()?.parse().ok()?,
            "--only" => options.only = Some(words.next().filter(|name| KINDS.iter().any(|kind| kind.name == name))?),
            "--attack" => options.attack = Some(words.next()?.parse().ok()?),
            "--json" => options.json = Some(words.next()?.into()),
            _ => options.seconds = word.parse().ok()?,
        }
    }
    (options.attack.is_none() || options.only.is_some()).then_some(options)
}

fn print_table(all: &[(&AttackKind, AttackTally)], sum: &AttackTally) {
    print!("{:10}", "");
    AttackTally::COLUMNS.iter().for_each(|column| print!("{column:>10}"));
    println!();
    for (name, tally) in all.iter().map(|(kind, tally)| (kind.name, tally)).chain([("sum", sum)]) {
        print!("{name:10}");
        tally.counts().iter().for_each(|count| print!("{count:>10}"));
        println!();
    }
    for (kind, tally) in all {
        tally.skipped.iter().for_each(|why| println!("SKIPPED {}: {why}", kind.name));
    }
    sum.failed.iter().for_each(|folder| println!("FAILED {}", folder.display()));
}
