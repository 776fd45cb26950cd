//! Runs the built program as a user does: command lines in; exit codes, results and files out.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod changed_texts;
mod collections;
mod compact;
mod damage;
mod dedupe;
mod edit;
mod explain;
mod export;
mod first_minute;
mod foreign;
mod import;
mod index;
mod info;
mod interrupt;
mod library;
mod names;
mod no_text;
mod outputs;
mod pages;
mod phrases;
mod program;
mod publish;
mod published;
mod query;
mod scan;
mod serve;
mod sets;
mod show;
mod signature;
mod split;
mod sql;
mod tables;
mod tree;
mod truth;
mod upgrade;
