//! Any bytes as the lines of a repertoire, as a file of aliases and as a list of edits: lines have every position of the games that are read,
//! each with the moves to it, and aliases and edits that are read are written as they read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::aliases::Aliases;
use plyfold_core::board::Board;
use plyfold_core::board::make::FullState;
use plyfold_core::edit_list::{EditList, EditsByGame};
use plyfold_core::pgn::{LineTree, PgnEntry, read_games};

fn check_edits(text: &str) {
    let Ok(mut list) = EditList::parse(text) else { return };
    assert_eq!(list.text(), text);
    let mut again = EditList::new(list.corpus());
    list.edits().for_each(|edit| again.push(edit.clone()));
    let read = EditList::parse(again.text()).expect("what was written");
    assert!(read.edits().eq(list.edits()));
    let _ = EditsByGame::new(&list, 1000);
    let edits = list.edits().len();
    assert_eq!(list.undo(usize::MAX), edits);
    assert_eq!(EditList::parse(list.text()).map(|list| list.edits().len()), Ok(0));
}

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = core::str::from_utf8(input) {
        check_edits(text);
    }
    if let Ok(text) = core::str::from_utf8(input)
        && let Ok(aliases) = Aliases::parse(text)
    {
        let again = Aliases::parse(&aliases.to_text()).expect("what was written");
        assert_eq!(again.lines(), aliases.lines());
    }
    let Ok(tree) = LineTree::read(input) else { return };
    read_games(input, 0, &mut |entry| {
        let PgnEntry::Game { start, moves, text, .. } = entry else { panic!("lines have a game that cannot be read") };
        // Lines are read from the text of each game, which reads otherwise alone if its first tag is in the midst of a line.
        let mut is_same = false;
        read_games(text, 0, &mut |entry| {
            is_same |= matches!(entry, PgnEntry::Game { moves: alone, .. } if alone == moves)
        });
        if !is_same {
            return;
        }
        let mut board = start.as_ref().map_or_else(Board::initial, Board::from_start);
        for &mv in moves {
            assert!(tree.get(board.hash).is_some_and(|position| position.moves.contains(&mv)), "a move is missing");
            board.make::<FullState>(mv);
        }
        assert!(tree.get(board.hash).is_some(), "a position is missing");
    });
    for (hash, position) in tree.positions() {
        let moves = tree.moves_to(hash);
        assert_eq!(moves.is_empty(), position.before.is_none());
        assert!(moves.iter().all(|(before, mv)| before.moves.contains(mv)));
    }
});
