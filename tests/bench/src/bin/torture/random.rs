//! Random numbers of an attack: they depend only on the seed, the kind and the number of the attack.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The random number generator of one attack.
pub fn of(seed: u64, kind: &str, number: u64) -> StdRng {
    StdRng::seed_from_u64(xxh3_64_with_seed(kind.as_bytes(), xxh3_64_with_seed(&number.to_le_bytes(), seed)))
}

/// One of the choices.
pub fn pick<'a, T: ?Sized>(random: &mut StdRng, choices: &[&'a T]) -> &'a T {
    choices[random.random_range(0..choices.len())]
}

/// A number that is hard on parsers: zero, one, the largest, one beside `was`, a power of two, or any.
pub fn number(random: &mut StdRng, was: u64) -> u64 {
    match random.random_range(0..9) {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => was.wrapping_add(1),
        4 => was.wrapping_sub(1),
        5 => 1 << random.random_range(0..64),
        6 => (1 << random.random_range(0..64)) - 1,
        7 => was ^ (1 << random.random_range(0..64)),
        _ => random.random(),
    }
}

/// Overwrites a number of one, two, four or eight bytes somewhere in `bytes`. Does nothing if `bytes` is empty.
pub fn overwrite(random: &mut StdRng, bytes: &mut [u8]) {
    let width = [1, 2, 4, 8][random.random_range(0..4)].min(bytes.len().next_power_of_two() / 2).max(1);
    if bytes.len() < width {
        return;
    }
    // Usually at a multiple of its width, where a field would be.
    let at = random.random_range(0..=bytes.len() - width);
    let at = if random.random_range(0..4) == 0 { at } else { at / width * width };
    let mut was = [0; 8];
    was[..width].copy_from_slice(&bytes[at..at + width]);
    let new = number(random, u64::from_le_bytes(was)).to_le_bytes();
    bytes[at..at + width].copy_from_slice(&new[..width]);
}
