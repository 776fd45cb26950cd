//! Openings by the moves: the table against shakmaty, what an import stores, and what queries and keys make of it.

use std::collections::HashMap;
use std::sync::Arc;

use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::record::CUSTOM_START;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::{CountedName, NameCount, OpeningNames, count_names};
use plyfold_core::pgn::{ShardPacker, upgrade_shard};
use plyfold_core::query::compile_with_openings;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::unstored::unstored_notes;
use plyfold_openings::LINES;
use plyfold_tests::data;
use plyfold_tests::games::Aligned;
use plyfold_tests::imported::{self, OPENING_TABLE};
use plyfold_tests::shards::CorpusParts;
use shakmaty::fen::Epd;
use shakmaty::san::San;
use shakmaty::{Chess, EnPassantMode, Position};

fn epd(position: &Chess) -> String {
    Epd::from_position(position, EnPassantMode::Legal).to_string()
}

/// Code and name of each known position, by its EPD.
fn by_epd() -> HashMap<String, String> {
    let mut known = HashMap::new();
    for line in LINES.lines() {
        let [code, name, moves] = line.split('\t').collect::<Vec<_>>().try_into().expect("three parts");
        let mut position = Chess::default();
        for san in moves.split(' ') {
            let mv = san.parse::<San>().expect(line).to_move(&position).expect(line);
            position.play_unchecked(mv);
        }
        assert_eq!(known.insert(epd(&position), format!("{code} {name}")), None, "{line}");
    }
    known
}

#[test]
fn the_table_has_each_line() {
    let known = by_epd();
    assert!(known.len() > 3800 && known.len() == OPENING_TABLE.len());
    assert!(LINES.lines().any(|line| line == "B20\tSicilian Defense\te4 c5"));
    assert!(LINES.lines().is_sorted());
}

/// The demo games, and the same with other first moves of White and Black exchanged, against shakmaty.
#[test]
fn a_game_has_the_name_of_its_last_known_position() {
    let known = by_epd();
    let (corpus, _) = imported::file(&data::demo());
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let (mut named, mut by_tag) = (0, 0);
    for span in corpus_spans(&corpus) {
        for nth in (0..span.len()).step_by(3) {
            let game = span.game(nth);
            if game.record.flags() & CUSTOM_START != 0 {
                continue;
            }
            let mut position = Chess::default();
            let mut last = None;
            for &mv in game.moves {
                let legal =
                    position.legal_moves().into_iter().find(|&legal| plyfold_core::moves::Move::from(legal) == mv);
                position.play_unchecked(legal.expect("a legal move"));
                last = known.get(&epd(&position)).map(String::as_str).or(last);
            }
            let openings = span.names().openings;
            assert_eq!(openings.column().of_game(span.first_in_shard + nth), last.unwrap_or(""), "game {nth}");
            named += u32::from(last.is_some());
            by_tag +=
                u32::from(openings.of_game(span.first_in_shard + nth).is_some_and(|one| one.code == game.record.eco));
        }
    }
    assert!(named > 1000 && by_tag < named, "{named} {by_tag}");
}

/// A Najdorf by transposition whose tag says something else, one without a tag, the King's Gambit, and a game of no opening.
const GAMES: &str = "[ECO \"A04\"]\n\n1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *\n\n\
1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Bg5 e6 7. f4 *\n\n\
[ECO \"B90\"]\n\n1. e4 e5 2. f4 *\n\n\
[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O *\n\n";

fn packed() -> Vec<u8> {
    ShardPacker::new(None).with_openings(Arc::clone(&OPENING_TABLE)).pack(GAMES.as_bytes(), 0).0
}

fn corpus_of(shard: &[u8]) -> Aligned {
    let mut header = CorpusFileHeader::empty();
    header.append(shard).expect("a shard");
    Aligned::new(&[&header.to_bytes()[..], shard].concat())
}

/// The games that match, from 1, and the notes on the query.
fn found(corpus: &Aligned, query: &str) -> (Vec<u32>, Vec<String>) {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let plan = compile_with_openings(query, &OpeningNames::new(LINES)).expect(query);
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let games = run_query(&spans, &plan, &selection, &()).expect("nobody cancels").games.expect("a set");
    let naive = |nth: u32| {
        plan.predicates.iter().any(|test| matches!(test, plyfold_core::scan::predicate::PositionPredicate::Header(test) if test.matches(&spans[0], nth)))
    };
    if plan.predicates.len() == 1 && !query.contains("not") {
        assert_eq!(
            (0..spans[0].len()).filter(|&nth| naive(nth)).collect::<Vec<_>>(),
            games.iter().map(|game| game.0).collect::<Vec<_>>()
        );
    }
    (games.iter().map(|game| game.0 + 1).collect(), unstored_notes(&plan, &spans))
}

#[test]
fn queries_ask_for_the_opening_that_was_played() {
    let corpus = corpus_of(&packed());
    for (query, games) in [
        ("opening \"sicilian\"", &[1, 2][..]),
        ("opening \"najdorf\"", &[1, 2]),
        ("opening \"Sicilian Defense: Najdorf Variation\"", &[1, 2]),
        ("opening \"King's Gambit\"", &[3]),
        ("opening \"Najdorf, Dekker Gambit\"", &[]),
        ("eco B90", &[1]),
        ("eco B90-B99", &[1, 2]),
        ("eco B9, C30", &[1, 2, 3]),
        ("eco_tag B90", &[3]),
        ("eco_tag A-E", &[1, 3]),
        ("not eco A-E", &[4]),
    ] {
        assert_eq!(found(&corpus, query), (games.to_vec(), Vec::new()), "{query}");
    }
}

#[test]
fn an_older_corpus_has_the_codes_of_its_tags_until_it_is_upgraded() {
    let shard = packed();
    let mut parts = CorpusParts::of(corpus_of(&shard).bytes());
    parts.shards[0].sections.retain(|section| section.kind != 21);
    let older = Aligned::new(&parts.bytes());
    let (games, notes) = found(&older, "opening \"najdorf\"");
    assert_eq!(games, [3]);
    assert!(notes.len() == 1 && notes[0].contains("ECO tag") && notes[0].contains("plyfold upgrade"), "{notes:?}");
    assert_eq!(found(&older, "eco A04"), (vec![1], notes));
    assert_eq!(found(&older, "eco_tag A04"), (vec![1], Vec::new()));
    let opened = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let upgrade =
        |openings| upgrade_shard(Aligned::new(opened.shard_bytes().next().expect("a shard").1).bytes(), openings);
    assert_eq!(upgrade(None), Ok(None));
    assert_eq!(upgrade(Some(&**OPENING_TABLE)).expect("sound").as_deref(), Some(&shard[..]));
    // A copy of a game whose opening is not known does not claim to know it; one that is known stays.
    let copy = |from: &CorpusReader<'_>, builder: ShardBuilder| {
        let mut builder = builder;
        builder.copy_game(&from.shard(0), 1, b"").expect("small");
        builder.into_bytes()
    };
    let asks = |shard: &[u8]| found(&corpus_of(shard), "eco B90-B99");
    assert!(asks(&copy(&opened, ShardBuilder::new())).1.iter().any(|note| note.contains("plyfold upgrade")));
    assert_eq!(asks(&copy(&opened, ShardBuilder::new().with_openings(Arc::clone(&OPENING_TABLE)))).0, [1]);
    let whole = corpus_of(&shard);
    let whole = CorpusReader::open(whole.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    assert_eq!(asks(&copy(&whole, ShardBuilder::new())), (vec![1], Vec::new()));
}

#[test]
fn names_of_openings_are_counted_with_their_parts() {
    let corpus = corpus_of(&packed());
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let names = OpeningNames::new(LINES);
    let counted = |what, text: &str| -> Vec<(String, u64)> {
        let counts = count_names(&spans, &names, what, text, 4);
        counts.into_iter().map(|NameCount { name, games }| (name, games)).collect()
    };
    let sicilian = counted(CountedName::Opening, "sicilian");
    assert_eq!(sicilian[..2], [("Sicilian Defense".into(), 2), ("Sicilian Defense: Najdorf Variation".into(), 2)]);
    assert_eq!(
        counted(CountedName::Eco, ""),
        [("B90", 1), ("B96", 1), ("C30", 1)].map(|(code, games)| (code.into(), games))
    );
    for (key, groups) in [
        ("opening_family", &[("?", 1), ("King's Gambit", 1), ("Sicilian Defense", 2)][..]),
        ("eco", &[("?", 1), ("B90", 1), ("B96", 1), ("C30", 1)]),
    ] {
        let key = GroupingKey::named(key).expect(key);
        let selection = ReducerSelection { outputs: vec![COUNTS.by(key).most(9)], ..ReducerSelection::default() };
        let plan = compile_with_openings("", &names).expect("everything");
        let found = run_query(&spans, &plan, &selection, &()).expect("nobody cancels");
        let table = found.summary::<GroupTable>().expect("requested");
        let mut counted: Vec<_> =
            table.groups.iter().map(|group| (group.name.as_str(), group.results.games())).collect();
        counted.sort_unstable();
        assert_eq!(counted, groups);
    }
}
