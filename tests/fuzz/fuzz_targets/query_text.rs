//! Any text as a query: an error with a place in the text, or a query whose printed form reads as the same tree.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::query::{parse::parse, plan::plan, reject_opening};

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(tree) => {
            let printed = tree.to_string();
            assert_eq!(parse(&printed).as_ref(), Ok(&tree), "{printed}");
            let _ = plan(&tree, &reject_opening);
        }
        Err(error) => {
            assert!(error.from <= error.to && error.to <= text.len());
            assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            assert!(!error.with_carets(text).is_empty());
        }
    }
});
