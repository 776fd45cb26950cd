//! A script written only from FORMAT.md reads files of results and finds the same results.

use std::path::Path;
use std::process::Command;

use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::keys::parse_key;
use plyfold_core::pmote::header::CorpusStamp;
use plyfold_core::pmote::{game_set, groups, heatmap, positions};
use plyfold_core::query::compile;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::heatmap::{HEATMAP, Heatmap};
use plyfold_core::reduce::matching_positions::PositionSelection;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, STARTS, corpus, play};
use plyfold_tests::worked_example::bytes_of_example;
use serde_json::{Value, json};

/// The output of the script for these bytes.
fn read(folder: &Path, bytes: &[u8]) -> Value {
    let file = folder.join("answer");
    std::fs::write(&file, bytes).expect("a folder to write to");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/pmote.py");
    let ran = Command::new("python3").arg(script).arg(&file).output().expect("python3");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let mut read: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    // Whether the script could check checksums depends on the machine.
    read.as_object_mut().expect("an object").remove("checked");
    read
}

#[test]
fn the_script_reads_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let played = |nth: usize| {
        let choices: Vec<u16> = (0..60).map(|ply| (nth * 7919 + ply * 104_729) as u16 % 997).collect();
        play(STARTS[nth % STARTS.len()], &choices)
    };
    let bytes = Aligned::new(&corpus(&(0..200).map(played).collect::<Vec<_>>(), 70));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let by = |key| COUNTS.by(parse_key(key).expect("a key")).most(5);
    let selection = ReducerSelection {
        games: true,
        positions: Some(PositionSelection::default()),
        positions_count: true,
        outputs: vec![HEATMAP.output(), by("player"), by("ply")],
    };
    let answers = run_query(&spans, &compile("check").expect("a query"), &selection, &()).expect("nobody cancels");
    let id = corpus.header.id;
    let of = CorpusStamp { corpus: id, games: 200 };
    let set = answers.games.clone().expect("requested");
    let ids: Vec<u32> = set.iter().map(|game| game.0).collect();
    assert!(ids.len() > 20 && ids.len() < 200, "{}", ids.len());
    let head = |kind: &str| json!({ "kind": kind, "corpus": id, "games": 200 });
    let with = |kind: &str, more: Value| {
        let mut all = head(kind);
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    assert_eq!(read(folder.path(), &game_set::encode(&set, id)), with("PMOTE-BM", json!({ "ids": ids })));

    let places = answers.positions.clone().expect("requested").into_iter().map(|position| {
        let span = spans.iter().rfind(|span| span.first_game <= position.game).expect("a shard");
        positions::PositionRecord { shard: span.shard, game: position.game.0 - span.first_game.0, ply: position.ply }
    });
    let places: Vec<positions::PositionRecord> = places.collect();
    let records: Vec<[u32; 3]> = places.iter().map(|place| [place.shard, place.game, place.ply.0]).collect();
    assert!(records.iter().any(|record| record[0] == 2));
    assert_eq!(read(folder.path(), &positions::encode(&places, of)), with("PMOTE-PS", json!({ "positions": records })));

    let counts = answers.summary::<Heatmap>().expect("requested").counts();
    let kings: u64 = counts[0][5].iter().sum();
    assert_eq!(kings, places.len() as u64);
    let lists: Vec<Vec<&[u64]>> = counts.iter().map(|colour| colour.iter().map(|piece| &piece[..]).collect()).collect();
    assert_eq!(read(folder.path(), &heatmap::encode(&counts, of)), with("PMOTE-HM", json!({ "counts": lists })));

    for all in answers.summaries::<GroupTable>() {
        let list: Vec<Value> = all
            .groups
            .iter()
            .map(|group| {
                json!({
                    "value": group.value,
                    "name": group.name,
                    "positions": group.positions,
                    "results": group.results.counts(),
                    "first": [group.first.game.0, group.first.ply.0],
                })
            })
            .collect();
        let more = json!({ "key": all.key, "distinct": all.distinct, "positions": all.positions, "groups": list });
        assert_eq!(read(folder.path(), &groups::encode(all, of)), with("PMOTE-GB", more));
    }
}

#[test]
fn the_worked_example_is_what_is_written() {
    let bytes = bytes_of_example(include_str!("../../../core/pmote/src/FORMAT.md"), 0);
    let mut set = plyfold_core::reduce::game_set::GameSet::empty(70);
    [0, 3, 64, 69].into_iter().for_each(|id| set.insert(GameId(id)));
    assert_eq!(game_set::encode(&set, 0x0123_4567_89ab_cdef), bytes);
}
