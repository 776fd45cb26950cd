//! PGN files, plain or compressed, into shards of a corpus.
//!
//! ```text
//! bytes of a file ─► source: what it is, decompressed ─► chunks: cut at game borders ─► import: read on all threads ─► shards
//! ```
//!
//! Knows no chess: where a text may be cut and what its games are is for [`plyfold_core::pgn`]. No clocks and no threads of
//! its own, so all of it works in a browser's worker.

mod chunks;
mod error;
mod format;
pub mod import;
mod layer;
mod source;
#[cfg(not(all(feature = "native-zstd", not(target_arch = "wasm32"))))]
mod zstd_frames;

pub use chunks::{ChunkReader, PgnChunk};
pub use error::InputError;
pub use format::CompressionFormat;
pub use source::PgnSource;
