//! Finds the slowest tests of a run: it reads from their output how long they take, and the run ends with the ten that take
//! longest.

use std::sync::{Mutex, PoisonError};

/// Seconds, the kind of test, and its name.
type Timed = (f64, &'static str, String);

static TESTS: Mutex<Vec<Timed>> = Mutex::new(Vec::new());

/// How many are shown.
const SHOWN: usize = 10;

/// Keeps the times of Rust's tests in what they print with `--report-time`.
pub fn keep_rust(output: &str) {
    keep("Rust", output.lines().filter_map(rust_test));
}

/// Keeps the times of browser tests: lines of milliseconds, tab, and name.
pub fn keep_browser(lines: &str) {
    keep("browser", lines.lines().filter_map(browser_test));
}

fn keep(kind: &'static str, tests: impl Iterator<Item = (f64, String)>) {
    let mut all = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    all.extend(tests.map(|(seconds, name)| (seconds, kind, name)));
}

/// A line such as `test engine::json::depth ... ok <0.012s>`.
fn rust_test(line: &str) -> Option<(f64, String)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = outcome.split_once('<')?.1.strip_suffix("s>")?;
    Some((seconds.parse().ok()?, name.to_owned()))
}

fn browser_test(line: &str) -> Option<(f64, String)> {
    let (milliseconds, name) = line.split_once('\t')?;
    Some((milliseconds.parse::<f64>().ok()? / 1000.0, name.to_owned()))
}

/// Prints the tests that took longest, if there were any.
pub fn print() {
    let mut tests = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    if tests.is_empty() {
        return;
    }
    tests.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("\n== the slowest of {} tests", tests.len());
    for (seconds, kind, name) in tests.iter().take(SHOWN) {
        println!("{seconds:7.1} s  {kind:8} {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_lines_of_tests() {
        assert_eq!(rust_test("test json::depth ... ok <0.125s>"), Some((0.125, "json::depth".to_owned())));
        assert_eq!(rust_test("test json::depth ... FAILED <2.000s>"), Some((2.0, "json::depth".to_owned())));
        for line in ["test json::depth ... ok", "test result: ok. 3 passed; finished in 0.00s", "running 3 tests", ""] {
            assert_eq!(rust_test(line), None, "{line}");
        }
        assert_eq!(browser_test("1500\twalk: a search"), Some((1.5, "walk: a search".to_owned())));
        assert_eq!(browser_test("x\twalk"), None);
    }
}
