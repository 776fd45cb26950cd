//! Carries out commands on a position: one by one, as a twin, or as a list of twins with the position after every command.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use shakmaty::{Piece, Setup, Square};

use plyfold_transform::position_text::PositionTextError;
use plyfold_transform::shift::Shift;
use plyfold_transform::{DroppedPieces, Transform};

use super::{Twin, TwinCommand, TwinList};

/// What happens to pieces that a shift moves off the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OffBoardRule {
    /// Each command has its own rule: `Shift a1 b2` is refused, `shift:1,1` drops the pieces.
    #[default]
    AsWritten,
    /// The shift is refused.
    Refuse,
    /// The pieces are dropped.
    Drop,
}

/// The position of a twin.
#[derive(Clone, Debug)]
pub struct TwinPosition {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// What was done, as Popeye prints it; empty for the diagram itself.
    pub description: String,
    /// The position.
    pub position: Setup,
}

/// A command that was carried out.
#[derive(Clone, Debug)]
pub struct AppliedStep {
    /// What was done, as Popeye prints it.
    pub description: String,
    /// First byte of the command in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
    /// The position after it.
    pub position: Setup,
}

/// A twin with the positions after each of its commands.
#[derive(Clone, Debug)]
pub struct TwinPath {
    /// `a`, `b` … `z`, `z1`, `z2` and so on.
    pub label: String,
    /// The position from which it starts: the diagram, or the twin before.
    pub start: Setup,
    /// The commands that were carried out, in their order; none for the diagram itself.
    pub steps: Vec<AppliedStep>,
}

impl TwinCommand {
    /// The position after the command.
    ///
    /// # Errors
    ///
    /// A square that must have a piece is empty, or a piece leaves the board although none may.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Setup, String> {
        let mut changed = position.clone();
        let board = &mut changed.board;
        match self {
            TwinCommand::Move(from, to) => {
                let piece =
                    board.remove_piece_at(*from).ok_or_else(|| format!("there is no piece on {from} to move"))?;
                board.set_piece_at(*to, piece);
            }
            TwinCommand::Exchange(one, two) => {
                let piece_on = |square: &Square| {
                    position.board.piece_at(*square).ok_or_else(|| format!("there is no piece on {square} to exchange"))
                };
                let (first, second) = (piece_on(one)?, piece_on(two)?);
                board.set_piece_at(*one, second);
                board.set_piece_at(*two, first);
            }
            TwinCommand::Remove(squares) => {
                for square in squares {
                    let gone = board.remove_piece_at(*square);
                    gone.ok_or_else(|| format!("there is no piece on {square} to remove"))?;
                }
            }
            TwinCommand::Add(pieces) => pieces.iter().for_each(|(piece, square)| board.set_piece_at(*square, *piece)),
            TwinCommand::Substitute(from, to) => {
                for square in position.board.by_role(*from) {
                    if let Some(Piece { color, .. }) = position.board.piece_at(square) {
                        board.set_piece_at(square, Piece { color, role: *to });
                    }
                }
            }
            TwinCommand::Shift(from, to) => {
                let shift = Transform::Shift(Shift::between(*from, *to));
                return apply_shift(shift, position, off_board != OffBoardRule::Drop);
            }
            TwinCommand::Transform(transform) => {
                return apply_shift(*transform, position, off_board == OffBoardRule::Refuse);
            }
        }
        // Castling rights and en passant need pieces that have not moved.
        let remains = |square: &Square| {
            let king = position.board.piece_at(*square).and_then(|rook| position.board.king_of(rook.color));
            let stands = |square: Square| changed.board.piece_at(square) == position.board.piece_at(square);
            stands(*square) && king.is_some_and(stands)
        };
        changed.castling_rights = position.castling_rights.into_iter().filter(remains).collect();
        changed.ep_square = None;
        changed.promoted &= changed.board.occupied();
        Ok(changed)
    }
}

fn apply_shift(transform: Transform, position: &Setup, is_strict: bool) -> Result<Setup, String> {
    match is_strict {
        true => transform.apply_strictly(position).map_err(|dropped: DroppedPieces| format!("{dropped}")),
        false => Ok(transform.apply(position)),
    }
}

impl Twin {
    /// The position after all commands.
    ///
    /// # Errors
    ///
    /// The command that cannot be carried out, by its place in the text.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Setup, PositionTextError> {
        self.steps.iter().try_fold(position.clone(), |position, step| {
            let result = step.command.apply(&position, off_board);
            result.map_err(|message| PositionTextError::new(message, step.from..step.to))
        })
    }
}

impl TwinList {
    /// The twins of `position`, with the diagram itself if it is one of them.
    ///
    /// # Errors
    ///
    /// The command that cannot be carried out, by its place in the text, and the label of its twin.
    pub fn apply(&self, position: &Setup, off_board: OffBoardRule) -> Result<Vec<TwinPosition>, PositionTextError> {
        let (paths, fault) = self.apply_stepwise(position, off_board);
        match fault {
            Some(fault) => Err(fault),
            None => Ok(paths.into_iter().map(TwinPath::into_position).collect()),
        }
    }

    /// The twins with the positions after each command, up to the first command that cannot be carried out, and the error of that
    /// command.
    pub fn apply_stepwise(
        &self,
        position: &Setup,
        off_board: OffBoardRule,
    ) -> (Vec<TwinPath>, Option<PositionTextError>) {
        let new_path = |index, from| TwinPath { label: twin_label(index), start: from, steps: Vec::new() };
        let mut paths: Vec<TwinPath> = Vec::new();
        if !self.has_zero_position {
            paths.push(new_path(0, position.clone()));
        }
        for twin in &self.twins {
            let before = paths.last().filter(|_| twin.is_continued).map(|before| before.position().clone());
            paths.push(new_path(paths.len(), before.unwrap_or_else(|| position.clone())));
            let Some(path) = paths.last_mut() else { break };
            for step in &twin.steps {
                let description = step.command.describe(path.position());
                match step.command.apply(path.position(), off_board) {
                    Ok(position) => {
                        path.steps.push(AppliedStep { description, from: step.from, to: step.to, position })
                    }
                    Err(message) => {
                        let message = format!("twin {}: {message}", path.label);
                        return (paths, Some(PositionTextError::new(message, step.from..step.to)));
                    }
                }
            }
        }
        (paths, None)
    }
}

impl TwinPath {
    /// The position after the last command.
    #[must_use]
    pub fn position(&self) -> &Setup {
        self.steps.last().map_or(&self.start, |done| &done.position)
    }

    fn into_position(mut self) -> TwinPosition {
        let descriptions = self.steps.iter().map(|done| done.description.as_str()).collect::<Vec<_>>().join(", ");
        let position = self.steps.pop().map_or(self.start, |done| done.position);
        TwinPosition { label: self.label, description: descriptions, position }
    }
}

/// `a` to `z`, then `z1` and so on.
fn twin_label(index: usize) -> String {
    match index {
        0..=25 => String::from(char::from(b'a' + index as u8)),
        _ => format!("z{}", index - 25),
    }
}
