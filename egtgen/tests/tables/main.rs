//! Tables that the library generates, packs, reads and probes.

#[path = "../common/mod.rs"]
mod common;
mod packed_levels;
mod packed_probing;
mod resume;
mod syzygy;
mod truth;
mod twins;
