//! `egtgen`.
fn main() {}
