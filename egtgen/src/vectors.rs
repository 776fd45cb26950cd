//! Does work with the widest vectors that the processor has.

#![allow(unsafe_code, reason = "the processor has been asked whether it has the instructions of a function")]

/// Does this work with the instructions that the processor has.
///
/// The closure needs the attribute `#[inline(always)]`, and so does what it calls: what is not inlined is a function of its own,
/// compiled for the oldest processors.
#[cfg(target_arch = "x86_64")]
pub fn by_vectors<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: each function is called only where the processor has its instructions.
    unsafe {
        match () {
            () if x86_64_v4::is_there() => x86_64_v4::call(work),
            () if x86_64_v3::is_there() => x86_64_v3::call(work),
            () => work(),
        }
    }
}

/// Does this work. A module for wasm is compiled for one set of instructions, and copies for others are bytes that everybody loads; of
/// other processors, each has the vectors that are used.
#[cfg(not(target_arch = "x86_64"))]
pub fn by_vectors<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// A level of the x86-64 psABI: whether the processor has it, and a function that is compiled for it.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($name:ident: $($feature:tt)+) => {
        mod $name {
            #[inline]
            pub fn is_there() -> bool {
                true $(&& std::arch::is_x86_feature_detected!($feature))+
            }

            $(#[target_feature(enable = $feature)])+
            pub fn call<R>(work: impl FnOnce() -> R) -> R {
                work()
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
level!(x86_64_v3: "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt");
#[cfg(target_arch = "x86_64")]
level!(x86_64_v4: "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt" "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
