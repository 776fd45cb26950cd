//! Statements write nothing, change neither the library nor another file, and leave `games` what it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, ask, lines};

/// What each statement is refused with. `PLAYERS` stands for a file of names, `CORPUS` for the corpus that is asked.
const REFUSED: &[(&str, &str)] = &[
    ("COPY (SELECT game FROM games LIMIT 2) TO 'CORPUS' STORED AS CSV", "COPY is refused"),
    ("COPY games TO 'PLAYERS'", "COPY is refused"),
    ("COPY games TO 'FOLDER/new/' STORED AS PARQUET PARTITIONED BY (result)", "COPY is refused"),
    ("EXPLAIN ANALYZE COPY games TO 'CORPUS' STORED AS JSON", "COPY is refused"),
    ("EXPLAIN COPY games TO 'CORPUS' STORED AS CSV", "COPY is refused"),
    ("PREPARE p AS COPY games TO 'CORPUS' STORED AS CSV; EXECUTE p", ""),
    ("SELECT 1; COPY games TO 'CORPUS' STORED AS CSV; SELECT 2", "COPY is refused"),
    ("INSERT INTO 'PLAYERS' VALUES ('Anna', 'NOR')", "not found"),
    ("CREATE TABLE t AS SELECT 1 AS one; EXPLAIN ANALYZE INSERT INTO t VALUES (2)", "Insert Into is refused"),
    (
        "CREATE EXTERNAL TABLE p (name VARCHAR, country VARCHAR) STORED AS CSV LOCATION 'FOLDER/'; \
         INSERT INTO p SELECT white, black FROM games",
        "CREATE EXTERNAL TABLE is refused",
    ),
    (
        "CREATE EXTERNAL TABLE p (name VARCHAR, country VARCHAR) STORED AS CSV LOCATION 'PLAYERS'; \
         INSERT OVERWRITE p SELECT white, black FROM games",
        "",
    ),
    ("CREATE TABLE t AS SELECT 1 AS one; INSERT INTO t VALUES (2)", "Insert Into is refused"),
    ("DELETE FROM games", ""),
    ("UPDATE games SET white = 'Anna'", ""),
    ("TRUNCATE TABLE games", ""),
    ("DROP TABLE games", "`games` is the library"),
    ("DROP TABLE public.games", "`games` is the library"),
    ("DROP VIEW IF EXISTS datafusion.public.games", "`games` is the library"),
    ("CREATE OR REPLACE VIEW games AS SELECT 1", "`games` is the library"),
    ("CREATE OR REPLACE TABLE games AS SELECT 1", "`games` is the library"),
    ("CREATE EXTERNAL TABLE IF NOT EXISTS games STORED AS CSV LOCATION 'PLAYERS'", "is refused"),
    (
        "CREATE EXTERNAL TABLE p STORED AS CSV LOCATION 'PLAYERS'; SELECT count(*) FROM p",
        "by `plyfold-sql --file NAME=FILE`",
    ),
    ("EXPLAIN CREATE EXTERNAL TABLE p STORED AS CSV LOCATION 'PLAYERS'", ""),
    ("SELECT * FROM 'PLAYERS'", "not found"),
    ("CREATE VIEW p AS SELECT * FROM 'PLAYERS'", "not found"),
    ("SELECT count(*) FROM search('CORPUS', 'check')", "no library is named"),
    ("SELECT count(*) FROM positions('https://127.0.0.1:1/a.plyfold', 'check')", "no library is named"),
    ("SELECT 1 AS one INTO games", ""),
    ("DROP SCHEMA public CASCADE", "is refused"),
    ("CREATE SCHEMA other", "is refused"),
    ("CREATE DATABASE other", "is refused"),
    ("DROP FUNCTION matches", "is refused"),
    ("SET datafusion.runtime.temp_directory = 'FOLDER/new'", "is refused"),
    ("SET datafusion.execution.batch_size = 100; SELECT 1", "is refused"),
    ("RESET datafusion.execution.batch_size", "is refused"),
];

/// The bytes of each file below a folder.
fn files(folder: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => found.extend(files(&entry)),
            false => _ = found.insert(entry.clone(), std::fs::read(entry).unwrap()),
        }
    }
    found
}

/// A library, a file of names, and what they are before a statement.
fn foreign_files() -> (Sandbox, BTreeMap<std::path::PathBuf, Vec<u8>>) {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    std::fs::write(sandbox.path("folder/players.csv"), "name,country\n\"Carlsen, Magnus\",NOR\n").unwrap();
    let before = files(&sandbox.path(""));
    (sandbox, before)
}

fn in_sandbox(statement: &str, sandbox: &Sandbox) -> String {
    let names = [("CORPUS", "headers.plyfold"), ("PLAYERS", "folder/players.csv"), ("FOLDER", "folder")]
        .map(|(word, name)| (word, sandbox.address(name)));
    names.iter().fold(statement.to_owned(), |text, (word, name)| text.replace(word, name))
}

#[test]
fn statements_that_write_are_refused() {
    let (sandbox, before) = foreign_files();
    for (statement, says) in REFUSED {
        let statement = in_sandbox(statement, &sandbox);
        let message = ask(&sandbox.address("headers.plyfold"), &statement).expect_err(&statement);
        assert!(message.contains(says) && !message.contains('\n'), "{statement}: {message}");
        assert!(files(&sandbox.path("")) == before, "{statement} changed a file");
    }
}

#[test]
fn the_program_refuses_them_with_one_sentence() {
    let (sandbox, before) = foreign_files();
    // On a cluster as well: nothing is sent to the scheduler, which is none.
    for (statement, cluster) in
        REFUSED.iter().flat_map(|(statement, _)| [(statement, false), (statement, true)]).step_by(5)
    {
        let statement = in_sandbox(statement, &sandbox);
        let mut program = Command::new(env!("CARGO_BIN_EXE_plyfold-sql"));
        program.current_dir(sandbox.path("")).args(["headers.plyfold", &statement]);
        if cluster {
            program.args(["--cluster", "127.0.0.1:1"]);
        }
        let output = program.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.success(), errors.lines().count()), (false, 1), "{statement}: {errors}");
        assert!(errors.starts_with("plyfold-sql: "), "{statement}: {errors}");
        assert!(files(&sandbox.path("")) == before, "{statement} changed a file");
    }
}

#[test]
fn views_and_tables_in_memory_serve_a_session() {
    let (sandbox, before) = foreign_files();
    let ask = |statement: &str| lines(&sandbox.address("lib"), &in_sandbox(statement, &sandbox));
    let mates = "CREATE VIEW mates AS SELECT * FROM search('checkmate')";
    assert_eq!(ask(&format!("{mates}; SELECT count(*) FROM mates")), ["3"]);
    assert_eq!(
        ask("CREATE TABLE won AS SELECT game FROM games WHERE result = '1-0'; DROP TABLE won; \
             CREATE TABLE won AS SELECT game FROM games WHERE result = '0-1'; SELECT * FROM won"),
        ["2"]
    );
    assert_eq!(ask("PREPARE won(TEXT) AS SELECT count(*) FROM games WHERE result = $1; EXECUTE won('1-0')"), ["2"]);
    assert!(files(&sandbox.path("")) == before);
}
