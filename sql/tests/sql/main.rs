//! SQL over corpora: the same answers as the calls of the core, and one clear sentence for each mistake.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod damage;
#[allow(dead_code, reason = "tests of a cluster use the rest")]
mod file_server;
mod functions;
mod games;
mod manual;
mod mistakes;
mod plans;
mod program;
mod pushdown;
mod remote;
mod sandbox;
mod saved_names;
mod texts;
mod writes;
