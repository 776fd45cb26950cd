//! Work by the widest vectors that the processor has.

/// Does this work by the instructions that the processor has.
///
/// The closure needs the attribute `#[inline(always)]`, and so does what it calls: what is not inlined is a function of its own,
/// compiled for the oldest processors.
#[cfg(not(target_arch = "wasm32"))]
pub fn by_vectors<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Does this work. A module for wasm is compiled for one set of instructions, and copies for others are bytes that everybody loads.
#[cfg(target_arch = "wasm32")]
pub fn by_vectors<R>(work: impl FnOnce() -> R) -> R {
    work()
}
