//! Reads moves: `white plays knight to e5`, `bishop captures on h7`, `pawn promotes to knight`.

use alloc::format;

use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::predicate::{MoveDirection, MoveLine};
use shakmaty::Role;

use super::QueryParser;
use crate::error::QueryError;
use crate::names::PieceReference;
use crate::played::{MoveAction, MovePattern};
use crate::region::Region;
use crate::squares::SquareExpression;
use crate::token::TokenKind;
use crate::tree::{Leaf, SideSelector};

const LINES: &[&str] = &["`file`", "`rank`", "`diagonal`"];
/// What may follow the name of a move.
const DETAILS: &[&str] = &["`from`", "`to`", "`on`", "`forward`", "`backward`", "`along`", "`quiet`"];

/// The piece before the name of a move.
pub(super) struct MovingPiece {
    /// What it is; none if it has a name alone.
    feature: Option<&'static BoardFeature>,
    name: Option<PieceReference>,
    /// Where it comes from.
    region: Region,
}

impl MovingPiece {
    /// The piece that a set of squares means, if it is a predicate or a name.
    pub fn of_squares(squares: &SquareExpression) -> Option<MovingPiece> {
        match squares {
            SquareExpression::Feature { feature, region } => {
                Some(MovingPiece { feature: Some(feature), name: None, region: *region })
            }
            SquareExpression::Named { name, region } => {
                let name = Some(PieceReference { name: *name, is_introduced: false });
                Some(MovingPiece { feature: None, name, region: *region })
            }
            SquareExpression::Introduced { place, name } => {
                let name = Some(PieceReference { name: *name, is_introduced: true });
                MovingPiece::of_squares(place).map(|piece| MovingPiece { name, ..piece })
            }
            _ => None,
        }
    }
}

impl QueryParser {
    /// Whether the words of a move begin here, such as `captures`.
    pub(super) fn is_move(&self) -> bool {
        self.longest_name(MoveAction::named).is_some() && !self.is_sign(self.at + 1, "(")
    }

    /// A move. The side, which `side_at` begins, and the piece that moves have been read.
    pub(super) fn played(
        &mut self,
        side_at: usize,
        side: SideSelector,
        piece: Option<MovingPiece>,
    ) -> Result<Leaf, QueryError> {
        self.check_mover(side_at, &side)?;
        let begin = self.at;
        let Some((action, after)) = self.longest_name(MoveAction::named) else {
            return Err(self.expected("a move", &["`plays`", "`captures`"]));
        };
        self.at = after;
        let mut pattern = MovePattern::new(action);
        let has_piece = piece.is_some();
        if let Some(MovingPiece { feature, name, region }) = piece {
            let Some(role) = feature.map_or(Some(None), move_role) else {
                let what = feature.map_or("", |feature| feature.name);
                let message = format!("a piece moves, `{what}` does not: write `pawn`, `knight` and so on");
                return Err(self.error_at(begin, &message, &["a piece"]));
            };
            (pattern.piece, pattern.piece_name, pattern.from) = (role, name, region);
        }
        self.move_object(&mut pattern, has_piece)?;
        while self.move_detail(&mut pattern)? {}
        self.followers = (self.at, DETAILS);
        Ok(Leaf::Played { side, pattern })
    }

    /// The piece after the name of a move: it moves, is captured, or is what a pawn becomes.
    fn move_object(&mut self, pattern: &mut MovePattern, has_piece: bool) -> Result<(), QueryError> {
        let at = self.at;
        let promotes = matches!(pattern.action, MoveAction::Promotes | MoveAction::Underpromotes);
        if promotes {
            self.take_word("to");
        }
        let Some((role, after)) = self.peek_feature().and_then(|(feature, after)| Some((move_role(feature)?, after)))
        else {
            let Some(name) = self.name_at(self.at) else {
                self.at = at;
                return Ok(());
            };
            self.at += 1;
            return self.name_object(pattern, has_piece, PieceReference { name, is_introduced: false });
        };
        let (piece, object) = match pattern.action {
            MoveAction::Plays if has_piece => {
                return Err(self.error("the piece that moves is named twice", DETAILS));
            }
            MoveAction::Plays => (role, None),
            MoveAction::Captures | MoveAction::Recaptures => (pattern.piece, role),
            MoveAction::Promotes | MoveAction::Underpromotes
                if !matches!(role, Some(Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) =>
            {
                let becomes = &["`knight`", "`bishop`", "`rook`", "`queen`"];
                return Err(self.error("a pawn becomes a knight, bishop, rook or queen", becomes));
            }
            MoveAction::Promotes | MoveAction::Underpromotes => (pattern.piece, role),
            action => return Err(self.piece_first_error(self.at, action)),
        };
        (pattern.piece, pattern.object, self.at) = (piece, object, after);
        match self.introduced_name()? {
            Some(name) => self.name_object(pattern, has_piece, PieceReference { name, is_introduced: true }),
            None => Ok(()),
        }
    }

    /// The name of the piece after the name of a move, which has been read.
    fn name_object(
        &mut self,
        pattern: &mut MovePattern,
        has_piece: bool,
        reference: PieceReference,
    ) -> Result<(), QueryError> {
        match pattern.action {
            MoveAction::Plays if !has_piece => pattern.piece_name = Some(reference),
            MoveAction::Captures | MoveAction::Recaptures => pattern.object_name = Some(reference),
            action => return Err(self.piece_first_error(self.at - 1, action)),
        }
        Ok(())
    }

    fn piece_first_error(&mut self, at: usize, action: MoveAction) -> QueryError {
        self.error_at(at, &format!("write the piece that moves before `{}`", action.name()), DETAILS)
    }

    /// Reads a word about a move, and what belongs to it. Returns whether there is one.
    fn move_detail(&mut self, pattern: &mut MovePattern) -> Result<bool, QueryError> {
        let at = self.at;
        match self.word() {
            // `from move 20` restricts the plies.
            Some("from") if pattern.from == Region::ANYWHERE && !self.is_unit_at(at + 1) => {
                self.at += 1;
                pattern.from = self.squares_of_move()?;
            }
            Some("to" | "on") if pattern.to == Region::ANYWHERE => {
                self.at += 1;
                pattern.to = self.squares_of_move()?;
            }
            Some("forward" | "backward") if pattern.direction.is_none() => {
                pattern.direction = self.take_named(MoveDirection::NAMED);
            }
            Some("along") if pattern.line.is_none() => {
                self.at += 1;
                if !self.take_word("a") {
                    self.take_word("the");
                }
                let Some(line) = self.take_named(MoveLine::NAMED) else {
                    return Err(self.expected("a line", LINES));
                };
                pattern.line = Some(line);
            }
            Some("quiet") if !pattern.is_quiet && pattern.action != MoveAction::Quiet => {
                self.at += 1;
                pattern.is_quiet = true;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A region. In `from 2 to 4` the second word begins another one.
    fn squares_of_move(&mut self) -> Result<Region, QueryError> {
        if let Some(TokenKind::Number(9..)) = self.peek() {
            return Err(self.error("ranks are 1 to 8; for plies write `from ply 10`", &["a region"]));
        }
        self.is_in_move = true;
        let region = self.region();
        self.is_in_move = false;
        region
    }

    fn is_unit_at(&self, at: usize) -> bool {
        matches!(self.word_at(at), Some("ply" | "plies" | "move" | "moves"))
    }
}

/// The role of a kind of piece, or none of `piece`; nothing for other features.
fn move_role(feature: &BoardFeature) -> Option<Option<Role>> {
    match feature.role() {
        None if feature.name == "piece" => Some(None),
        None => None,
        role => Some(role),
    }
}
