//! What is changed in the text of a game is changed, and everything else stays: its moves first of all. Lines have every move of the games that
//! are read. All of this from bad PGN too.

use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::moves::Move;
use plyfold_core::pgn::{LineTree, Omission, PgnEntry, TagEdit, edit_tags, read_games, read_tags};
use proptest::prelude::*;

use crate::twin::SCRAPS;

/// The moves of the first game.
fn moves(text: &[u8]) -> Option<Vec<Move>> {
    let mut first = None;
    read_games(text, 0, &mut |entry| {
        if let PgnEntry::Game { moves, .. } = entry {
            first.get_or_insert_with(|| moves.to_vec());
        }
    });
    first
}

/// Whether each bracket of a text is that of a tag on its own line, or of a command. Elsewhere a line that comes or goes may change what a
/// bracket is, which a copy finds and refuses.
fn has_tag_lines(text: &[u8]) -> bool {
    let is_plain = |line: &[u8]| {
        line.starts_with(b"[")
            && line.ends_with(b"\"]")
            && !line[1..line.len() - 1].iter().any(|byte| b"[]".contains(byte))
    };
    text.split(|byte| *byte == b'\n').all(|line| {
        let is_command = line.windows(2).all(|two| two[0] != b'[' || two[1] == b'%') && !line.ends_with(b"[");
        is_command || is_plain(line)
    })
}

/// The texts of the games of which everything was understood.
fn sound_games(text: &[u8]) -> Vec<Vec<u8>> {
    let mut games = Vec::new();
    read_games(text, 0, &mut |entry| {
        if let PgnEntry::Game { text, fault: None, notes: [], .. } = entry
            && has_tag_lines(text)
        {
            games.push(text.to_vec());
        }
    });
    games
}

fn shown(text: &[u8]) -> String {
    text.escape_ascii().to_string()
}

fn check_changes(text: &[u8], bits: u8) {
    let has = |bit: u8| bits & 1 << bit != 0;
    let omission =
        Omission { comments: has(0), variations: has(1), glyphs: has(2), clocks: has(3), evaluations: has(4) };
    let left = omission.of(text);
    assert_eq!(moves(&left), moves(text), "{omission:?} of {} is {}", shown(text), shown(&left));
    let set = |name, value| TagEdit::Set { name, value };
    let value = "a \"b\" \\";
    let edited = edit_tags(text, &[set("Zz", value)]);
    let has_tag = |text: &[u8]| read_tags(text).iter().any(|tag| tag.name == "Zz" && tag.value == value);
    assert!(has_tag(&edited), "{} is {}", shown(text), shown(&edited));
    assert_eq!(moves(&edited), moves(text), "{} is {}", shown(text), shown(&edited));
    let removed = edit_tags(&edited, &[TagEdit::Remove { name: "zz" }]);
    assert!(!has_tag(&removed) && moves(&removed) == moves(text), "{} is {}", shown(text), shown(&removed));
    for result in ["1-0", "*"] {
        let edited = edit_tags(text, &[set("Result", result)]);
        assert_eq!(moves(&edited), moves(text), "{} is {}", shown(text), shown(&edited));
    }
}

fn check_lines(text: &[u8]) {
    let Ok(tree) = LineTree::read(text) else { return };
    read_games(text, 0, &mut |entry| {
        let PgnEntry::Game { start, moves, text, .. } = entry else { panic!("lines have a game that cannot be read") };
        // Lines are read from the text of each game, which reads otherwise alone if its first tag is in the midst of a line.
        if self::moves(text).as_deref() != Some(moves) {
            return;
        }
        let mut board = start.as_ref().map_or_else(Board::initial, Board::from_start);
        for &mv in moves {
            let position = tree.get(board.hash).expect("a position of the main line");
            assert!(position.moves.contains(&mv), "{}", shown(text));
            board.make::<FullState>(mv);
        }
        assert!(tree.get(board.hash).is_some(), "{}", shown(text));
    });
    for (hash, position) in tree.positions() {
        let moves = tree.moves_to(hash);
        assert_eq!(moves.is_empty(), position.before.is_none());
        assert!(moves.iter().all(|(before, mv)| before.moves.contains(mv)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn changes_keep_the_moves(
        tags in 0usize..4,
        scraps in prop::collection::vec(0..SCRAPS.len(), 0..60),
        bits in any::<u8>(),
    ) {
        let mut text = ["", "[Event \"a\"]\n\n", "[White \"b\"]\n[Result \"*\"]\n\n", "[A \"\"]\n"][tags].to_owned();
        text.extend(scraps.iter().map(|&scrap| SCRAPS[scrap]));
        let text = text.into_bytes();
        // Nothing panics, whatever the text is.
        check_lines(&text);
        let _ = (Omission { comments: true, variations: true, ..Omission::default() }.of(&text), read_tags(&text));
        sound_games(&text).iter().for_each(|game| check_changes(game, bits));
    }

    #[test]
    fn changes_of_any_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), bits in any::<u8>()) {
        check_lines(&bytes);
        let _ = Omission { comments: true, glyphs: bits & 1 != 0, clocks: true, ..Omission::default() }.of(&bytes);
        let edits = [TagEdit::Set { name: "Result", value: "1-0" }, TagEdit::Rename { name: "A", to: "B" }];
        let _ = edit_tags(&bytes, &edits);
    }
}
