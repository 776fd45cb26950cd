//! Code that tests and benchmarks share: generated games, slow twins, and the paths of real data.

pub mod data;
pub mod double_steps;
pub mod followed;
pub mod games;
pub mod images;
pub mod imported;
pub mod lines;
pub mod long;
pub mod mates;
pub mod motifs;
pub mod oracle;
pub mod peers;
pub mod plays;
pub mod queries;
pub mod reach;
pub mod retrograde;
pub mod shards;
pub mod syzygy;
pub mod tables;
pub mod worked_example;
