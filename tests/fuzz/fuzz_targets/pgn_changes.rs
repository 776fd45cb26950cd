//! Any bytes as PGN with changes of its games: what is left out of a game and what becomes of its tags leaves its moves as they are, and
//! a tag that is set reads as its value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::moves::Move;
use plyfold_core::pgn::{Omission, PgnEntry, TagEdit, edit_tags, read_games, read_tags};

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

/// Whether each bracket is that of a tag on its own line, or of a command. Elsewhere a line that comes or goes may change what a bracket is,
/// which a copy finds and refuses.
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

fn check(text: &[u8], bits: u8) {
    let has = |bit: u8| bits & 1 << bit != 0;
    let omission =
        Omission { comments: has(0), variations: has(1), glyphs: has(2), clocks: has(3), evaluations: has(4) };
    let left = omission.of(text);
    // A new tag begins no other game, whatever the tags are.
    let value = "a \"b\" \\";
    let edited = edit_tags(text, &[TagEdit::Set { name: "Zz", value }]);
    let tags = read_tags(&edited);
    assert!(tags.iter().any(|tag| tag.name.eq_ignore_ascii_case("Zz") && tag.value == value), "{tags:?}");
    assert_eq!(edit_tags(&edited, &[TagEdit::Set { name: "Zz", value }]), edited);
    let removed = edit_tags(&edited, &[TagEdit::Remove { name: "Zz" }]);
    assert!(!read_tags(&removed).iter().any(|tag| tag.name.eq_ignore_ascii_case("Zz")));
    for result in ["1-0", "*"] {
        let edited = edit_tags(text, &[TagEdit::Set { name: "Result", value: result }]);
        assert_eq!(moves(&edited), moves(text), "the result {result}");
    }
    assert_eq!(moves(&edited), moves(text));
    assert_eq!(moves(&left), moves(text));
}

fuzz_target!(|input: &[u8]| {
    let Some((&bits, input)) = input.split_first() else { return };
    // No text at all makes it panic.
    let _ = (Omission { comments: true, variations: true, ..Omission::default() }.of(input), read_tags(input));
    let edits = [TagEdit::Rename { name: "A", to: "B" }, TagEdit::Remove { name: "White" }];
    let _ = edit_tags(input, &edits);
    read_games(input, 0, &mut |entry| {
        if let PgnEntry::Game { text, fault: None, notes: [], .. } = entry
            && has_tag_lines(text)
        {
            check(text, bits);
        }
    });
});
