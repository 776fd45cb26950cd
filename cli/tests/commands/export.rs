//! `plyfold export`: the export has the games that were imported.

use serde_json::Value;

use crate::program::{CliSandbox, SAMPLE};

#[test]
fn pgn_comes_back_byte_for_byte() {
    let sandbox = CliSandbox::with_sample();
    assert_eq!(sandbox.run(&["export", "sample.plyfold"]).succeeded().stdout, SAMPLE);
    sandbox.run(&["export", "sample.plyfold", "-o", "back.pgn"]).succeeded();
    assert_eq!(sandbox.get("back.pgn"), SAMPLE);
    // An import of the export gives the same corpus if the PGN file has the same name.
    sandbox.put("sample.pgn", sandbox.get("back.pgn"));
    sandbox.run(&["import", "sample.pgn", "-o", "back.plyfold"]).succeeded();
    assert_eq!(sandbox.get("back.plyfold"), sandbox.get("sample.plyfold"));
}

#[test]
fn many_blocks_of_text_come_back() {
    let sandbox = CliSandbox::new();
    let game =
        |number: usize| format!("[White \"Player {number}\"]\r\n\r\n1. e4 {{{}}} e5 *\r\n", "x".repeat(number % 997));
    let games: Vec<String> = (0..3000).map(game).collect();
    sandbox.put("many.pgn", games.join("\r\n"));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    assert_eq!(sandbox.run(&["export", "many.plyfold"]).succeeded().text(), games.join("\r\n"));
    let some = sandbox.run(&["export", "many.plyfold", "--games", "2999-,7"]).succeeded().text();
    assert_eq!(some, [6, 2998, 2999].map(|nth| games[nth].clone()).join("\r\n"));
}

#[test]
fn lines_between_games_end_as_those_of_the_games() {
    let sandbox = CliSandbox::new();
    let game = |end: &str| format!("[White \"A\"]{end}{end}1. e4{end}e5 *{end}");
    for end in ["\n", "\r\n", "\r"] {
        let text = [game(end), game(end), game(end)].join(end);
        sandbox.put("same.pgn", &text);
        sandbox.run(&["import", "same.pgn", "-o", "same.plyfold", "--force"]).succeeded();
        assert_eq!(sandbox.run(&["export", "same.plyfold"]).succeeded().text(), text);
        let marked = sandbox.run(&["export", "same.plyfold", "--query", "", "--mark"]).succeeded().text();
        assert_eq!(marked.replace(" {match}", ""), text);
    }
    // Each game keeps its own line ends. A game of a single line gets those of the game before it.
    let mixed =
        ["[White \"A\"]\r\n\r\n1. e4 *\r\n\r\n", "1. d4 *\r\n\r\n", "[White \"B\"]\n\n1. e4 *\n\n", "1. c4 *\n"]
            .concat();
    sandbox.put("mixed.pgn", &mixed);
    sandbox.run(&["import", "mixed.pgn", "-o", "mixed.plyfold"]).succeeded();
    assert_eq!(sandbox.run(&["export", "mixed.plyfold"]).succeeded().text(), mixed);
}

#[test]
fn some_games_and_their_facts() {
    let sandbox = CliSandbox::with_sample();
    let texts: Vec<&[u8]> = {
        let borders: Vec<usize> = (0..SAMPLE.len()).filter(|&at| SAMPLE[at..].starts_with(b"[Event")).collect();
        borders.iter().zip(borders[1..].iter().chain([&SAMPLE.len()])).map(|(&from, &to)| &SAMPLE[from..to]).collect()
    };
    let out = sandbox.run(&["export", "sample.plyfold", "--games", "2"]).succeeded().stdout;
    assert_eq!(out, texts[1].strip_suffix(b"\n").unwrap());
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "queens_off"]).succeeded().stdout;
    assert_eq!(out, [texts[1], texts[2].strip_suffix(b"\n").unwrap()].concat());
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "check", "--format", "json"]).succeeded();
    let game: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&game["number"], &game["white"]), (&Value::from(1), &Value::from("Anna")));
    assert!(game["pgn"].as_str().unwrap().starts_with("[Event \"Caf\u{fffd}\"]"));
    sandbox.run(&["export", "sample.plyfold", "--games", "3-9"]).failed_in_a_line(1, &["there is no game 9"]);
    sandbox.run(&["export", "sample.plyfold", "--games", "x"]).failed_usage();
    let both = ["export", "sample.plyfold", "--games", "1,4", "--query", "check"];
    assert_eq!(sandbox.run(&both).succeeded().stdout, texts[0].strip_suffix(b"\n").unwrap());
    let nothing = sandbox.run(&["export", "sample.plyfold", "--query", "white king on a8"]).succeeded();
    assert!(nothing.stdout.is_empty());
}

#[test]
fn positions_as_fen() {
    let sandbox = CliSandbox::with_sample();
    let out = sandbox.run(&["export", "sample.plyfold", "--query", "queens_off", "--format", "fen"]).succeeded().text();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines.len(), lines[6]), (7, "8/3k4/8/8/4P3/8/3K4/8 w - - 3 3"));
    let out = sandbox.run(&["export", "sample.plyfold", "--games", "1,3", "--format", "fen"]).succeeded().text();
    assert_eq!(out.lines().count(), 7 + 4);
    assert_eq!(out.lines().next(), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"));
}

/// Games with unusual syntax.
const ODD: &str = "[White \"A \\\"B\\\" C\"]\n[Black \"D\"]\n[Date \"1999.12.31\"]\n\n\
    1.e4! $1 $14 {why {not} (1. d4 d5 2. c4) 1...e5 ; to the end (of the line\n% escaped e4 e5\n2.Nf3!? Nc6+ 3.Bb5\n\na6 4. O-O e.p. *\n\n\
    [White \"E\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O {castled}Kd7 2.a8=Q Ke6 3. -- Kd6 1/2-1/2\n";

#[test]
fn matching_plies_are_marked_and_nothing_else_is_changed() {
    let sandbox = CliSandbox::new();
    sandbox.put("odd.pgn", [SAMPLE, b"\n", ODD.as_bytes()].concat());
    sandbox.run(&["import", "odd.pgn", "-o", "odd.plyfold"]).succeeded();
    let plain = sandbox.run(&["export", "odd.plyfold", "--query", ""]).succeeded().stdout;
    let marked = sandbox.run(&["export", "odd.plyfold", "--query", "", "--mark=über 50 %"]).succeeded().stdout;
    let mark = " {über 50 %}".as_bytes();
    let mut rest = marked.as_slice();
    let (mut without, mut marks) = (Vec::new(), 0);
    while let Some((first, others)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(mark) {
            (rest, marks) = (behind, marks + 1);
        } else {
            without.push(*first);
            rest = others;
        }
    }
    assert_eq!((without == plain, marks), (true, 23 + 7 + 6));
    // An import reads the same moves from the marked text.
    sandbox.put("marked.pgn", &marked);
    sandbox.run(&["import", "marked.pgn", "-o", "marked.plyfold"]).succeeded();
    let fens = |corpus: &str| sandbox.run(&["export", corpus, "--format", "fen"]).succeeded().stdout;
    assert_eq!(fens("odd.plyfold"), fens("marked.plyfold"));

    let all = sandbox.run(&["export", "odd.plyfold", "--query", "", "--games", "5-6", "--mark"]).succeeded().text();
    assert_eq!(
        all,
        "[White \"A \\\"B\\\" C\"]\n[Black \"D\"]\n[Date \"1999.12.31\"]\n\n\
         1.e4! $1 $14 {match} {why {not} (1. d4 d5 2. c4) 1...e5 {match} ; to the end (of the line\n% escaped e4 e5\n\
         2.Nf3!? {match} Nc6+ {match} 3.Bb5 {match}\n\na6 {match} 4. O-O e.p. {match} *\n\n\
         [White \"E\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K2R w K - 0 1\"]\n\n\
         1. O-O {match} {castled}Kd7 {match} 2.a8=Q {match} Ke6 {match} 3. -- {match} Kd6 {match} 1/2-1/2\n"
    );
    // Each matching ply of a matching game is marked.
    let arguments = ["export", "odd.plyfold", "--query", "white castled before ply 30", "--games", "5", "--mark"];
    let some = sandbox.run(&arguments).succeeded();
    assert!(some.stderr.starts_with("plyfold: note: "), "{}", some.stderr);
    assert_eq!((some.text().matches("{match}").count(), some.text().contains("O-O e.p. {match}")), (1, true));
    for wrong in ["--mark={", "--mark=a}b", "--mark=a\nb"] {
        sandbox.run(&["export", "odd.plyfold", "--query", "", wrong]).failed_usage();
    }
    sandbox.run(&["export", "odd.plyfold", "--mark"]).failed_usage();
    let json = ["export", "odd.plyfold", "--query", "", "--mark", "--format", "json"];
    sandbox.run(&json).failed_in_a_line(2, &["--format pgn"]);
}

#[test]
fn query_list_and_set_are_taken_together() {
    let sandbox = CliSandbox::with_sample();
    sandbox.run(&["query", "sample.plyfold", "queens_off", "--save-games", "@off"]).succeeded();
    let whites = |more: &[&str]| {
        let out = sandbox.run(&[&["export", "sample.plyfold", "--format", "csv"], more].concat()).succeeded().text();
        out.lines().skip(1).map(|line| line.split(',').next().unwrap().into()).collect::<Vec<String>>()
    };
    assert_eq!(whites(&[]), ["1", "2", "3", "4"]);
    assert_eq!(whites(&["--within", "@off"]), ["2", "3"]);
    assert_eq!(whites(&["--within", "~@off", "--games", "1-3"]), ["1"]);
    assert_eq!(whites(&["--within", "@off", "--games", "1-2", "--query", "\"Anna\""]), ["2"]);
    let fens = ["export", "sample.plyfold", "--within", "@off", "--games", "3-", "--query", "queens_off"];
    assert_eq!(sandbox.run(&[&fens[..], &["--format", "fen"]].concat()).succeeded().text().lines().count(), 4);
    sandbox.run(&["export", "sample.plyfold", "--within", "@on"]).failed(2, &["there is no set @on"]);
}

#[test]
fn positions_as_epd() {
    let sandbox = CliSandbox::new();
    sandbox.put("odd.pgn", ODD);
    sandbox.run(&["import", "odd.pgn", "-o", "odd.plyfold"]).succeeded();
    let epd = |more: &[&str]| {
        let out = sandbox.run(&[&["export", "odd.plyfold", "--format", "epd"], more].concat()).succeeded().text();
        out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = epd(&[]);
    assert_eq!(all.len(), 13);
    assert_eq!(
        all[2],
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - hmvc 1; fmvn 2; id \"A \\\"B\\\" C - D, 1999.12.31\"; c0 \"game 1 ply 3\";"
    );
    assert_eq!(epd(&["--limit", "3"]), all[..3]);
    let text = |more: &[&str]| sandbox.run(&[&["export", "odd.plyfold"], more].concat()).succeeded().text();
    let twice = text(&["--format", "fen", "--query", "white king on g1", "--unique", "--limit", "2"]);
    assert_eq!(twice.lines().count(), 2);
    sandbox.run(&["export", "odd.plyfold", "--unique"]).failed_in_a_line(2, &["--positions"]);
    let table = ["export", "odd.plyfold", "--positions", "--format", "fen"];
    sandbox.run(&table).failed_in_a_line(2, &["csv, json or parquet"]);
}

#[test]
fn tables_are_those_of_queries() {
    let sandbox = CliSandbox::with_sample();
    for (what, of_query) in [
        (&["--positions"][..], &["--positions", "both"][..]),
        (&["--positions", "hash", "--unique"], &["--positions", "hash", "--unique"]),
        (&["--positions", "ref", "--limit", "2"], &["--positions", "ref", "--limit", "2"]),
        (&["--heatmap"], &["--heatmap"]),
        (&["--structures"], &["--structures", "100"]),
        (&["--by", "material"], &["--by", "material", "--top", "100"]),
        (&["--by", "structure", "--top", "1"], &["--by", "structure", "--top", "1"]),
        (&["--partition", "structure:ever"], &["--partition", "structure:ever"]),
        (&["--next"], &["--next", "--top", "100"]),
        (&[], &["--games"]),
    ] {
        let query = ["query", "sample.plyfold", "queens_off", "--format", "csv"];
        let asked = sandbox.run(&[&query[..], of_query].concat()).succeeded().text();
        let export = ["export", "sample.plyfold", "--query", "queens_off", "--format"];
        let csv = sandbox.run(&[&export[..], &["csv"], what].concat()).succeeded().text();
        assert_eq!(csv, asked, "{what:?}");
        if what.is_empty() {
            continue;
        }
        let json = sandbox.run(&[&export[..], &["json"], what].concat()).succeeded().text();
        assert_eq!(json.lines().count() + 1, csv.lines().count(), "{what:?}");
        let first: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        let names: Vec<&String> = first.as_object().unwrap().keys().collect();
        let mut columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        columns.sort_unstable();
        assert_eq!(names, columns, "{what:?}");
    }
    let by = |key: &str| {
        let out = sandbox.run(&["export", "sample.plyfold", "--by", key, "--format", "json"]).succeeded().text();
        out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    let years: Vec<Value> = by("year").into_iter().map(|row| row["year"].clone()).collect();
    assert_eq!(years, [Value::Null, Value::from(2001), Value::from(2002)]);
    // The row has the player of the white pieces and the number of games that White won.
    let anna = by("white").into_iter().find(|row| row["by_white"] == "Anna").unwrap();
    assert_eq!(anna["white"], 1);
    for wrong in [&["--heatmap", "--next"][..], &["--positions", "--by", "elo"]] {
        let ran = sandbox.run(&[&["export", "sample.plyfold", "--format", "csv"], wrong].concat());
        ran.failed_in_a_line(2, &["one table"]);
    }
    sandbox.run(&["export", "sample.plyfold", "--heatmap"]).failed_in_a_line(2, &["csv, json or parquet"]);
    let csv = ["export", "sample.plyfold", "--format", "csv"];
    sandbox.run(&[&csv[..], &["--top", "3"]].concat()).failed_in_a_line(2, &["--top needs"]);
    sandbox.run(&[&csv[..], &["--by", "materiel"]].concat()).failed_usage();
}

/// The columns of a Parquet file with their types, and its rows as JSON.
fn parquet(sandbox: &CliSandbox, name: &str) -> (Vec<String>, Vec<Value>) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let reader = SerializedFileReader::new(std::fs::File::open(sandbox.path(name)).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let columns = schema.columns().iter().map(|column| {
        let optional = if column.max_def_level() > 0 { "?" } else { "" };
        format!("{} {:?}{optional}", column.name(), column.logical_type_ref().unwrap())
    });
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::ULong(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::Str(text) => Value::from(text.as_str()),
        other => panic!("{other:?}"),
    };
    let row = |row: parquet::record::Row| {
        Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect())
    };
    (columns.collect(), reader.get_row_iter(None).unwrap().map(|one| row(one.unwrap())).collect())
}

#[test]
fn parquet_has_the_rows_of_json() {
    let sandbox = CliSandbox::with_sample();
    for what in [
        &["--positions"][..],
        &["--heatmap"],
        &["--structures"],
        &["--by", "year"],
        &["--partition", "player"],
        &["--next"],
    ] {
        let export = |format: &str, place: &str| {
            sandbox
                .run(&[&["export", "sample.plyfold", "--format", format, "-o", place, "--force"], what].concat())
                .succeeded();
        };
        export("json", "rows.json");
        export("parquet", "rows.parquet");
        let json = String::from_utf8(sandbox.get("rows.json")).unwrap();
        let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let (columns, read) = parquet(&sandbox, "rows.parquet");
        assert_eq!(read, rows, "{what:?}");
        assert!(!rows.is_empty() && columns.len() == rows[0].as_object().unwrap().len());
    }
    let games = sandbox.run(&["export", "sample.plyfold", "--format", "parquet"]).succeeded().stdout;
    sandbox.put("games.parquet", games);
    let (columns, rows) = parquet(&sandbox, "games.parquet");
    assert!(columns[3].starts_with("white_elo Integer") && columns[3].ends_with('?'), "{columns:?}");
    assert_eq!(
        (&rows[0]["white_elo"], &rows[1]["white_elo"], &rows[1]["eco_tag"]),
        (&Value::from(2100), &Value::Null, &Value::Null)
    );
    let none = sandbox.run(&["export", "sample.plyfold", "--query", "white king on a8", "--format", "parquet"]);
    sandbox.put("none.parquet", none.succeeded().stdout);
    assert_eq!(parquet(&sandbox, "none.parquet").1, [] as [Value; 0]);
}

#[test]
fn parquet_has_many_row_groups() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(6000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    let arguments = ["export", "many.plyfold", "--positions", "ref", "--format", "parquet", "-o", "many.parquet"];
    sandbox.run(&arguments).succeeded();
    let (_, rows) = parquet(&sandbox, "many.parquet");
    assert_eq!(rows.len(), 6000 * 23);
    assert_eq!(rows.last().map(|row| (&row["game"], &row["ply"])), Some((&Value::from(24_000), &Value::from(2))));
}

#[test]
fn games_become_a_corpus_of_their_own() {
    let sandbox = CliSandbox::with_sample();
    let corpus = |more: &[&str]| {
        let arguments =
            [&["export", "sample.plyfold", "--format", "corpus", "-o", "new.plyfold", "--force"], more].concat();
        assert!(sandbox.run(&arguments).succeeded().stdout.is_empty());
        sandbox.get("new.plyfold")
    };
    assert_eq!(corpus(&[]), sandbox.get("sample.plyfold"));
    corpus(&["--games", "4,3,1"]);
    let texts = |arguments: &[&str]| sandbox.run(&[&["export"], arguments].concat()).succeeded().stdout;
    assert_eq!(texts(&["new.plyfold"]), texts(&["sample.plyfold", "--games", "1,3-4"]));
    let fen = ["--format", "fen"];
    assert_eq!(
        texts(&[&["new.plyfold"], &fen[..]].concat()),
        texts(&[&["sample.plyfold", "--games", "1,3-4"], &fen[..]].concat())
    );
    let games =
        |corpus: &str| sandbox.json(&["query", corpus, "source \"sample.pgn\" and not \"Emil\""])["games"].clone();
    assert_eq!((games("sample.plyfold"), games("new.plyfold")), (Value::from(3), Value::from(2)));
    // A corpus of an older version has no source files, and what it has not read from its texts an upgrade of the export reads.
    sandbox.put("older.plyfold", crate::program::OLDER);
    sandbox.run(&["export", "older.plyfold", "--format", "corpus", "-o", "new.plyfold", "--force"]).succeeded();
    assert_eq!(texts(&["new.plyfold"]), SAMPLE);
    assert!(!sandbox.run(&["upgrade", "new.plyfold"]).succeeded().text().contains("is up to date"));
    assert!(sandbox.run(&["upgrade", "new.plyfold"]).succeeded().text().contains("is up to date"));
    assert_eq!(texts(&["new.plyfold"]), SAMPLE);

    let nothing =
        ["export", "sample.plyfold", "--query", "white king on a8", "--format", "corpus", "-o", "none.plyfold"];
    sandbox.run(&nothing).failed_in_a_line(1, &["no game matches", "none.plyfold was not written"]);
    let here = ["export", "sample.plyfold", "--format", "corpus", "-o", "sample.plyfold"];
    sandbox.run(&here).failed_in_a_line(2, &["-o sample.plyfold is also the corpus sample.plyfold"]);
    sandbox.run(&["export", "sample.plyfold", "--format", "corpus"]).failed_in_a_line(2, &["give its name with -o"]);
}

#[test]
fn many_shards_become_a_corpus() {
    let sandbox = CliSandbox::new();
    let game = |number: usize| format!("[White \"Player {number}\"]\n\n1. e4 {{{}}} e5 *\n", "x".repeat(2000 + number));
    let games: Vec<String> = (0..5000).map(game).collect();
    for (name, half) in [("one.pgn", &games[..2500]), ("two.pgn", &games[2500..])] {
        sandbox.put(name, half.join("\n"));
    }
    sandbox.run(&["import", "one.pgn", "two.pgn", "-o", "many.plyfold"]).succeeded();
    let export = |threads: &str| {
        let arguments =
            ["export", "many.plyfold", "--games", "2-", "--format", "corpus", "-o", "new.plyfold", "--force"];
        sandbox.run(&[&arguments[..], &["--threads", threads]].concat()).succeeded();
        sandbox.get("new.plyfold")
    };
    assert_eq!(export("1"), export("3"), "threads change nothing");
    assert_eq!(sandbox.run(&["export", "new.plyfold"]).succeeded().text(), games[1..].join("\n"));
    assert_eq!(sandbox.json(&["query", "new.plyfold", "source \"one.pgn\""])["games"], 2499);
    assert!(sandbox.json(&["info", "new.plyfold"])["shards"].as_array().is_none_or(|shards| shards.len() > 2));
}

/// A disk that becomes full after some bytes, and one that is full from the beginning.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let sandbox = CliSandbox::new();
    sandbox.put("many.pgn", SAMPLE.repeat(2000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    sandbox.put("target", "as it was");
    let before = sandbox.names();
    for format in ["pgn", "fen", "epd", "csv", "json", "parquet", "corpus"] {
        // No file may exceed one block of 512 or 1024 bytes. The script ignores the signal, so a write fails as on a full
        // disk.
        let script =
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" export many.plyfold --query '' --format \"$1\" -o target --force";
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(sandbox.path("")).args(["-c", script, env!("CARGO_BIN_EXE_plyfold"), format]);
        let ran = crate::program::CliRun::of(shell.output().unwrap());
        ran.failed_in_a_line(1, &["target: cannot be written: ", "make room"]);
        assert_eq!(sandbox.get("target"), b"as it was", "{format}");
        assert_eq!(sandbox.names(), before, "{format}");
        if format != "corpus" {
            let mut full = sandbox.command(&["export", "many.plyfold", "--format", format]);
            full.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
            let ran = crate::program::CliRun::of(full.stderr(std::process::Stdio::piped()).output().unwrap());
            ran.failed_in_a_line(1, &["the output cannot be written: No space left", "make room"]);
        }
    }
}

#[test]
fn no_name_is_run_by_a_spreadsheet() {
    let sandbox = CliSandbox::new();
    sandbox.put(
        "games.pgn",
        "[White \"=cmd|' /C calc'!A0\"]\n[Black \"@SUM(1,2)\"]\n[Event \"+1\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n",
    );
    sandbox.run(&["import", "games.pgn", "-o", "games.plyfold"]).succeeded();
    sandbox.run(&["index", "games.plyfold"]).succeeded();
    for line in [
        &["export", "games.plyfold", "--format", "csv"][..],
        &["query", "games.plyfold", "", "--games", "--format", "csv"],
        &["position", "games.plyfold", "startpos", "--games", "--format", "csv"],
        &["query", "games.plyfold", "", "--by", "player", "--format", "csv"],
    ] {
        let text = sandbox.run(line).succeeded().text();
        assert!(text.contains("'=cmd|' /C calc'!A0,") && text.contains("\"'@SUM(1,2)\","), "{line:?}: {text}");
        assert!(!text.contains(",'+1,"), "a number stays a number: {text}");
    }
    let json = sandbox.run(&["export", "games.plyfold", "--format", "json"]).succeeded().text();
    assert!(json.contains("\"@SUM(1,2)\""), "{json}");
}
