//! Any bytes as a packed scan part: an error or a scan part, never a panic, and no more memory than the limit.
//!
//! The input is the packed part behind a sound head, so that the models read it whatever its checksum; half of the inputs are read as
//! they are.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::corpus::transport::unpack_scan_part;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let mut packed = b"plyscan\0\x01\0\0\0".to_vec();
    packed.extend_from_slice(&u32::from(first & 3).to_le_bytes());
    packed.extend_from_slice(&(u64::from(*first) << 8).to_le_bytes());
    packed.extend_from_slice(&[0; 8]);
    packed.extend_from_slice(rest);
    let _ = unpack_scan_part(if first & 4 == 0 { &packed } else { rest }, 1 << 20);
});
