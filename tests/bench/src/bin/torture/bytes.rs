//! Damaged files, read in this process: flipped bits and bytes, cuts, forgeries with right checksums, rearranged parts.

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::subjects::KnownSubject;

/// A kind of damage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// One to three bits or bytes are changed.
    Flips,
    /// The file is cut, or continues after its end.
    Cuts,
    /// Something is changed, and the checksums are repaired.
    Forged,
    /// Parts are exchanged, repeated or left out.
    Sections,
}

/// Attacks with one kind of damage on random subjects.
pub struct Damaged {
    damage: Damage,
    subjects: Vec<KnownSubject>,
}

impl Damaged {
    /// Creates all subjects.
    pub fn new(damage: Damage) -> Damaged {
        Damaged { damage, subjects: KnownSubject::all() }
    }
}

impl AttackSeries for Damaged {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        // Slow subjects are attacked less often.
        let known = loop {
            let known = &self.subjects[random.random_range(0..self.subjects.len())];
            if !known.subject.is_slow() || random.random_range(0..20) == 0 {
                break known;
            }
        };
        let subject = &*known.subject;
        let sound = subject.sound();
        let damaged = match self.damage {
            Damage::Flips => flipped(random, sound),
            Damage::Cuts => cut(random, sound, &subject.borders()),
            Damage::Forged => subject.forge(random),
            Damage::Sections => subject.rearranged(random),
        };
        tried.says(subject.name());
        tried.input(subject.file(), &damaged);
        match self.damage {
            Damage::Flips | Damage::Cuts => known.judge(&damaged),
            Damage::Forged | Damage::Sections => known.judge_forged(&damaged),
        }
    }
}

/// The bytes with some bits or bytes changed.
pub fn flipped(random: &mut StdRng, sound: &[u8]) -> Vec<u8> {
    let mut bytes = sound.to_vec();
    // Half of the damage goes to the beginning, where the headers are.
    let end = if random.random() { bytes.len() } else { bytes.len().min(512) };
    for _ in 0..[1, 1, 2, 3][random.random_range(0..4)] {
        let at = random.random_range(0..end);
        bytes[at] = match random.random_range(0..4) {
            0 => 0,
            1 => random.random(),
            _ => bytes[at] ^ (1 << random.random_range(0..8)),
        };
    }
    bytes
}

/// The bytes cut at a border, beside one, or anywhere; sometimes with other bytes after the cut.
pub fn cut(random: &mut StdRng, sound: &[u8], borders: &[usize]) -> Vec<u8> {
    let at = match random.random_range(0..3) {
        0 => random.random_range(0..sound.len()),
        _ => (borders[random.random_range(0..borders.len())] + random.random_range(0..3)).saturating_sub(1),
    };
    let mut bytes = sound[..at.min(sound.len())].to_vec();
    match random.random_range(0..6) {
        0 => bytes.resize(sound.len(), 0),
        1 => bytes.extend((0..random.random_range(1..200)).map(|_| random.random::<u8>())),
        _ => {}
    }
    bytes
}
