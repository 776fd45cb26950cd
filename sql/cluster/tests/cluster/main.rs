//! A scheduler and executors as processes on loopback: what they answer, and what happens when one of them ends.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
mod faults;
mod library;
mod nodes;
