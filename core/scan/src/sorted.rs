//! Sorts rows of any type; in a page, by one piece of code for all.
//!
//! PERF: the standard sort takes 5 to 8 kB of code for each type of rows, which a page would have to load. Elsewhere it is used, because
//! a million groups are sorted in half the time.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Returns the rows in an order that tells all of them apart.
#[cfg(not(target_arch = "wasm32"))]
pub fn sorted<T>(mut rows: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    rows.sort_unstable_by(compare);
    rows
}

/// Returns the rows in an order that tells all of them apart.
#[cfg(target_arch = "wasm32")]
pub fn sorted<T>(rows: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    sort_indexes(&mut order, &|one, two| compare(&rows[one as usize], &rows[two as usize]));
    let mut rows: Vec<Option<T>> = rows.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| rows[at as usize].take()).collect()
}

/// Sorts indexes by what they stand for; equal ones stay in their order.
#[inline(never)]
pub fn sort_indexes(order: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    order.sort_by(|&one, &two| compare(one, two));
}
