//! What comments and glyphs say of the moves: read at import and at an upgrade, kept by a copy, refused if damaged, and queried.

use std::fmt::Write as _;

use plyfold_core::annotations::{COMMENT_MARK, GameAnnotations, Score, TimeControl, UNKNOWN_TIME};
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::corpus_spans;
use plyfold_core::notation::notate_game;
use plyfold_core::pgn::{pack_shard, upgrade_shard};
use plyfold_core::query::compile;
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_tests::games::{Aligned, PlayedGame, annotations, corpus};
use plyfold_tests::queries::{cases, games};
use plyfold_tests::shards::{CorpusParts, OF_TEXTS};
use proptest::prelude::*;

fn corpus_of(shard: &[u8]) -> Aligned {
    let mut header = CorpusFileHeader::empty();
    header.append(shard).expect("a shard");
    Aligned::new(&[&header.to_bytes()[..], shard].concat())
}

/// The annotations of all games of a text.
fn read(pgn: &str) -> Vec<GameAnnotations> {
    let (shard, report) = pack_shard(pgn.as_bytes(), 0);
    assert_eq!(report.rejections, [], "{pgn}");
    let bytes = Aligned::new(&shard);
    let layout = ShardLayout::check(bytes.bytes()).expect("sound");
    let shard = Shard::new(&layout, bytes.bytes());
    (0..shard.records.len() as u32).map(|game| shard.annotations_of(game).unpack()).collect()
}

#[test]
fn what_lichess_and_chess_com_write_is_read() {
    let lichess = "[TimeControl \"180+2\"]\n\n1. e4 { [%eval 0.36] [%clk 0:03:00] } 1... e5 { [%eval 0.25] [%clk 0:03:00] } \
        2. f4?! $14 { (0.25 → -0.40) Inaccuracy. Nf3 was best. } { [%eval -0.4] [%clk 0:02:57] } (2. Nf3 $1 { [%eval 9.0] }) \
        2... Qh4+?? { [%eval #3] } 3. Ke2 N { [%clk 0:02:01] } *\n";
    let [found] = &read(lichess)[..] else { panic!("one game") };
    let score = Score::centipawns;
    assert_eq!(found.scores, [score(36), score(25), score(-40), Score::mate(3, true)]);
    assert_eq!(found.clocks, [1800, 1800, 1770, UNKNOWN_TIME, 1210]);
    assert_eq!(found.marks, [(3, 6), (3, 14), (3, COMMENT_MARK), (4, 4)]);
    assert_eq!((found.time_control, &found.elapsed[..]), (TimeControl { base: 1800, increment: 20 }, &[][..]));

    let chess_com = "[TimeControl \"600\"]\n\n1. d4 {[%clk 0:09:59.9][%timestamp 1]} 1... d5 {[%clk 0:09:58.7]} 2. c4! ; Queen's Gambit\n*\n";
    let [found] = &read(chess_com)[..] else { panic!("one game") };
    assert_eq!((&found.clocks[..], &found.marks[..]), (&[5999, 5987][..], &[(3, 1), (3, COMMENT_MARK)][..]));
    assert_eq!(found.time_control, TimeControl { base: 6000, increment: 0 });

    // Nothing is said of a move before the first, in a variation, or behind the result.
    let silent =
        "{ [%eval 1.0] so } $1 1. e4 (1. d4 { well } $2) e5 1-0 { resigns } ; and more\n\n1. e4 {[%csl Ge4]} *\n";
    assert!(read(silent).iter().all(GameAnnotations::is_empty));
}

/// The text of a game with its annotations.
fn annotated_text(sans: &[String], said: &GameAnnotations) -> String {
    let mut text = String::new();
    let seconds = |tenths: u32| {
        if tenths.is_multiple_of(10) {
            format!("{}", tenths / 10 % 60)
        } else {
            format!("{}.{}", tenths / 10 % 60, tenths % 10)
        }
    };
    let time = |tenths: u32| format!("{}:{:02}:{}", tenths / 36_000, tenths / 600 % 60, seconds(tenths));
    let known = |times: &[u32], at: usize| times.get(at).copied().filter(|&tenths| tenths != UNKNOWN_TIME).map(time);
    if said.time_control != TimeControl::default() {
        let TimeControl { base, increment } = said.time_control;
        write!(text, "[TimeControl \"{}+{}\"]\n\n", base / 10, increment / 10).expect("a string");
    }
    for (at, san) in sans.iter().enumerate() {
        write!(text, "{san} ").expect("a string");
        for &(_, mark) in said.marks.iter().filter(|&&(ply, mark)| usize::from(ply) == at + 1 && mark > 0) {
            write!(text, "${mark} ").expect("a string");
        }
        if said.marks.contains(&(at as u16 + 1, COMMENT_MARK)) {
            text.push_str("{ a word } ");
        }
        if let Some(score) = said.scores.get(at).filter(|score| score.is_known()) {
            match (score.as_mate(), score.as_centipawns()) {
                (Some((moves, white)), _) => {
                    // `#0` alone says that the side which has moved mates.
                    let sign = if white { ["", "+"][usize::from(moves == 0)] } else { "-" };
                    write!(text, "{{ [%eval #{sign}{moves}] }} ")
                }
                (_, number) => write!(text, "{{[%eval {:.2}]}} ", f64::from(number.expect("a number")) / 100.0),
            }
            .expect("a string");
        }
        for (name, times) in [("clk", &said.clocks), ("emt", &said.elapsed)] {
            if let Some(time) = known(times, at) {
                write!(text, "{{ [%{name} {time}] }} ").expect("a string");
            }
        }
    }
    text + "*\n\n"
}

/// The games with texts that say what [`annotations`] say, and these, with marks in the order of such a text.
fn annotated(games: &[PlayedGame]) -> (String, Vec<GameAnnotations>) {
    let bytes = Aligned::new(&corpus(games, games.len()));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let of_game = |(nth, game): (usize, plyfold_core::Game<'_>)| {
        let mut said = annotations(nth, game.moves.len());
        said.marks.sort_by_key(|&(ply, mark)| (ply, mark == COMMENT_MARK));
        let sans: Vec<String> = notate_game(&game).into_iter().map(|mv| mv.san).collect();
        (annotated_text(&sans, &said), said)
    };
    let spans = corpus_spans(&corpus);
    let (texts, all): (Vec<String>, Vec<_>) =
        spans.iter().flat_map(|span| span.games().collect::<Vec<_>>()).enumerate().map(of_game).unzip();
    (texts.concat(), all)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn texts_say_what_was_written_into_them(games in games()) {
        let games: Vec<PlayedGame> = games
            .into_iter()
            .filter(|(start, moves)| start.is_none() && !moves.is_empty() && !moves.contains(&plyfold_core::Move::NULL))
            .collect();
        let (text, expected) = annotated(&games);
        if games.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(&read(&text), &expected, "{}", text);
        let (shard, _) = pack_shard(text.as_bytes(), 0);
        let bytes = corpus_of(&shard);

        // Without annotations the corpus opens and has none, and an upgrade reads them from the texts.
        let mut older = CorpusParts::of(bytes.bytes());
        older.shards[0].sections.retain(|section| !OF_TEXTS.contains(&section.kind));
        let older = Aligned::new(&older.bytes());
        let opened = CorpusReader::open(older.bytes(), CorpusCheck::EveryByte).expect("an older corpus");
        prop_assert!(opened.shards().all(|shard| !shard.has_annotations()));
        prop_assert!(corpus_spans(&opened)[0].games().all(|game| game.annotations.is_empty()));
        let (_, of_old) = opened.shard_bytes().next().expect("a shard");
        let upgraded = upgrade_shard(Aligned::new(of_old).bytes(), None).expect("sound").expect("an older shard");
        prop_assert!(upgraded == shard);
        // A shard that lacks only some of these sections gets them alone.
        for lacking in [&OF_TEXTS[..3], &OF_TEXTS[2..3], &OF_TEXTS[3..]] {
            let mut parts = CorpusParts::of(bytes.bytes()).shards.remove(0);
            parts.sections.retain(|section| !lacking.contains(&section.kind));
            let upgraded = upgrade_shard(Aligned::new(&parts.bytes()).bytes(), None).expect("sound");
            prop_assert!(upgraded.unwrap_or_else(|| parts.bytes()) == shard);
        }
        prop_assert_eq!(upgrade_shard(Aligned::new(&shard).bytes(), None).expect("sound"), None);

        // A copy of a game keeps what its text says.
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let mut copy = ShardBuilder::new();
        for (game, (shard, text)) in (0..).zip(expected.iter().map(|_| (corpus.shard(0), b"text"))) {
            copy.copy_game(&shard, game, text).expect("small");
        }
        let copied = corpus_of(&copy.into_bytes());
        let copied = CorpusReader::open(copied.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let found: Vec<GameAnnotations> = corpus_spans(&copied)[0].games().map(|game| game.annotations.unpack()).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn damaged_annotations_are_refused_or_harmless(games in games(), at in any::<prop::sample::Index>(), byte in any::<u8>(), kind in 0usize..3) {
        let bytes = corpus(&games, 20);
        let mut parts = CorpusParts::of(&bytes);
        let Some(shard) = parts.shards.first_mut() else { return Ok(()) };
        if shard.section(OF_TEXTS[1]).is_empty() {
            return Ok(());
        }
        let section = shard.section(OF_TEXTS[kind]);
        let place = at.index(section.len());
        section[place] = byte;
        let damaged = Aligned::new(&parts.bytes());
        let Ok(corpus) = CorpusReader::open(damaged.bytes(), CorpusCheck::EveryByte) else { return Ok(()) };
        let spans = corpus_spans(&corpus);
        for game in spans.iter().flat_map(|span| span.games().collect::<Vec<_>>()) {
            prop_assert!(game.annotations.unpack().plies() <= game.moves.len());
        }
        let query = compile("eval_change_cp > time_spent or mate_in = clock_time(white)").expect("a query");
        run_query(&spans, &query, &ReducerSelection::default(), &()).expect("nobody cancels");
    }

    #[test]
    fn bounds_of_annotations_change_no_result(games in games(), number in -400i32..400, query in prop::sample::select(ANNOTATION_QUERIES)) {
        let text = query.replace('#', &number.to_string());
        let query = compile(&text).expect("a query");
        let bytes = corpus(&games, 20);
        let mut parts = CorpusParts::of(&bytes);
        parts.shards.iter_mut().for_each(|shard| shard.sections.retain(|section| section.kind != OF_TEXTS[2]));
        let [with, without] = [bytes, parts.bytes()].map(|bytes| {
            let bytes = Aligned::new(&bytes);
            let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
            let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
            let selection = ReducerSelection { positions, games: true, ..ReducerSelection::default() };
            let found = run_query(&corpus_spans(&corpus), &query, &selection, &()).expect("nobody cancels");
            (found.games, found.positions)
        });
        prop_assert_eq!(with, without, "{}", text);
    }

    #[test]
    fn a_flipped_bit_is_found_by_the_checksum(games in games(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut bytes = corpus(&games, 20);
        let mut parts = CorpusParts::of(&bytes);
        let Some(shard) = parts.shards.first_mut() else { return Ok(()) };
        let section = shard.section(OF_TEXTS[1]).clone();
        if section.is_empty() {
            return Ok(());
        }
        let begin = bytes.windows(section.len()).position(|window| window == section).expect("a section");
        bytes[begin + at.index(section.len())] ^= 1 << bit;
        prop_assert!(CorpusReader::open(Aligned::new(&bytes).bytes(), CorpusCheck::WithoutTexts).is_err());
    }
}

/// Queries with a number at each `#`.
const ANNOTATION_QUERIES: &[&str] = &[
    "eval_cp >= #",
    "not eval_cp >= #",
    "never eval_cp < #",
    "eval_cp - eval_change_cp < #",
    "eval_change_cp <= # or mate_in = 3",
    "ceased eval_cp > #",
    "became eval_cp > # and white blunder",
    "white blunder or black mistake",
    "not black inaccuracy and loser time_trouble",
    "clock_time(white) < # then white mistake",
    "time_spent > # and queens_off",
    "{ clock_time(black) > # and clock_time(white) <= # }",
    "result 1-0 and eval_cp != #",
];

/// The plies of the only game of a text that match a query.
fn plies(pgn: &str, query: &str) -> Vec<u32> {
    let (shard, report) = pack_shard(pgn.as_bytes(), 0);
    assert_eq!((report.imported, &report.rejections[..]), (1, &[][..]), "{pgn}");
    let bytes = corpus_of(&shard);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let positions = Some(PositionSelection { limit: None, choice: PositionChoice::Every });
    let selection = ReducerSelection { positions, ..ReducerSelection::default() };
    let found =
        run_query(&corpus_spans(&corpus), &compile(query).expect(query), &selection, &()).expect("nobody cancels");
    found.positions.into_iter().flatten().map(|position| position.ply.0).collect()
}

/// A game with all that can be said.
const ANNOTATED: &str = "[TimeControl \"180+2\"]\n\n\
    1. e4 {[%eval 0.3] [%clk 0:03:00]} e5 {[%eval 0.2] [%clk 0:03:00]} \
    2. f4 {[%eval -0.5] [%clk 0:02:50]} exf4 {[%eval -0.4] [%clk 0:00:31.9]} \
    3. g4 {[%eval -2.5] [%clk 0:02:49]} d5 {[%emt 0:00:07]} 4. Nc3 {[%eval -1.0]} Qh4+ {[%eval #-2] [%clk 0:00:05]} *\n";

#[test]
fn numbers_are_those_of_the_text() {
    for (query, expected) in [
        ("eval_cp >= 0", &[1, 2][..]),
        ("eval_cp < 0", &[3, 4, 5, 7, 8]),
        ("eval_cp <= 0 - 100000", &[8]),
        ("evaluation = 0 - 0.5", &[3]),
        ("mate_in = 0 - 2", &[8]),
        ("mate_in != 5", &[8]),
        // From 15 centipawns to 30, and so on; Black's gains are White's losses.
        ("eval_change_cp = 15", &[1]),
        ("eval_change_cp = 10", &[2]),
        ("eval_change_cp <= 0 - 50", &[3, 5]),
        ("eval_change_cp > 50", &[8]),
        ("clock_time(white) = 180", &[1, 2]),
        ("clock time (white) < 170", &[5, 6]),
        ("clock_time(black) = 31", &[4, 5]),
        ("clock_time(black) <= 5", &[8]),
        ("clock_time(white) - clock_time(black) > 60", &[4, 5]),
        ("time_spent = 12", &[3]),
        ("time_spent > 100", &[4]),
        ("time_spent <= 7", &[5, 6]),
        ("2 * time_spent > 23", &[3, 4]),
        ("time_spent = time_spent", &[3, 4, 5, 6]),
        ("0 * eval_cp = 0", &[1, 2, 3, 4, 5, 7, 8]),
        ("{ not eval = eval }", &[6]),
    ] {
        assert_eq!(plies(ANNOTATED, query), expected, "{query}");
    }
    assert_eq!(plies("1. e4 e5 2. Nf3 *", "eval_cp = eval or time_spent >= 0 or clock_time(white) >= 0"), [0; 0]);
    // The start is not the initial position, so its evaluation is unknown.
    let other_start =
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 {[%eval 1.0] [%clk 0:00:09]} 2. e4 {[%eval 2.0]} *";
    assert_eq!(plies(other_start, "eval_change_cp = 100"), [2]);
    assert_eq!(plies(other_start, "eval_change_cp != 100"), [0; 0]);
    assert_eq!(plies(other_start, "clock_time(black) = 9"), [1, 2]);
}

#[test]
fn numbers_of_text_and_board_do_not_mix() {
    for text in ["eval_cp > count(pawn)", "3 < 2 * points(white) - eval", "clock_time(white) = clock"] {
        let error = compile(text).expect_err(text);
        assert!(error.message.contains("not added to or compared with numbers of the board"), "{}", error.message);
    }
    for text in
        ["clock_time < 3", "clock_time(both) < 3", "clock_time(white < 3", "clock_time(", "eval", "white eval > 3"]
    {
        let error = compile(text).expect_err(text);
        assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
    }
}

#[test]
fn marks_are_those_of_the_moves() {
    let marked = "[TimeControl \"300+3\"]\n\n\
        1. e4! {[%eval 0.3] [%clk 0:05:00] best} e5 {[%eval 0.2] [%clk 0:00:29]} 2. f4 $6 {[%eval -0.5] [%clk 0:00:30]} \
        exf4 {[%eval 0.6]} 3. g4?? {[%eval -2.5]} d5 {[%eval #3]} 4. Nc3 {[%eval 0.0]} Qh4+ $140 {[%eval #-2]} *\n";
    for (query, expected) in [
        ("blunder", &[5, 6, 7][..]),
        ("white blunder", &[5, 7]),
        ("black blunders", &[6]),
        ("mistake", &[4]),
        ("inaccuracy", &[3]),
        ("either inaccuracies", &[3]),
        ("time_trouble", &[2]),
        ("white time trouble", &[]),
        ("black time-pressure", &[2]),
        ("commented", &[1]),
        ("nag \"!\"", &[1]),
        ("nag 1", &[1]),
        ("white nag \"?!\"", &[3]),
        ("nag \"??\" or black nag 140", &[5, 8]),
        ("black nag 4", &[]),
        ("became white blunder", &[5, 7]),
    ] {
        assert_eq!(plies(marked, query), expected, "{query}");
    }
    // Without a time control, half a minute is the limit.
    assert_eq!(plies("1. e4 {[%clk 0:00:29.9]} e5 {[%clk 0:00:30]} *", "time_trouble"), [1]);
    for text in
        ["nag", "nag 0", "nag 256", "nag \"???\"", "both blunder", "mover mistake", "nag white", "white nag on e4"]
    {
        let error = compile(text).expect_err(text);
        assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
    }
}
