//! The packed corpus: games as bytes that a scan reads where they lie. FORMAT.md beside this file describes every byte.

pub mod buffer;
pub mod build;
pub mod columns;
pub mod error;
mod event_streams;
pub mod file;
pub mod layout;
pub mod record;
pub mod shard;
pub mod sources;
pub mod strings;
pub mod text;
pub mod upgrade;
