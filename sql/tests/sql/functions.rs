//! Table functions and scalar functions: the same results as the calls of the core.

use plyfold_core::corpus::buffer::CorpusBuffer;
use plyfold_core::corpus::file::CorpusCheck;
use plyfold_core::game::{Ply, corpus_spans, game_by_id};
use plyfold_core::keys::parse_key;
use plyfold_core::query::compile;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::next_moves::{NEXT_MOVES, NextMoveTable};
use plyfold_core::reduce::output::{OUTPUTS, OutputArgument};
use plyfold_core::reduce::result_table::ResultCell;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};

use crate::sandbox::{Sandbox, demo, lines, rows};

fn with_demo<T>(query: &str, selection: &ReducerSelection, read: impl FnOnce(&QueryResults) -> T) -> T {
    let buffer = CorpusBuffer::from_bytes(&std::fs::read(demo()).unwrap()).unwrap();
    let corpus = buffer.reader(CorpusCheck::EveryByte).unwrap();
    read(&run_query(&corpus_spans(&corpus), &compile(query).unwrap(), selection, &()).unwrap())
}

#[test]
fn positions_are_those_of_the_core() {
    let query = "queens_off and white bishop_pair";
    let selection = ReducerSelection { positions: Some(PositionSelection::default()), ..ReducerSelection::default() };
    let expected: Vec<(String, String)> = with_demo(query, &selection, |found| {
        let positions = found.positions.as_ref().unwrap().iter();
        positions.map(|position| (position.game.number().to_string(), position.ply.0.to_string())).collect()
    });
    assert!(expected.len() > 1000, "{}", expected.len());
    let found = rows(demo(), &format!("SELECT game, ply, fen FROM positions('{query}') ORDER BY game, ply"));
    let places: Vec<_> = found.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(places, expected);
    let buffer = CorpusBuffer::from_bytes(&std::fs::read(demo()).unwrap()).unwrap();
    let corpus = buffer.reader(CorpusCheck::EveryByte).unwrap();
    for row in found.iter().step_by(97) {
        let id = row[0].parse::<u32>().unwrap() - 1;
        let board = game_by_id(&corpus, plyfold_core::game::GameId(id)).unwrap().board_at(Ply(row[1].parse().unwrap()));
        assert_eq!(row[2], board.fen().to_string());
    }
    let same = lines(demo(), &format!("SELECT count(*) FROM positions('{query}') WHERE fen = fen(game, ply)"));
    assert_eq!(same, [expected.len().to_string()]);
    let some = rows(demo(), &format!("SELECT san FROM positions('{query}') LIMIT 5"));
    assert_eq!(some.len(), 5);
}

#[test]
fn positions_name_the_move_that_led_there() {
    let sandbox = Sandbox::new();
    let found = lines(
        &sandbox.address("headers.plyfold"),
        "SELECT game, ply, san, uci, fen FROM positions('checkmate') ORDER BY game",
    );
    assert_eq!(
        found,
        [
            "1|7|Qxf7#|h5f7|r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
            "2|4|Qh4#|d8h4|rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        ]
    );
}

#[test]
fn counts_are_those_of_the_core() {
    for key in ["material", "result", "move"] {
        let selection = ReducerSelection::of(COUNTS.by(parse_key(key).unwrap()));
        let mut expected: Vec<String> = with_demo("check", &selection, |found| {
            let groups = &found.summary::<GroupTable>().expect("wanted").groups;
            groups.iter().map(|one| format!("{}|{}|{}", one.name, one.positions, one.results.games())).collect()
        });
        let mut found = lines(demo(), &format!("SELECT key, positions, games FROM counts('check', '{key}')"));
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{key}");
        assert!(!found.is_empty(), "{key}");
    }
}

/// A cell as a statement shows it; none for a date, which SQL knows only to the day.
fn shown(cell: &ResultCell<'_>) -> Option<String> {
    match cell {
        ResultCell::Empty => Some(String::new()),
        ResultCell::Count(number) => Some(number.to_string()),
        ResultCell::Signed(number) => Some(number.to_string()),
        ResultCell::Date(_) => None,
        ResultCell::Text(text) => Some(text.to_string()),
    }
}

#[test]
fn each_output_is_a_function() {
    for definition in OUTPUTS.iter().filter(|output| !output.asks_tables) {
        let (output, arguments) = match definition.argument {
            OutputArgument::Nothing | OutputArgument::Maximum(_) => (definition.output(), "'check'"),
            _ => (definition.by(parse_key("year").unwrap()), "'check', 'year'"),
        };
        let found = rows(demo(), &format!("SELECT * FROM {}({arguments})", definition.name));
        with_demo("check", &ReducerSelection::of(output), |results| {
            let table = results.outputs[0].table();
            assert_eq!(found.len(), table.rows.len(), "{}", definition.name);
            for (row, cells) in found.iter().zip(&table.rows) {
                let are_same = row.iter().zip(cells).all(|(text, cell)| shown(cell).is_none_or(|shown| shown == *text));
                assert!(are_same && row.len() == cells.len(), "{}: {row:?} is not {cells:?}", definition.name);
            }
        });
        assert!(!found.is_empty(), "{}", definition.name);
    }
}

#[test]
fn next_moves_are_those_of_the_core() {
    let selection = ReducerSelection { outputs: vec![NEXT_MOVES.output()], ..ReducerSelection::default() };
    let expected: Vec<String> = with_demo("ply = 3", &selection, |found| {
        let moves = &found.summary::<NextMoveTable>().unwrap().moves;
        moves.iter().map(|next| format!("{}|{}", next.results.games(), next.times)).collect()
    });
    assert_eq!(lines(demo(), "SELECT games, times FROM next_moves('ply = 3')"), expected);
    let sandbox = Sandbox::new();
    let found = lines(
        &sandbox.address("lib"),
        "SELECT san, uci, games, white, draw FROM next_moves('ply = 2 and white pawn on e4')",
    );
    assert_eq!(found, ["Qh5|d1h5|2|2|0", "Nf3|g1f3|1|0|1"]);
    let last = "SELECT san, last_played, last_year FROM next_moves('ply = 1 and white pawn on f3 or ply = 2 and white pawn on e4')";
    assert_eq!(
        lines(&sandbox.address("lib"), last),
        ["Qh5|2019-02-28|2019", "e5||2019", "Nf3|1999-12-31|1999"],
        "the year is known without a day"
    );
}

#[test]
fn functions_of_positions() {
    let sandbox = Sandbox::new();
    let ask = |statement: &str| lines(&sandbox.address("lib"), statement);
    assert_eq!(ask("SELECT fen(3, 1)"), ["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]);
    assert_eq!(
        ask("SELECT fen(3, 99) IS NULL, fen(0, 1) IS NULL, fen(6, 1) IS NULL, fen(5, 0) IS NULL"),
        ["true|true|true|false"]
    );
    assert_eq!(
        ask("SELECT transform('8/2k5/3p4/4P3/8/1N6/2K5/8 b - - 3 40', 'rot90')"),
        ["8/8/8/3P4/2p5/1k4K1/5N2/8 b - - 3 40"]
    );
    let signatures =
        ask("SELECT signature(fen(1, 0)) = signature(fen(2, 0)), signature(fen(1, 0)) = signature(fen(1, 7))");
    assert_eq!(signatures, ["true|false"]);
}

#[test]
fn plain_words_are_read_by_the_names_of_the_library() {
    let asked = "SELECT reading, query, games, words, meaning FROM read_phrase('white wins rook endgames')";
    let found = rows(demo(), asked);
    let games = with_demo("result 1-0 and endgame rook", &ReducerSelection::default(), |found| found.count.games);
    assert!(found.iter().all(|row| row[0] == "1" && row[1] == "result 1-0 and endgame rook"), "{found:?}");
    assert_eq!(found[0][2], games.to_string());
    let unknown = rows(demo(), "SELECT words, meaning, games FROM read_phrase('white wins xyzzy') ORDER BY meaning");
    assert_eq!(unknown, [["white wins", "result 1-0", ""], ["xyzzy", "", ""]]);
}
