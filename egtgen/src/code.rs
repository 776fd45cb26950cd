#![allow(missing_docs)]
pub fn encode(words: impl Iterator<Item = (usize, u64)>, out: &mut Vec<u8>) {
    for (w, b) in words {
        out.extend_from_slice(&(w as u32).to_le_bytes());
        out.extend_from_slice(&b.to_le_bytes());
    }
}
pub fn encode_bitmap(words: &[u64], out: &mut Vec<u8>) {
    encode(words.iter().copied().enumerate().filter(|w| w.1 != 0), out)
}
pub fn for_each(bytes: &[u8], _: usize, mut f: impl FnMut(usize, u64)) -> Result<(), ()> {
    for c in bytes.chunks_exact(12) {
        f(u32::from_le_bytes(c[..4].try_into().unwrap()) as usize, u64::from_le_bytes(c[4..].try_into().unwrap()));
    }
    Ok(())
}
