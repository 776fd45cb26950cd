//! What a table will take: memory, disk, and which tables come first.

/// A number of bytes for people.
#[must_use]
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = number.div_ceil(1024) as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value >= 100.0 || value.fract() == 0.0 {
        format!("{}{}", value.ceil(), UNITS[unit])
    } else {
        format!("{value:.1}{}", UNITS[unit])
    }
}

/// What making a table takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Positions, as stored: bits of all words, illegal ones included.
    pub positions: u64,
    /// Cells.
    pub cells: u32,
    /// Bytes if all tiles are in memory.
    pub in_memory: u64,
    /// The least bytes that do, with slices streaming from a file and one thread.
    pub least: u64,
    /// Bytes of the scratch file, if tiles stream.
    pub scratch: u64,
}
