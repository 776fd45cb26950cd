//! The peak memory of the program.

use std::fs;

/// The peak of physical memory of this process in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    parse_status(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Finds the line `VmHWM:     1234 kB`.
fn parse_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found() {
        assert_eq!(parse_status("Name:\tegtgen\nVmHWM:\t   39152 kB\nVmRSS:\t 1 kB\n"), Some(39152 * 1024));
        assert_eq!(parse_status("Name:\tegtgen\n"), None);
    }
}
