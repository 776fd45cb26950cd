//! Prints commands and twins as they can be read again, and commands as Popeye describes what they did.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use shakmaty::{Piece, Role, Setup, Square};

use plyfold_transform::Transform;
use plyfold_transform::symmetry::Symmetry;

use super::{Twin, TwinCommand, TwinList};

/// The letters of the pieces: a knight is a Springer.
pub(super) const ROLE_LETTERS: [(char, Role); 6] = [
    ('K', Role::King),
    ('Q', Role::Queen),
    ('R', Role::Rook),
    ('B', Role::Bishop),
    ('S', Role::Knight),
    ('P', Role::Pawn),
];

/// The four mirrors, each with two squares that change places, in the order in which the engines write them.
pub(super) const MIRRORS: [(&str, Symmetry); 4] = [
    ("a1<-->h1", Symmetry::FLIP_H),
    ("a1<-->a8", Symmetry::FLIP_V),
    ("a1<-->h8", Symmetry::FLIP_AD),
    ("a8<-->h1", Symmetry::FLIP_D),
];

/// The command as it can be read again.
impl fmt::Display for TwinCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TwinCommand::Move(from, to) => write!(f, "Move {from} {to}"),
            TwinCommand::Exchange(one, two) => write!(f, "Exchange {one} {two}"),
            TwinCommand::Remove(squares) => {
                f.write_str("Remove ")?;
                squares.iter().try_for_each(|square| write!(f, "{square}"))
            }
            TwinCommand::Add(pieces) => {
                f.write_str("Add")?;
                let mut colour = None;
                pieces.iter().try_for_each(|(piece, square)| {
                    if colour != Some(piece.color) {
                        colour = Some(piece.color);
                        f.write_str(piece.color.fold_wb(" white", " black"))?;
                    }
                    write!(f, " {}{square}", role_letter(piece.role))
                })
            }
            TwinCommand::Substitute(from, to) => write!(f, "Substitute {} {}", role_letter(*from), role_letter(*to)),
            TwinCommand::Shift(from, to) => write!(f, "Shift {from} {to}"),
            TwinCommand::Transform(Transform::SwapColours) => f.write_str("PolishType"),
            TwinCommand::Transform(transform) => match *transform {
                Transform::Rigid(Symmetry::ROT90) => f.write_str("Rotate 90"),
                Transform::Rigid(Symmetry::ROT180) => f.write_str("Rotate 180"),
                Transform::Rigid(Symmetry::ROT270) => f.write_str("Rotate 270"),
                Transform::Rigid(symmetry) if symmetry.is_flip() => {
                    write!(f, "Mirror {}", mirror_squares(symmetry))
                }
                named => write!(f, "{named}"),
            },
        }
    }
}

impl fmt::Display for Twin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_continued { "Continued" } else { "" })?;
        for (index, step) in self.steps.iter().enumerate() {
            let blank = if index > 0 || self.is_continued { " " } else { "" };
            write!(f, "{blank}{}", step.command)?;
        }
        Ok(())
    }
}

/// The list with one twin on each line.
impl fmt::Display for TwinList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, twin) in self.twins.iter().enumerate() {
            let word = if index == 0 && self.has_zero_position { "ZeroPosition" } else { "Twin" };
            write!(f, "{}{word} {twin}", if index > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl TwinCommand {
    /// The command on `position` as Popeye prints it: `wSb3-->b4`, `+wQh8`, `rotate 90`.
    pub fn describe(&self, position: &Setup) -> String {
        let piece_on = |square: &Square| {
            let piece = position.board.piece_at(*square);
            piece.map_or_else(|| format!("{square}"), |piece| format!("{}{square}", piece_text(piece)))
        };
        let join = |parts: &mut dyn Iterator<Item = String>| parts.collect::<Vec<_>>().join(" ");
        match self {
            TwinCommand::Move(from, to) => format!("{}-->{to}", piece_on(from)),
            TwinCommand::Exchange(one, two) => format!("{}<-->{}", piece_on(one), piece_on(two)),
            TwinCommand::Remove(squares) => join(&mut squares.iter().map(|square| format!("-{}", piece_on(square)))),
            TwinCommand::Add(pieces) => {
                join(&mut pieces.iter().map(|(piece, square)| format!("+{}{square}", piece_text(*piece))))
            }
            TwinCommand::Substitute(from, to) => format!("{} ==> {}", role_letter(*from), role_letter(*to)),
            TwinCommand::Shift(from, to) => format!("shift {from} ==> {to}"),
            TwinCommand::Transform(_) => {
                let text = format!("{self}");
                match text.strip_prefix("Rotate").or_else(|| text.strip_prefix("Mirror")) {
                    Some(rest) => format!("{}{rest}", text[..6].to_ascii_lowercase()),
                    None => text,
                }
            }
        }
    }
}

/// The two squares that a mirror exchanges, as the engines write them.
pub(super) fn mirror_squares(mirror: Symmetry) -> &'static str {
    MIRRORS.iter().find(|(_, symmetry)| *symmetry == mirror).map_or("", |(squares, _)| squares)
}

fn role_letter(role: Role) -> char {
    ROLE_LETTERS.iter().find(|(_, one)| *one == role).map_or('?', |(letter, _)| *letter)
}

fn piece_text(piece: Piece) -> String {
    format!("{}{}", piece.color.fold_wb('w', 'b'), role_letter(piece.role))
}
