//! Runs every reader on every construct, for a counter of instructions.
//!
//!     linear PART PARTS [--long] [--seed N] [--only WORD]
//!
//! Does each PARTS-th run from number PART on, counted from 0. Prints one line for each, with reader, construct and bytes,
//! separated by tabs. Only the work inside [`counted_read`] counts. `cargo xtask linear` runs this program under valgrind and
//! judges the counts.

use std::io::Write;
use std::process::ExitCode;

use plyfold_bench::linear::{ConstructSizes, Read, all};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |nth: usize| arguments.get(nth)?.parse::<usize>().ok();
    let (Some(part), Some(parts @ 1..)) = (number(0), number(1)) else {
        eprintln!("linear PART PARTS [--long] [--seed N] [--only WORD]");
        return ExitCode::from(2);
    };
    let after =
        |option: &str| Some(arguments.get(arguments.iter().position(|argument| argument == option)? + 1)?.as_str());
    let seed = after("--seed").and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let only = after("--only").unwrap_or("");
    let extent = ConstructSizes { is_long: arguments.iter().any(|argument| argument == "--long"), seed };
    let mut out = std::io::stdout();
    let constructs =
        all(extent).into_iter().filter(|construct| format!("{}: {}", construct.reader, construct.name).contains(only));
    for construct in constructs.skip(part).step_by(parts) {
        // A first read builds tables, such as those of attacks, outside the count.
        (construct.read)(&(construct.build)(construct.lengths[0]));
        for &bytes in &construct.lengths {
            let text = (construct.build)(bytes);
            // Written before the run, so that the output names a run that never ends.
            let said =
                writeln!(out, "{}\t{}\t{}", construct.reader, construct.name, text.len()).and_then(|()| out.flush());
            if said.is_err() {
                return ExitCode::FAILURE;
            }
            counted_read(construct.read, &text);
        }
    }
    ExitCode::SUCCESS
}

/// The work that the counter measures.
#[inline(never)]
fn counted_read(read: Read, text: &[u8]) {
    read(std::hint::black_box(text));
    // Keeps this function on the stack until its reader returns.
    std::hint::black_box(());
}
