//! Edits are made in the open corpus: searches, orders, names and sets have the edited games, and undone everything is as it was.

use js_sys::{Array, Uint8Array};
use plyfold_web::corpus::Corpus;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{GAMES, NOTHING_MORE, ask, get, ids, import, json, object, open, question, question_within, text};

fn edit(corpus: &mut Corpus, game: u32, kind: &str, name: &str, value: &str) -> bool {
    let change = object(&[("kind", &kind.into()), ("name", &name.into()), ("value", &value.into())]);
    corpus.add_edit(&[game], &Array::of1(&change).into()).is_ok()
}

fn found(corpus: &Corpus, query: &str) -> Vec<u32> {
    ids(corpus, &question(corpus, query))
}

/// What the corpus says of its games.
fn state(corpus: &Corpus) -> String {
    let counts = ask(corpus, "", &NOTHING_MORE);
    let names = JsValue::from(corpus.names("player", "", 9).expect("a field"));
    let rows = JsValue::from(corpus.rows(&[0, 1]).expect("games"));
    let order = corpus.sort(vec![0, 1], "date", false).expect("a column");
    [json(&counts), json(&names), json(&rows), format!("{order:?} {}", corpus.plies())].join("\n")
}

#[wasm_bindgen_test]
fn changed_headers_and_moves_are_found_and_undone() {
    let mut corpus = open(&import(GAMES.as_bytes()).1);
    let before = state(&corpus);
    assert!(edit(&mut corpus, 1, "set", "White", "Zoë") && edit(&mut corpus, 1, "set", "Date", "1999.01.02"));
    assert_eq!((found(&corpus, "player \"Zoë\""), found(&corpus, "date <= 2000")), (vec![1], vec![1]));
    assert!(corpus.unknown("player \"Beta\"").is_some() && corpus.unknown("player \"Zoë\"").is_none());
    assert_eq!(corpus.sort(vec![0, 1], "date", true).expect("a column"), [1, 0]);
    let other = "[White \"Alpha\"]\n[Result \"0-1\"]\n\n1. f3 {weak} e5 2. g4 Qh4# 0-1\n";
    assert!(edit(&mut corpus, 0, "text", "", other));
    assert_eq!((found(&corpus, "checkmate"), found(&corpus, "comment \"weak\"")), (vec![0], vec![0]));
    assert_eq!((found(&corpus, "white bishop on b5"), corpus.plies()), (vec![], 6.0));
    let edited = state(&corpus);
    // What is no game changes nothing.
    assert!(!edit(&mut corpus, 1, "text", "", "1. e4 e4 *") && state(&corpus) == edited);
    corpus.undo_edits(3).expect("edits");
    assert_eq!(state(&corpus), before);
}

#[wasm_bindgen_test]
fn deleted_games_are_neither_found_nor_counted() {
    let mut corpus = open(&import(GAMES.as_bytes()).1);
    let before = state(&corpus);
    let all = JsValue::from(corpus.set_of(&question(&corpus, "")).expect("a set"));
    corpus.put_set("all".into(), &get(&all, "bytes").unchecked_into::<Uint8Array>().to_vec()).expect("its own");
    assert!(edit(&mut corpus, 0, "delete", "", ""));
    assert_eq!((found(&corpus, ""), found(&corpus, "not in @all")), (vec![1], vec![]));
    assert_eq!(ids(&corpus, &question_within(&corpus, "", "@all").expect("a set")), [1]);
    assert!(ids(&corpus, &question_within(&corpus, "", "~@all").expect("a set")).is_empty());
    assert_eq!(corpus.set_size("all").expect("a set"), 1.0);
    let counts = ask(&corpus, "", &NOTHING_MORE);
    assert_eq!([text(&counts, "games_total"), text(&counts, "plies_total")], ["1", "2"]);
    let names = json(&corpus.names("player", "", 9).expect("a field").into());
    assert_eq!(names, r#"[{"name":"Beta","games":1},{"name":"Gamma","games":1}]"#);
    // Its number is still its own.
    assert!(corpus.replay(0).is_ok());
    assert!(edit(&mut corpus, 0, "restore", "", ""));
    assert_eq!((state(&corpus), corpus.set_size("all").expect("a set")), (before, 2.0));
}
