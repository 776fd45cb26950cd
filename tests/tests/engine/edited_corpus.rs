//! A corpus in which edits are made in memory is, section by section, the one that an import of the edited texts makes; undone, it is as it was.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use plyfold_core::comment_search::bind_comments;
use plyfold_core::corpus::ShardParts;
use plyfold_core::corpus::file::{CorpusCheck, CorpusReader};
use plyfold_core::corpus::shard::Shard;
use plyfold_core::edit_list::{EditList, EditsByGame, GameChange, GameEdit};
use plyfold_core::edited_corpus::{EditFailure, kept_spans, make_edits};
use plyfold_core::game::{GameId, corpus_spans};
use plyfold_core::headers::{CountedName, NameCount, OpeningNames, count_names};
use plyfold_core::pgn::ShardPacker;
use plyfold_core::query::compile;
use plyfold_core::reduce::game_set::GameSet;
use plyfold_core::reduce::{ReducerSelection, run_query_within};
use plyfold_input::PgnSource;
use plyfold_input::import::ImportOptions;
use plyfold_tests::data;
use plyfold_tests::games::Aligned;
use plyfold_tests::imported::{OPENING_TABLE, source};
use proptest::prelude::*;

/// The demo games in several shards.
static DEMO: LazyLock<Aligned> = LazyLock::new(|| {
    let mut demo = PgnSource::open(&data::demo()).expect("the demo games");
    let openings = Some(Arc::clone(&OPENING_TABLE));
    source(&mut demo, &ImportOptions { openings, chunk_bytes: 100 << 10, ..ImportOptions::default() }).0
});

fn demo(check: CorpusCheck) -> CorpusReader<'static> {
    CorpusReader::open(DEMO.bytes(), check).expect("a corpus")
}

fn set(name: &str, value: &str) -> GameChange {
    GameChange::Set { name: name.into(), value: value.into() }
}

fn edit(games: &str, changes: &[GameChange]) -> GameEdit {
    GameEdit { games: games.parse().expect("a list of games"), changes: changes.to_vec() }
}

fn by_game(corpus: &CorpusReader<'_>, edits: &[GameEdit]) -> Arc<EditsByGame> {
    let mut list = EditList::new(corpus.header.id);
    edits.iter().cloned().for_each(|edit| list.push(edit));
    Arc::new(EditsByGame::new(&list, corpus.header.games as u32).expect("there are such games"))
}

/// What a scan and a list of games may read of a shard.
fn content(shard: &Shard<'_>) -> Vec<String> {
    let Shard { records, moves, starts, players, events, sites, columns, signatures, .. } = shard;
    let Shard { event_stream_index, material_events, pawn_events, home_pawns, annotation_index, .. } = shard;
    let Shard { annotations, annotation_bounds, header_texts, openings, .. } = shard;
    let sources: Vec<_> = (0..records.len() as u32).map(|game| shard.sources.of_game(game)).collect();
    vec![
        format!("{records:?}"),
        format!("{moves:?} {starts:?}"),
        format!("{players:?} {events:?} {sites:?} {sources:?}"),
        format!("{columns:?}"),
        format!("{signatures:?} {event_stream_index:?} {material_events:?} {pawn_events:?} {home_pawns:?}"),
        format!("{annotation_index:?} {annotations:?} {annotation_bounds:?}"),
        format!("{header_texts:?} {openings:?}"),
    ]
}

fn contents(corpus: &CorpusReader<'_>) -> Vec<Vec<String>> {
    corpus.shards().map(|shard| content(&shard)).collect()
}

/// Asserts that a corpus with edits is what an import of the edited texts makes.
fn assert_imported(imported: &CorpusReader<'_>, edited: &CorpusReader<'_>, edits: &EditsByGame) {
    let (mut before, mut after) = (imported.texts(), edited.texts());
    let mut id = 0;
    for (was, shard) in imported.shards().zip(edited.shards()) {
        let mut texts = Vec::new();
        for _ in was.records {
            let text = edits.of(GameId(id), Cow::Borrowed(before.get(id).expect("a text"))).into_owned();
            assert_eq!(after.get(id).expect("a text"), text, "game {id}");
            texts.extend_from_slice(text.trim_ascii_end());
            texts.extend_from_slice(b"\n\n");
            id += 1;
        }
        let (packed, report) =
            ShardPacker::new(was.sources.of_game(0)).with_openings(Arc::clone(&OPENING_TABLE)).pack(&texts, 0);
        assert_eq!(report.imported, was.records.len() as u64);
        let fresh = Aligned::new(&packed);
        let layout = plyfold_core::corpus::layout::ShardLayout::check(fresh.bytes()).expect("a shard");
        for (one, other) in content(&Shard::new(&layout, fresh.bytes())).iter().zip(content(&shard)) {
            assert_eq!(*one, other, "before game {id}");
        }
    }
    let plies: u64 = edited.shards().map(|shard| shard.moves.len() as u64).sum();
    assert_eq!(edited.header.plies, plies);
}

const OTHER_GAME: &str = "[White \"Anna, A.\"]\n[Black \"?\"]\n[Date \"2031.05.??\"]\n[Result \"0-1\"]\n\n\
1. f3 {weak} e5 2. g4?? Qh4# 0-1\n";
const FROM_POSITION: &str =
    "[SetUp \"1\"]\n[FEN \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\"]\n[White \"x\"]\n\n1. Kd2 $1 Kd4 2. e3+ *";

#[test]
fn edits_make_what_an_import_of_the_edited_texts_makes() {
    let imported = demo(CorpusCheck::EveryByte);
    assert!(imported.shards().len() > 2);
    let mut edited = demo(CorpusCheck::WhenUsed);
    let all = [
        edit("3,7", &[set("White", "Zoë, \"Z\""), set("Date", "1999.01.02"), set("WhiteElo", "2901")]),
        edit("1-40", &[set("Event", "Another"), GameChange::Remove { name: "Round".into() }]),
        edit("2,200", &[GameChange::Text(OTHER_GAME.into()), set("Black", "Berta")]),
        edit("5-9,201", &[GameChange::Delete]),
        edit("3", &[GameChange::Text(FROM_POSITION.into())]),
        edit("300-", &[set("Site", "Elsewhere"), set("TimeControl", "300+3")]),
    ];
    let mut before = Arc::new(EditsByGame::default());
    for count in [1, 2, 3, 4, 6, 5, 2, 6, 0, 6] {
        let edits = by_game(&edited, &all[..count]);
        make_edits(&mut edited, &before, &edits, Some(&OPENING_TABLE)).expect("such edits");
        edited.require(ShardParts::ALL).expect("sound shards");
        assert_imported(&imported, &edited, &edits);
        if count == 0 {
            assert_eq!(contents(&imported), contents(&edited));
        }
        before = edits;
    }
}

#[test]
fn edits_that_cannot_be_made_change_nothing() {
    let mut edited = demo(CorpusCheck::EveryByte);
    let before = by_game(&edited, &[edit("4", &[set("White", "Anna")])]);
    make_edits(&mut edited, &Arc::default(), &before, None).expect("such edits");
    let was = contents(&edited);
    let edits =
        by_game(&edited, &[edit("1-", &[set("White", "B")]), edit("250", &[GameChange::Text("1. Ke5 *".into())])]);
    let failed = make_edits(&mut edited, &before, &edits, None);
    let why = "its changed text does not read as its moves".into();
    assert_eq!(failed, Err(EditFailure::Game { number: 250, why }));
    assert_eq!(contents(&edited), was);
}

/// The numbers of the games that match a query and are not deleted.
fn found(corpus: &CorpusReader<'_>, edits: &EditsByGame, query: &str) -> Vec<u64> {
    let mut query = compile(query).expect(query);
    bind_comments(&mut query, corpus, &()).expect("sound texts");
    let mut within = GameSet::all(corpus.header.games as u32);
    within.sub(edits.deleted());
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let results = run_query_within(&corpus_spans(corpus), &query, Some(&within), &selection, &()).expect("no cancel");
    results.games.iter().flat_map(GameSet::iter).map(GameId::number).collect()
}

#[test]
fn searches_and_names_see_the_edited_games() {
    let mut corpus = demo(CorpusCheck::EveryByte);
    let none = by_game(&corpus, &[]);
    let fools_mate = "fen \"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\"";
    assert!(found(&corpus, &none, "player \"Zoë\"").is_empty());
    assert!(found(&corpus, &none, fools_mate).is_empty());
    let edits = by_game(
        &corpus,
        &[
            edit("7,9", &[set("White", "Zoë"), set("Board", "3")]),
            edit("2", &[GameChange::Text(OTHER_GAME.into())]),
            edit("9", &[GameChange::Delete]),
        ],
    );
    make_edits(&mut corpus, &none, &edits, Some(&OPENING_TABLE)).expect("such edits");
    assert_eq!(found(&corpus, &edits, "player \"Zoë\""), [7]);
    assert_eq!(found(&corpus, &edits, "tag \"Board\" \"3\""), [7]);
    assert_eq!(found(&corpus, &edits, fools_mate), [2]);
    assert_eq!(found(&corpus, &edits, "date >= 2031"), [2]);
    assert_eq!(found(&corpus, &edits, "comment \"weak\""), [2]);
    let spans = kept_spans(corpus_spans(&corpus), edits.deleted());
    assert_eq!(spans.iter().map(|span| u64::from(span.len())).sum::<u64>(), corpus.header.games - 1);
    let names = count_names(&spans, &OpeningNames::default(), CountedName::Player, "Zoë", 9);
    assert_eq!(names, [NameCount { name: "Zoë".into(), games: 1 }]);
}

proptest! {
    #[test]
    fn kept_spans_have_all_games_but_the_deleted_ones(deleted in prop::collection::btree_set(0u32..2000, 0..60)) {
            let corpus = demo(CorpusCheck::WhenUsed);
        let games = corpus.header.games as u32;
        let mut without = GameSet::empty(games);
        deleted.iter().for_each(|&id| without.insert(GameId(id)));
        let kept = kept_spans(corpus_spans(&corpus), &without);
        let numbers: Vec<u32> = kept.iter().flat_map(|span| span.first_game.0..span.first_game.0 + span.len()).collect();
        let expected: Vec<u32> = (0..games).filter(|id| !deleted.contains(id)).collect();
        prop_assert_eq!(numbers, expected);
    }
}
