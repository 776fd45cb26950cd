//! The table `games` and searches: the rows are those of the records, and the games those that the core finds.

use plyfold_core::corpus::buffer::CorpusBuffer;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::{ReducerSelection, run_query};

use crate::sandbox::{Sandbox, ask_with, collect, demo, lines, rows};

/// The numbers of the games that the core finds.
fn found(address: &str, query: &str) -> Vec<u64> {
    let buffer = CorpusBuffer::from_bytes(&std::fs::read(address).unwrap()).unwrap();
    let corpus = buffer.reader(CorpusCheck::EveryByte).unwrap();
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let results = run_query(&corpus_spans(&corpus), &compile(query).unwrap(), &selection, &()).unwrap();
    results.games.unwrap().iter().map(GameId::number).collect()
}

fn numbers(address: &str, statement: &str) -> Vec<u64> {
    rows(address, statement).iter().map(|row| row[0].parse().unwrap()).collect()
}

#[test]
fn searches_find_what_the_core_finds() {
    let demo = demo();
    let mut sizes = Vec::new();
    for query in ["queens_off", "{ check and queens_off } for 2", "result 1-0", "white castled then checkmate", ""] {
        let expected = found(demo, query);
        let by_search = format!("SELECT game FROM search('{query}') ORDER BY game");
        let by_matches = format!("SELECT game FROM games WHERE matches('{query}') ORDER BY game");
        assert_eq!(numbers(demo, &by_search), expected, "{query}");
        assert_eq!(numbers(demo, &by_matches), expected, "{query}");
        let count = format!("SELECT count(*) FROM games WHERE matches('{query}')");
        assert_eq!(numbers(demo, &count), [expected.len() as u64], "{query}");
        let as_value =
            format!("SELECT game FROM games WHERE CASE WHEN matches('{query}') THEN 1 ELSE 0 END = 1 ORDER BY 1");
        assert_eq!(numbers(demo, &as_value), expected, "{query}");
        sizes.push(expected.len());
    }
    assert!(sizes.iter().any(|&size| size > 0) && sizes.iter().any(|&size| size < sizes[4]), "{sizes:?}");
}

#[test]
fn every_column_is_that_of_the_record() {
    let demo = demo();
    let buffer = CorpusBuffer::from_bytes(&std::fs::read(demo).unwrap()).unwrap();
    let corpus = buffer.reader(CorpusCheck::EveryByte).unwrap();
    let table = rows(
        demo,
        "SELECT game, white, black, white_elo, result, eco, opening, eco_tag, plies, event, year FROM games ORDER BY game",
    );
    assert_eq!(table.len() as u64, corpus.header.games);
    for (id, row) in (0..).zip(&table) {
        let (shard, game) = corpus.find_game(id).unwrap();
        let record = corpus.record(id).unwrap();
        let known = |number: u64| if number == 0 { String::new() } else { number.to_string() };
        let expected = [
            (id + 1).to_string(),
            shard.players.get(record.white).into(),
            shard.players.get(record.black).into(),
            known(record.white_elo.into()),
            record.result().name().into(),
            shard.openings.code_of(game, record.eco).to_string(),
            shard.openings.of_game(game).map_or("", |opening| opening.name).into(),
            record.eco.to_string(),
            record.plies.to_string(),
            shard.events.get(record.event).into(),
            known(record.date.year().into()),
        ];
        assert_eq!(row[..], expected, "game {}", id + 1);
    }
}

#[test]
fn headers_have_their_types() {
    let sandbox = Sandbox::new();
    let columns =
        "game, white, black_elo, date, year, month, event, eco_tag, white_title, round, time_control, result, chess960";
    let found = lines(&sandbox.address("headers.plyfold"), &format!("SELECT {columns} FROM games ORDER BY game"));
    assert_eq!(
        found,
        [
            "1|Carlsen, Magnus|2400|2019-02-28|2019|2|Cup, \"the\" 1st|B90|GM|3.1|300+3|1-0|false",
            "2|carlsen magnus|||2019||?|B12||||0-1|false",
            "3|Müller, Karsten|2851|1999-12-31|1999|12|?|C42||||1/2-1/2|false",
            "4|?|||||?|||||*|false",
        ]
    );
    let batches =
        collect(&sandbox.address("headers.plyfold"), "SELECT date, white_elo, plies, white, game FROM games").unwrap();
    let types: Vec<String> = batches[0].schema().fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Date32", "Int16", "Int32", "Utf8View", "Int64"]);
}

#[test]
fn a_library_numbers_its_games_through() {
    let sandbox = Sandbox::new();
    for address in ["lib", "lib/*.plyfold"] {
        let found =
            lines(&sandbox.address(address), "SELECT game, file, file_game FROM games ORDER BY game DESC LIMIT 2");
        let [a, b] = ["lib/a.plyfold", "lib/b.plyfold"].map(|name| sandbox.address(name));
        assert_eq!(found, [format!("5|{b}|1"), format!("4|{a}|4")]);
    }
    let statement = "SELECT count(*) FROM search('other', 'checkmate')";
    assert_eq!(ask_with(demo(), &sandbox.address("lib"), statement).unwrap(), [["3"]]);
}

#[test]
fn a_limit_ends_the_scan() {
    let demo = demo();
    let all = numbers(demo, "SELECT game FROM search('check')");
    assert!(all.len() > 50, "{}", all.len());
    for limit in [0, 1, 7, 50] {
        let some = numbers(demo, &format!("SELECT game FROM search('check') LIMIT {limit}"));
        assert_eq!(some.len(), limit);
        assert!(some.iter().all(|game| all.contains(game)), "{some:?}");
    }
}

#[test]
fn files_join_with_games() {
    let sandbox = Sandbox::new();
    let players = sandbox.path("players.csv");
    std::fs::write(&players, "name,country\n\"Carlsen, Magnus\",NOR\n\"Müller, Karsten\",GER\n").unwrap();
    let statement = "SELECT o.country, count(*) FROM games g JOIN other o ON g.white = o.name WHERE matches('ply >= 4') GROUP BY 1 \
                     ORDER BY 1";
    let found = ask_with(&sandbox.address("lib"), players.to_str().unwrap(), statement).unwrap();
    assert_eq!(found, [["GER", "1"], ["NOR", "2"]]);
}
