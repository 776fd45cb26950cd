//! Any half-typed text: completions at any place and the highlighting refer to places of the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::query::complete::complete;
use plyfold_core::query::highlight::highlight;

fuzz_target!(|typed: (&str, u16)| {
    let (text, at) = typed;
    let found = complete(text, usize::from(at));
    assert!(text.get(found.from..found.to).is_some());
    for option in &found.options {
        assert!(option.from <= found.from && text.is_char_boundary(option.from) && !option.text.is_empty());
    }
    let mut at = 0;
    for piece in highlight(text) {
        assert!(piece.from >= at && piece.from < piece.to && text.get(piece.from..piece.to).is_some());
        at = piece.to;
    }
});
