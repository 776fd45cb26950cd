//! No command writes over its input, writes two outputs to one file, or replaces a file without `--force`. No command waits
//! for something that is not a regular file.

use std::fs;
use std::path::Path;

use crate::program::{CliRun, CliSandbox, ONE_BAD, SAMPLE};

/// A placeholder for the name of an output.
const OUT: &str = "OUT";

/// An option that writes a file.
struct Case {
    /// The command line, with [`OUT`] for the file.
    line: &'static [&'static str],
    /// The name that messages use for the option.
    role: &'static str,
    /// All files that the command reads.
    inputs: &'static [&'static str],
    /// A plan, with [`OUT`] for a file.
    plan: &'static str,
}

const fn case(line: &'static [&'static str], role: &'static str, inputs: &'static [&'static str]) -> Case {
    Case { line, role, inputs, plan: r#"{ "queries": [ { "name": "one", "query": "" } ] }"# }
}

const fn planned(plan: &'static str, role: &'static str) -> Case {
    Case { plan, ..case(&["scan", "sample.plyfold", "plan.json"], role, &["sample.plyfold", "plan.json", "some.bm"]) }
}

const CORPUS: &[&str] = &["sample.plyfold"];
/// A corpus, a set given by its file, and a set given by its name.
const SETS: &[&str] = &["sample.plyfold", "some.bm", "sample.sets/named.bm"];
const WITHIN: &str = "some.bm & @named";

const CASES: &[Case] = &[
    case(&["import", "sample.pgn", "more.pgn", "-o", OUT], "-o", &["sample.pgn", "more.pgn"]),
    case(&["import", "more.pgn", "-o", "new.plyfold", "--ledger", OUT], "--ledger", &["more.pgn"]),
    case(
        &["import", "more.pgn", "-o", "sample.plyfold", "--append", "--ledger", OUT],
        "--ledger",
        &["more.pgn", "sample.plyfold"],
    ),
    case(&["query", "sample.plyfold", "in @named", "--within", WITHIN, "-o", OUT], "-o", SETS),
    case(&["query", "sample.plyfold", "", "--within", WITHIN, "--save-games", OUT], "--save-games", SETS),
    case(&["query", "sample.plyfold", "", "--within", WITHIN, "--save-positions", OUT], "--save-positions", SETS),
    case(
        &["query", "sample.plyfold", "", "--within", WITHIN, "--heatmap", "--save-heatmap", OUT],
        "--save-heatmap",
        SETS,
    ),
    case(&["query", "sample.plyfold", "", "--within", WITHIN, "--by", "result", "--save-by", OUT], "--save-by", SETS),
    case(
        &["query", "sample.plyfold", "in @named", "--save-positions", OUT],
        "--save-positions",
        &["sample.sets/named.bm"],
    ),
    case(&["query", "sample.plyfold", "--query-file", "query.txt", "-o", OUT], "-o", &["query.txt"]),
    case(&["query", "sample.plyfold", "--json-query", "query.json", "-o", OUT], "-o", &["query.json"]),
    case(&["query", "sample.plyfold", "", "--by", "structure", "--plan", "-o", OUT], "-o", CORPUS),
    case(&["sets", "sample.plyfold", WITHIN, "-o", OUT], "-o", SETS),
    case(&["position", "sample.plyfold", "startpos", "-o", OUT], "-o", &["sample.plyfold", "sample.plyindex"]),
    case(&["scan", "sample.plyfold", "plan.json", "-o", OUT], "-o", &["sample.plyfold", "plan.json"]),
    planned(
        r#"{ "queries": [ { "name": "one", "query": "", "within": "some.bm", "save_games": "OUT" } ] }"#,
        "\"one\": save_games",
    ),
    planned(
        r#"{ "queries": [ { "name": "one", "query": "", "within": "some.bm", "save_positions": "OUT" } ] }"#,
        "\"one\": save_positions",
    ),
    planned(
        r#"{ "queries": [ { "name": "one", "query": "", "within": "some.bm", "heatmap": true, "save_heatmap": "OUT" } ] }"#,
        "\"one\": save_heatmap",
    ),
    planned(
        r#"{ "queries": [ { "name": "one", "query": "", "within": "some.bm", "by": ["result"], "save_by": "OUT" } ] }"#,
        "\"one\": save_by",
    ),
    case(&["export", "sample.plyfold", "--within", WITHIN, "-o", OUT], "-o", SETS),
    case(&["export", "sample.plyfold", "--query", "in @named", "--format", "corpus", "-o", OUT], "-o", SETS_IN_QUERY),
    case(&["export", "sample.plyfold", "--format", "fen", "-o", OUT], "-o", CORPUS),
    case(&["export", "sample.plyfold", "--format", "epd", "-o", OUT], "-o", CORPUS),
    case(&["export", "sample.plyfold", "--format", "csv", "-o", OUT], "-o", CORPUS),
    case(&["export", "sample.plyfold", "--format", "json", "-o", OUT], "-o", CORPUS),
    case(&["export", "sample.plyfold", "--positions", "--format", "parquet", "-o", OUT], "-o", CORPUS),
    case(&["schema", "-o", OUT], "-o", &[]),
];

const SETS_IN_QUERY: &[&str] = &["sample.plyfold", "sample.sets/named.bm"];

/// A folder with every file that some command reads.
fn sandbox() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    sandbox.put("more.pgn", [ONE_BAD, SAMPLE].concat());
    sandbox.put("query.txt", "check");
    sandbox.put("query.json", r#"{ "result": ["1-0"] }"#);
    sandbox.run(&["query", "sample.plyfold", "", "--save-games", "some.bm"]).succeeded();
    sandbox.run(&["query", "sample.plyfold", "", "--save-games", "@named"]).succeeded();
    sandbox.run(&["index", "sample.plyfold"]).succeeded();
    sandbox
}

impl Case {
    /// Runs the command with this output.
    fn run(&self, sandbox: &CliSandbox, out: &str, more: &[&str]) -> CliRun {
        sandbox.put("plan.json", self.plan.replace(OUT, out));
        let line = self.line.iter().map(|word| if *word == OUT { out } else { word });
        sandbox.run(&line.chain(more.iter().copied()).collect::<Vec<_>>())
    }
}

/// The bytes of all files, and the targets of links.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let name = path.to_str().unwrap().to_owned();
        match () {
            () if kind.is_dir() => all.extend(files(&path)),
            () if kind.is_file() => all.push((name, fs::read(&path).unwrap())),
            () => all.push((name, format!("{:?}", fs::read_link(&path).ok()).into_bytes())),
        }
    }
    all.sort();
    all
}

#[test]
fn no_output_is_an_input() {
    for case in CASES {
        let sandbox = sandbox();
        for input in case.inputs {
            sandbox.put("plan.json", case.plan);
            let mut names = vec![(*input).to_owned(), format!("./{input}"), "hard".to_owned()];
            fs::hard_link(sandbox.path(input), sandbox.path("hard")).unwrap();
            #[cfg(unix)]
            {
                std::os::unix::fs::symlink(input, sandbox.path("soft")).unwrap();
                names.push("soft".to_owned());
            }
            for name in &names {
                for force in [&[][..], &["--force"]] {
                    sandbox.put("plan.json", case.plan.replace(OUT, name));
                    let before = files(&sandbox.path(""));
                    let ran = case.run(&sandbox, name, force);
                    let said = &ran.stderr;
                    assert!(files(&sandbox.path("")) == before, "{:?} with {name}: something changed", case.line);
                    assert_eq!(ran.code, Some(2), "{:?} with {name}: {said}", case.line);
                    for part in [&*format!("{} {name} is also ", case.role), input, ": choose another name"] {
                        assert!(said.contains(part), "{:?} with {name}: {said}", case.line);
                    }
                }
            }
            fs::remove_file(sandbox.path("hard")).unwrap();
            let _ = fs::remove_file(sandbox.path("soft"));
        }
    }
}

#[test]
fn no_file_is_replaced_without_force() {
    for case in CASES {
        let sandbox = sandbox();
        sandbox.put("taken", "as it was");
        sandbox.put("plan.json", case.plan.replace(OUT, "taken"));
        let before = files(&sandbox.path(""));
        let ran = case.run(&sandbox, "taken", &[]);
        assert_eq!(ran.code, Some(2), "{:?}: {}", case.line, ran.stderr);
        let says = format!("{} taken exists already: choose another name, or replace it with --force", case.role);
        assert!(ran.stderr.contains(&says), "{:?}: {}", case.line, ran.stderr);
        assert!(files(&sandbox.path("")) == before, "{:?}", case.line);
        let ran = case.run(&sandbox, "taken", &["--force"]);
        assert!(matches!(ran.code, Some(0 | 3)), "{:?}: {}", case.line, ran.stderr);
        assert_ne!(sandbox.get("taken"), b"as it was", "{:?}", case.line);
        // No partial file is left, and a new name needs no `--force`.
        assert!(!sandbox.names().iter().any(|name| name.ends_with("-part")), "{:?}", sandbox.names());
        let _ = fs::remove_file(sandbox.path("new.plyfold"));
        let ran = case.run(&sandbox, "free", &[]);
        assert!(matches!(ran.code, Some(0 | 3)), "{:?}: {}", case.line, ran.stderr);
        assert!(sandbox.path("free").is_file());
    }
}

#[test]
fn no_two_outputs_are_the_same_file() {
    let heatmap = &["query", "sample.plyfold", "", "--heatmap", "--by", "result"][..];
    let options = [
        ("-o", "-o"),
        ("--save-games", "--save-games"),
        ("--save-positions", "--save-positions"),
        ("--save-heatmap", "--save-heatmap"),
        ("--save-by", "--save-by"),
    ];
    let sandbox = sandbox();
    sandbox.put("taken", "as it was");
    let before = files(&sandbox.path(""));
    let check = |line: &[&str]| {
        let ran = sandbox.run(line);
        assert_eq!(ran.code, Some(2), "{line:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(" is also "), "{line:?}: {}", ran.stderr);
        assert!(files(&sandbox.path("")) == before, "{line:?}");
    };
    for (one, two) in [("new", "./new"), ("taken", "sample.sets/../taken")] {
        check(&["import", "more.pgn", "-o", one, "--ledger", two, "--force"]);
        for (at, (first, _)) in options.iter().enumerate() {
            for (second, _) in &options[at + 1..] {
                check(&[heatmap, &[first, one, second, two, "--force"]].concat());
            }
        }
    }
}

#[test]
fn outputs_of_a_plan_are_files_of_their_own() {
    let sandbox = sandbox();
    let query = |name: &str, more: &str| format!(r#"{{ "name": "{name}", "query": "", {more} }}"#);
    for (one, two, more) in [
        (r#""save_games": "a""#, r#""save_positions": "./a""#, &[][..]),
        (r#""save_games": "@a""#, r#""save_games": "sample.sets/a.bm""#, &[]),
        (r#""save_games": "b""#, r#""save_games": "c""#, &["-o", "./b"]),
        (r#""save_games": "@y-1""#, r#""partition": ["year"], "save_parts": "@y""#, &[]),
        (r#""save_games": "sample.sets/y-1.bm""#, r#""partition": ["year"], "save_parts": "@y""#, &[]),
    ] {
        sandbox.put("plan.json", format!(r#"{{ "queries": [ {}, {} ] }}"#, query("one", one), query("two", two)));
        let before = files(&sandbox.path(""));
        let ran = sandbox.run(&[&["scan", "sample.plyfold", "plan.json", "--force"], more].concat());
        assert_eq!(ran.code, Some(2), "{one} {two}: {}", ran.stderr);
        assert!(files(&sandbox.path("")) == before, "{one} {two}");
    }
}

/// An update of a file that the program made needs no `--force`.
#[test]
fn what_is_brought_up_to_date_is_replaced() {
    let sandbox = sandbox();
    for _ in 0..2 {
        sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
        sandbox.run(&["index", "sample.plyfold"]).succeeded();
        sandbox.run(&["query", "sample.plyfold", "check", "--save-games", "@named"]).succeeded();
        sandbox.run(&["query", "sample.plyfold", "", "--within", "@named", "--save-games", "@named"]).succeeded();
        sandbox.run(&["sets", "sample.plyfold", "~@named", "-o", "@named"]).succeeded();
        sandbox.run(&["collections", "add", "sample.plyfold", "@mates", "check"]).succeeded();
        sandbox.run(&["query", "sample.plyfold", "", "--partition", "year", "--save-parts", "@year"]).succeeded();
    }
}

/// The files beside a corpus never replace the corpus, not even if one of them is a link to it.
#[test]
fn links_beside_a_corpus_do_not_lead_to_it() {
    let sandbox = CliSandbox::with_sample();
    let corpus = sandbox.get("sample.plyfold");
    fs::create_dir(sandbox.path("sample.sets")).unwrap();
    for place in ["sample.plyindex", "sample.sets/a.bm"] {
        fs::hard_link(sandbox.path("sample.plyfold"), sandbox.path(place)).unwrap();
    }
    for line in [
        &["index", "sample.plyfold", "--force"][..],
        &["query", "sample.plyfold", "", "--save-games", "@a"],
        &["sets", "sample.plyfold", "~@b", "-o", "@a"],
        &["collections", "add", "sample.plyfold", "@a", "check"],
    ] {
        let ran = sandbox.run(line);
        assert_eq!(ran.code, Some(2), "{line:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("is also the corpus sample.plyfold"), "{line:?}: {}", ran.stderr);
        assert_eq!(sandbox.get("sample.plyindex"), corpus, "{line:?}");
        assert_eq!(sandbox.get("sample.sets/a.bm"), corpus, "{line:?}");
    }
}

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::unix::fs::FileTypeExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    /// Runs the program, which must not wait for anything. Ends it after far longer than it can need.
    fn run_without_waiting(sandbox: &CliSandbox, line: &[&str]) -> CliRun {
        let mut command = sandbox.command(line);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let begin = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
                panic!("{line:?} waits");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        CliRun::of(child.wait_with_output().unwrap())
    }

    fn fifo(sandbox: &CliSandbox, name: &str) {
        assert!(Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap().success());
    }

    #[test]
    fn a_foreign_partial_file_is_left_alone() {
        for case in CASES {
            let sandbox = sandbox();
            sandbox.put("precious", "precious");
            for kind in ["file", "link", "fifo"] {
                match kind {
                    "file" => sandbox.put("out.part", "of another program"),
                    "link" => std::os::unix::fs::symlink("precious", sandbox.path("out.part")).unwrap(),
                    _ => fifo(&sandbox, "out.part"),
                }
                sandbox.put("plan.json", case.plan.replace(OUT, "out"));
                let before = fs::symlink_metadata(sandbox.path("out.part")).unwrap().file_type();
                let line: Vec<&str> = case.line.iter().map(|word| if *word == OUT { "out" } else { word }).collect();
                let ran = run_without_waiting(&sandbox, &line);
                assert!(matches!(ran.code, Some(0 | 3)), "{line:?} {kind}: {}", ran.stderr);
                assert_eq!(sandbox.get("precious"), b"precious", "{line:?} {kind}");
                assert!(sandbox.path("out").is_file(), "{line:?} {kind}");
                assert_eq!(fs::symlink_metadata(sandbox.path("out.part")).unwrap().file_type(), before);
                if kind == "file" {
                    assert_eq!(sandbox.get("out.part"), b"of another program");
                }
                for made in ["out.part", "out", "new.plyfold"] {
                    let _ = fs::remove_file(sandbox.path(made));
                }
            }
        }
    }

    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let sandbox = sandbox();
        fifo(&sandbox, "fifo");
        fifo(&sandbox, "other.plyindex");
        fifo(&sandbox, "sample.sets/fifo.bm");
        fifo(&sandbox, "sample.sets/named.json");
        fs::copy(sandbox.path("sample.plyfold"), sandbox.path("other.plyfold")).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(sandbox.path("socket")).unwrap();
        for (what, says) in [("fifo", "a FIFO"), ("socket", "a socket"), ("/dev/zero", "a device")] {
            for line in [
                &["info", what][..],
                &["query", what, ""],
                &["show", what, "1"],
                &["export", what],
                &["index", what],
                &["upgrade", what],
                &["sets", what],
                &["position", what, "startpos"],
                &["collections", "list", what],
                &["query", "sample.plyfold", "", "--within", what],
                &["export", "sample.plyfold", "--within", what],
                &["scan", "sample.plyfold", what],
                &["query", "sample.plyfold", "--query-file", what],
                &["query", "sample.plyfold", "--json-query", what],
            ] {
                run_without_waiting(&sandbox, line).failed_in_a_line(1, &[what, says]);
            }
        }
        for line in [
            &["import", "sample.pgn", "-o", "fifo"][..],
            &["import", "sample.pgn", "-o", "fifo", "--append"],
            &["import", "sample.pgn", "-o", "socket", "--force"],
            &["export", "sample.plyfold", "--format", "corpus", "-o", "fifo"],
            &["query", "sample.plyfold", "", "--save-games", "fifo"],
            &["query", "sample.plyfold", "", "--save-games", "@fifo"],
        ] {
            run_without_waiting(&sandbox, line).failed_in_a_line(2, &["choose another name"]);
        }
        for line in [
            &["index", "other.plyfold"][..],
            &["position", "other.plyfold", "startpos"],
            &["query", "sample.plyfold", "in @fifo"],
            &["query", "sample.plyfold", "", "--within", "@fifo"],
            &["query", "sample.plyfold", "in @named"],
            &["collections", "update", "sample.plyfold"],
        ] {
            run_without_waiting(&sandbox, line).failed_in_a_line(1, &["a FIFO"]);
        }
        let ran = run_without_waiting(&sandbox, &["sets", "sample.plyfold"]).succeeded();
        assert!(ran.text().contains("a FIFO"), "{}", ran.text());
        drop(socket);
        assert!(fs::symlink_metadata(sandbox.path("fifo")).unwrap().file_type().is_fifo());
    }

    /// A name that would colour or clear a terminal, or look like another name.
    const STEERS: &str = "a\u{1b}[31m\u{9b}2J\r\u{202e}b";

    #[test]
    fn names_of_files_cannot_steer_a_terminal() {
        let sandbox = sandbox();
        let name = |ending: &str| format!("{STEERS}{ending}");
        sandbox.put(&name(".pgn"), [ONE_BAD, SAMPLE].concat());
        sandbox.put(&name(".bad"), "1. e5 *");
        sandbox.put(&name(".json"), "{ ");
        let check = |line: &[&str], code: i32| {
            let ran = sandbox.run(line);
            let said = ran.text() + &ran.stderr;
            assert_eq!(ran.code, Some(code), "{line:?}: {said}");
            assert!(said.contains("\\u{9b}2J\\r\\u{202e}b"), "{line:?}: {said}");
            assert!(!said.contains(|letter: char| letter.is_control() && letter != '\n'), "{line:?}: {said:?}");
        };
        let [pgn, bad, json, corpus] = [".pgn", ".bad", ".json", ".plyfold"].map(name);
        for line in [
            &["import", STEERS, "-o", "new"][..],
            &["import", &bad, "-o", "new"],
            &["import", "sample.pgn", "-o", &name("/new")],
            &["info", STEERS],
            &["query", STEERS, ""],
            &["query", "sample.plyfold", "", "-o", &name("/new")],
            &["query", "sample.plyfold", "--query-file", STEERS],
            &["query", "sample.plyfold", "", "--save-games", &name("/new")],
            &["sets", "sample.plyfold", &format!("\"{STEERS}\"")],
            &["scan", "sample.plyfold", STEERS],
            &["position", STEERS, "startpos"],
            &["export", &bad],
            &["index", &bad],
            &["collections", "list", STEERS],
        ] {
            check(line, 1);
        }
        check(&["import", &pgn, "-o", &corpus, "--strict"], 3);
        check(&["info", &corpus], 0);
        check(&["index", &corpus], 0);
        check(&["upgrade", &corpus], 0);
        check(&["sets", &corpus, "@gone"], 2);
        check(&["position", "sample.plyfold", "startpos", "-o", &pgn], 2);
        check(&["import", "sample.pgn", "-o", &corpus], 2);
        check(&["scan", "sample.plyfold", &json], 2);
        // The JSON library quotes text from the file in its messages too.
        let field = r"a\u001b[31m\u009b2J\r\u202eb";
        sandbox.put("plan.json", format!(r#"{{ "queries": [ {{ "name": "one", "query": "", "{field}": 1 }} ] }}"#));
        check(&["scan", "sample.plyfold", "plan.json"], 2);
        check(&["query", &corpus, "", "--save-games", &name(".bm")], 0);
        check(&["export", &corpus, "--query", "white king on a8", "--format", "corpus", "-o", &name(".none")], 1);
        // One argument too many, as from a pattern that matches more files than intended.
        check(&["info", &corpus, STEERS], 2);
        // JSON has the name unchanged.
        assert_eq!(sandbox.json(&["info", &corpus])["file"], *corpus);
    }

    #[test]
    fn a_pipe_that_is_named_is_read_and_written() {
        let sandbox = sandbox();
        fifo(&sandbox, "games");
        fifo(&sandbox, "answer");
        let import = sandbox.command(&["import", "games", "-o", "new.plyfold"]).stdout(Stdio::null()).spawn();
        fs::write(sandbox.path("games"), SAMPLE).unwrap();
        assert!(import.unwrap().wait().unwrap().success());
        let query = sandbox.command(&["query", "sample.plyfold", "", "-o", "answer"]).spawn();
        let mut said = String::new();
        fs::File::open(sandbox.path("answer")).unwrap().read_to_string(&mut said).unwrap();
        assert!(query.unwrap().wait().unwrap().success());
        let expected = sandbox.run(&["query", "sample.plyfold", ""]).succeeded().text();
        assert_eq!(said, expected);
        for place in ["/dev/stdout", "/dev/fd/1"] {
            let ran = sandbox.run(&["query", "sample.plyfold", "", "-o", place]).succeeded();
            assert_eq!(ran.text(), expected);
            // If the shell redirects the standard output to a file, the program writes to that file and does not replace it.
            let file = fs::File::create(sandbox.path("redirected")).unwrap();
            let mut command = sandbox.command(&["query", "sample.plyfold", "", "-o", place]);
            assert!(command.stdout(file).status().unwrap().success());
            assert_eq!(sandbox.get("redirected"), expected.as_bytes());
        }
        sandbox.put("plan", r#"{ "queries": [ { "name": "one", "query": "" } ] }"#);
        for place in ["/dev/stdin", "/dev/fd/0"] {
            let mut command = sandbox.command(&["scan", "sample.plyfold", place]);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            std::io::Write::write_all(&mut input, &sandbox.get("plan")).unwrap();
            drop(input);
            assert!(child.wait().unwrap().success());
        }
    }
}
