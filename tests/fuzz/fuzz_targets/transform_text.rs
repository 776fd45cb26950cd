//! Any text as an operation in its first line and a position in the rest: printed values read as the same values, and no
//! image of any position fails.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plyfold_core::twinning::epd::{EpdStyle, EpdWriter, twin_description};
use plyfold_core::transform::position_text::{PositionTextError, read_fen, read_line, to_fen};
use plyfold_core::twinning::{OffBoardRule, TwinList};
use plyfold_core::transform::{Transform, detect};

fuzz_target!(|text: &str| {
    let (op, line) = text.split_once('\n').unwrap_or(("Twin rotate 90 Twin continued shift a1 b2", text));
    let position = match read_line(line) {
        Ok(read) => read.position,
        Err(error) => return checked(&error, line),
    };
    let fen = to_fen(&position);
    let again = read_fen(&fen).expect("what was written");
    assert_eq!(to_fen(&again), fen);
    assert_eq!(again.board, position.board);
    for (_, transform) in Transform::NAMED {
        let turned = transform.apply(&position);
        let back = read_fen(&to_fen(&turned)).expect("what was written");
        assert_eq!(back.board, turned.board);
        assert!(!detect::transforms_between(&turned, &position).is_empty(), "{transform}");
    }
    let twins = match TwinList::read(op) {
        Ok(twins) => twins,
        Err(error) => return checked(&error, op),
    };
    let printed = twins.to_string();
    let same = TwinList::read(&printed).expect("what was printed");
    assert_eq!(same.to_string(), printed);
    for rule in [OffBoardRule::AsWritten, OffBoardRule::Refuse, OffBoardRule::Drop] {
        let images = |twins: &TwinList| {
            let made = twins.apply(&position, rule);
            made.map(|made| made.into_iter().map(|one| (one.label, one.description, one.position)).collect::<Vec<_>>())
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
    let mut writer = EpdWriter::new(EpdStyle::WellFormed);
    twins.twins.iter().for_each(|twin| writer.push_line(&position, &twin_description(twin), &mut out));
    for line in String::from_utf8(out).expect("ASCII").lines() {
        let read = read_line(line).expect("what was written");
        assert_eq!(read.position.board, position.board);
    }
});

/// Asserts that an error points into the text.
fn checked(error: &PositionTextError, text: &str) {
    assert!(error.from <= error.to && error.to <= text.len(), "{error:?}");
    assert!(text.is_char_boundary(error.from) && text.is_char_boundary(error.to), "{error:?}");
    assert!(!error.with_column(text).is_empty());
}
