//! Any text as a query: a query whose printed form reads as the same tree, or an error with a place in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::query::{no_openings, parse::parse, plan::plan};

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(tree) => {
            let printed = tree.to_string();
            assert_eq!(parse(&printed).as_ref(), Ok(&tree), "{printed}");
            let _ = plan(&tree, &no_openings);
        }
        Err(error) => {
            assert!(error.from <= error.to && error.to <= text.len());
            assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            assert!(!error.pointed(text).is_empty());
        }
    }
});
