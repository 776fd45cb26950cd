//! Compares results on real games with those of other programs: python-chess on the demo games, which are part of the
//! project, and on the reference games if they are beside it.

use std::path::Path;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, GameSpan, corpus_spans};
use plyfold_core::query::compile;
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::structures::{STRUCTURES, TopStructures};
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};
use plyfold_tests::{data, imported};
use serde_json::Value;

fn everything() -> ReducerSelection {
    let positions = Some(PositionSelection { limit: Some(0), choice: PositionChoice::Distinct });
    ReducerSelection {
        games: true,
        positions_count: true,
        positions,
        outputs: vec![HEATMAP.output(), STRUCTURES.output().most(20)],
    }
}

fn ask(spans: &[GameSpan<'_>], query: &str) -> QueryResults {
    run_query(spans, &compile(query).expect("a query"), &everything(), &()).expect("nobody cancels")
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("the truth")).expect("JSON")
}

fn heat(answers: &QueryResults) -> Value {
    let counts = answers.summary::<Heatmap>().expect("requested").counts();
    counts.iter().map(|side| side.iter().map(|squares| squares.to_vec()).collect::<Vec<_>>()).collect::<Vec<_>>().into()
}

#[test]
fn demo_games_equal_python_chess() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let truth = read(&root.join("demo/truth.json"));
    let (bytes, report) = imported::file(&root.join("demo/demo.pgn.zst"));
    assert_eq!(report.rejected, 0, "{:?}", report.rejections);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let spans = corpus_spans(&corpus);
    let all = ask(&spans, "");
    assert_eq!(all.count.games, truth["games"]);
    assert_eq!(all.count.positions, truth["plies"]);
    assert_eq!(all.distinct_positions, truth["distinct_epds"].as_u64());
    assert_eq!(all.summary::<TopStructures>().expect("requested").distinct, truth["distinct_pawn_structures"]);
    assert_eq!(heat(&all), truth["heat"]);
    let queens_off = ask(&spans, "queens_off");
    assert_eq!(queens_off.count.games, truth["queens_off_games"]);
    assert_eq!(queens_off.count.positions, truth["queens_off_plies"]);
    let ended = |name: &str| {
        let ids = 0..corpus.header.games as u32;
        ids.filter(|&id| corpus.record(id).expect("a game").ending().name() == name).count()
    };
    assert_eq!(ended("checkmate"), truth["games_ending_in_checkmate"]);
    assert_eq!(ended("stalemate"), truth["games_ending_in_stalemate"]);
}

#[test]
fn first_2000_master_games_equal_the_reference() {
    let (Some(truth), Some(games)) = (data::shared("truth-master-first2000.json"), data::shared("master-30k.pgn.zst"))
    else {
        return;
    };
    let truth = read(&truth);
    let (bytes, _) = imported::file(&games);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("whole");
    let whole = corpus_spans(&corpus);

    let mut left = 2000;
    let mut first = Vec::new();
    for part in whole.iter().flat_map(|span| span.split(1)).take(2000) {
        left -= part.len();
        first.push(part);
    }
    assert_eq!(left, 0);
    let all = ask(&first, "");
    assert_eq!(all.count.positions, truth["plies_total"]);
    assert_eq!(all.distinct_positions, truth["distinct_epd"].as_u64());
    assert_eq!(heat(&all), truth["heat"]);
    let structures = all.summary::<TopStructures>().expect("requested");
    assert_eq!(structures.distinct, truth["distinct_pawn_structures"]);
    for (found, expected) in
        structures.top.iter().zip(truth["top20_pawn_structures_by_position_count"].as_array().expect("a list"))
    {
        assert_eq!(found.count, expected["count"]);
        // Structures with equal counts may come in another order, so this compares the count of the same structure.
        let same = |one: &&plyfold_core::reduce::structures::StructureCount| {
            format!("{:016x}", one.white) == expected["white_pawns"]
                && format!("{:016x}", one.black) == expected["black_pawns"]
        };
        assert_eq!(structures.top.iter().find(same).map(|one| one.count), expected["count"].as_u64());
    }
    let queens_off = ask(&first, "queens_off");
    assert_eq!(queens_off.count.games, truth["games_with_queens_off"]);
    assert_eq!(queens_off.count.positions, truth["plies_with_queens_off"]);
    let set = queens_off.games.as_ref().expect("requested");
    for expected in truth["per_game"].as_array().expect("a list") {
        let id = expected["i"].as_u64().expect("a number") as u32;
        let (shard, game) = corpus.find_game(id).expect("a game");
        let record = &shard.records[game as usize];
        assert_eq!(shard.players.get(record.white), expected["white"]);
        assert_eq!(shard.players.get(record.black), expected["black"]);
        assert_eq!(record.result().name(), expected["result"]);
        assert_eq!(record.date.to_string(), expected["date"]);
        assert_eq!(record.plies, expected["plies"].as_u64().expect("a number") as u16);
        assert_eq!(set.contains(GameId(id)), expected["queens_off"].as_bool().expect("a bool"), "game {id}");
    }

    let all = ask(&whole, "");
    assert_eq!((all.count.games, all.count.positions), (30_000, 2_517_412));
    assert_eq!(all.distinct_positions, Some(2_059_933));
    assert_eq!(all.summary::<TopStructures>().expect("requested").distinct, 493_943);
    let queens_off = ask(&whole, "queens_off");
    assert_eq!((queens_off.count.games, queens_off.count.positions), (16_039, 741_956));
}
