//! Turns PGN files, plain or compressed, into shards of a corpus.
//!
//! ```text
//! bytes of a file ─► source: its format, unpacked, as UTF-8 if it is wide ─► chunks: cut at game borders ─► import: on all threads ─► shards
//! ```
//!
//! The crate knows no chess: [`plyfold_pgn`] decides where a text may be cut and what its games are. It has no
//! clocks and starts no threads, so all of it works in a browser's worker; only 7z archives, which are read natively, need a thread.

mod archive;
mod chunks;
mod error;
mod format;
pub mod import;
mod layer;
#[cfg(feature = "seven-zip")]
mod seven_zip;
mod source;
mod tar_entries;
mod wide_text;
mod zip_entries;
#[cfg(not(all(feature = "native-zstd", not(target_arch = "wasm32"))))]
mod zstd_frames;

pub use chunks::{ChunkReader, PgnChunk};
pub use error::InputError;
pub use format::CompressionFormat;
pub use source::PgnSource;
