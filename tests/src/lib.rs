//! What the tests and benchmarks share: games made on the spot, a baseline, and the way to real data.

pub mod baseline;
pub mod data;
pub mod games;
pub mod imported;
