//! The packed corpus: games as bytes that a scan reads where they lie. FORMAT.md beside this file describes every byte.
#![no_std]

extern crate alloc;

pub mod annotation_sections;
pub mod buffer;
pub mod build;
mod check;
mod checked_parts;
mod columns;
mod consistency;
mod date;
pub mod directory;
pub mod edited_shards;
pub mod error;
mod event_streams;
pub mod file;
mod file_header;
pub mod game_identity;
mod header_texts;
pub mod joined;
pub mod layout;
pub mod names;
mod openings;
pub mod partial_shard;
pub mod record;
pub mod shard;
mod shard_parts;
mod sources;
pub mod storage;
mod stored_shard;
mod strings;
mod text;
mod text_columns;
pub mod transport;
pub mod upgrade;

pub use checked_parts::CheckedParts;
pub use columns::{HeaderColumns, build_columns, sum_of_selected};
pub use header_texts::{HeaderText, HeaderTexts, HeaderTextsBuilder};
pub use openings::{GameOpening, GameOpenings, OpeningTable};
pub use shard_parts::ShardParts;
pub use sources::SourceFiles;
pub use strings::StringTable;
pub use text::TextLocation;
pub use text_columns::GameTextColumn;
