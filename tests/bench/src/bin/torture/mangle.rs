//! Mangles texts: leaves out, repeats, exchanges or replaces pieces, or inserts bytes and words of the language.

use rand::Rng;
use rand::rngs::StdRng;

use crate::random;

/// Bytes that are hard on parsers.
const BYTES: [&[u8]; 24] = [
    b"\0",
    b"\x1b[2J",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b"\"",
    b"\\",
    b"\\u0000",
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b";",
    b"%",
    b"18446744073709551616",
    b"-1",
    b"1e999",
    "\u{202e}".as_bytes(),
    "\u{1f9e8}".as_bytes(),
];

/// The text, mangled in one to five places. `words` are words of the language.
pub fn mangled(random: &mut StdRng, text: &[u8], words: &[&str]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..[1, 1, 1, 2, 3, 5][random.random_range(0..6)] {
        let (from, to) = range(random, text.len());
        match random.random_range(0..10) {
            0 => drop(text.drain(from..to)),
            1 => {
                let again = text[from..to].repeat(random.random_range(1..20));
                insert(&mut text, to, &again);
            }
            2 => {
                let (other, end) = range(random, text.len());
                let piece = text[other..end].to_vec();
                drop(text.splice(from..to, piece));
            }
            3 => {
                let bytes = BYTES[random.random_range(0..BYTES.len())];
                let bytes = bytes.repeat([1, 1, 2, 300][random.random_range(0..4)]);
                insert(&mut text, from, &bytes);
            }
            4..=6 if !words.is_empty() => {
                let word = random::pick(random, words).as_bytes();
                insert(&mut text, from, &[b" ", word, b" "].concat());
            }
            7 => text.truncate(from),
            8 => {
                let number = random::number(random, 8).to_string();
                insert(&mut text, from, number.as_bytes());
            }
            _ if from < text.len() => text[from] = random.random(),
            _ => {}
        }
    }
    text
}

/// A range within so many bytes, usually a short one.
fn range(random: &mut StdRng, length: usize) -> (usize, usize) {
    let from = random.random_range(0..=length);
    let most = if random.random_range(0..8) == 0 { length } else { 12 };
    (from, (from + random.random_range(0..=most)).min(length))
}

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(text.splice(at..at, piece.iter().copied()));
}
