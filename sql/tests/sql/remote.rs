//! Libraries behind addresses: the same answers as those of local files, few bytes, and one clear sentence for each failure.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use plyfold_datafusion::{Library, SessionOptions, SqlFailure, is_address, open_session};

use crate::file_server::{Behaviour, FileServer};
use crate::sandbox::{Sandbox, ask, ask_with, demo, lines, rows, texts};

/// A statement on an open library, whose server behaves in another way by then.
fn ask_later(address: &str, server: &FileServer, behaviour: Behaviour, statement: &str) -> Result<Vec<String>, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let options = SessionOptions { partitions: Some(2), ..SessionOptions::default() };
        let (context, _) = open_session(address, &options)?;
        server.behave(behaviour);
        context.sql(statement).await?.collect().await
    });
    let batches = answer.map_err(|error| SqlFailure::message(&error))?;
    Ok(batches.iter().flat_map(texts).map(|row| row.join("|")).collect())
}

/// Serves the demo games.
fn demo_server() -> (FileServer, String) {
    let path = Path::new(demo());
    let server = FileServer::new(path.parent().unwrap());
    let address = server.address(path.file_name().unwrap().to_str().unwrap());
    (server, address)
}

#[test]
fn answers_are_those_of_the_local_file() {
    let (_server, address) = demo_server();
    assert!(is_address(&address));
    for statement in [
        "SELECT count(*) FROM games",
        "SELECT count(*) FROM games WHERE matches('queens_off')",
        "SELECT game, white, black, event, site, white_elo, result, eco, date, plies, ending, time_class, chess960, round, \
         white_title, time_control, annotator, file_game FROM games ORDER BY game",
        "SELECT game FROM search('checkmate and white castled') ORDER BY game",
        "SELECT game, plies FROM games WHERE white LIKE 'Bishop%' AND matches('check') ORDER BY game",
        "SELECT game FROM games WHERE white_elo >= 3000",
        "SELECT game FROM games WHERE NOT matches('result 1-0') AND eco = 'C42' ORDER BY game",
        "SELECT game, ply FROM positions('queens_off and white bishop_pair') ORDER BY game, ply",
        "SELECT game, ply, san, fen, eval, clock FROM positions('checkmate') ORDER BY game, ply",
        "SELECT game FROM search('clock >= 20') ORDER BY game",
        "SELECT game FROM search('passed_pawn on d and eval >= 1') ORDER BY game",
        "SELECT san, games, white, average_elo FROM next_moves('ply = 2 and white pawn on e4')",
        "SELECT san, games FROM next_moves('ply = 0')",
        "SELECT key, positions, games FROM counts('check', 'white') ORDER BY key",
        "SELECT key, games FROM counts('checkmate', 'material') ORDER BY key",
        "SELECT fen(1, 2), fen(1, 9999), fen(0, 1), fen(3000, 10), fen(99999, 1)",
        "SELECT count(*) FROM games WHERE CASE WHEN matches('black elo >= 1500 and queens_off') THEN 1 ELSE 0 END = 1",
        "SELECT count(*) FROM positions('check') WHERE fen = fen(game, ply)",
        "SELECT game FROM search('queens_off') ORDER BY game LIMIT 3",
    ] {
        let expected = rows(demo(), statement);
        assert_eq!(rows(&address, statement), expected, "{statement}");
    }
}

#[test]
fn several_files_are_one_library() {
    let sandbox = Sandbox::new();
    std::fs::rename(sandbox.path("lib/b.plyfold"), sandbox.path("lib/b c.plyfold")).unwrap();
    let server = FileServer::new(sandbox.path("lib"));
    let both = format!("{} {}", server.address("a.plyfold"), server.address("b%20c.plyfold?key=secret"));
    let statement = "SELECT game, white, file_game FROM games ORDER BY game";
    assert_eq!(lines(&both, statement), lines(&sandbox.address("lib"), statement));
    let files = lines(&both, "SELECT DISTINCT file FROM games ORDER BY file");
    assert_eq!(files, [server.address("a.plyfold"), server.address("b%20c.plyfold")], "without what signs an address");
    let other = "SELECT count(*) FROM search('other', 'checkmate')";
    assert_eq!(ask_with(demo(), &both, other).unwrap(), [["3"]]);
}

#[test]
fn only_what_a_query_reads_is_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = crate::sandbox::large_shards();
    std::fs::write(folder.path().join("games.plyfold"), &corpus).unwrap();
    let server = FileServer::new(folder.path());
    let address = server.address("games.plyfold");
    let library = Arc::new(Library::open(&address).unwrap());
    assert_eq!((library.shards(), library.work().bytes_read()), (2, server.bytes()));
    let opening = server.bytes();
    assert!(opening < 10_000, "{opening}");
    let spent = |statement: &str| {
        let before = server.bytes() + opening;
        let expected = ask(folder.path().join("games.plyfold").to_str().unwrap(), statement);
        assert_eq!(ask(&address, statement), expected, "{statement}");
        (server.bytes() - before) as f64 * 100.0 / corpus.len() as f64
    };
    assert_eq!(spent("SELECT count(*) FROM games"), 0.0);
    let by_events = spent("SELECT count(*) FROM games WHERE matches('queens_off')");
    assert!(by_events > 0.0 && by_events <= 15.0, "{by_events} %");
    let names = spent("SELECT white FROM games ORDER BY game");
    assert!(names > 0.0 && names <= 15.0, "{names} %");
    // The large shard has no game of this year.
    let small_shard = spent("SELECT game FROM games WHERE year = 1999 AND NOT matches('checkmate')");
    let both_shards = spent("SELECT game FROM games WHERE year >= 1999 AND matches('checkmate') ORDER BY game");
    assert!(small_shard < both_shards * 0.4, "{small_shard} %, {both_shards} %");
}

#[test]
fn what_cannot_be_opened_is_named() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(sandbox.path("headers.plyfold")).unwrap();
    std::fs::write(sandbox.path("cut.plyfold"), &whole[..whole.len() - 8]).unwrap();
    std::fs::write(sandbox.path("empty.plyfold"), "").unwrap();
    let server = FileServer::new(sandbox.path(""));
    for (name, behaviour, says) in [
        ("headers.plyfold", Behaviour::Refuse("403 Forbidden"), "access is denied"),
        ("headers.plyfold", Behaviour::Refuse("401 Unauthorized"), "access is denied"),
        ("headers.plyfold", Behaviour::Refuse("500 Internal Server Error"), "cannot be read: "),
        ("headers.plyfold", Behaviour::IgnoreRanges, "ignores requests for a range"),
        ("headers.plyfold", Behaviour::Cut, "the connection broke in the middle"),
        ("missing.plyfold", Behaviour::Serve, "there is no such file"),
        ("games.pgn", Behaviour::Serve, "not a plyfold corpus"),
        ("cut.plyfold", Behaviour::Serve, "truncated"),
        ("empty.plyfold", Behaviour::Serve, "is empty"),
        ("", Behaviour::Serve, "names no file"),
    ] {
        server.behave(behaviour.clone());
        let address = server.address(name);
        let message = ask(&address, "SELECT count(*) FROM games").expect_err(name);
        assert!(message.starts_with(&format!("{address}: ")) && message.contains(says), "{behaviour:?}: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
    let gone = "http://127.0.0.1:1/games.plyfold";
    let message = ask(gone, "SELECT count(*) FROM games").expect_err("nobody listens");
    assert!(message.starts_with(gone) && message.contains("cannot be read: "), "{message}");
}

#[test]
fn a_failure_in_the_middle_fails_the_whole_query() {
    let (server, address) = demo_server();
    let statement = "SELECT count(*) FROM games WHERE matches('checkmate')";
    let expected = lines(demo(), statement);
    for (behaviour, says) in [
        (Behaviour::Cut, "the connection broke in the middle"),
        (Behaviour::Refuse("403 Forbidden"), "access is denied"),
        (Behaviour::Change, "has changed while it was read"),
        (Behaviour::ChangeUnasked, "has changed while it was read"),
        (Behaviour::Damage, "its checksum does not match"),
        (Behaviour::Shorten, "instead of"),
        (Behaviour::IgnoreRanges, "ignores requests for a range"),
    ] {
        server.behave(Behaviour::Serve);
        let message = ask_later(&address, &server, behaviour.clone(), statement).expect_err("a failure");
        assert!(message.starts_with(&format!("{address}: ")) && message.contains(says), "{behaviour:?}: {message}");
        server.behave(Behaviour::Serve);
        let message = ask_later(&address, &server, behaviour, "SELECT fen(5, 3)").expect_err("a failure");
        assert!(message.starts_with(&address), "{message}");
    }
    server.behave(Behaviour::Serve);
    let repeated = ask_later(&address, &server, Behaviour::CutOnce, statement);
    assert_eq!(repeated, Ok(expected), "a request is repeated");
}

#[test]
fn the_program_reports_what_it_read_and_leaves_out_damaged_files() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("lib/c.plyfold"), "no corpus").unwrap();
    let run = |library: &str, options: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_plyfold-sql"));
        let statement = "SELECT count(*) FROM games WHERE matches('checkmate')";
        let output = program.args([library, statement, "--format", "csv"]).args(options).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let server = FileServer::new(sandbox.path("lib"));
    let remote = ["a", "b", "c"].map(|name| server.address(&format!("{name}.plyfold"))).join(" ");
    for library in [sandbox.address("lib"), remote] {
        let (code, rows, errors) = run(&library, &[]);
        assert_eq!((code, &*rows), (Some(1), ""), "{errors}");
        assert!(errors.contains("c.plyfold"), "{errors}");
        let (code, rows, errors) = run(&library, &["--skip-damaged", "--stats"]);
        assert_eq!((code, rows.lines().nth(1)), (Some(0), Some("3")), "{errors}");
        let notes: Vec<&str> = errors.lines().collect();
        assert_eq!(notes.len(), 2, "{errors}");
        assert!(notes[0].starts_with("plyfold-sql: left out: ") && notes[0].contains("c.plyfold"), "{errors}");
        assert!(notes[1].contains("library of 5 games, 25 plies") && notes[1].contains("5 games scanned"), "{errors}");
        assert_eq!(is_address(&library), notes[1].contains(" requests; "), "{errors}");
    }
    let only_damaged = server.address("c.plyfold");
    assert_eq!(run(&only_damaged, &["--skip-damaged"]).0, Some(1), "nothing is left");
    assert!(server.requests() > 0);
}
