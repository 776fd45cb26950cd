//! The packed corpus: games as bytes that a scan reads where they lie. FORMAT.md beside this file describes every byte.

pub mod build;
mod check;
pub mod columns;
mod consistency;
pub mod error;
mod event_streams;
pub mod file;
mod file_header;
pub mod layout;
pub mod names;
pub mod record;
pub mod shard;
pub mod sources;
pub mod storage;
mod stored_shard;
pub mod strings;
pub mod text;
pub mod upgrade;
