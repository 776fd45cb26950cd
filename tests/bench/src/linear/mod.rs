//! Texts that repeat one construct to any length, and readers whose time must be proportional to the bytes.
//!
//! `cargo xtask linear` counts the instructions that each reader needs for each text at several lengths. It runs the program
//! `tests/bench/src/bin/linear.rs` under valgrind. This exposes a reader that looks at a byte again for each byte before it,
//! however fast it is on real input.

pub mod files;
pub mod pgn;
pub mod queries;
pub mod words;

/// A reader. Its result does not matter here.
pub type Read = fn(&[u8]);

/// Makes a text of about the requested number of bytes.
pub type Build = Box<dyn Fn(usize) -> Vec<u8>>;

/// A text of any length and its reader.
pub struct Construct {
    /// The name of the reader. Constructs of the same reader are compared with each other.
    pub reader: &'static str,
    /// What is repeated, in one line.
    pub name: String,
    /// Makes the text.
    pub build: Build,
    /// Reads the text.
    pub read: Read,
    /// The lengths at which instructions are counted, ascending: at least three.
    pub lengths: Vec<usize>,
}

/// The extent of a run.
#[derive(Clone, Copy)]
pub struct ConstructSizes {
    /// Whether texts are longer and pairs more numerous.
    pub is_long: bool,
    /// The seed that chooses the pairs.
    pub seed: u64,
}

/// Every construct of every reader.
pub fn all(extent: ConstructSizes) -> Vec<Construct> {
    let mut all = pgn::constructs(extent);
    all.extend(queries::constructs(extent));
    all.extend(words::constructs(extent));
    all.extend(files::constructs(extent));
    all
}

/// `before`, then `part` repeated up to `bytes` bytes without cutting it.
pub fn repeated(before: &[u8], part: &[u8], bytes: usize) -> Vec<u8> {
    let mut text = before.to_vec();
    text.reserve(bytes);
    while text.len() + part.len() <= bytes {
        text.extend_from_slice(part);
    }
    text
}

/// A text on one line, with invisible characters escaped, and cut if it is long.
pub fn shown(text: &[u8]) -> String {
    let shown = text.escape_ascii().to_string();
    if shown.len() > 40 { format!("{}…", &shown[..40]) } else { shown }
}

/// Pseudo-random numbers (splitmix64): the same seed gives the same numbers.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}
