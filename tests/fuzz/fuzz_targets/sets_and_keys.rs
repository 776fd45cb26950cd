//! Any text as a set expression and as a grouping key: it is read, or refused with a place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::keys::parse_key;
use plyfold_core::reduce::set_expression::SetExpression;

fuzz_target!(|text: &str| {
    match SetExpression::parse(text) {
        Ok(expression) => assert!(!expression.names().is_empty()),
        Err(error) => {
            assert!(error.from <= error.to && error.to <= text.len());
            assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to));
            assert!(!error.with_carets(text).is_empty());
        }
    }
    if let Err(error) = parse_key(text) {
        assert!(!error.message.is_empty());
    }
});
