//! What the tests and benchmarks share: games made on the spot, baselines, and the way to real data.

pub mod baseline;
pub mod data;
pub mod games;
pub mod images;
pub mod imported;
pub mod linear;
pub mod long;
pub mod oracle;
pub mod peers;
pub mod queries;
pub mod reach;
pub mod retrograde;
pub mod shards;
pub mod timing;
