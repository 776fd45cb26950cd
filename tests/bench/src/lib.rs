//! What the programs that measure share: baselines, times, and the constructs of every reader.

pub mod baseline;
pub mod linear;
pub mod timing;
