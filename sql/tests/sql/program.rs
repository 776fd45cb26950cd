//! The program: formats, files, exit codes.

use std::process::{Command, Output};

use crate::sandbox::Sandbox;

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plyfold-sql")).current_dir(sandbox.path("")).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const STATEMENT: &str = "SELECT game, white, white_elo FROM games WHERE matches('checkmate') ORDER BY game";

#[test]
fn rows_in_each_format() {
    let sandbox = Sandbox::new();
    let csv = text(&run(&sandbox, &["lib", STATEMENT, "--format", "csv"]));
    assert_eq!(
        csv,
        "game,white,white_elo\n1,\"Carlsen, Magnus\",2850\n2,carlsen magnus,2500\n5,\"Carlsen, Magnus\",2850\n"
    );
    let json = text(&run(&sandbox, &["lib", STATEMENT, "--format", "json"]));
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first, serde_json::json!({ "game": 1, "white": "Carlsen, Magnus", "white_elo": 2850 }));
    assert_eq!(json.lines().count(), 3);
    let table = text(&run(&sandbox, &["lib", STATEMENT]));
    assert!(table.contains("| game | white           | white_elo |"), "{table}");
    let nothing = text(&run(&sandbox, &["lib", "SELECT game FROM games WHERE game < 0", "--format", "csv"]));
    assert_eq!(nothing, "game\n");
}

#[test]
fn parquet_is_read_again() {
    let sandbox = Sandbox::new();
    text(&run(&sandbox, &["lib", "SELECT * FROM games", "--format", "parquet", "--out", "games.parquet"]));
    let again = text(&run(
        &sandbox,
        &["lib", "SELECT count(*), max(date) FROM saved", "--file", "saved=games.parquet", "--format", "csv"],
    ));
    assert_eq!(again.lines().nth(1), Some("5,2019-02-28"));
    let refused = run(&sandbox, &["lib", "SELECT 1", "--out", "games.parquet"]);
    assert_eq!(refused.status.code(), Some(2));
    text(&run(&sandbox, &["lib", "SELECT 1 AS one", "--format", "csv", "--out", "games.parquet", "--force"]));
    assert_eq!(std::fs::read_to_string(sandbox.path("games.parquet")).unwrap(), "one\n1\n");
    let corpus = run(&sandbox, &["lib", "SELECT 1", "--out", "lib/a.plyfold", "--force"]);
    assert_eq!(corpus.status.code(), Some(2), "an output never overwrites an input");
}

#[test]
fn exit_codes_tell_mistakes_from_files() {
    let sandbox = Sandbox::new();
    for (library, statement, code) in [
        ("lib", "SELECT 1", 0),
        ("lib", "SELECT", 2),
        ("lib", "", 2),
        ("lib", "SELECT foo FROM games", 2),
        ("lib", "SELECT * FROM search('nonsense')", 2),
        ("lib", "SELECT tb('8/8/8/8/8/2k5/8/K6q w - - 0 1')", 2),
        ("gone", "SELECT 1", 1),
        ("lib", "SELECT count(*) FROM search('gone.plyfold', 'check')", 2),
    ] {
        let output = run(&sandbox, &[library, statement, "--out", "out.csv", "--format", "csv", "--force"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{statement}: {errors}");
        assert_eq!(code != 0, errors.starts_with("plyfold-sql: "), "{statement}: {errors}");
        assert_eq!(sandbox.path("out.csv").exists(), code == 0, "{statement}");
        let _ = std::fs::remove_file(sandbox.path("out.csv"));
    }
}

#[cfg(feature = "cluster")]
#[test]
fn a_scheduler_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    // Nobody listens on a port that has just been given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let scheduler = format!("127.0.0.1:{port}");
    let statement = "SELECT count(*) FROM games WHERE matches('checkmate')";
    let gone = run(&sandbox, &["lib", statement, "--cluster", &scheduler]);
    let errors = String::from_utf8_lossy(&gone.stderr);
    assert!(errors.starts_with(&format!("plyfold-sql: the scheduler at {scheduler} cannot be reached: ")), "{errors}");
    assert_eq!((gone.status.code(), errors.lines().count()), (Some(1), 1), "{errors}");
    let nonsense = run(&sandbox, &["lib", statement, "--cluster", "nowhere"]);
    assert_eq!(nonsense.status.code(), Some(2));
    // A statement without games needs no scheduler.
    assert!(text(&run(&sandbox, &["lib", "SELECT fen(1, 2) AS fen", "--cluster", &scheduler])).contains("| fen "));
}

#[test]
fn several_statements_run_in_order() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("players.csv"), "name,country\n\"Carlsen, Magnus\",NOR\n").unwrap();
    let statement = "CREATE VIEW whites AS SELECT white AS name FROM games; \
                     SELECT country FROM players JOIN whites USING (name) GROUP BY country";
    assert_eq!(
        text(&run(&sandbox, &["lib", statement, "--file", "players=players.csv", "--format", "csv"])),
        "country\nNOR\n"
    );
}

#[test]
fn statements_read_the_files_that_options_name() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("players.csv"), "name,country\n\"Carlsen, Magnus\",NOR\n").unwrap();
    std::fs::write(sandbox.path("song.txt"), "a song").unwrap();
    let ask = |statement: &str, file: &str| run(&sandbox, &["lib", statement, "--file", file, "--format", "csv"]);
    assert_eq!(text(&ask("SELECT country FROM players", "players=players.csv")), "country\nNOR\n");
    let counts = "SELECT count(*) AS n FROM search('other', '') UNION ALL SELECT count(*) FROM search('games', '')";
    assert_eq!(text(&ask(counts, "other=headers.plyfold")).lines().count(), 3);
    for (statement, file, code, says) in [
        ("SELECT country FROM players", "players=gone.csv", 1, "gone.csv"),
        ("SELECT 1", "song=song.txt", 1, "is no table of Parquet, CSV, JSON or Arrow"),
        ("SELECT 1", "players.csv", 2, "it has the form NAME=FILE"),
        ("SELECT 1", "games=players.csv", 2, "`games` is the library"),
        ("SELECT count(*) FROM search('other', 'check')", "other=gone.plyfold", 1, "gone.plyfold"),
        (
            "SELECT count(*) FROM search('another', 'check')",
            "other=headers.plyfold",
            2,
            "no library is named `another`",
        ),
    ] {
        let output = ask(statement, file);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{file}: {errors}");
        assert!(errors.contains(says), "{file}: {errors}");
    }
    let replaced = run(&sandbox, &["lib", "SELECT 1", "--file", "p=players.csv", "--out", "players.csv", "--force"]);
    assert_eq!(replaced.status.code(), Some(2), "an output is no input");
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file() {
    let sandbox = Sandbox::new();
    let statement = "SELECT a.value FROM range(100000) a, range(100000) b WHERE a.value * b.value % 7 = 8";
    std::fs::create_dir(sandbox.path("out")).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_plyfold-sql"))
        .current_dir(sandbox.path(""))
        .args(["lib", statement, "--format", "csv", "--out", "out/rows.csv"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let files = || std::fs::read_dir(sandbox.path("out")).unwrap().count();
    // The file is begun before the first row.
    let begun = std::time::Instant::now();
    while files() == 0 && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(files(), 1, "an unfinished file");
    assert!(Command::new("kill").args(["-INT", &program.id().to_string()]).status().unwrap().success());
    assert_eq!(program.wait().unwrap().code(), Some(130));
    assert_eq!(files(), 0);
}
