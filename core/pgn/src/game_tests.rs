//! Tests of the reader of games.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_board::board::Board;
use plyfold_board::board::start::PackedStart;

use super::game::PgnReader;
use super::{PgnEntry, PgnGameStart, RejectionReason};

#[test]
fn the_text_of_a_game_reads_the_same_by_itself() {
    // Where a line begins, `%` makes a comment of it; elsewhere it is a mark like any other.
    let games = [
        (" % 1. e4 (e5", &["1. e4 (e5"][..]),
        ("\n %%\n % [White \"a\"]\n\n1. e4 \u{10}", &["[White \"a\"]\n\n1. e4"]),
        ("1. e4 *%1. d4 *% 1. c4", &["1. e4 *", "1. d4 *", "1. c4"]),
        ("% 1. d4\n1. e4 % e5", &["% 1. d4\n1. e4 % e5"]),
        // An Event tag within a value of the game that a comment without an end would take in.
        (
            "[Event \"a\"]\n1. e4 {\n[Site \"b\"]\n[White \"c [Event \"x\" d\"]\n\n1. d4 *",
            &["[Event \"a\"]\n1. e4 {", "[Site \"b\"]\n[White \"c [Event \"x\" d\"]\n\n1. d4 *"],
        ),
    ];
    for (text, own) in games {
        let read = |text: &str| {
            let mut all = Vec::new();
            PgnReader::new().read_games(text.as_bytes(), 0, &mut |entry| match entry {
                PgnEntry::Game { text, offset, moves, .. } => all.push((offset, text.to_vec(), moves.to_vec())),
                PgnEntry::Rejected(refusal) => panic!("{text}: {refusal:?}"),
            });
            all
        };
        let whole = read(text);
        assert_eq!(
            whole.iter().map(|(_, own, _)| own.as_slice()).collect::<Vec<_>>(),
            own.iter().map(|own| own.as_bytes()).collect::<Vec<_>>()
        );
        for ((offset, bytes, moves), own) in whole.into_iter().zip(own) {
            assert_eq!(&text.as_bytes()[offset as usize..][..own.len()], bytes, "{text}");
            assert_eq!(read(own), [(0, bytes, moves)], "{text}");
        }
    }
}

/// White's name, the plies, and whether there is a fault, of each game.
fn summaries(text: &str) -> Vec<(String, usize, bool)> {
    let mut games = Vec::new();
    PgnReader::new().read_games(text.as_bytes(), 0, &mut |entry| match entry {
        PgnEntry::Game { header, moves, fault, .. } => {
            games.push((header.white.into_owned(), moves.len(), fault.is_some()));
        }
        PgnEntry::Rejected(refusal) => games.push((refusal.reason.to_string(), 0, true)),
    });
    games
}

#[test]
fn what_is_open_ends_before_tags_and_comments_may_quote_them() {
    for (text, expected) in [
        ("[White \"a\"]\n\n1. e4 {open\n\n[White \"b\"]\n\n1. d4 *", &[("a", 1), ("b", 1)][..]),
        ("[White \"a\"]\n\n1. e4 {open\n\n[White \"b\"]\n\n1. d4 {x} d5 *", &[("a", 1), ("b", 2)]),
        ("[White \"a\"]\n\n1. e4 (1. d4\n\n[White \"b\"]\n\n1. d4 d5 *", &[("a", 1), ("b", 2)]),
        ("[White \"a\"]\n\n1. e4 *\n-----\n[White \"b\"]\n\n1. d4 -- *", &[("a", 1), ("b", 2)]),
        ("[White\n\"a\"]\n[Black\u{a0}\"b\"]\n\n1. e4 *", &[("a", 1)]),
        ("[White\u{a0}\"a\"]\n[Black &quot;b&quot;]\n\n1. e4 *", &[("a", 1)]),
        ("[White &quot;a&quot;]\n\n1. e4 *", &[("a", 1)]),
        ("[White \"a\"]\n\n1. e4 {quoted\n\n[White \"b\"]\n\n1. d4 1-0\n\n} e5 *", &[("a", 2)]),
        ("[White \"a\"]\n\n1. e4 {nested {b} c} e5 *", &[("a", 2)]),
        ("[White \"a\"]\n\n1. e4 {not {nested} e5 *", &[("a", 2)]),
    ] {
        let games: Vec<_> = expected.iter().map(|&(white, plies)| (white.into(), plies, false)).collect();
        assert_eq!(summaries(text), games, "{text}");
    }
}

#[test]
fn tags_as_people_write_them() {
    for tags in [
        "[White: \"A\"]",
        "[White \u{201c}A\u{201d}]",
        "[White 'A']",
        "[White A]",
        "[White=\"A\"]",
        "[white \"A\"]",
        "[WHITE \"A\"]",
        "[Event \"a\"]\n[White-Team \"x\"]\n[White \"A\"]",
        "[Event \"a\"]\n[1Team \"x\"]\n[White \"A\"]\n[Team]",
        "[Event \"a\"]\n[White \"A\"]\n[Team x]\n[White B]",
        "[Event \"a\"]\nsome words\nand more\n[White \"A\"]",
        "[Event \"a\"]\n{a comment}\n[White \"A\"]",
        "[Event \"a\nlong\"]\n[White \"A\"]",
        "[White \"A\"]\n[Event \"\u{201c}b\u{201d}\"]",
    ] {
        for end in ["\n", "\r\n"] {
            let text = alloc::format!("{tags}\n\n1. e4 e5 1-0\n").replace('\n', end);
            assert_eq!(summaries(&text), [("A".into(), 2, false)], "{text:?}");
        }
    }
}

#[test]
fn a_mail_quotes_games() {
    let game = "[Event \"E\"]\n[White \"A\"]\n\n1. e4 e5\n2. Nf3 1-0\n\n";
    let mail: String = game.repeat(2).lines().flat_map(|line| ["> ", line, "\n"]).collect();
    assert_eq!(summaries(&mail), [("A".into(), 3, false), ("A".into(), 3, false)]);
    let letter = alloc::format!("Dear friend,\n\nhere it is:\n\n{mail}\nYours\n");
    let games = summaries(&letter);
    assert_eq!(games.iter().filter(|game| **game == ("A".into(), 3, false)).count(), 2, "{games:?}");
    assert!(games.iter().all(|(name, plies, is_refused)| name == "A" || *plies == 0 && *is_refused), "{games:?}");
}

#[test]
fn the_legal_part_of_a_game_is_a_game() {
    for (text, expected) in [
        ("1. e4 e5 2. Ke3 Nc6 1-0", &[("?", 2, true)][..]),
        ("[White \"a\"]\n\n1. e4 e5 2. Zz 1-0\n\n[White \"b\"]\n\n1. e4 *", &[("a", 2, true), ("b", 1, false)]),
        ("[White \"a\"]\n\ne4 hello", &[("a", 1, true)]),
        ("e4 is a move", &[("cannot read \"is\" as a move (write pieces as KQRBN)", 0, true)]),
        ("[White \"a\"]\n\n1. 5254 5755", &[("cannot read \"5254\" as a move (write pieces as KQRBN)", 0, true)]),
        ("[White \"a\"]\n\n1. Ke2", &[("illegal move \"Ke2\"", 0, true)]),
    ] {
        let games: Vec<_> = expected.iter().map(|&(white, plies, fault)| (white.into(), plies, fault)).collect();
        assert_eq!(summaries(text), games, "{text}");
    }
}

#[test]
fn moves_behind_a_result_belong_to_no_game() {
    for (text, expected) in [
        ("[White \"a\"]\n\n1. e4 1-0 e5 2. d4\n\n[White \"b\"]\n\n*", &[("a", 1), ("b", 0)][..]),
        ("[White \"a\"]\n\n1. e4 1-0\n\n2. d4 1-0\n\n1. d4 d5 *", &[("a", 1), ("?", 2)]),
        ("1. e4 1-0 1. d4 *", &[("?", 1), ("?", 1)]),
        ("[White \"a\"]\n\n1. e4 1-0\ne5 2. d4", &[("a", 1)]),
        ("[White \"a\"]\n\n1. e4 1-0\n\nd4 d5 *", &[("a", 1), ("?", 2)]),
        ("e4 1-0 d4 *", &[("?", 1), ("?", 1)]),
        ("[White \"a\"]\n\n1. e4 1-0 {so}\n\n{before} [White \"b\"]\n\n1. e4", &[("a", 1), ("b", 1)]),
    ] {
        let games: Vec<_> = expected.iter().map(|&(white, plies)| (white.into(), plies, false)).collect();
        assert_eq!(summaries(text), games, "{text}");
    }
}

#[test]
fn a_number_of_black_begins_no_game() {
    for text in ["1. e4\n\n1... e5 2. Nf3", "1. e4\n\n(1. d4)\n\n1. ... e5 2. Nf3", "1. e4\n\n1.. e5\n\n2. Nf3"] {
        assert_eq!(summaries(text), [("?".into(), 3, false)], "{text}");
    }
    assert_eq!(summaries("1. e4\n\n1. d4").len(), 2);
}

#[test]
fn games_begin_where_they_are_read() {
    for text in [
        "",
        "no game at all",
        "1. e4 e5 1-0\n\n1. d4 *",
        "[Event \"a\"]\n\n1. e4 (1. d4) {x} e5 1-0\n\n[Event \"b\"]\n[Result \"*\"]\n\n*\n",
        "[FEN \"7k/8/8/8/8/8/8/KR6 w - - 0 1\"]\n\n1. Rh1+ *\n\n1. e4 *\n",
        "\n\n[Event \"a\"]\n\n[Event \"b\"]\n\n1. e4\n\n[Event \"c\"]\n\n1. e4 {open\n\n[Event \"d\"]\n1. Zz *\n",
        "[Event \"a\"]\n\n1. e4½-½ 1. d4 Nf6½ 1. c4 *\n",
        "[Event \"a\"]\n\n1. e4\u{92}1-0\n\n1. d4 d5\u{92}1-0\n",
        "[Event \"a\"]\n-\"]\n\n1. e4 e5 1-0\n\n[Event \"b\"]\n\nD x e.p.\n\n1. d4 *\n",
        "[Event \"a\"]\r\n[SetUp \"1\"]\r\n[FEN \"k7/8/K7/8/8/8/8/7R w - - 5 9\"]\r\n\r\n1. Rh8# 1-0\r\n",
    ] {
        let mut read: Vec<(u64, Option<PackedStart>)> = Vec::new();
        PgnReader::new().read_games(text.as_bytes(), 7, &mut |entry| match entry {
            PgnEntry::Game { offset, start, .. } => read.push((offset, start)),
            // Its place is that of the move at fault, and nothing refuses to begin.
            PgnEntry::Rejected(refusal) if refusal.ply > 0 => read.push((u64::MAX, None)),
            PgnEntry::Rejected(_) => {}
        });
        let mut begun: Vec<(u64, Option<String>)> = Vec::new();
        PgnReader::new().find_game_starts(text.as_bytes(), 7, &mut |game| {
            let game = game.expect("no variant");
            begun.push((game.offset, game.fen.map(alloc::borrow::Cow::into_owned)));
        });
        assert_eq!(begun.len(), read.len(), "{text}");
        for ((offset, fen), (read_offset, start)) in begun.into_iter().zip(read) {
            assert!(offset == read_offset || read_offset == u64::MAX, "{text}");
            let start = start.map(|start| alloc::format!("{}", Board::from_start(&start).fen()));
            assert_eq!(fen, start, "{text}");
        }
    }
}

#[test]
fn a_beginning_is_as_it_is_written() {
    let text = "[FEN \"8/8/pP\\\"\"]\n\n*\n\n[Variant \"Horde\"]\n\n*\n\n[Variant \"Horde\"]\n[FEN \"8/8\"]\n\n*\n\n[Variant \"Chess960\"]\n\n*\n";
    let mut begun = Vec::new();
    let mut begin = |game: Result<PgnGameStart<'_>, RejectionReason>| {
        begun.push(game.map(|game| game.fen.map(alloc::borrow::Cow::into_owned)));
    };
    PgnReader::new().find_game_starts(text.as_bytes(), 0, &mut begin);
    let fen = |text: &str| Ok(Some(text.into()));
    assert_eq!(begun, [fen("8/8/pP\""), Err(RejectionReason::Variant("horde".into())), fen("8/8"), Ok(None)]);
}
