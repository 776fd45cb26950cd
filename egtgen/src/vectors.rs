//! Work by the widest vectors that the processor has.

use pulp::NullaryFnOnce;

/// Does this work by the instructions that the processor has.
///
/// The method of `work` must always be inlined: what is not is a function of its own, compiled for the oldest processors. So is
/// a closure.
#[cfg(not(target_arch = "wasm32"))]
pub fn by_vectors<W: NullaryFnOnce>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}

/// Does this work. A module for wasm is compiled for one set of instructions, and copies for others are bytes that everybody loads.
#[cfg(target_arch = "wasm32")]
pub fn by_vectors<W: NullaryFnOnce>(work: W) -> W::Output {
    work.call()
}
