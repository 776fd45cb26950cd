//! `white plays knight to e5`, `bishop captures on h7`, `pawn promotes to knight`: the move that led to the position.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use plyfold_scan::scan::combine::Formula;
use plyfold_scan::scan::measure::BoardFeature;
use plyfold_scan::scan::measure::mate::NamedMate;
use plyfold_scan::scan::predicate::{FollowedTest, Motif, MoveDirection, MoveLine, PositionPredicate};
use shakmaty::{Color, Role};

use super::{Form, Leaf};
use crate::error::QueryError;
use crate::names::{Introduction, NameMistake, NameReader, PieceReference, any_piece, colours};
use crate::parse::{NamedSide, QueryParser};
use crate::plan::QueryPlanner;
use crate::plan::squares::named_piece;
use crate::played::{MoveAction, MovePattern};
use crate::region::Region;
use crate::side::SideSelector;
use crate::squares::SquareExpression;
use crate::token::TokenKind;

const LINES: &[&str] = &["`file`", "`rank`", "`diagonal`"];
/// What may follow the name of a move.
const DETAILS: &[&str] = &["`from`", "`to`", "`on`", "`forward`", "`backward`", "`along`", "`quiet`"];

/// The words of moves, but for motifs.
const WORDS: &[(&str, &str)] = &[
    ("plays", "the side has just made such a move"),
    ("captures", "the side has just captured such a piece"),
    ("recaptures", "captures where the other side has just captured"),
    ("promotes", "a pawn has just become such a piece"),
    ("underpromotes", "a pawn has just become a knight, bishop or rook"),
    ("castles", "the side has just castled"),
    ("castles_short", "the side has just castled on the king's wing"),
    ("castles_long", "the side has just castled on the queen's wing"),
    ("en_passant", "the side has just captured en passant"),
    ("quiet", "the move captures nothing and promotes no pawn"),
    ("gives_check", "the side has just given check"),
    ("gives_double_check", "two pieces of the side have just given check"),
    ("gives_discovered_check", "with a piece that did not move"),
    ("gives_mate", "the side has just mated"),
    NamedMate::BackRank.word(),
    NamedMate::Smothered.word(),
    NamedMate::Arabian.word(),
    NamedMate::Anastasia.word(),
    NamedMate::Bodens.word(),
    NamedMate::DoubleBishop.word(),
    NamedMate::Dovetail.word(),
    NamedMate::Hook.word(),
    NamedMate::Opera.word(),
    NamedMate::Pillsburys.word(),
    NamedMate::Corner.word(),
    NamedMate::KillBox.word(),
    NamedMate::Morphys.word(),
    NamedMate::Vukovic.word(),
    NamedMate::Triangle.word(),
    NamedMate::BlindSwine.word(),
    ("stalemates", "the side has just stalemated"),
    ("perpetual", "the side has just repeated a position by checks alone"),
    ("attacking_f2_f7", "the side has just captured on f7 or f2, beside a king on e8 or e1"),
    ("sacrifices", "the move gives material that does not come back within three moves"),
    ("exchange_sacrifice", "the move gives a rook for a knight or bishop"),
    ("gives_up_queen", "the move gives a queen, whoever wins, whether it was lost or not"),
    ("to", ""),
    ("forward", "the piece moves up the board, as its side sees it"),
    ("backward", "the piece moves down the board"),
    ("along", "the piece stays on a file, rank or diagonal"),
];

/// A move of a side, by what it does.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct Played {
    /// Who moved; no "both", "neither", "mover" or "waiter".
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "SideSelector::is_either"))]
    pub side: SideSelector,
    /// The kind of move.
    #[cfg_attr(feature = "json", serde(rename = "move"))]
    pub pattern: MovePattern,
}

impl Form for Played {
    const STARTS: &'static [&'static str] = &["`plays`", "`captures`"];
    const WORDS: &'static [(&'static str, &'static str)] = &{
        let mut all = [("", ""); WORDS.len() + Motif::ALL.len()];
        let (words, motifs) = all.split_at_mut(WORDS.len());
        words.copy_from_slice(WORDS);
        let mut nth = 0;
        while nth < motifs.len() {
            let (names, summary) = Motif::ALL[nth].words();
            motifs[nth] = (names[0], summary);
            nth += 1;
        }
        all
    };

    fn read(parser: &mut QueryParser, side: &NamedSide) -> Result<Option<Leaf>, QueryError> {
        if parser.is_move() { parser.played(side, None).map(Some) } else { Ok(None) }
    }

    fn lower(&self, plan: &mut QueryPlanner<'_>) -> Result<Formula, QueryError> {
        plan.for_side(&self.side, &mut |plan, colour| lower_move(plan, &self.pattern, colour))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.side.fmt_before(f)?;
        write!(f, "{}", self.pattern)
    }

    fn sides(&self) -> Vec<&SideSelector> {
        vec![&self.side]
    }

    fn read_names(&self, names: &mut NameReader) -> Result<(), NameMistake> {
        let Played { side, pattern } = self;
        let own = colours(side);
        let other: Vec<Color> = own.iter().map(|&colour| !colour).collect();
        let pieces = [(pattern.piece_name, pattern.piece, own), (pattern.object_name, pattern.object, other)];
        for (reference, role, colours) in pieces {
            match reference {
                Some(PieceReference { name, is_introduced: true }) => {
                    names.introduce(Introduction { name, colours, place: any_piece(role) })?;
                }
                Some(PieceReference { name, is_introduced: false }) => names.use_name(name)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// The formula of such a move of a side.
fn lower_move(plan: &mut QueryPlanner<'_>, pattern: &MovePattern, colour: Color) -> Result<Formula, QueryError> {
    let named = |reference: PieceReference| named_piece(&plan.names, reference.name);
    let followed = [
        pattern.piece_name.map(|reference| FollowedTest::Moves(named(reference))),
        pattern.object_name.map(|reference| FollowedTest::IsCaptured(named(reference))),
    ];
    let mut predicates = vec![PositionPredicate::Played(pattern.predicate(colour))];
    predicates.extend(followed.into_iter().flatten().map(PositionPredicate::Followed));
    predicates.extend(pattern.effect(colour));
    plan.conjunction(predicates)
}

/// The move of the piece that a set of squares means, if the words of a move follow it.
pub(super) fn played_by(
    parser: &mut QueryParser,
    side: &NamedSide,
    squares: &SquareExpression,
) -> Result<Option<Leaf>, QueryError> {
    match MovingPiece::of_squares(squares) {
        Some(piece) if parser.is_move() => parser.played(side, Some(piece)).map(Some),
        _ => Ok(None),
    }
}

/// The piece before the name of a move.
struct MovingPiece {
    /// What it is; none if it has a name alone.
    feature: Option<&'static BoardFeature>,
    name: Option<PieceReference>,
    /// Where it comes from.
    region: Region,
}

impl MovingPiece {
    /// The piece that a set of squares means, if it is a predicate or a name.
    fn of_squares(squares: &SquareExpression) -> Option<MovingPiece> {
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
    pub(crate) fn is_move(&self) -> bool {
        self.longest_name(MoveAction::named).is_some() && !self.is_sign(self.at + 1, "(")
    }

    /// A move. The side, which `side_at` begins, and the piece that moves have been read.
    fn played(&mut self, side: &NamedSide, piece: Option<MovingPiece>) -> Result<Leaf, QueryError> {
        self.check_mover(side)?;
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
        Ok(Played { side: side.side.clone(), pattern }.into())
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
