//! Any text as an operation in its first line and a position in the rest: what is read is printed and read again as the same, and no image of
//! any position fails.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::transform::epd::{Lines, Policy, told_of};
use plyfold_core::transform::read::{self, Misread};
use plyfold_core::transform::twin::{Leaving, Twins};
use plyfold_core::transform::{Transform, detect};

fuzz_target!(|text: &str| {
    let (op, line) = text.split_once('\n').unwrap_or(("Twin rotate 90 Twin continued shift a1 b2", text));
    let position = match read::line(line) {
        Ok(read) => read.position,
        Err(misread) => return checked(&misread, line),
    };
    let fen = read::write(&position);
    let again = read::fen(&fen).expect("what was written");
    assert_eq!(read::write(&again), fen);
    assert_eq!(again.board, position.board);
    for (_, transform) in Transform::NAMED {
        let turned = transform.apply(&position);
        let back = read::fen(&read::write(&turned)).expect("what was written");
        assert_eq!(back.board, turned.board);
        assert_eq!(detect::between(&turned, &position).is_empty(), false, "{transform}");
    }
    let twins = match Twins::read(op) {
        Ok(twins) => twins,
        Err(misread) => return checked(&misread, op),
    };
    let printed = twins.to_string();
    let same = Twins::read(&printed).expect("what was printed");
    assert_eq!(same.to_string(), printed);
    for leaving in [Leaving::AsWritten, Leaving::Refused, Leaving::Dropped] {
        let images = |twins: &Twins| {
            let made = twins.apply(&position, leaving);
            made.map(|made| made.into_iter().map(|one| (one.label, one.told, one.position)).collect::<Vec<_>>())
        };
        match (images(&twins), images(&same)) {
            (Ok(one), Ok(two)) => assert_eq!(one, two),
            (Err(one), Err(two)) => {
                assert_eq!(one.message, two.message);
                checked(&one, op);
            }
            (one, two) => panic!("{one:?} {two:?}"),
        }
    }
    let mut out = Vec::new();
    let mut lines = Lines::new(Policy::WellFormed);
    twins.twins.iter().for_each(|twin| lines.line(&position, &told_of(twin), &mut out));
    for line in String::from_utf8(out).expect("ASCII").lines() {
        let read = read::line(line).expect("what was written");
        assert_eq!(read.position.board, position.board);
    }
});

/// A place in the text.
fn checked(misread: &Misread, text: &str) {
    assert!(misread.from <= misread.to && misread.to <= text.len(), "{misread:?}");
    assert!(text.is_char_boundary(misread.from) && text.is_char_boundary(misread.to), "{misread:?}");
    assert!(!misread.placed(text).is_empty());
}
