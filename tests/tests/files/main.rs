//! The formats of files and of commands: what is written is read, and no damage passes. Beside them, what both programs write on a terminal.

mod annotations;
mod corpus;
mod corpus_fields;
mod header_texts;
mod index;
mod partial_shards;
mod pmote;
mod pmote_bytes;
mod terminal;
mod transport;
mod twinning;
