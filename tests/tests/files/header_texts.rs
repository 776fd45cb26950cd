//! Rounds, annotators, time controls and titles: what tags say, what a shard stores, and what queries find.

use plyfold_core::corpus::HeaderText;
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::game::corpus_spans;
use plyfold_core::pgn::{pack_shard, upgrade_shard};
use plyfold_core::query::{compile, unknown_names};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::unstored::unstored_notes;
use plyfold_tests::games::Aligned;
use plyfold_tests::shards::CorpusParts;

/// Games whose tags say much, little and nothing.
const GAMES: &str = "[Round \" 3.1 \"]\n[Annotator \"M\u{fc}ller, Karsten\"]\n[TimeControl \"300+3\"]\n[WhiteTitle \"GM\"]\n[BlackTitle \"wim\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n\
[Round \"30\"]\n[TimeControl \"40/7200:3600\"]\n[WhiteTitle \"-\"]\n[BlackTitle \"GM\"]\n[Result \"0-1\"]\n\n1. d4 0-1\n\n\
[Round \"?\"]\n[Annotator \"\"]\n[TimeControl \"-\"]\n[WhiteTitle \"GM\"]\n[BlackTitle \"IM\"]\n[Result \"1/2-1/2\"]\n\n1. c4 1/2-1/2\n\n\
[White \"A\"]\n\n1. a4 *\n\n";

fn corpus_of(shard: &[u8]) -> Aligned {
    let mut header = CorpusFileHeader::empty();
    header.append(shard).expect("a shard");
    Aligned::new(&[&header.to_bytes()[..], shard].concat())
}

/// The games that match, from 1.
fn matching(corpus: &Aligned, query: &str) -> Vec<u32> {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
    let found =
        run_query(&corpus_spans(&corpus), &compile(query).expect(query), &selection, &()).expect("nobody cancels");
    found.games.expect("a set").iter().map(|game| game.0 + 1).collect()
}

fn notes(corpus: &Aligned, query: &str) -> Vec<String> {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    unstored_notes(&compile(query).expect(query), &corpus_spans(&corpus))
}

#[test]
fn texts_are_found() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    for (query, expected) in [
        ("round \"3*\"", &[1, 2][..]),
        ("round \"3.*\"", &[1]),
        ("round 30", &[2]),
        ("round \"*\"", &[1, 2]),
        ("round \"?\"", &[]),
        ("not round \"*\"", &[3, 4]),
        ("annotator \"muller*\"", &[1]),
        ("time_control \"300+3\"", &[1]),
        ("time control \"*\"", &[1, 2]),
        ("white title GM", &[1, 3]),
        ("black title gm, im", &[2, 3]),
        ("either titles GM", &[1, 2, 3]),
        ("title \"*\"", &[1, 3]),
        ("both title GM, WIM", &[1]),
        ("winner title GM", &[1, 2]),
        ("loser title \"w*\"", &[1]),
        ("loser title GM", &[]),
        ("{ white title GM and pawn on e4 }", &[1]),
    ] {
        assert_eq!(matching(&corpus, query), expected, "{query}");
        assert_eq!(notes(&corpus, query), [""; 0], "{query}");
    }
    for text in ["round", "title", "title \"\"", "title and check", "white title GM,", "time_control", "annotator Tal"]
    {
        let error = compile(text).expect_err(text);
        assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
    }
}

#[test]
fn a_board_of_an_unknown_round_is_no_round() {
    let corpus = corpus_of(&pack_shard(b"[Round \"?.3\"]\n\n1. e4 *\n\n[Round \"3\"]\n\n1. d4 *\n\n", 0).0);
    for (query, expected) in [("round 3", &[2][..]), ("round \"*\"", &[2]), ("not round \"*3\"", &[1])] {
        assert_eq!(matching(&corpus, query), expected, "{query}");
    }
}

/// A header between two `then`s, in a game in which the last condition holds before the first one.
#[test]
fn a_header_keeps_the_order_of_what_stands_around_it() {
    let games = "[White \"A\"]\n[Result \"1-0\"]\n\n1. d4 e5 2. dxe5 Qh4 3. Nf3 Qxf2+ 4. Kxf2 1-0\n\n\
                 [White \"A\"]\n[Result \"1-0\"]\n\n1. e4 f5 2. Qh5+ g6 3. exf5 1-0\n\n";
    let corpus = corpus_of(&pack_shard(games.as_bytes(), 0).0);
    for (query, expected) in [
        ("check then white pawn on f5", &[2][..]),
        ("check then result 1-0 then white pawn on f5", &[2]),
        ("white pawn on f5 then result 1-0 then check", &[]),
        ("white pawn on e5 then result 1-0 then check", &[1]),
        ("check then (result 1-0 and white \"A\") then queens_off", &[]),
        ("check then (result 0-1 or white \"A\") then black pawn on e7", &[2]),
        ("white pawn on f5 then (result 0-1 or white king on e1) then check", &[]),
        ("white pawn on f5 then (result 1-0 or white king on e1) then check", &[]),
        ("white pawn on f5 then 1 of (result 1-0, white king on e1) then check", &[]),
        ("check then result 0-1 then white pawn on f5", &[]),
        ("result 1-0 then check then white pawn on f5", &[2]),
        ("check then result 1-0 then within 1 white pawn on f5", &[]),
        ("check then result 1-0 then within 2 white pawn on f5", &[2]),
        ("check then (result 1-0 then white pawn on f5)", &[2]),
        ("white pawn on f5 then (result 1-0 then check)", &[]),
        ("white pawn on f5 then ((result 1-0 or white king on e1) then check)", &[]),
        ("white pawn on f5 then (result 1-0 and (white \"A\" then check))", &[]),
        ("check then (result 0-1 then white pawn on f5)", &[]),
    ] {
        assert_eq!(matching(&corpus, query), expected, "{query}");
    }
}

#[test]
fn what_no_game_has_is_a_note() {
    let full = "[White \"A\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1900\"]\n[Date \"2001.??.??\"]\n[ECO \"B00\"]\n[TimeControl \"300\"]\n\n\
        1. e4! {good [%eval 0.3] [%clk 0:04:59]} e5 *\n\n";
    let full = corpus_of(&pack_shard(full.as_bytes(), 0).0);
    let bare = corpus_of(&pack_shard(b"[White \"A\"]\n\n1. e4 e5 *\n\n", 0).0);
    for (query, missing) in [
        ("eval >= 0.1", &["evaluations"][..]),
        ("white blunder", &["evaluations"]),
        ("clock_time(white) < 30", &["clocks"]),
        ("black time_trouble or eval < 0", &["evaluations", "clocks"]),
        ("commented", &["comments"]),
        ("comment \"*good*\" or nag 1", &["comments", "glyphs"]),
        ("elo >= 2000", &["a rating"]),
        ("elo_difference >= 100", &["a rating"]),
        ("white elo >= black elo + 100", &["the ratings of both players"]),
        ("year 1990..1999 and not elo < 100", &["a rating", "a date"]),
        ("eco_tag B20", &["an ECO tag"]),
        ("time_class blitz", &["a time control"]),
        ("time_class unknown", &[]),
        ("check", &[]),
    ] {
        assert_eq!(notes(&full, query), Vec::<String>::new(), "{query}");
        let found = notes(&bare, query);
        assert!(found.len() == missing.len(), "{query}: {found:?}");
        for (note, what) in found.iter().zip(missing) {
            assert!(note.starts_with(&format!("no game of this corpus has {what}")), "{query}: {found:?}");
        }
    }
}

#[test]
fn an_older_corpus_says_what_it_does_not_store() {
    let (shard, _) = pack_shard(GAMES.as_bytes(), 0);
    let mut parts = CorpusParts::of(corpus_of(&shard).bytes());
    parts.shards[0].sections.retain(|section| section.kind != 19);
    let older = Aligned::new(&parts.bytes());
    assert_eq!(matching(&older, "round \"*\""), [0; 0]);
    let found = notes(&older, "round \"*\" or check");
    assert!(
        found.len() == 1 && found[0].contains("rounds, annotators") && found[0].contains("plyfold upgrade"),
        "{found:?}"
    );
    assert_eq!(notes(&older, "check"), [""; 0]);
    // A name that may still be in the texts is no mistake.
    let opened = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let tests = unknown_names::name_tests(&compile("round \"99\"").expect("a query"));
    let spans = corpus_spans(&opened);
    let unknown = |spans| {
        let compiled = plyfold_core::headers::CompiledHeaderTests::new(&tests, spans);
        plyfold_core::headers::find_unknown_name(&compiled, spans)
    };
    assert_eq!(unknown(&spans), None);
    let whole = corpus_of(&shard);
    let whole = CorpusReader::open(whole.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let message = unknown(&corpus_spans(&whole)).expect("no such round").to_string();
    assert!(message.starts_with("no game of this corpus has the round \"99\""), "{message}");
    assert!(unknown_names::name_tests(&compile("title GM, WCM").expect("a query")).is_empty());

    let upgraded = upgrade_shard(Aligned::new(opened.shard_bytes().next().expect("a shard").1).bytes(), None);
    assert_eq!(upgraded.expect("sound").as_deref(), Some(&shard[..]));
    // A copy of games whose texts are not known does not claim to know them.
    let mut copy = ShardBuilder::new();
    copy.copy_game(&opened.shard(0), 0, b"text").expect("small");
    let copy = corpus_of(&copy.into_bytes());
    assert_eq!(notes(&copy, "round \"1\"").len(), 1);
}

#[test]
fn a_copy_keeps_the_texts_of_its_games() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    let opened = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let mut copy = ShardBuilder::new();
    for game in [3, 1, 0] {
        copy.copy_game(&opened.shard(0), game, b"text").expect("small");
    }
    let copy = corpus_of(&copy.into_bytes());
    let opened = CorpusReader::open(copy.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let texts = opened.shard(0).header_texts;
    assert_eq!([0, 1, 2].map(|game| texts.of_game(HeaderText::Round, game)), ["", "30", "3.1"]);
    assert_eq!([0, 1, 2].map(|game| texts.of_game(HeaderText::BlackTitle, game)), ["", "GM", "wim"]);
    assert_eq!(texts.of_game(HeaderText::Annotator, 2), "M\u{fc}ller, Karsten");
}

#[test]
fn damaged_texts_are_refused() {
    let sound = CorpusParts::of(corpus_of(&pack_shard(GAMES.as_bytes(), 0).0).bytes());
    let open = |parts: &CorpusParts| {
        let bytes = Aligned::new(&parts.bytes());
        CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).map(drop)
    };
    assert_eq!(open(&sound), Ok(()));
    let length = sound.clone().shards[0].section(19).len();
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut parts = sound.clone();
        damage(parts.shards[0].section(19));
        let found = open(&parts);
        assert!(matches!(found, Err(CorpusError::Inconsistent { section: "header texts", .. })), "{found:?}");
    };
    (1..length).for_each(|length| damaged(&|bytes| bytes.truncate(length)));
    damaged(&|bytes| bytes.extend([0; 4]));
    damaged(&|bytes| bytes[0] = 3);
    damaged(&|bytes| bytes[4] = 0xff);
}
