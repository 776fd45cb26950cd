//! Formats numbers of bytes for people.

/// A number of bytes for people, rounded up so that the printed amount is always enough.
#[must_use]
pub fn format_bytes(number: u64) -> String {
    let (unit, name) = unit_of(number);
    let whole = number.div_ceil(unit);
    let tenths = (u128::from(number) * 10).div_ceil(u128::from(unit)) as u64;
    format_size(whole, tenths, name)
}

/// Formats a number of bytes as [`format_bytes`] does, but rounded down: of a limit, so that it does not look as large as what
/// would be enough.
#[must_use]
pub fn format_limit_bytes(number: u64) -> String {
    let (unit, name) = unit_of(number);
    format_size(number / unit, (u128::from(number) * 10 / u128::from(unit)) as u64, name)
}

/// The unit in which a number of bytes is written: its bytes and its name.
fn unit_of(number: u64) -> (u64, &'static str) {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && number >= 1024 << (10 * (unit + 1)) {
        unit += 1;
    }
    (1024u64 << (10 * unit), UNITS[unit])
}

/// Writes `whole` units, or `tenths` of one while that says more.
fn format_size(whole: u64, tenths: u64, unit: &str) -> String {
    if whole >= 100 || tenths.is_multiple_of(10) {
        format!("{whole}{unit}")
    } else {
        format!("{}.{}{unit}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_rounded_up_and_limits_down() {
        let mib = 1 << 20;
        for (bytes, needed, limit) in [
            (0, "0KiB", "0KiB"),
            (1, "0.1KiB", "0KiB"),
            (2 * mib, "2MiB", "2MiB"),
            (14_800 * mib, "14.5GiB", "14.4GiB"),
            (200 * mib + 1, "201MiB", "200MiB"),
            (1024 * mib - 1, "1024MiB", "1023MiB"),
        ] {
            assert_eq!((format_bytes(bytes).as_str(), format_limit_bytes(bytes).as_str()), (needed, limit));
        }
    }
}
