//! The examples of `core`, each with a test of what it does.
#![allow(dead_code, reason = "no test calls their main functions")]

#[path = "../../../core/examples/count_by_key.rs"]
mod count_by_key;
#[path = "../../../core/examples/queries.rs"]
mod queries;
#[path = "../../../core/examples/search.rs"]
mod search;
