//! Describes a move in a query: `white knight captures queen on d8`.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::measure::mate::NamedMate;
use plyfold_scan::scan::measure::pieces::ROLE_NAMES;
use plyfold_scan::scan::predicate::{
    CaptureRule, DiscoveredCheck, FeatureSquares, LONG_WING, Motif, MotifOfMove, MoveDirection, MoveLine,
    MovePredicate, PerpetualCheck, PositionPredicate, SHORT_WING, Sacrifice,
};
use shakmaty::{Color, Role, Square};

use super::keywords::{name_of, named};
use super::names::PieceReference;
use super::region::Region;

/// The number of names that motifs have.
const MOTIF_NAMES: usize = {
    let (mut count, mut nth) = (0, 0);
    while nth < Motif::ALL.len() {
        count += Motif::ALL[nth].words().0.len();
        nth += 1;
    }
    count
};

/// Fills in the names of motifs.
const fn name_motifs(names: &mut [(&'static str, MoveAction)]) {
    let (mut at, mut nth) = (0, 0);
    while nth < Motif::ALL.len() {
        let (motif, mut of_motif) = (Motif::ALL[nth], 0);
        while of_motif < motif.words().0.len() {
            names[at] = (motif.words().0[of_motif], MoveAction::HasMotif(motif));
            (at, of_motif) = (at + 1, of_motif + 1);
        }
        nth += 1;
    }
}

/// The action of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveAction {
    /// Any move.
    Plays,
    /// It captures a piece.
    Captures,
    /// It captures where the other side has just captured.
    Recaptures,
    /// A pawn promotes.
    Promotes,
    /// A pawn promotes to a knight, bishop or rook.
    Underpromotes,
    /// The king castles.
    Castles,
    /// It castles on the king's wing.
    CastlesShort,
    /// It castles on the queen's wing.
    CastlesLong,
    /// A pawn captures en passant.
    EnPassant,
    /// It captures nothing and promotes no pawn.
    Quiet,
    /// It gives check.
    GivesCheck,
    /// Two pieces give check after it.
    GivesDoubleCheck,
    /// A piece that did not move gives check after it.
    GivesDiscoveredCheck,
    /// It mates.
    GivesMate,
    /// It mates in a pattern that has a name.
    GivesNamedMate(NamedMate),
    /// It stalemates.
    Stalemates,
    /// It repeats a position by checks alone.
    Perpetual,
    /// It captures on f7 beside Black's king on e8, or on f2 beside White's on e1.
    AttacksF2F7,
    /// It has a motif.
    HasMotif(Motif),
    /// It gives material.
    Sacrifices,
    /// It gives a rook for a knight or bishop.
    ExchangeSacrifice,
    /// It gives a queen, whoever wins and whether it was lost or not.
    GivesUpQueen,
}

impl MoveAction {
    /// Names as written, the first of an action is the one that is printed.
    pub const NAMED: &[(&str, MoveAction)] = &{
        let mut all = [("", MoveAction::Plays); Self::OF_MOVES.len() + MOTIF_NAMES];
        let (of_moves, of_motifs) = all.split_at_mut(Self::OF_MOVES.len());
        of_moves.copy_from_slice(Self::OF_MOVES);
        name_motifs(of_motifs);
        all
    };

    /// Those of all but motifs.
    const OF_MOVES: &[(&str, MoveAction)] = &[
        ("plays", MoveAction::Plays),
        ("captures", MoveAction::Captures),
        ("takes", MoveAction::Captures),
        ("recaptures", MoveAction::Recaptures),
        ("promotes", MoveAction::Promotes),
        ("underpromotes", MoveAction::Underpromotes),
        ("castles", MoveAction::Castles),
        ("castles_short", MoveAction::CastlesShort),
        ("castles_kingside", MoveAction::CastlesShort),
        ("castles_long", MoveAction::CastlesLong),
        ("castles_queenside", MoveAction::CastlesLong),
        ("en_passant", MoveAction::EnPassant),
        ("captures_en_passant", MoveAction::EnPassant),
        ("takes_en_passant", MoveAction::EnPassant),
        ("quiet", MoveAction::Quiet),
        ("gives_check", MoveAction::GivesCheck),
        ("gives_double_check", MoveAction::GivesDoubleCheck),
        ("gives_discovered_check", MoveAction::GivesDiscoveredCheck),
        ("discovered_check", MoveAction::GivesDiscoveredCheck),
        ("gives_mate", MoveAction::GivesMate),
        ("gives_checkmate", MoveAction::GivesMate),
        (NamedMate::BackRank.word().0, MoveAction::GivesNamedMate(NamedMate::BackRank)),
        ("backrank_mate", MoveAction::GivesNamedMate(NamedMate::BackRank)),
        (NamedMate::Smothered.word().0, MoveAction::GivesNamedMate(NamedMate::Smothered)),
        (NamedMate::Arabian.word().0, MoveAction::GivesNamedMate(NamedMate::Arabian)),
        (NamedMate::Anastasia.word().0, MoveAction::GivesNamedMate(NamedMate::Anastasia)),
        ("anastasias_mate", MoveAction::GivesNamedMate(NamedMate::Anastasia)),
        (NamedMate::Bodens.word().0, MoveAction::GivesNamedMate(NamedMate::Bodens)),
        ("boden_mate", MoveAction::GivesNamedMate(NamedMate::Bodens)),
        (NamedMate::DoubleBishop.word().0, MoveAction::GivesNamedMate(NamedMate::DoubleBishop)),
        (NamedMate::Dovetail.word().0, MoveAction::GivesNamedMate(NamedMate::Dovetail)),
        ("cozios_mate", MoveAction::GivesNamedMate(NamedMate::Dovetail)),
        (NamedMate::Hook.word().0, MoveAction::GivesNamedMate(NamedMate::Hook)),
        (NamedMate::Opera.word().0, MoveAction::GivesNamedMate(NamedMate::Opera)),
        (NamedMate::Pillsburys.word().0, MoveAction::GivesNamedMate(NamedMate::Pillsburys)),
        ("pillsbury_mate", MoveAction::GivesNamedMate(NamedMate::Pillsburys)),
        (NamedMate::Corner.word().0, MoveAction::GivesNamedMate(NamedMate::Corner)),
        (NamedMate::KillBox.word().0, MoveAction::GivesNamedMate(NamedMate::KillBox)),
        (NamedMate::Morphys.word().0, MoveAction::GivesNamedMate(NamedMate::Morphys)),
        ("morphy_mate", MoveAction::GivesNamedMate(NamedMate::Morphys)),
        (NamedMate::Vukovic.word().0, MoveAction::GivesNamedMate(NamedMate::Vukovic)),
        ("vukovics_mate", MoveAction::GivesNamedMate(NamedMate::Vukovic)),
        (NamedMate::Triangle.word().0, MoveAction::GivesNamedMate(NamedMate::Triangle)),
        (NamedMate::BlindSwine.word().0, MoveAction::GivesNamedMate(NamedMate::BlindSwine)),
        ("stalemates", MoveAction::Stalemates),
        ("gives_stalemate", MoveAction::Stalemates),
        ("perpetual", MoveAction::Perpetual),
        ("perpetual_check", MoveAction::Perpetual),
        ("gives_perpetual", MoveAction::Perpetual),
        ("gives_perpetual_check", MoveAction::Perpetual),
        ("attacking_f2_f7", MoveAction::AttacksF2F7),
        ("sacrifices", MoveAction::Sacrifices),
        ("sacrifice", MoveAction::Sacrifices),
        ("exchange_sacrifice", MoveAction::ExchangeSacrifice),
        ("sacrifices_exchange", MoveAction::ExchangeSacrifice),
        ("gives_up_queen", MoveAction::GivesUpQueen),
    ];

    /// The action with this name, in which an article may stand.
    pub fn named(name: &str) -> Option<MoveAction> {
        let without = |article: &str| named(&name.replacen(article, "_", 1), Self::NAMED);
        named(name, Self::NAMED).or_else(|| ["_a_", "_an_", "_the_"].into_iter().find_map(without))
    }

    /// The name.
    pub fn name(self) -> &'static str {
        name_of(&self, Self::NAMED)
    }
}

/// A kind of move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "json",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields)
)]
pub struct MovePattern {
    /// What the move does.
    pub action: MoveAction,
    /// The role of the piece that moves, before it moves; none for any.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::by_optional_name", default, skip_serializing_if = "Option::is_none"),
        schemars(with = "Option<crate::json::Name<Role>>")
    )]
    pub piece: Option<Role>,
    /// The name of the piece that moves.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub piece_name: Option<PieceReference>,
    /// The role of the piece that is captured, or to which a pawn promotes; none for any.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::by_optional_name", default, skip_serializing_if = "Option::is_none"),
        schemars(with = "Option<crate::json::Name<Role>>")
    )]
    pub object: Option<Role>,
    /// The name of the piece that is captured.
    #[cfg_attr(feature = "json", serde(default, skip_serializing_if = "Option::is_none"))]
    pub object_name: Option<PieceReference>,
    /// Where the piece comes from.
    #[cfg_attr(feature = "json", serde(default = "Region::anywhere", skip_serializing_if = "Region::is_anywhere"))]
    pub from: Region,
    /// Where it arrives; the king in castling.
    #[cfg_attr(feature = "json", serde(default = "Region::anywhere", skip_serializing_if = "Region::is_anywhere"))]
    pub to: Region,
    /// Its direction, if that matters.
    #[cfg_attr(
        feature = "json",
        serde(with = "crate::json::by_optional_name", default, skip_serializing_if = "Option::is_none"),
        schemars(with = "Option<crate::json::Name<MoveDirection>>")
    )]
    pub direction: Option<MoveDirection>,
    /// Its line, if that matters.
    #[cfg_attr(
        feature = "json",
        serde(
            rename = "along",
            with = "crate::json::by_optional_name",
            default,
            skip_serializing_if = "Option::is_none"
        ),
        schemars(with = "Option<crate::json::Name<MoveLine>>")
    )]
    pub line: Option<MoveLine>,
    /// Whether it captures nothing and promotes no pawn.
    #[cfg_attr(feature = "json", serde(rename = "quiet", default, skip_serializing_if = "core::ops::Not::not"))]
    pub is_quiet: bool,
}

impl MovePattern {
    /// Any move with this action.
    pub fn new(action: MoveAction) -> MovePattern {
        MovePattern {
            action,
            piece: None,
            piece_name: None,
            object: None,
            object_name: None,
            from: Region::ANYWHERE,
            to: Region::ANYWHERE,
            direction: None,
            line: None,
            is_quiet: false,
        }
    }

    /// Returns what must hold on the board after such a move of a side, besides the test of the move.
    pub(super) fn effect(&self, colour: Color) -> Option<PositionPredicate> {
        let squares_of =
            |feature, region| PositionPredicate::FeatureInRegion(FeatureSquares { feature, colour: !colour, region });
        let mut region = u64::MAX;
        let name = match self.action {
            MoveAction::GivesNamedMate(mate) => return Some(squares_of(mate.feature(), region)),
            MoveAction::AttacksF2F7 => {
                region = 1 << colour.fold_wb(Square::E8, Square::E1) as u32;
                "king"
            }
            MoveAction::GivesCheck => "check",
            MoveAction::GivesDoubleCheck => "double_check",
            MoveAction::HasMotif(motif) => return Some(MotifOfMove { motif, mover: colour }.into()),
            MoveAction::GivesDiscoveredCheck => return Some(DiscoveredCheck(colour).into()),
            MoveAction::Perpetual => return Some(PerpetualCheck(colour).into()),
            MoveAction::GivesMate => "checkmate",
            MoveAction::Stalemates => "stalemate",
            _ => return None,
        };
        FEATURES.iter().copied().find(|feature| feature.name == name).map(|feature| squares_of(feature, region))
    }

    /// The test of such a move of one side.
    pub(super) fn predicate(&self, colour: Color) -> MovePredicate {
        let mut test = MovePredicate {
            from: self.from.for_side(colour),
            to: self.to.for_side(colour),
            direction: self.direction,
            line: self.line,
            ..MovePredicate::any(colour)
        };
        if let Some(role) = self.piece {
            test = test.by_role(role);
        }
        let objects = self.object.map(|role| 1 << role as u8);
        let taken = objects.unwrap_or(CaptureRule::ANY_ROLE);
        let promotes_to = |roles: u8| objects.map_or(roles, |object| object & roles);
        test = match self.action {
            MoveAction::Plays
            | MoveAction::GivesCheck
            | MoveAction::GivesDoubleCheck
            | MoveAction::GivesDiscoveredCheck
            | MoveAction::GivesMate
            | MoveAction::GivesNamedMate(_)
            | MoveAction::HasMotif(_)
            | MoveAction::Stalemates
            | MoveAction::Perpetual => test,
            MoveAction::Captures => MovePredicate { capture: CaptureRule::Takes(taken), ..test },
            MoveAction::Recaptures => MovePredicate { capture: CaptureRule::Retakes(taken), ..test },
            MoveAction::AttacksF2F7 => {
                let weak = 1 << colour.fold_wb(Square::F7, Square::F2) as u32;
                MovePredicate { capture: CaptureRule::Takes(taken), to: test.to & weak, ..test }
            }
            MoveAction::Promotes => test.promoting(promotes_to(CaptureRule::ANY_ROLE)),
            MoveAction::Underpromotes => test.promoting(promotes_to(!(1 << Role::Queen as u8))),
            MoveAction::Castles => test.castling(SHORT_WING | LONG_WING),
            MoveAction::CastlesShort => test.castling(SHORT_WING),
            MoveAction::CastlesLong => test.castling(LONG_WING),
            MoveAction::EnPassant => test.en_passant(),
            MoveAction::Quiet => test.quiet(),
            MoveAction::Sacrifices => MovePredicate { sacrifice: Some(Sacrifice::Any), ..test },
            MoveAction::ExchangeSacrifice => MovePredicate { sacrifice: Some(Sacrifice::Exchange), ..test },
            MoveAction::GivesUpQueen => MovePredicate { sacrifice: Some(Sacrifice::Queen), ..test },
        };
        let captures = matches!(
            self.action,
            MoveAction::Captures | MoveAction::Recaptures | MoveAction::EnPassant | MoveAction::AttacksF2F7
        );
        match self.is_quiet {
            // A quiet move captures nothing, so no move is both.
            true if captures => MovePredicate { from: 0, ..test },
            true => test.quiet(),
            false => test,
        }
    }
}

/// The name of a role.
pub fn role_name(role: Role) -> &'static str {
    ROLE_NAMES[role as usize - 1]
}

/// The words of a piece: `knight`, `knight as N` or `N`; none if it may be any.
fn describe_piece(role: Option<Role>, reference: Option<PieceReference>) -> Option<String> {
    match (role, reference) {
        (role, None) => role.map(|role| String::from(role_name(role))),
        (_, Some(PieceReference { name, is_introduced: false })) => Some(name.to_string()),
        (role, Some(PieceReference { name, is_introduced: true })) => {
            Some(format!("{} as {name}", role.map_or("piece", role_name)))
        }
    }
}

/// Writes the words after the side.
impl fmt::Display for MovePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let piece = describe_piece(self.piece, self.piece_name);
        match (self.action, &piece) {
            (MoveAction::Plays, Some(piece)) => write!(f, "plays {piece}")?,
            (action, Some(piece)) => write!(f, "{piece} {}", action.name())?,
            (action, None) => f.write_str(action.name())?,
        }
        if let Some(object) = describe_piece(self.object, self.object_name) {
            let to = matches!(self.action, MoveAction::Promotes | MoveAction::Underpromotes);
            write!(f, "{} {object}", if to { " to" } else { "" })?;
        }
        self.from.fmt_after(f, "from")?;
        self.to.fmt_after(f, if self.action == MoveAction::Plays { "to" } else { "on" })?;
        if let Some(direction) = self.direction {
            write!(f, " {}", direction.name())?;
        }
        if let Some(line) = self.line {
            write!(f, " along a {}", line.name())?;
        }
        f.write_str(if self.is_quiet { " quiet" } else { "" })
    }
}
