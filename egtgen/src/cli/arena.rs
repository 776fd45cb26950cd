//! One arena for all threads, so that memory given back by one can be used by another.
//!
//! The GNU allocator has an arena for each thread, and what a table has given back to one arena is of no use to a thread of
//! the next table: over the tables of KRPvKR the process grew to 206 MiB where 185 MiB were planned; with one arena it
//! grows to 134 MiB, in the same time. There is no safe way to say so.

/// Large memory is taken from the system and given back to it as soon as it is free. Otherwise the allocator learns from what
/// is freed to keep ever larger pieces, and what a service has forgotten stays between what it remembers. To be called before
/// there is a second thread, by whoever promises memory and not speed.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "a setting of the C library; it takes two numbers and touches no memory of ours")]
    // SAFETY: as in `one_for_all`.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 10);
    }
}

/// Says so to the allocator; elsewhere there is nothing to say. To be called before there is a second thread.
pub fn use_one_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code, reason = "a setting of the C library; it takes two numbers and touches no memory of ours")]
    // SAFETY: mallopt may be called at any time while no other thread allocates, and there is none yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
