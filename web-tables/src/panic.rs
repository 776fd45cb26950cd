//! What a panic said. It ends the module by a trap, whose own words do not tell why.

use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

use wasm_bindgen::prelude::wasm_bindgen;

/// Bytes of the message that are kept, with the zero that ends it.
const MESSAGE_BYTES: usize = 240;

/// The message of the last panic, of whichever thread. It is read from memory and not by a call, because a thread that stopped may
/// hold a lock.
static MESSAGE: [AtomicU8; MESSAGE_BYTES] = [const { AtomicU8::new(0) }; MESSAGE_BYTES];

/// Byte address in the wasm memory of the message of the last panic: UTF-8, cut after 239 bytes and ended by a zero; empty before the
/// first panic.
#[wasm_bindgen(js_name = panicAddress)]
#[must_use]
pub fn panic_address() -> usize {
    MESSAGE.as_ptr() as usize
}

/// Keeps the message of every panic from now on.
pub(crate) fn keep_messages() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            keep(info.payload_as_str().unwrap_or("a panic without words"));
            before(info);
        }));
    });
}

fn keep(message: &str) {
    let bytes = message.bytes().take(MESSAGE_BYTES - 1).chain([0]);
    MESSAGE.iter().zip(bytes).for_each(|(kept, byte)| kept.store(byte, Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_panic_is_kept_as_far_as_there_is_room() {
        keep_messages();
        for said in ["the list has 3 words", "", &"long ".repeat(100)] {
            panic::catch_unwind(|| panic!("{said}")).expect_err("a panic");
            let kept = MESSAGE.iter().map(|byte| byte.load(Ordering::Relaxed)).take_while(|byte| *byte != 0);
            assert_eq!(kept.collect::<Vec<u8>>(), said.as_bytes()[..said.len().min(MESSAGE_BYTES - 1)]);
        }
    }
}
