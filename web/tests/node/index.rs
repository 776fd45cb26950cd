//! The position index, as the worker builds, opens and asks it.

use js_sys::{Array, Function, Reflect};
use plyfold_web::corpus::Corpus;
use plyfold_web::error::JsFailure;
use plyfold_web::index::PositionIndex;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{GAMES, all_of, import, open, source, text};

/// Builds the index of a corpus and returns its bytes.
fn index(corpus: &Corpus, old: Option<PositionIndex>) -> Result<Vec<u8>, JsFailure> {
    let told = Array::new();
    let progress = Function::new_with_args("told, done, all", "told.push(done / all);")
        .bind1(&JsValue::NULL, &told)
        .unchecked_into();
    let bytes = all_of(corpus.build_index(old, None, &progress)?);
    let told: Vec<f64> = told.iter().filter_map(|share| share.as_f64()).collect();
    assert!(told.is_sorted() && told.iter().all(|&share| share <= 1.0), "{told:?}");
    Ok(bytes)
}

fn open_index(bytes: &[u8]) -> Result<PositionIndex, JsFailure> {
    PositionIndex::open(source(bytes))
}

#[wasm_bindgen_test]
fn a_position_is_looked_up() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let bytes = index(&corpus, None).expect("an index");
    let made = open_index(&bytes).expect("whole");
    assert_eq!(made.games(), 2.0);
    corpus.check_index(&made).expect("it is of this corpus");
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let answer = JsValue::from(corpus.position(&made, fen).expect("a position"));
    let said =
        ["games", "white", "draw", "black", "unknown", "begin", "reach", "positions"].map(|key| text(&answer, key));
    assert_eq!(said, ["1", "1", "0", "0", "0", "0", "1", "1"]);
    let next = Array::from(&Reflect::get(&answer, &"next".into()).expect("moves")).get(0);
    assert_eq!(["san", "uci", "games", "white"].map(|key| text(&next, key)), ["e5", "e7e5", "1", "1"]);
    assert_eq!(corpus.position_games(&made, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", 9).expect("a position"), [1]);
    // Without new games, an index built from the old one is the same.
    assert_eq!(index(&corpus, Some(made)).expect("an index"), bytes);
}

#[wasm_bindgen_test]
fn an_index_that_does_not_fit_is_refused() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let other = open(&import(b"1. d4 d5 *\n").1);
    let bytes = index(&other, None).expect("an index");
    let code = |failure: JsFailure| text(&failure.into(), "code");
    assert_eq!(code(corpus.check_index(&open_index(&bytes).expect("whole")).expect_err("foreign")), "bad-index");
    assert_eq!(code(index(&corpus, open_index(&bytes).ok()).expect_err("foreign")), "bad-index");
    let mut damaged = bytes.clone();
    damaged[70] ^= 1;
    for broken in [&b""[..], b"PK", &bytes[..40], &bytes[..100], &damaged] {
        assert_eq!(code(open_index(broken).map(drop).expect_err("broken")), "bad-index");
    }
    let made = open_index(&bytes).expect("whole");
    assert_eq!(code(other.position(&made, "e4").map(drop).expect_err("no FEN")), "bad-input");
}
