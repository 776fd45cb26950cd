//! Comments are searched in the texts of the games that match the rest of a query, and the result is that of a search in all texts.

use plyfold_core::comment_search::{CommentSearch, bind_comments, bind_comments_of_all};
use plyfold_core::corpus::build::ShardBuilder;
use plyfold_core::corpus::file::{CorpusCheck, CorpusFileHeader, CorpusReader};
use plyfold_core::corpus::record::GameHeader;
use plyfold_core::game::corpus_spans;
use plyfold_core::headers::OpeningNames;
use plyfold_core::line_search::line_candidates;
use plyfold_core::notation::notate_game;
use plyfold_core::pgn::pack_shard;
use plyfold_core::query::{CompiledQuery, compile};
use plyfold_core::reduce::matching_positions::{PositionChoice, PositionSelection};
use plyfold_core::reduce::{ReducerSelection, run_query};
use plyfold_core::scan::Query;
use plyfold_core::scan::evidence::PositionRule;
use plyfold_core::scan::parts::headers_rule_out;
use plyfold_tests::games::{Aligned, PlayedGame, annotations, comment, corpus};
use plyfold_tests::lines::bind_lines;
use plyfold_tests::queries::{bound, cases, games, query};
use plyfold_tests::shards::CorpusParts;
use proptest::prelude::*;

fn corpus_of(shard: &[u8]) -> Aligned {
    let mut header = CorpusFileHeader::empty();
    header.append(shard).expect("a shard");
    Aligned::new(&[&header.to_bytes()[..], shard].concat())
}

const GAMES: &str = "[White \"A\"]\n[Result \"1-0\"]\n\n{ a novelty before the first move } 1. e4 { A Novelty! [%eval 0.3] } e5 { [%eval 0.2] } \
2. Nf3 (2. f4 { a novelty in a variation }) { best by test } { and a second one } Nc6 ; a novelty, they say\n3. Bb5 1-0\n\n\
[White \"B\"]\n[Result \"0-1\"]\n\n1. d4 { M\u{fc}ller calls it a mistake } d5 { so\nlong } 2. c4 { better: [%cal Gc1f4] Bf4 } 0-1\n\n\
[White \"C\"]\n\n1. c4 {[%clk 0:00:09]} *\n\n";

/// The game and ply of every match, both from 1, and what was read.
fn search(corpus: &Aligned, query: &str) -> (Vec<(u64, u32)>, CommentSearch) {
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let mut query = compile(query).expect(query);
    let search = bind_comments(&mut query, &corpus, &()).expect("sound texts");
    let selection = ReducerSelection {
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
        ..ReducerSelection::default()
    };
    let found = run_query(&corpus_spans(&corpus), &query, &selection, &()).expect("nobody cancels");
    let places = found.positions.into_iter().flatten().map(|position| (position.game.number(), position.ply.0));
    (places.collect(), search)
}

/// Several queries find what each of them finds alone, and count the texts that each of them needs.
#[test]
fn queries_share_the_texts_that_they_read() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    let opened = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let texts =
        ["comment \"*novelty*\"", "result 1-0", "white \"B\" and comment \"so long\"", "black comment \"*novelty*\""];
    let mut queries = texts.map(|text| compile(text).expect(text));
    let mut all: Vec<&mut Query> = queries.iter_mut().collect();
    let searches = bind_comments_of_all(&mut all, &opened, &()).expect("sound texts");
    assert_eq!(searches.iter().map(|search| search.games).collect::<Vec<_>>(), [2, 0, 1, 2]);
    for ((text, query), together) in texts.iter().zip(&queries).zip(searches) {
        let mut alone = compile(text).expect(text);
        assert_eq!(bind_comments(&mut alone, &opened, &()).expect("sound texts"), together, "{text}");
        assert_eq!(results(&opened, query), results(&opened, &alone), "{text}");
    }
}

#[test]
fn comments_are_found_where_they_stand() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    for (query, expected) in [
        ("comment \"*novelty*\"", &[(1, 1), (1, 4)][..]),
        ("comment \"a novelty\"", &[(1, 1)]),
        ("comment \"A NOVELTY !\"", &[(1, 1)]),
        ("black comment \"*novelty*\"", &[(1, 4)]),
        ("comment \"best*\" or comment \"and*\"", &[(1, 3)]),
        ("comment \"best*one\"", &[]),
        ("comment \"so long\"", &[(2, 2)]),
        ("comment \"muller*\"", &[(2, 1)]),
        ("comment \"better: Bf4\"", &[(2, 3)]),
        ("comment \"*eval*\"", &[]),
        ("comment \"*\"", &[(1, 1), (1, 3), (1, 4), (2, 1), (2, 2), (2, 3)]),
        ("winner comment \"*\"", &[(1, 1), (1, 3), (2, 2)]),
        ("{ comment \"*novelty*\" and white pawn on e4 }", &[(1, 1), (1, 4)]),
        ("{ not comment \"*\" and ply 1 }", &[(3, 1)]),
        ("white \"C\" and not comment \"*novelty*\"", &[(3, 1)]),
    ] {
        assert_eq!(search(&corpus, query).0, expected, "{query}");
    }
    for text in [
        "comment",
        "comment novelty",
        "comment \"\"",
        "both comment \"x\"",
        "mover comment \"x\"",
        "comment \"x\" on e4",
    ] {
        let error = compile(text).expect_err(text);
        assert!(error.from <= error.to && error.to <= text.len(), "{text}: {error:?}");
    }
}

#[test]
fn only_the_texts_of_games_that_match_the_rest_are_read() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    for (query, games) in [
        ("check or pawn on e4", 0),
        ("comment \"*x*\"", 2),
        ("white \"A\" and comment \"*x*\"", 1),
        ("result 1/2-1/2 and comment \"*x*\"", 0),
        ("white knight on f3 and comment \"*x*\"", 1),
        ("{ white knight on f3 and black comment \"*x*\" }", 1),
        ("{ white knight on f3 and ply 5 and comment \"*x*\" }", 0),
        ("white \"B\" and not comment \"*x*\"", 1),
        ("not comment \"*x*\"", 2),
        ("comment \"*x*\" then white knight on f3", 2),
    ] {
        let read = search(&corpus, query).1;
        assert_eq!(read, CommentSearch { games, ..CommentSearch::default() }, "{query}");
        assert_eq!(read.note(), None);
    }
    // A shard of an older version does not say which moves have comments.
    let mut older = CorpusParts::of(corpus.bytes());
    older.shards[0].sections.retain(|section| ![17, 18, 20].contains(&section.kind));
    let older = Aligned::new(&older.bytes());
    assert_eq!(
        search(&older, "black comment \"*novelty*\""),
        (vec![(1, 4)], CommentSearch { games: 3, ..CommentSearch::default() })
    );
}

#[test]
fn games_without_texts_are_counted() {
    let corpus = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    let corpus = CorpusReader::open(corpus.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let mut builder = ShardBuilder::new();
    (0..3).for_each(|game| builder.copy_game(&corpus.shard(0), game, b"").expect("small"));
    builder.push_game(&GameHeader::default(), None, &[], b"no game at all").expect("small");
    let (found, search) = search(&corpus_of(&builder.into_bytes()), "comment \"*\"");
    assert_eq!((found, search), (Vec::new(), CommentSearch { games: 2, without_text: 2, without_tags: 0 }));
    assert!(search.note().is_some_and(|note| note.starts_with("2 games keep no text")));
}

#[test]
fn lines_are_followed_in_the_games_that_match_the_rest() {
    let bytes = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    for (text, games) in [
        ("left @wide", 3),
        ("white \"B\" and left @wide", 1),
        ("white \"C\" or never in_repertoire @wide", 3),
        ("result 1-0 and not in_repertoire @wide and comment \"*\" and tag \"Round\" \"1\"", 1),
        ("white \"A\" and { white knight on f3 and left @wide }", 1),
        ("white \"B\" and { white knight on f3 and left @wide }", 0),
    ] {
        let query = compile(text).expect(text);
        let found = line_candidates(&query, &corpus_spans(&corpus), &()).expect("nobody cancels");
        assert_eq!(found.count(), games, "{text}");
    }
}

/// The games as a text with the comments that tests give them.
fn commented(games: &[PlayedGame]) -> String {
    let bytes = Aligned::new(&corpus(games, games.len()));
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    let mut text = String::new();
    for (nth, game) in spans.iter().flat_map(|span| span.games().collect::<Vec<_>>()).enumerate() {
        let marks = annotations(nth, game.moves.len()).marks;
        for (ply, mv) in (1..).zip(notate_game(&game)) {
            text += &mv.san;
            text += if marks.contains(&(ply, 0)) { " {" } else { " " };
            if marks.contains(&(ply, 0)) {
                text += &format!("{}}} ", comment(nth as u32, ply.into()));
            }
        }
        text += "*\n\n";
    }
    text
}

/// The games and positions that match.
fn results(corpus: &CorpusReader<'_>, query: &Query) -> (Vec<u32>, Vec<(u32, u32)>) {
    let selection = ReducerSelection {
        games: true,
        positions: Some(PositionSelection { limit: None, choice: PositionChoice::Every }),
        ..ReducerSelection::default()
    };
    let found = run_query(&corpus_spans(corpus), query, &selection, &()).expect("nobody cancels");
    let positions = found.positions.into_iter().flatten().map(|position| (position.game.0, position.ply.0));
    (found.games.iter().flat_map(|set| set.iter()).map(|game| game.0).collect(), positions.collect())
}

proptest! {
    #![proptest_config(cases(300))]

    /// The texts that are not read could not have changed the result.
    #[test]
    fn some_texts_tell_as_much_as_all(
        games in games(), text in query(), mark in prop::sample::select(vec!["*novelty", "*e*", "n"]), how in 0usize..6,
        evidence in any::<bool>(),
    ) {
        let games: Vec<PlayedGame> = games
            .into_iter()
            .filter(|(start, moves)| start.is_none() && !moves.is_empty() && !moves.contains(&plyfold_core::Move::NULL))
            .collect();
        if games.is_empty() {
            return Ok(());
        }
        let bytes = corpus_of(&pack_shard(commented(&games).as_bytes(), 0).0);
        let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
        let comment = format!("comment \"{mark}\"");
        let text = match how {
            0 => text,
            1 => format!("({text}) and {comment}"),
            2 => format!("({text}) and not white {comment}"),
            3 => format!("became {comment} or ({text}) and never {comment} for 2"),
            4 => format!("{comment} then ({text})"),
            _ => format!("{{ {comment} and check }} or not {{ {comment} or check }} and ({text})"),
        };
        let rule = if evidence { PositionRule::Evidence } else { PositionRule::Everywhere };
        let Ok(compiled) = CompiledQuery::read_positions(&text, &OpeningNames::default(), rule) else { return Ok(()) };
        let mut some = bound(compiled.plan);
        bind_lines(&mut some, &corpus_spans(&corpus));
        let mut all = some.clone();
        bind_comments(&mut some, &corpus, &()).expect("sound texts");
        plyfold_tests::games::bind_comments(&mut all, &corpus_spans(&corpus));
        prop_assert_eq!(results(&corpus, &some), results(&corpus, &all), "{}", text);
    }
}

#[test]
fn headers_rule_out_games_whatever_their_texts_and_lines_are() {
    let bytes = corpus_of(&pack_shard(GAMES.as_bytes(), 0).0);
    let corpus = CorpusReader::open(bytes.bytes(), CorpusCheck::EveryByte).expect("a corpus");
    let spans = corpus_spans(&corpus);
    for rest in ["tag \"Board\" \"3\"", "comment \"*\"", "left @wide", "not { comment \"*\" and left @wide }"] {
        for (header, is_ruled_out) in [("white \"Nobody\"", true), ("white \"A\"", false)] {
            let query = compile(&format!("{header} and {rest}")).expect(rest);
            let weakened = query.without_lines().without_tags().without_comments(false);
            assert_eq!(headers_rule_out(&weakened, false, &spans[0]), is_ruled_out, "{header} and {rest}");
        }
    }
}
