//! The squares of a feature of one side within a region. The predicate holds if there are any.

use plyfold_board::board::{ChangeMask, PieceCode, placement_change};
use plyfold_board::matsig::target::MaterialBounds;
use shakmaty::{Color, Role};

use super::{BoardQuantity, Predicate, side_index};
use crate::scan::access_path::{AccessPath, PredicateAccess};
use crate::scan::measure::measured_board::MeasuredBoard;
use crate::scan::measure::{BoardFeature, FeaturePresence, FeatureScope, ImpliedPieces, adjacent_files, file_fill};
use crate::scan::replay_needs::ReplayNeeds;
use crate::scan::tuning::MAX_WATCHED_PAWN_SQUARES;

/// The squares of a feature of one side within a region.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FeatureSquares {
    /// The feature.
    pub feature: &'static BoardFeature,
    /// The side.
    pub colour: Color,
    /// The region; all ones for the whole board.
    pub region: u64,
}

impl FeatureSquares {
    pub(super) fn on_board(&self, board: &MeasuredBoard<'_>) -> u64 {
        (self.feature.squares)(board, self.colour) & self.region
    }

    /// The changes after which the squares must be measured again, and what a replay must keep up to date to measure them.
    pub(super) fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        (self.feature.dependencies_for(self.colour), self.feature.needs)
    }

    /// The cheapest quantity that counts these squares.
    pub fn into_quantity(self) -> BoardQuantity {
        match self.feature.role() {
            Some(role) if self.region == u64::MAX => BoardQuantity::PieceCount(PieceCode::new(self.colour, role)),
            _ => BoardQuantity::SquareCount(self),
        }
    }
}

/// Features are equal if their names are.
impl PartialEq for BoardFeature {
    fn eq(&self, other: &BoardFeature) -> bool {
        self.name == other.name
    }
}

impl Predicate for FeatureSquares {
    fn test(&self, board: &MeasuredBoard<'_>) -> bool {
        self.on_board(board) != 0
    }

    fn declaration(&self) -> (ChangeMask, ReplayNeeds) {
        FeatureSquares::declaration(self)
    }

    fn access(&self, follows_pawns: bool) -> PredicateAccess {
        let access = self.access_of_squares();
        match (access.path, self.feature.scope) {
            (AccessPath::TouchedSquares, _) => PredicateAccess::of_squares(access.squares),
            (AccessPath::PawnEvents, FeatureScope::Square(_))
                if !follows_pawns && self.region.count_ones() <= MAX_WATCHED_PAWN_SQUARES =>
            {
                PredicateAccess { path: AccessPath::TouchedSquares, squares: self.region, ..access }
            }
            _ => access,
        }
    }

    fn implied(&self) -> MaterialBounds {
        let &FeatureSquares { feature, colour, region } = self;
        let mut material = MaterialBounds::default();
        match feature.implied_pieces {
            ImpliedPieces::Nothing => {}
            ImpliedPieces::AtLeast(role, number) => material.min_pieces[PieceCode::new(colour, role)] = number,
            ImpliedPieces::Absent(role) => {
                Color::ALL.iter().for_each(|&colour| material.max_pieces[PieceCode::new(colour, role)] = 0)
            }
        }
        if feature.role() == Some(Role::Pawn) && region.count_ones() == 1 {
            material.required_pawns[side_index(colour)] = region;
        }
        material
    }

    fn implied_by_contrary(&self) -> MaterialBounds {
        let mut material = MaterialBounds::default();
        if let Some(role) = self.feature.role() {
            if self.region == u64::MAX {
                material.max_pieces[PieceCode::new(self.colour, role)] = 0;
            } else if role == Role::Pawn {
                material.allowed_pawns[side_index(self.colour)] = !self.region;
            }
        }
        material
    }
}

impl FeatureSquares {
    /// The access path of the squares themselves: touched squares for any number of them.
    pub(super) fn access_of_squares(&self) -> PredicateAccess {
        let &FeatureSquares { feature, colour, region } = self;
        match (feature.presence, feature.scope) {
            (FeaturePresence::PieceCounts(_), _) if region == u64::MAX => {
                PredicateAccess::by(AccessPath::MaterialEvents)
            }
            (FeaturePresence::Castled(_), _) if region == u64::MAX => PredicateAccess::by(AccessPath::TouchedSquares),
            _ if feature.needs == ReplayNeeds::PAWN_BITBOARDS => self.access_of_pawns(),
            (_, FeatureScope::Square(within)) => PredicateAccess {
                squares: region & within[side_index(colour)],
                ..PredicateAccess::by(AccessPath::TouchedSquares)
            },
            (_, FeatureScope::Check { .. }) => PredicateAccess::by(AccessPath::Checks),
            (_, FeatureScope::NoMoves { .. }) => PredicateAccess::by(AccessPath::GameEnds),
            (_, FeatureScope::Files { .. } | FeatureScope::Pawns(_) | FeatureScope::Board) => {
                PredicateAccess::by(AccessPath::Replay)
            }
        }
    }

    /// The same for a feature of pawns alone.
    fn access_of_pawns(&self) -> PredicateAccess {
        let &FeatureSquares { feature, colour, region } = self;
        let relevant = |of: Color| match feature.scope {
            FeatureScope::Square(_) => region,
            FeatureScope::Files { .. } => file_fill(region) | adjacent_files(file_fill(region)),
            FeatureScope::Pawns([own, other]) => {
                let squares = if of == colour { own } else { other };
                if colour == Color::White { squares } else { squares.swap_bytes() }
            }
            FeatureScope::Check { .. } | FeatureScope::NoMoves { .. } | FeatureScope::Board => u64::MAX,
        };
        let pawns = [Color::White, Color::Black].map(|of| {
            let depends = feature.dependencies_for(colour) & placement_change(PieceCode::new(of, Role::Pawn)) != 0;
            if depends { relevant(of) } else { 0 }
        });
        // On that path each side's pawns are counted by themselves.
        let is_one_sided = pawns.contains(&0);
        let has_whole_files = feature.scope == FeatureScope::Files { ranks: false } && region == file_fill(region);
        let path = if has_whole_files && is_one_sided { AccessPath::PawnFileEvents } else { AccessPath::PawnEvents };
        PredicateAccess { path, ..PredicateAccess::of_pawns(pawns) }
    }
}
