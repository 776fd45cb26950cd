//! Compares material signatures with vectors made elsewhere and with shakmaty, and checks the laws that they must obey.

mod played;
mod reachability;
mod search;
mod signatures;
mod targets;

use plyfold_core::matsig::MatSig;
use plyfold_tests::data::{self, facts};
use serde_json::Value;

/// Reference signatures and verdicts: all of them if they stand beside the project, otherwise some.
fn vectors() -> Value {
    let path = facts("matsig_vectors.json").unwrap_or_else(|| data::vectors("matsig.json"));
    serde_json::from_slice(&std::fs::read(path).expect("can be read")).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text is wanted, not {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("a list is wanted, not {value}"))
}

fn signature(white: &Value, black: &Value) -> MatSig {
    format!("{} {}", text(white), text(black)).parse().expect("a signature")
}
