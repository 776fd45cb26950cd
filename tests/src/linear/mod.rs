//! Texts that repeat one construct to any length, and the readers that are to take time in proportion to their bytes.
//!
//! `cargo xtask linear` counts the instructions that each reader needs for each text at several lengths, by the program
//! `tests/src/bin/linear.rs` under valgrind. A reader that looks at a byte again for each byte before it cannot hide from that,
//! however quick it is on real input.

pub mod files;
pub mod pgn;
pub mod queries;
pub mod words;

/// What reads a text. What it makes of the text does not matter here.
pub type Read = fn(&[u8]);

/// Makes a text of about as many bytes as it is asked for.
pub type Make = Box<dyn Fn(usize) -> Vec<u8>>;

/// One text of any length and its reader.
pub struct Construct {
    /// The reader's name: constructs of the same reader are compared with each other.
    pub reader: &'static str,
    /// What is repeated, in one line.
    pub name: String,
    /// Makes the text.
    pub make: Make,
    /// Reads the text.
    pub read: Read,
    /// The lengths at which instructions are counted, ascending: at least three.
    pub lengths: Vec<usize>,
}

/// How thorough a run is.
#[derive(Clone, Copy)]
pub struct ConstructSizes {
    /// Longer texts and more pairs.
    pub is_long: bool,
    /// Which pairs are chosen.
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

/// `part` after `before`, again and again up to `bytes`, never cut within.
pub fn repeated(before: &[u8], part: &[u8], bytes: usize) -> Vec<u8> {
    let mut text = before.to_vec();
    text.reserve(bytes);
    while text.len() + part.len() <= bytes {
        text.extend_from_slice(part);
    }
    text
}

/// A text in one line: what cannot be seen is escaped, and a long one is cut.
pub fn shown(text: &[u8]) -> String {
    let shown = text.escape_ascii().to_string();
    if shown.len() > 40 { format!("{}…", &shown[..40]) } else { shown }
}

/// Numbers that look random, the same for the same seed (splitmix64).
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
