//! Reads sizes of memory, as users write them, and the memory of this machine.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The units, longer names first.
const UNITS: [(&str, u64); 13] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("b", 1),
];

/// Reads a size in bytes: `48MiB`, `1.5 GiB`, `512M`, `2000000000`. `K`, `M`, `G`, `T` alone are powers of 1024.
///
/// # Errors
///
/// The text is not a size; the message has examples.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let small = text.trim().to_ascii_lowercase();
    let unit = UNITS.into_iter().find_map(|(unit, bytes)| Some((small.strip_suffix(unit)?, bytes)));
    let (number, unit) = unit.unwrap_or((&small, 1));
    let number = number.trim_end();
    // A parser of floats would also accept `inf` and `1e9`.
    let is_plain = number.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
    let bytes = number.parse::<f64>().ok().filter(|_| is_plain).map(|number| number * unit as f64);
    match bytes {
        Some(bytes) if bytes >= 1.0 && bytes < u64::MAX as f64 => Ok(bytes as u64),
        _ => Err("expected a memory size such as 48MiB, 2GiB or 512M, or a number of bytes".to_owned()),
    }
}

/// Half of the memory of this machine, or of the limit of this process, in bytes.
pub fn half_of_memory() -> u64 {
    let system =
        System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()));
    let given = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    system.total_memory().min(given) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("48MiB", 48 << 20),
            ("2GiB", 2 << 30),
            ("512M", 512 << 20),
            ("512m", 512 << 20),
            ("1.5 GiB", 3 << 29),
            ("300MB", 300_000_000),
            ("123456", 123_456),
            ("10 kB", 10_000),
            ("7b", 7),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_gets_an_example() {
        for text in ["", "MiB", "0", "-1GiB", "many", "2 apples", "inf", "1e9", "99999999999TiB", "1.2.3M", "0.1b"] {
            assert!(parse_size(text).is_err_and(|says| says.contains("48MiB")), "{text}");
        }
    }

    #[test]
    fn sizes_that_are_said_are_enough() {
        for bytes in [1, 1024, 1 << 20, (1 << 20) + 1, 104_857_601, 5_000_000_000, 1 << 40] {
            let said = egtgen::byte_size::format_bytes(bytes);
            let read = parse_size(&said).expect("what is said is a size");
            assert!(read >= bytes && read as f64 <= bytes as f64 * 1.1 + 1024.0, "{bytes} {said} {read}");
        }
    }
}
