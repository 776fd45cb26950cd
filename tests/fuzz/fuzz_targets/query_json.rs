//! Any text as a query in JSON: an error, or a tree that survives the round trip through JSON and through text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::query::parse::parse;
use plyfold_core::query::json::{from_json, to_json};

fuzz_target!(|json: &str| {
    match from_json(json) {
        Ok(tree) => {
            assert_eq!(from_json(&to_json(&tree)).as_ref(), Ok(&tree), "{tree}");
            assert_eq!(parse(&tree.to_string()).as_ref(), Ok(&tree), "{tree}");
        }
        Err(error) => assert!(!error.message.is_empty()),
    }
});
