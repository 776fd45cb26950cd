//! Does work with the widest vectors that the processor has.
//!
//! A function that uses instructions which not every processor has may be called only where the processor has them, and each call
//! here is made only after the processor has been asked.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
cpufeatures::new!(has_avx2, "avx2", "bmi1", "bmi2");
#[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
cpufeatures::new!(has_avx512, "avx512f", "avx512vl", "avx512dq");

/// Does this work with the instructions that the processor has.
///
/// The closure needs the attribute `#[inline(always)]`, and so does what it calls: what is not inlined is a function of its own,
/// compiled for the oldest processors.
#[inline(always)]
pub(super) fn by_vectors<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
    {
        if has_avx512::get() {
            // SAFETY: the processor has these instructions.
            return unsafe { with_avx512(work) };
        }
        if has_avx2::get() {
            // SAFETY: the processor has these instructions.
            return unsafe { with_avx2(work) };
        }
    }
    work()
}

#[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(all(target_arch = "x86_64", not(target_os = "none")))]
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vl,avx512dq")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}
