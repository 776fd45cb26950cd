//! A scheduler and executors as processes on loopback: what they answer, and what happens when one of them ends.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
mod faults;
#[path = "../../../tests/sql/file_server.rs"]
#[allow(dead_code, reason = "its faults are for the tests of one process")]
mod file_server;
mod library;
mod nodes;
