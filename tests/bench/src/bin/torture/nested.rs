//! Nested texts of every kind: queries, JSON, plans, expressions of sets, libraries, games, positions and twins. Each is
//! answered or refused with a sentence, within a second of the processor and 100 MB of memory.
//!
//! Most are read in this process, and the system says what that took; the others are given to a program that may have no more.

use std::process::Command;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::OpeningNames;
use plyfold_core::keys::parse_key;
use plyfold_core::query::complete::complete;
use plyfold_core::query::highlight::highlight;
use plyfold_core::query::json::{from_json, to_json};
use plyfold_core::query::parse::{MAX_QUERY_BYTES, parse};
use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::{plan, resolve_opening};
use plyfold_core::reduce::set_expression::SetExpression;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::transform::position_text::{read_fen, read_line};
use plyfold_core::twinning::{OffBoardRule, TwinList};
use plyfold_tests::games::Aligned;
use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::nesting::{GAMES, JSON, Language, POSITIONS, QUERIES, SETS};
use crate::programs::{Program, ProgramRun, TortureSandbox, run};
use crate::queries::placed;
use crate::scene::{self, Files};
use crate::subjects::corpus::played;
use crate::texts::imported;

/// The most memory of an attack.
const MOST_MEMORY: usize = 100 << 20;
/// The most seconds of the processor.
const MOST_SECONDS: f64 = 1.0;
/// One in so many attacks starts a program, which takes longer than to read the text.
const PROGRAMS: u32 = 12;
/// An argument of a program has at most 128 KiB on Linux.
const MOST_ARGUMENT_BYTES: usize = 100_000;

/// What reads a nested text in this process.
type Reader = fn(&NestedTexts, &str) -> Result<AttackOutcome, String>;

/// Attacks with nested texts.
pub struct NestedTexts {
    corpus: Aligned,
    scene: Files,
    /// The memory of this process without attacks.
    memory: usize,
}

impl NestedTexts {
    /// Makes a small corpus to search, and the scene for programs.
    pub fn new() -> NestedTexts {
        let (corpus, scene) = (Aligned::new(&played(6, 60, 3)), scene::files());
        // What is reserved once is not that of an attack.
        let _ = imported(b"1. e4 *", 4 << 20);
        NestedTexts { corpus, scene, memory: peak_memory() }
    }

    fn query(&self, text: &str) -> Result<AttackOutcome, String> {
        let found = complete(text, text.len());
        if text.get(found.from..found.to).is_none() {
            return Err(format!("completion of {}..{}, which are no places", found.from, found.to));
        }
        if highlight(text).iter().any(|piece| text.get(piece.from..piece.to).is_none()) {
            return Err("a painted piece that is no place".into());
        }
        match parse(text) {
            Err(error) => placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
            Ok(tree) => self.asked(&tree, text),
        }
    }

    fn json(&self, text: &str) -> Result<AttackOutcome, String> {
        match from_json(text) {
            Err(error) if error.message.is_empty() => Err("an error without a sentence".into()),
            Err(_) => Ok(AttackOutcome::Refused),
            Ok(tree) => self.asked(&tree, text),
        }
    }

    /// What can be read can be written, planned and searched.
    fn asked(&self, tree: &QueryTree, text: &str) -> Result<AttackOutcome, String> {
        // A list of several conditions is written out. What is longer than a query may be is not read again.
        let printed = tree.to_string();
        let is_same = || parse(&printed).as_ref() == Ok(tree) && from_json(&to_json(tree)).as_ref() == Ok(tree);
        if printed.len() <= MAX_QUERY_BYTES && !is_same() {
            return Err("it is written as another query".into());
        }
        let openings = OpeningNames::default();
        let query = match plan::plan(tree, &|name: &str| resolve_opening(&openings, name)) {
            Ok(query) => query,
            Err(error) => return placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
        };
        let corpus = CorpusReader::open(self.corpus.bytes(), CorpusCheck::WithoutTexts).expect("a corpus");
        let selection = ReducerSelection { games: true, positions_count: true, ..ReducerSelection::default() };
        run_query(&corpus_spans(&corpus), &query, &selection, &()).map_err(|_| "cancelled")?;
        Ok(AttackOutcome::Answered)
    }

    fn set(&self, text: &str) -> Result<AttackOutcome, String> {
        match SetExpression::parse(text) {
            Ok(expression) if expression.names().is_empty() => Err("an expression without names".into()),
            Ok(_) => Ok(AttackOutcome::Answered),
            Err(error) => placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
        }
    }

    fn key(&self, text: &str) -> Result<AttackOutcome, String> {
        match parse_key(text) {
            Ok(_) => Ok(AttackOutcome::Answered),
            Err(error) if error.message.is_empty() => Err("an error without a sentence".into()),
            Err(_) => Ok(AttackOutcome::Refused),
        }
    }

    fn games(&self, text: &str) -> Result<AttackOutcome, String> {
        match imported(text.as_bytes(), 4 << 20) {
            Ok(_) => Ok(AttackOutcome::Answered),
            Err(error) if error.is_empty() => Err("an error without a sentence".into()),
            Err(_) => Ok(AttackOutcome::Refused),
        }
    }

    fn position(&self, text: &str) -> Result<AttackOutcome, String> {
        match (read_fen(text), read_line(text)) {
            (Err(error), Err(_)) => {
                placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused)
            }
            _ => Ok(AttackOutcome::Answered),
        }
    }

    fn twins(&self, text: &str) -> Result<AttackOutcome, String> {
        let start = read_fen("r3k3/8/8/3pP3/8/8/8/4K2R w K - 0 1").expect("a position");
        let made = TwinList::read(text).and_then(|twins| twins.apply(&start, OffBoardRule::Drop));
        match made {
            Ok(_) => Ok(AttackOutcome::Answered),
            Err(error) => placed(&error.message, (error.from, error.to), text).map(|()| AttackOutcome::Refused),
        }
    }

    /// Reads a text in this process, and looks at the time and the memory.
    fn read(&self, reader: Reader, text: &str) -> AttackOutcome {
        // The peak becomes what the process has now.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let begin = processor_seconds();
        let outcome = reader(self, text);
        let (memory, seconds) = (peak_memory().saturating_sub(self.memory), processor_seconds() - begin);
        match outcome {
            _ if seconds > MOST_SECONDS => AttackOutcome::Hung(format!("{} bytes take {seconds:.2} s", text.len())),
            _ if memory > MOST_MEMORY => AttackOutcome::Hung(format!("{} bytes take {memory} of memory", text.len())),
            outcome => outcome.unwrap_or_else(AttackOutcome::Wrong),
        }
    }

    /// Gives a text to a program in a file or as an argument.
    fn given(&self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let query = query_language(random).text(random);
        let (line, file, text): (&[&str], _, String) = match random.random_range(0..9) {
            0 => {
                let json = if random.random() { JSON.text(random) } else { serde_json::json!(query).to_string() };
                let plan = format!(r#"{{"queries":[{{"name":"a","query":{json},"heatmap":true}}]}}"#);
                (&["scan", "c.plyfold", "plan.json"], "plan.json", plan)
            }
            1 => (&["scan", "c.plyfold", "plan.json"], "plan.json", JSON.text(random)),
            2 => {
                let questions = serde_json::json!([{ "title": "t", "query": query }]);
                let first =
                    r#"{"format":"plyfold library","version":2,"title":"t","updated":"2026-01-01","corpora":[]"#;
                let more = if random.random() { JSON.text(random) } else { "0".into() };
                let library = format!(r#"{first},"questions":{questions},"more":{more}}}"#);
                (&["publish", "--check", "out"], "out/library.json", library)
            }
            3 => (&["publish", "--check", "out"], "out/library.json", JSON.text(random)),
            4 => (&["query", "c.plyfold", "--json-query", "q.json"], "q.json", JSON.text(random)),
            5 => (&["collections", "list", "c.plyfold"], "c.sets/kept.json", {
                let within = SETS.text(random);
                serde_json::json!({ "query": query, "within": within }).to_string()
            }),
            6 => (&["sets", "c.plyfold", "TEXT"], "", SETS.text(random)),
            7 => (&["explain", "--query-file", "q.txt"], "q.txt", query),
            _ => (&["query", "c.plyfold", "TEXT", "--games", "3"], "", query),
        };
        tried.says(line.join(" "));
        tried.input("text", text.as_bytes());
        let sandbox = scene::sandbox(&self.scene);
        let argument: String = text.chars().filter(|letter| *letter != '\0').take(MOST_ARGUMENT_BYTES / 4).collect();
        let words = line.iter().map(|word| if *word == "TEXT" { &*argument } else { *word });
        let words: Vec<&str> = words.collect();
        if !file.is_empty() {
            sandbox.put(file, text.as_bytes());
        }
        let ran = within_limits(&sandbox, Program::Plyfold, &words);
        if ran.code().is_none() && ran.status.is_some() {
            return AttackOutcome::Hung(format!("more than a second or 100 MB: {:?}", ran.status));
        }
        match ran.fault(Program::Plyfold) {
            Some(fault) => fault,
            None if ran.code() == Some(0) => AttackOutcome::Answered,
            None => AttackOutcome::Refused,
        }
    }
}

impl AttackSeries for NestedTexts {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        if random.random_range(0..PROGRAMS) == 0 {
            return self.given(random, tried);
        }
        let (reader, name, text): (Reader, _, _) = match random.random_range(0..12) {
            0..=4 => (Self::query, "query.txt", query_language(random).text(random)),
            5 | 6 => (Self::json, "query.json", JSON.text(random)),
            7 => (Self::set, "set.txt", SETS.text(random)),
            8 => (Self::key, "key.txt", query_language(random).text(random)),
            9 => (Self::games, "games.pgn", GAMES.text(random)),
            10 => (Self::position, "fen.txt", POSITIONS[0].text(random)),
            _ => (Self::twins, "twins.txt", POSITIONS[1].text(random)),
        };
        tried.says(name);
        tried.input(name, text.as_bytes());
        self.read(reader, &text)
    }
}

fn query_language(random: &mut StdRng) -> &'static Language {
    &QUERIES[if random.random() { 0 } else { random.random_range(1..QUERIES.len()) }]
}

/// Runs a program that is ended if it takes more time of the processor or more memory than it may.
fn within_limits(sandbox: &TortureSandbox, program: Program, arguments: &[&str]) -> ProgramRun {
    let mut command = Command::new("sh");
    let limits = format!("ulimit -t {} -d {} && exec \"$0\" \"$@\"", MOST_SECONDS.ceil(), MOST_MEMORY >> 10);
    command.current_dir(sandbox.path()).args(["-c", &limits]).arg(program.path()).args(arguments);
    run(command)
}

/// The most bytes of memory that this process has had; elsewhere than on Linux, 0.
fn peak_memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok()).unwrap_or(0) << 10
}

/// The time that all threads of this process have used, in seconds; elsewhere than on Linux, the time that has passed.
fn processor_seconds() -> f64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    // After the name of the program, which may have spaces, the 12th and the 13th number count hundredths of a second.
    let read = || {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let numbers = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        Some(numbers.filter_map(|number| number.parse::<u64>().ok()).sum::<u64>() as f64 / 100.0)
    };
    read().unwrap_or_else(|| BEGIN.elapsed().as_secs_f64())
}
