//! Makes the allocator use one arena for all threads, so that one thread can reuse the memory that another has freed.
//!
//! The GNU allocator has an arena for each thread, and the threads of one table cannot use memory that those of an earlier table
//! freed in another arena. Over the tables of KRPvKR the process grew to 206 MiB, although 185 MiB were planned; with one arena
//! it grows to 134 MiB, in the same time. The setting has no safe interface.

/// Makes the allocator return large blocks to the system as soon as they are free. Otherwise it adapts to keep ever larger
/// blocks, and a service that evicts entries of its cache does not shrink. Call it before there is a second thread, in a program
/// that limits its memory rather than its time.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "a setting of the C library; it takes two numbers and touches no memory of ours")]
    // SAFETY: as in `use_one_arena`.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 10);
    }
}

/// Sets one arena for all threads, if the allocator is the GNU one. Call it before there is a second thread.
pub fn use_one_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "a setting of the C library; it takes two numbers and touches no memory of ours")]
    // SAFETY: mallopt may be called at any time while no other thread allocates, and there is none yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Makes the allocator keep up to 64 MiB that are free. Otherwise the lists of each level are asked of the system anew, which takes
/// some 3 % of the time of KRPvKR. Call it before there is a second thread.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "a setting of the C library; it takes two numbers and touches no memory of ours")]
    // SAFETY: as in `use_one_arena`.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 64 << 20);
    }
}
