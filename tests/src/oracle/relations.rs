//! Which pieces stand in a relation to which.

use plyfold_core::query::relation::{RelatedSquares, RelationExpression, XRayExpression};
use plyfold_core::query::squares::SquareTarget;
use plyfold_core::scan::predicate::SquareRelation;
use shakmaty::{Color, Role, Square};

use super::Trace;

impl Trace<'_> {
    /// The squares that a relation names, each with the side from which it is seen.
    pub(super) fn ends(&self, end: &RelatedSquares, side: Color, ply: usize) -> Vec<(Square, Color)> {
        let listed = |squares: u64, owner: Color| {
            Square::ALL.into_iter().filter(move |one| squares >> *one as u32 & 1 != 0).map(move |one| (one, owner))
        };
        match &end.squares {
            SquareTarget::Region(region) => listed(region.for_side(side), side).collect(),
            SquareTarget::Squares(squares) => {
                let colours = end.owner.colours(side).iter();
                colours.flat_map(|&owner| listed(self.squares(squares, owner, ply), owner)).collect()
            }
        }
    }

    /// The squares that lie so, each tried by itself.
    pub(super) fn related(&self, relation: &RelationExpression, side: Color, ply: usize) -> u64 {
        let lies = |on: Square| match relation {
            RelationExpression::To(relation, to) => self.ends(to, side, ply).into_iter().any(|(other, owner)| {
                let files = on.file() as i32 - other.file() as i32;
                let ranks = (on.rank() as i32 - other.rank() as i32) * owner.fold_wb(1, -1);
                (files, ranks) != (0, 0)
                    && match relation {
                        SquareRelation::Behind => files == 0 && ranks < 0,
                        SquareRelation::InFrontOf => files == 0 && ranks > 0,
                        SquareRelation::Beside => files.abs() == 1 && ranks == 0,
                        SquareRelation::NextTo => files.abs() <= 1 && ranks.abs() <= 1,
                        SquareRelation::OnFileOf => files == 0,
                        SquareRelation::OnRankOf => ranks == 0,
                        SquareRelation::OnDiagonalOf => files.abs() == ranks.abs(),
                    }
            }),
            RelationExpression::Between(one, other) => {
                let steps =
                    |from: Square| (from.file() as i32 - on.file() as i32, from.rank() as i32 - on.rank() as i32);
                let others = self.ends(other, side, ply);
                self.ends(one, side, ply).into_iter().any(|(from, _)| {
                    others.iter().any(|&(to, _)| {
                        let ((x, y), (to_x, to_y)) = (steps(from), steps(to));
                        let is_line = (x, y) != (0, 0) && (x == 0 || y == 0 || x.abs() == y.abs());
                        // In the opposite direction, on the same line.
                        is_line
                            && (to_x.signum(), to_y.signum()) == (-x.signum(), -y.signum())
                            && (to_x == 0 || to_y == 0 || to_x.abs() == to_y.abs())
                    })
                })
            }
        };
        Square::ALL.into_iter().filter(|&on| lies(on)).fold(0, |all, on| all | 1 << on as u32)
    }

    /// Whether the second piece or square on a line of the piece on `from` is one that is sought, and the first one fits.
    pub(super) fn xrays(&self, from: Square, ray: &XRayExpression, side: Color, ply: usize) -> bool {
        let pieces = self.boards[ply].to_setup().board;
        let Some(piece) = pieces.piece_at(from).filter(|piece| piece.color == side) else { return false };
        let (straight, diagonal) = match piece.role {
            Role::Rook => (true, false),
            Role::Bishop => (false, true),
            Role::Queen => (true, true),
            _ => return false,
        };
        let is_in = |end: &RelatedSquares, on: Square| self.ends(end, side, ply).iter().any(|&(one, _)| one == on);
        let ways = (-1..=1).flat_map(|x| (-1..=1).map(move |y| (x, y)));
        ways.filter(|&(x, y)| if x * y == 0 { straight && (x, y) != (0, 0) } else { diagonal }).any(|(x, y)| {
            let mut first = None;
            let mut on = from.offset(0);
            loop {
                on = on.and_then(|on| {
                    let (file, rank) = (on.file().offset(x)?, on.rank().offset(y)?);
                    Some(Square::from_coords(file, rank))
                });
                let Some(on) = on else { return false };
                if let Some(first) = first {
                    let fits = ray.through.as_ref().is_none_or(|through| is_in(through, first));
                    if fits && is_in(&ray.target, on) {
                        return true;
                    }
                    if pieces.piece_at(on).is_some() {
                        return false;
                    }
                } else if pieces.piece_at(on).is_some() {
                    first = Some(on);
                }
            }
        })
    }
}
