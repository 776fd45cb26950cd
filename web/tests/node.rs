//! The bindings called from JavaScript, under node, in the single flavour.
//! Threads are tested in a browser, by the end-to-end tests: the pool never starts under this runner.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn sum_equals_the_closed_form() {
    for n in [0u32, 1, 2, 3, 1000, 65_536] {
        let m = u64::from(n);
        assert_eq!(plyfold_web::sum_of_squares(n), m * (m + 1) * (2 * m + 1) / 6);
    }
}

#[wasm_bindgen_test]
fn one_thread_without_a_pool() {
    assert_eq!(plyfold_web::threads(), 1);
}
