//! Any text as an expression over sets and as a key: read, or refused with a place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::keys::key;
use plyfold_core::reduce::sets::Expression;

fuzz_target!(|text: &str| {
    match Expression::parse(text) {
        Ok(expression) => assert!(!expression.names().is_empty()),
        Err(error) => {
            assert!(error.from <= error.to && error.to <= text.len());
            assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            assert!(!error.pointed(text).is_empty());
        }
    }
    if let Err(error) = key(text) {
        assert!(!error.message.is_empty());
    }
});
