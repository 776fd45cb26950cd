//! Lists of edits are read as they are written, undone edits leave no trace, and games become what their edits say, in their order.

use std::borrow::Cow;

use plyfold_core::edit_list::{EditList, EditsByGame, GameChange, GameEdit};
use plyfold_core::game::GameId;
use proptest::prelude::*;

const FIRST: &str = "plyfold edits 1\tcorpus 00c0ffee00c0ffee\n";

fn edit(games: &str, changes: &[GameChange]) -> GameEdit {
    GameEdit { games: games.parse().expect("a list of games"), changes: changes.to_vec() }
}

fn set(name: &str, value: &str) -> GameChange {
    GameChange::Set { name: name.into(), value: value.into() }
}

#[test]
fn edits_are_written_and_undone() {
    let mut list = EditList::parse(&format!("{FIRST}# mine\n\n2\tremove Date")).expect("a list");
    assert_eq!((list.corpus(), list.edits().len()), (0x00c0_ffee_00c0_ffee, 1));
    list.push(edit("1-3,5", &[set("White", "A\t\"B\"\\\n"), GameChange::Delete]));
    list.push(edit("7", &[GameChange::Text("[White \"\\\\\"]\r\n\r\n1. e4 *".into())]));
    let text = list.text().to_owned();
    assert!(text.contains("\n1-3,5\tset White=A\\t\"B\"\\\\\\n\tdelete\n7\ttext [White \"\\\\\\\\\"]\\r\\n"), "{text}");
    assert_eq!(EditList::parse(&text), Ok(list.clone()));
    assert_eq!(list.undo(2), 2);
    assert_eq!(list.text(), format!("{FIRST}# mine\n\n2\tremove Date\n"));
    assert_eq!((list.undo(9), list.text()), (1, &*format!("{FIRST}# mine\n\n")));
}

#[test]
fn games_become_what_their_edits_say() {
    let mut list = EditList::new(1);
    let rename = GameChange::Rename { name: "Site".into(), to: "Place".into() };
    // One of all games is kept as a set, one of a few as a list.
    list.push(edit("1-200", &[set("White", "A"), rename]));
    list.push(edit("3,200", &[set("White", "B"), GameChange::Remove { name: "Place".into() }]));
    list.push(edit("4", &[GameChange::Text("1. d4 *".into()), set("Black", "C")]));
    list.push(edit("5-9", &[GameChange::Delete]));
    list.push(edit("6", &[GameChange::Restore]));
    let edits = EditsByGame::new(&list, 300).expect("there are such games");
    let text = b"[Site \"x\"]\n\n1. e4 *";
    let of = |number: u32| {
        String::from_utf8(edits.of(GameId(number - 1), Cow::Borrowed(text)).into_owned()).expect("a text in UTF-8")
    };
    assert_eq!(of(1), "[Place \"x\"]\n[White \"A\"]\n\n1. e4 *");
    assert_eq!(of(3), "[White \"B\"]\n\n1. e4 *");
    assert_eq!(of(200), of(3));
    assert_eq!(of(4), "[Black \"C\"]\n\n1. d4 *");
    assert!(matches!(edits.of(GameId(299), Cow::Borrowed(text)), Cow::Borrowed(_)));
    assert_eq!(edits.deleted().iter().map(GameId::number).collect::<Vec<_>>(), [5, 7, 8, 9]);
    assert!(edits.replaces_moves(GameId(3)) && !edits.replaces_moves(GameId(2)));
    assert!(EditsByGame::new(&list, 100).is_err());
}

#[test]
fn mistakes_say_their_line() {
    for (lines, says) in [
        ("1\tset White", "line 2: write the tag and its value"),
        ("\n\n1-\tmove e4", "line 4: `move` is no change"),
        ("1\tdelete now", "line 2: `delete` is no change"),
        ("1\tset Result=won", "line 2: `won` is no result"),
        ("1\tremove SetUp", "line 2: the tag SetUp says what the moves mean"),
        ("1\ttext 1. e4 *\\n\\n1. d4 *", "line 2: the text has 2 games, and not one"),
        ("1\ttext", "line 2: the text has no game"),
        ("1\tset A=\\", "line 2: `\\` stands for nothing"),
        ("\tdelete", "line 2: `` is not the number of a game"),
    ] {
        let list = EditList::parse(&format!("{FIRST}{lines}\n"));
        let error = list.and_then(|list| list.check_texts()).expect_err(lines);
        assert!(error.starts_with(says), "{error}");
    }
    for first in ["", "plyfold edits 2\tcorpus 00c0ffee00c0ffee", "plyfold edits 1\tcorpus 0", "1\tdelete"] {
        assert!(EditList::parse(first).is_err_and(|error| error.starts_with("line 1: ")), "{first}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_value_is_read_as_it_was_written(value in "\\PC{0,20}|[\\\\\n\r\tnrt=]{0,12}", games in 1u32..1000) {
        let mut list = EditList::new(7);
        let before = list.text().to_owned();
        list.push(edit(&games.to_string(), &[set("Annotator", &value)]));
        prop_assert_eq!(EditList::parse(list.text()), Ok(list.clone()));
        list.undo(1);
        prop_assert_eq!(list.text(), before);
    }

    #[test]
    fn a_damaged_list_is_read_or_refused(at in 0usize..200, by in any::<char>(), cut in 0usize..200) {
        let text = format!("{FIRST}# so\n1,5-9\tset Event=A\\tB\tremove Site\n17\ttext [White \"A\"]\\n\\n1. e4 *\n3\tdelete\n");
        let damaged: String = text.chars().enumerate().map(|(nth, letter)| if nth == at { by } else { letter }).collect();
        for text in [damaged, text.chars().take(cut).collect()] {
            match EditList::parse(&text) {
                Ok(list) => prop_assert_eq!(list.text(), text),
                Err(error) => prop_assert!(error.starts_with("line ")),
            }
        }
    }
}
