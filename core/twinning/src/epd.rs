//! Lines of EPD with transformed boards, as the CQL library `libxfm` writes them: each original is followed by its image. `c0`
//! names the transform, `id` is the number of the line.
//!
//! ```text
//! 8/2k5/3p4/4P3/8/1N6/2K5/8 w - - c0 "original position"; id "1";
//! 8/8/8/3P4/2p5/1k4K1/5N2/8 w - - c0 "rotate 90"; id "2";
//! ```
//!
//! Castling rights and the en passant square are never written.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use shakmaty::{Setup, Square};

use plyfold_transform::Transform;
use plyfold_transform::position_text;
use plyfold_transform::shift::Shift;
use plyfold_transform::symmetry::Symmetry;

use super::text::{MIRRORS, mirror_squares};
use super::{Twin, TwinCommand};

/// The description of a position that was not changed.
pub const ORIGINAL: &str = "original position";
/// The squares from which and to which the exporter of shifts goes.
const SHIFT_ORIGINS: [Square; 6] = [Square::A1, Square::B1, Square::C1, Square::A3, Square::B3, Square::C3];
const SHIFT_TARGETS: [Square; 6] = [Square::A1, Square::C1, Square::A2, Square::C2, Square::A3, Square::C3];

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EpdStyle {
    /// As the EPD standard defines it.
    #[default]
    WellFormed,
    /// As the exporters print it: without the last `;`, and with two blanks in `rotate  90`.
    Literal,
}

/// One of the three exporters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpdExporter {
    /// The four flips.
    Flip,
    /// The three rotations.
    Rotate,
    /// Shifts between two squares each, 36 pairs, four of which shift nothing.
    Shift,
}

impl EpdExporter {
    /// Its commands, in their order.
    #[must_use]
    pub fn commands(self) -> Vec<TwinCommand> {
        let rigid = |symmetry| TwinCommand::Transform(Transform::Rigid(symmetry));
        match self {
            EpdExporter::Flip => MIRRORS.iter().map(|(_, symmetry)| rigid(*symmetry)).collect(),
            EpdExporter::Rotate => [Symmetry::ROT90, Symmetry::ROT180, Symmetry::ROT270].map(rigid).into(),
            EpdExporter::Shift => SHIFT_ORIGINS
                .iter()
                .flat_map(|from| SHIFT_TARGETS.iter().map(|to| TwinCommand::Shift(*from, *to)))
                .collect(),
        }
    }
}

/// Returns what a command does, in the words of the exporters (`flip a1 h1`, `rotate 90`, `shift a1 b2`) or, if they have none, as
/// it is printed.
#[must_use]
pub fn command_description(command: &TwinCommand) -> String {
    let shift = |from: Square, to: Square| format!("shift {from} {to}");
    match *command {
        TwinCommand::Shift(from, to) => shift(from, to),
        TwinCommand::Transform(Transform::Shift(by)) => {
            let (from, to) = squares(by);
            shift(from, to)
        }
        TwinCommand::Transform(Transform::Rigid(symmetry)) if symmetry.is_flip() => {
            format!("flip {}", mirror_squares(symmetry).replace("<-->", " "))
        }
        TwinCommand::Transform(Transform::Rigid(symmetry)) if symmetry.is_rotation() => {
            command.to_string().to_ascii_lowercase()
        }
        _ => command.to_string(),
    }
}

/// The [`command_description`] of a twin with one command; the commands of other twins are described as they are printed.
#[must_use]
pub fn twin_description(twin: &Twin) -> String {
    match &twin.steps[..] {
        [step] if !twin.is_continued => command_description(&step.command),
        _ => twin.to_string(),
    }
}

/// Two squares between which the shift goes, the first as near to a1 as possible.
fn squares(by: Shift) -> (Square, Square) {
    let at = |files: i8, ranks: i8| Square::new((ranks * 8 + files) as u32);
    let (files, ranks) = ((-by.files()).max(0), (-by.ranks()).max(0));
    (at(files, ranks), at(files + by.files(), ranks + by.ranks()))
}

/// Writes lines and counts them.
#[derive(Clone, Debug, Default)]
pub struct EpdWriter {
    style: EpdStyle,
    line_count: u64,
}

impl EpdWriter {
    /// A writer whose first line gets the number 1.
    #[must_use]
    pub const fn new(style: EpdStyle) -> EpdWriter {
        EpdWriter { style, line_count: 0 }
    }

    /// Returns how many lines have been written.
    #[must_use]
    pub const fn line_count(&self) -> u64 {
        self.line_count
    }

    /// Appends a line with its line end: the position and `description`, which must have no quotation mark.
    pub fn push_line(&mut self, position: &Setup, description: &str, out: &mut Vec<u8>) {
        self.line_count += 1;
        position_text::append_placement(position, out);
        out.extend_from_slice(if position.turn.is_white() { b" w - - c0 \"" } else { b" b - - c0 \"" });
        match (self.style, description) {
            (EpdStyle::Literal, "rotate 90") => out.extend_from_slice(b"rotate  90"),
            _ => out.extend_from_slice(description.as_bytes()),
        }
        out.extend_from_slice(b"\"; id \"");
        out.extend_from_slice(self.line_count.to_string().as_bytes());
        out.extend_from_slice(if self.style == EpdStyle::Literal { b"\"\n" } else { b"\";\n" });
    }

    /// Appends two lines: the original and its image.
    pub fn push_pair(&mut self, original: &Setup, image: &Setup, description: &str, out: &mut Vec<u8>) {
        self.push_line(original, ORIGINAL, out);
        self.push_line(image, description, out);
    }
}
