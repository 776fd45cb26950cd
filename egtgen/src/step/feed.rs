//! What conversions lead to: positions of smaller tables and of earlier cells, kept as arrays that a cell can index.
//!
//! A capture, a promotion or a pawn move leaves the cell. Where it leads is another array of positions with the same men,
//! less the captured one; that array is filled cycle by cycle from the lists of the table it belongs to. Each position
//! of those lists stands for all its images, and all of them are put down.

use plyfold_core::table::index::{Index, MOST_PIECES, Pawns, Place};
use plyfold_core::table::material::Material;
use plyfold_core::transform::symmetry::Symmetry;
use shakmaty::Role;

use super::shape::{Man, Men, Shape};

/// Which list of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Black to move and mated in so many.
    Lost,
    /// White to move and mates in so many.
    Won,
    /// Black to move and stalemated; only level 0.
    Stale,
}

/// The lists of a finished table, or of the finished cells of an unfinished one.
pub trait Lists: Send + Sync {
    /// The shape of the table.
    fn index(&self) -> &Index;

    /// The greatest level at which a cell has anything on a list; `None` if it never has.
    ///
    /// # Errors
    ///
    /// What reading met.
    fn last(&self, cell: u32, list: List) -> Result<Option<u16>, crate::Error>;

    /// Visits the words of a list of one cell at one level that have bits: tile, word of the tile, bits. Tiles for which
    /// `wanted` is false need not be read.
    ///
    /// # Errors
    ///
    /// What reading met.
    fn visit(
        &self,
        cell: u32,
        list: List,
        level: u16,
        wanted: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), crate::Error>;
}

/// Where the lists of a table are found.
pub trait Library: Sync {
    /// The lists of a table; a table whose winner has a bare king is never asked for.
    ///
    /// # Errors
    ///
    /// The table is missing or damaged.
    fn lists(&self, table: Material) -> Result<std::sync::Arc<dyn Lists>, crate::Error>;
}

/// Lists, seen as an array of our own.
struct Origin {
    lists: std::sync::Arc<dyn Lists>,
    cell: u32,
    /// Symmetries that bring positions of the cell to the pawns as they stand here.
    images: Vec<Symmetry>,
    /// The man of that table that stands still here, and where.
    pinned: Option<(usize, u8)>,
    list: List,
    /// The last level at which there is anything.
    last: Option<u16>,
    /// Orders of identical men: each is for every dimension there the dimension here, `MOST_PIECES` for the pinned one.
    orders: Vec<[usize; MOST_PIECES]>,
}

/// An array of positions that conversions lead to.
pub struct Feed {
    shape: Shape,
    /// Which men of the cell index it.
    dims: Vec<usize>,
    origins: Vec<Origin>,
    /// White to move and legal and not won so far; empty for what White's conversions lead to.
    pub open: Vec<u64>,
    /// New in this cycle: won for what Black's conversions lead to, lost for White's.
    pub fresh: Vec<u64>,
    /// Whether `fresh` has any bit.
    pub is_live: bool,
    /// Black may take en passant after White's double step: what that leads to.
    replies: Option<Box<Replies>>,
    /// Bytes of all its arrays.
    bytes: u64,
}

/// What decides a position after White's double step, where Black may take en passant.
struct Replies {
    /// After each such capture: White to move, not won so far.
    after: Vec<Feed>,
    /// Lost but for the captures; and those that are stalemate but for them.
    lost: Vec<u64>,
    stale: Vec<u64>,
    /// Lost with the captures, so far.
    done: Vec<u64>,
}

/// A pawn's move.
pub struct PawnMove {
    /// What it leads to.
    pub feed: Feed,
    /// The man of the cell that it takes, and where.
    pub captured: Option<(usize, u8)>,
    /// Squares that must be empty on its way.
    pub way: u64,
}

/// All that leads out of a cell.
pub struct Feeds {
    /// For each man with a dimension: what taking it leads to. For a black man the arrays hold what White wins by it.
    pub men: Vec<Option<Feed>>,
    /// For each pawn: its square, whether it is White's, what taking it leads to by a man that is no pawn.
    pub pawns: Vec<(u8, bool, Option<Feed>)>,
    /// Moves of white pawns.
    pub white: Vec<PawnMove>,
    /// Moves of black pawns.
    pub black: Vec<PawnMove>,
    last: Option<u16>,
}

impl Feed {
    /// The word's number for a white king and men; the squares of men that it has no dimension for do not matter.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, white_king: u8, men: &Men) -> usize {
        self.dims.iter().fold(usize::from(white_king), |at, &man| at << 6 | usize::from(men[man]))
    }

    /// Adds what is new at this level, for Black's conversions `level + 1`.
    fn advance(&mut self, level: u16) -> Result<(), crate::Error> {
        if self.is_live {
            self.fresh.fill(0);
            self.is_live = false;
        }
        if let Some(mut replies) = self.replies.take() {
            for origin in &self.origins {
                origin.add(level, &self.dims, &mut replies.lost)?;
            }
            let mut escapes = vec![0; replies.lost.len()];
            for after in &mut replies.after {
                // A position is lost at a level if all moves lead to what is won at it, not at one more.
                if level > 0 {
                    after.advance(level - 1)?;
                }
                for (escapes, open) in escapes.iter_mut().zip(&after.open) {
                    *escapes |= open;
                }
            }
            for (at, fresh) in self.fresh.iter_mut().enumerate() {
                let lost = (replies.lost[at] | replies.stale[at]) & !escapes[at];
                *fresh = lost & !replies.done[at];
                replies.done[at] |= lost;
                self.is_live |= *fresh != 0;
            }
            self.replies = Some(replies);
            return Ok(());
        }
        for origin in &self.origins {
            let at = match origin.list {
                List::Won => level + 1,
                List::Lost | List::Stale => level,
            };
            self.is_live |= origin.add(at, &self.dims, &mut self.fresh)?;
        }
        if self.is_live {
            for (open, fresh) in self.open.iter_mut().zip(&mut self.fresh) {
                *fresh &= *open;
                *open &= !*fresh;
            }
            // White's conversions keep no `open`, and all that is new counts.
            self.is_live = self.open.is_empty() || self.fresh.iter().any(|&word| word != 0);
        }
        Ok(())
    }

    /// The last level at which anything can be new.
    fn last(&self) -> Option<u16> {
        let last = |origin: &Origin| {
            let last = origin.last?;
            Some(if origin.list == List::Won { last.saturating_sub(1) } else { last })
        };
        let own = self.origins.iter().filter_map(last).max();
        let after = self.replies.iter().flat_map(|replies| &replies.after);
        own.max(after.filter_map(|after| Some(after.last()? + 1)).max())
    }

    fn words(shape: &Shape) -> usize {
        64 << (6 * shape.men.len())
    }

    /// All that is legal with White to move.
    fn all_open(shape: &Shape) -> Vec<u64> {
        let mut open = vec![0; Feed::words(shape)];
        let width = shape.row_words();
        let mut attacked = vec![0; width];
        let standing = shape.lane().unwrap_or(0);
        for (row, open) in open.chunks_exact_mut(width).enumerate() {
            let mut men = Men::default();
            let mut rest = row;
            for man in (0..standing).rev() {
                men[man] = (rest & 63) as u8;
                rest >>= 6;
            }
            let white_king = rest as u8;
            if let Some(occupied) = shape.occupied(white_king, &men) {
                shape.attacked(white_king, &men, occupied, &mut attacked);
                shape.open(occupied, &attacked, open);
            }
        }
        open
    }
}

impl Origin {
    /// Adds a level's positions; whether there were any.
    fn add(&self, level: u16, dims: &[usize], out: &mut [u64]) -> Result<bool, crate::Error> {
        let index = self.lists.index();
        if self.last.is_none_or(|last| level > last) {
            return Ok(false);
        }
        // If the pinned man is an outer one, it is in one class of squares whatever the image.
        let pinned_class = match self.pinned {
            Some((man, square)) if man < index.outer() => index.outers(man).find(square).map(|(class, _)| (man, class)),
            _ => None,
        };
        let roles = index.roles();
        let is_alone = |man: usize| {
            let white = man < index.whites();
            (0..roles.len())
                .all(|other| other == man || roles[other] != roles[man] || (other < index.whites()) != white)
        };
        let wanted = |tile: u32| match pinned_class {
            Some((man, class)) if is_alone(man) && !index.has_pawns() => {
                let (_, w1, w2) = index.classes(tile);
                [w1, w2][man] == class
            }
            _ => true,
        };
        let mut any = false;
        let mut row = Row { at: None, images: Vec::new() };
        let turned: Vec<[u8; 64]> =
            self.images.iter().map(|by| std::array::from_fn(|square| by.square(square as u8))).collect();
        self.lists.visit(self.cell, self.list, level, &wanted, &mut |tile, word, bits| {
            any = true;
            let (number, lane) = if roles.is_empty() { (word, 0) } else { (word / 64, word % 64) };
            if row.at != Some((tile, number)) {
                row.at = Some((tile, number));
                self.images_of(tile, word, dims.len(), &mut row.images);
            }
            for image in &row.images {
                let lane = turned[image.symmetry][lane];
                let at = match image.lane {
                    Lane::None => image.base,
                    Lane::Dimension(shift) => image.base + (usize::from(lane) << shift),
                    Lane::Pinned(square) if lane == square => image.base,
                    Lane::Pinned(_) => continue,
                };
                out[at] |= self.images[image.symmetry].word(bits);
            }
        })?;
        Ok(any)
    }

    /// Where the words of a row go, lanes apart.
    fn images_of(&self, tile: u32, word: usize, dims: usize, images: &mut Vec<Image>) {
        let index = self.lists.index();
        let men = index.roles().len();
        let squares = index.squares(Place { cell: self.cell, tile, bit: (word as u64) << 6 });
        images.clear();
        for (number, symmetry) in self.images.iter().enumerate() {
            for order in &self.orders {
                let shift = |man: usize| 6 * (dims - 1 - order[man]);
                let mut base = usize::from(symmetry.square(squares.white_king)) << (6 * dims);
                let mut stands = true;
                for (man, &here) in order[..men.saturating_sub(1)].iter().enumerate() {
                    let square = symmetry.square(squares.men[man]);
                    if here == MOST_PIECES {
                        stands &= self.pinned.is_some_and(|(_, pinned)| pinned == square);
                    } else {
                        base |= usize::from(square) << shift(man);
                    }
                }
                let lane = match (men.checked_sub(1), self.pinned) {
                    (None, _) => Lane::None,
                    (Some(lane), Some((_, square))) if order[lane] == MOST_PIECES => Lane::Pinned(square),
                    (Some(lane), _) => Lane::Dimension(shift(lane)),
                };
                if stands {
                    images.push(Image { symmetry: number, base, lane });
                }
            }
        }
    }
}

/// A row of a list's table, and where its words go.
struct Row {
    at: Option<(u32, usize)>,
    images: Vec<Image>,
}

/// One image of a row.
struct Image {
    symmetry: usize,
    /// Where it goes, if its lane were the square a1.
    base: usize,
    lane: Lane,
}

/// What the lane of a list's table is here.
#[derive(Clone, Copy)]
enum Lane {
    /// There is none.
    None,
    /// A dimension, whose squares are so many bits up.
    Dimension(usize),
    /// The pinned man, which must stand on its square.
    Pinned(u8),
}

/// Makes feeds of a cell.
struct Maker<'a> {
    /// `None` to find out how large the arrays will be.
    library: Option<&'a dyn Library>,
    men: Vec<Man>,
    pawns: Pawns,
}

impl Maker<'_> {
    /// The array that a conversion of `white` leads to: without the man of this number, with these pawns, and with a
    /// promoted man on its square.
    fn feed(
        &self,
        by_white: bool,
        without: Option<usize>,
        pawns: Pawns,
        pinned: Option<(Man, u8)>,
    ) -> Result<Option<Feed>, crate::Error> {
        let dims: Vec<usize> = (0..self.men.len()).filter(|man| Some(*man) != without).collect();
        let men: Vec<Man> = dims.iter().map(|&man| self.men[man]).collect();
        let shape = Shape { men, white_pawns: pawns.white, black_pawns: pawns.black, pinned };
        let list = if by_white { List::Lost } else { List::Won };
        // White wins nothing by what leaves it a bare king; Black may escape into it.
        if by_white && shape.material().white.is_empty() {
            return Ok(None);
        }
        let words = Feed::words(&shape);
        let bytes = 8 * words as u64 * if by_white { 1 } else { 2 };
        if self.library.is_none() {
            let (open, fresh) = (Vec::new(), Vec::new());
            return Ok(Some(Feed {
                shape,
                dims,
                origins: Vec::new(),
                open,
                fresh,
                is_live: false,
                replies: None,
                bytes,
            }));
        }
        let origins: Vec<Origin> = self.origin(&shape, list)?.into_iter().collect();
        let open = if by_white { Vec::new() } else { Feed::all_open(&shape) };
        let fresh = if origins.is_empty() { Vec::new() } else { vec![0; words] };
        Ok(Some(Feed { shape, dims, origins, open, fresh, is_live: false, replies: None, bytes }))
    }

    /// The lists of an array's positions; `None` where White never wins.
    fn origin(&self, shape: &Shape, list: List) -> Result<Option<Origin>, crate::Error> {
        let material = shape.material();
        if material.white.is_empty() {
            return Ok(None);
        }
        let Some(library) = self.library else { return Ok(None) };
        let lists = library.lists(material)?;
        let index = lists.index();
        let pawns = Pawns { white: shape.white_pawns, black: shape.black_pawns };
        let (cell, is_mirrored) = index.cell(pawns).expect("a placement of this material's pawns has a cell");
        let images = match index.has_pawns() {
            false => Symmetry::ALL.to_vec(),
            true if pawns == pawns.mirrored() => vec![Symmetry::IDENTITY, Symmetry::FLIP_H],
            true if is_mirrored => vec![Symmetry::FLIP_H],
            true => vec![Symmetry::IDENTITY],
        };
        let there: Vec<Man> =
            (0..).zip(index.roles()).map(|(man, &role)| Man { white: man < index.whites(), role }).collect();
        let pinned = shape.pinned.map(|(man, square)| {
            (there.iter().position(|other| *other == man).expect("a promoted man is one of its table"), square)
        });
        let orders = orders(&there, &shape.men, shape.pinned.map(|(man, _)| man));
        let last = lists.last(cell, list)?;
        Ok(Some(Origin { cell, images, pinned, list, last, orders, lists }))
    }

    /// Moves of a side's pawns.
    fn pawn_moves(&self, white: bool) -> Result<Vec<PawnMove>, crate::Error> {
        let mut moves = Vec::new();
        let (own, up): (u64, i32) = if white { (self.pawns.white, 8) } else { (self.pawns.black, -8) };
        for from in squares(own) {
            let lifted = own & !(1 << from);
            let to = (i32::from(from) + up) as u8;
            if self.pawns.all() >> to & 1 == 0 {
                self.arrive(&mut moves, white, lifted, to, None, 0)?;
                let is_home = from >> 3 == if white { 1 } else { 6 };
                let beyond = (i32::from(to) + up) as u8;
                if is_home && self.pawns.all() >> beyond & 1 == 0 {
                    self.double(&mut moves, white, lifted, beyond, to)?;
                }
            }
            for to in squares(super::geometry::pawns_attack(1 << from, white)) {
                let theirs = if white { self.pawns.black } else { self.pawns.white };
                if theirs >> to & 1 != 0 {
                    self.arrive(&mut moves, white, lifted, to, None, 1 << to)?;
                } else if own >> to & 1 == 0 {
                    for man in 0..self.men.len() {
                        if self.men[man].white != white {
                            self.arrive(&mut moves, white, lifted, to, Some(man), 0)?;
                        }
                    }
                }
            }
        }
        Ok(moves)
    }

    /// The placement after a pawn's move: `own` has the other pawns of the side, `taken` a pawn of the other.
    fn after(&self, white: bool, own: u64, taken: u64) -> Pawns {
        match white {
            true => Pawns { white: own, black: self.pawns.black & !taken },
            false => Pawns { white: self.pawns.white & !taken, black: own },
        }
    }

    /// A pawn comes to a square, as itself or promoted.
    fn arrive(
        &self,
        moves: &mut Vec<PawnMove>,
        white: bool,
        lifted: u64,
        to: u8,
        man: Option<usize>,
        taken: u64,
    ) -> Result<(), crate::Error> {
        let captured = man.map(|man| (man, to));
        let mut add = |feed: Option<Feed>| {
            moves.extend(feed.map(|feed| PawnMove { feed, captured, way: 0 }));
        };
        if (8..56).contains(&to) {
            add(self.feed(white, man, self.after(white, lifted | 1 << to, taken), None)?);
        } else {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                add(self.feed(white, man, self.after(white, lifted, taken), Some((Man { white, role }, to)))?);
            }
        }
        Ok(())
    }

    /// A pawn steps twice, over `over`; pawns beside it may take it there.
    fn double(
        &self,
        moves: &mut Vec<PawnMove>,
        white: bool,
        lifted: u64,
        to: u8,
        over: u8,
    ) -> Result<(), crate::Error> {
        let pawns = self.after(white, lifted | 1 << to, 0);
        let Some(mut feed) = self.feed(white, None, pawns, None)? else { return Ok(()) };
        let beside = (if to & 7 > 0 { 1u64 << (to - 1) } else { 0 }) | (if to & 7 < 7 { 1u64 << (to + 1) } else { 0 });
        let takers = beside & if white { pawns.black } else { pawns.white };
        let mut after = Vec::new();
        for taker in squares(takers) {
            let pawns = match white {
                true => Pawns { white: pawns.white & !(1 << to), black: pawns.black & !(1 << taker) | 1 << over },
                false => Pawns { white: pawns.white & !(1 << taker) | 1 << over, black: pawns.black & !(1 << to) },
            };
            if white {
                after.extend(self.feed(false, None, pawns, None)?);
            } else {
                // White's capture wins as well as anything else that White has.
                let shape = Shape { white_pawns: pawns.white, black_pawns: pawns.black, ..feed.shape.clone() };
                feed.origins.extend(self.origin(&shape, List::Lost)?);
                if feed.fresh.is_empty() {
                    feed.fresh = vec![0; feed.open.len()];
                }
            }
        }
        if !after.is_empty() {
            feed.bytes += 8 * 4 * Feed::words(&feed.shape) as u64 + after.iter().map(|after| after.bytes).sum::<u64>();
        }
        if !after.is_empty() && self.library.is_some() {
            let words = feed.fresh.len();
            let mut stale = vec![0; words];
            if let Some(origin) = self.origin(&feed.shape, List::Stale)? {
                origin.add(0, &feed.dims, &mut stale)?;
            }
            // A stalemate in which a pawn can take is none.
            for (at, stale) in stale.iter_mut().enumerate() {
                *stale &= after.iter().fold(0, |any, after| any | after.open[at]);
            }
            feed.replies = Some(Box::new(Replies { after, lost: vec![0; words], stale, done: vec![0; words] }));
        }
        moves.push(PawnMove { feed, captured: None, way: 1 << over });
        Ok(())
    }
}

impl Feeds {
    /// All that leads out of a cell.
    ///
    /// # Errors
    ///
    /// A table that it leads to is missing or damaged.
    pub fn new(index: &Index, cell: u32, library: &dyn Library) -> Result<Feeds, crate::Error> {
        Feeds::make(index, cell, Some(library))
    }

    /// Bytes that the arrays of a cell take.
    #[must_use]
    pub fn bytes(index: &Index, cell: u32) -> u64 {
        let feeds = Feeds::make(index, cell, None);
        feeds.map_or(0, |mut feeds| feeds.all().map(|feed| feed.bytes).sum())
    }

    fn make(index: &Index, cell: u32, library: Option<&dyn Library>) -> Result<Feeds, crate::Error> {
        let pawns = index.cells()[cell as usize];
        let men: Vec<Man> =
            (0..).zip(index.roles()).map(|(man, &role)| Man { white: man < index.whites(), role }).collect();
        let maker = Maker { library, men, pawns };
        let by_man = |man: usize| maker.feed(!maker.men[man].white, Some(man), pawns, None);
        let men = (0..maker.men.len()).map(by_man).collect::<Result<_, _>>()?;
        let mut by_pawn = Vec::new();
        for (set, white) in [(pawns.white, true), (pawns.black, false)] {
            for square in squares(set) {
                let rest = Pawns { white: pawns.white & !(1 << square), black: pawns.black & !(1 << square) };
                by_pawn.push((square, white, maker.feed(!white, None, rest, None)?));
            }
        }
        let (white, black) = (maker.pawn_moves(true)?, maker.pawn_moves(false)?);
        let mut feeds = Feeds { men, pawns: by_pawn, white, black, last: None };
        feeds.last = feeds.all().filter_map(|feed| feed.last()).max();
        Ok(feeds)
    }

    /// Every feed.
    fn all(&mut self) -> impl Iterator<Item = &mut Feed> {
        let moves = self.white.iter_mut().chain(&mut self.black).map(|found| &mut found.feed);
        let pawns = self.pawns.iter_mut().filter_map(|(_, _, feed)| feed.as_mut());
        self.men.iter_mut().flatten().chain(pawns).chain(moves)
    }

    /// Goes on to a cycle: White's conversions into what is lost at `level`, Black's into what is won at `level + 1`.
    ///
    /// # Errors
    ///
    /// What reading met.
    pub fn advance(&mut self, level: u16) -> Result<(), crate::Error> {
        self.all().try_for_each(|feed| feed.advance(level))
    }

    /// Whether anything may be new at this level or later.
    #[must_use]
    pub fn has_more(&self, level: u16) -> bool {
        self.last.is_some_and(|last| level <= last)
    }

    /// Whether Black's conversions have anything new in this cycle.
    #[must_use]
    pub fn black_is_live(&self) -> bool {
        let men = self.men.iter().flatten().any(|feed| feed.is_live && !feed.open.is_empty());
        let pawns = self
            .pawns
            .iter()
            .any(|(_, _, feed)| feed.as_ref().is_some_and(|feed| feed.is_live && !feed.open.is_empty()));
        men || pawns || self.black.iter().any(|found| found.feed.is_live)
    }

    /// Whether White's conversions have anything new in this cycle.
    #[must_use]
    pub fn white_is_live(&self) -> bool {
        let men = self.men.iter().flatten().any(|feed| feed.is_live && feed.open.is_empty());
        let pawns = self
            .pawns
            .iter()
            .any(|(_, _, feed)| feed.as_ref().is_some_and(|feed| feed.is_live && feed.open.is_empty()));
        men || pawns || self.white.iter().any(|found| found.feed.is_live)
    }
}

/// The squares of a set.
pub fn squares(mut set: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            square
        })
    })
}

/// All ways to take the men of a table, whose identical men are kept in one order, for the men here and the pinned one.
#[must_use]
pub fn orders(there: &[Man], here: &[Man], pinned: Option<Man>) -> Vec<[usize; MOST_PIECES]> {
    let mut orders = vec![([0; MOST_PIECES], vec![false; here.len()], false)];
    for (man, kind) in there.iter().enumerate() {
        let mut more = Vec::new();
        for (order, used, has_pinned) in orders {
            for other in 0..here.len() {
                if here[other] == *kind && !used[other] {
                    let (mut order, mut used) = (order, used.clone());
                    order[man] = other;
                    used[other] = true;
                    more.push((order, used, has_pinned));
                }
            }
            if pinned == Some(*kind) && !has_pinned {
                let mut order = order;
                order[man] = MOST_PIECES;
                more.push((order, used, true));
            }
        }
        orders = more;
    }
    orders.into_iter().map(|(order, _, _)| order).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex};

    use plyfold_core::table::successors::Position;
    use shakmaty::{Bitboard, Board, Color, Piece, Square};
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::*;

    /// Tables with invented lists: a sixteenth of the positions, drawn at random, is on the list of each level, those that
    /// are legal.
    #[derive(Clone, Copy)]
    pub(crate) struct Invented {
        pub(crate) seed: u64,
        /// The last level at which there is anything; `None` if all lists are empty.
        pub(crate) last: Option<u16>,
    }

    struct InventedLists {
        of: Invented,
        index: Arc<Index>,
        /// What sets its lists apart from those of other tables.
        seed: u64,
    }

    impl Library for Invented {
        fn lists(&self, table: Material) -> Result<Arc<dyn Lists>, crate::Error> {
            Ok(Arc::new(InventedLists::new(*self, table)))
        }
    }

    impl InventedLists {
        fn new(of: Invented, table: Material) -> InventedLists {
            static SHAPES: LazyLock<Mutex<HashMap<Material, Arc<Index>>>> = LazyLock::new(Mutex::default);
            let mut shapes = SHAPES.lock().expect("no thread panics with it");
            let index = Arc::clone(shapes.entry(table).or_insert_with(|| Arc::new(Index::new(table))));
            InventedLists { of, index, seed: xxh3_64_with_seed(table.to_string().as_bytes(), of.seed) }
        }

        fn word(&self, cell: u32, list: List, level: u16, tile: u32, word: usize) -> u64 {
            let place = [cell, u32::from(level), tile, word as u32, list as u32].map(u32::to_le_bytes).concat();
            (0..4).fold(u64::MAX, |bits, time| bits & xxh3_64_with_seed(&place, self.seed.wrapping_add(time)))
        }
    }

    fn turn(list: List) -> Color {
        Color::from_white(list == List::Won)
    }

    impl Lists for InventedLists {
        fn index(&self) -> &Index {
            &self.index
        }

        fn last(&self, _: u32, list: List) -> Result<Option<u16>, crate::Error> {
            Ok(self.of.last.filter(|_| list != List::Stale))
        }

        fn visit(
            &self,
            cell: u32,
            list: List,
            level: u16,
            wanted: &dyn Fn(u32) -> bool,
            visit: &mut dyn FnMut(u32, usize, u64),
        ) -> Result<(), crate::Error> {
            for tile in (0..self.index.tiles()).filter(|tile| wanted(*tile)) {
                let width = self.index.row_words();
                for row in 0..self.index.tile_words(tile) / width {
                    let bit = |word: usize| 64 * word as u64;
                    let squares = self.index.squares(Place { cell, tile, bit: bit(row * width) });
                    let lanes = self.index.kept_lanes(cell, &squares);
                    for word in (0..width).filter(|lane| lanes >> lane & 1 != 0).map(|lane| row * width + lane) {
                        let mut bits = self.word(cell, list, level, tile, word);
                        for king in squares_of(bits) {
                            let men = self.index.men(Place { cell, tile, bit: bit(word) + u64::from(king) });
                            if men.and_then(|men| Position::from_board(men, turn(list), None).ok()).is_none() {
                                bits &= !(1 << king);
                            }
                        }
                        if bits != 0 {
                            visit(tile, word, bits);
                        }
                    }
                }
            }
            Ok(())
        }
    }

    fn squares_of(set: u64) -> impl Iterator<Item = u8> {
        Bitboard(set).into_iter().map(|square| square as u8)
    }

    impl Invented {
        /// Whether a legal position is on a list: one position at a time, by its places.
        pub(crate) fn has(&self, board: &Board, list: List, level: u16) -> bool {
            let material = Material::on(board);
            if !material.can_win() || self.last.is_none_or(|last| level > last) {
                return false;
            }
            let lists = InventedLists::new(*self, material);
            let symmetries =
                if lists.index.has_pawns() { &[Symmetry::IDENTITY, Symmetry::FLIP_H] } else { &Symmetry::ALL[..] };
            // Of two places that are each other's image either may have it.
            symmetries.iter().any(|by| {
                let mut image = Board::empty();
                for (square, piece) in board {
                    image.set_piece_at(by.of(square), piece);
                }
                let place = lists.index.place(&image).expect("its own table");
                lists.word(place.cell, list, level, place.tile, (place.bit >> 6) as usize) >> (place.bit & 63) & 1 != 0
            })
        }
    }

    /// The men of a shape on these squares; `None` where two would stand on one.
    pub(crate) fn board(shape: &Shape, white_king: u8, men: &Men, black_king: u8) -> Option<Board> {
        let mut board = Board::empty();
        let mut put = |square: u8, white: bool, role: Role| {
            let square = Square::new(square.into());
            let is_free = board.piece_at(square).is_none();
            board.set_piece_at(square, Piece { color: Color::from_white(white), role });
            is_free
        };
        let mut is_sound = put(white_king, true, Role::King) & put(black_king, false, Role::King);
        for (man, square) in shape.men.iter().zip(men).map(|(man, square)| (*man, *square)).chain(shape.pinned) {
            is_sound &= put(square, man.white, man.role);
        }
        for (pawns, white) in [(shape.white_pawns, true), (shape.black_pawns, false)] {
            for square in squares_of(pawns) {
                is_sound &= put(square, white, Role::Pawn);
            }
        }
        is_sound.then_some(board)
    }

    /// Compares the arrays of a feed with its lists, some of the positions one by one; how many were on a list.
    fn compare(feed: &Feed, library: Invented, level: u16, by_white: bool, what: &str) -> usize {
        let dims = feed.shape.men.len();
        let (list, turn) = if by_white { (List::Lost, Color::Black) } else { (List::Won, Color::White) };
        let mut listed = 0;
        // A step that is prime to 64, so that all squares of all men come up.
        for at in (0..64 * Feed::words(&feed.shape)).step_by(if dims > 1 { 1531 } else { 1 }) {
            let (word, king) = (at / 64, (at % 64) as u8);
            let mut men = Men::default();
            for (man, square) in men.iter_mut().enumerate().take(dims) {
                *square = (word >> (6 * (dims - 1 - man)) & 63) as u8;
            }
            let white_king = (word >> (6 * dims)) as u8;
            let legal = board(&feed.shape, white_king, &men, king)
                .filter(|board| Position::from_board(board.clone(), turn, None).is_ok());
            let bit = |words: &[u64]| words.get(word).is_some_and(|word| word >> king & 1 != 0);
            let is_on = |level| legal.as_ref().is_some_and(|board| library.has(board, list, level));
            let (fresh, open) = if by_white {
                (is_on(level), false)
            } else {
                let before = (1..=level).any(is_on);
                (is_on(level + 1) && !before, legal.is_some() && !before && !is_on(level + 1))
            };
            listed += usize::from(fresh);
            assert_eq!(bit(&feed.fresh), fresh, "{what}, {:?}, fresh at {word} {king}", feed.shape);
            assert_eq!(bit(&feed.open), open, "{what}, {:?}, open at {word} {king}", feed.shape);
        }
        listed
    }

    #[test]
    fn arrays_are_their_lists_position_by_position() {
        let library = Invented { seed: 1, last: Some(2) };
        for (name, cells) in [
            ("KRRvKN", &[0][..]),
            ("KRBvKR", &[0]),
            ("KRvKNN", &[0]),
            ("KPvK", &[0, 3, 20]),
            ("KRPvK", &[0, 1, 13]),
            ("KPPvK", &[0, 40, 300]),
            ("KPvKR", &[23]),
            ("KRvKP", &[0, 22]),
        ] {
            let index = Index::new(Material::parse(name).expect("a material"));
            for &cell in cells {
                let mut feeds = Feeds::new(&index, cell, &library).expect("lists of all tables");
                // Lists of Black's conversions begin with what is won in one.
                for level in 0..2 {
                    feeds.advance(level).expect("lists of all tables");
                    let whites: Vec<bool> = feeds.men.iter().flatten().map(|feed| feed.open.is_empty()).collect();
                    let mut listed = 0;
                    for (feed, by_white) in feeds.men.iter().flatten().zip(whites) {
                        listed += compare(feed, library, level, by_white, name);
                    }
                    for (_, white, feed) in &feeds.pawns {
                        listed += feed.as_ref().map_or(0, |feed| compare(feed, library, level, !white, name));
                    }
                    for (moves, by_white) in [(&feeds.white, true), (&feeds.black, false)] {
                        for found in moves {
                            listed += compare(&found.feed, library, level, by_white, name);
                        }
                    }
                    assert!(listed > 0, "{name}: nothing was compared but nothing");
                }
                assert!(feeds.has_more(1) && !feeds.has_more(3));
            }
        }
    }

    #[test]
    fn orders_are_all_ways_to_name_identical_men() {
        let man = |white: bool, role: Role| Man { white, role };
        let (rook, knight) = (man(true, Role::Rook), man(false, Role::Knight));
        assert_eq!(orders(&[rook, knight], &[rook, knight], None).len(), 1);
        assert_eq!(orders(&[rook, rook, knight], &[rook, rook, knight], None).len(), 2);
        assert_eq!(orders(&[rook, rook, rook], &[rook, rook, rook], None).len(), 6);
        // Of two rooks either may be the one that was a pawn.
        let pinned = orders(&[rook, rook, knight], &[rook, knight], Some(rook));
        assert_eq!(pinned.len(), 2);
        for order in pinned {
            assert_eq!(order.iter().take(3).filter(|man| **man == MOST_PIECES).count(), 1);
            assert_eq!(order[2], 1, "the knight stays");
        }
    }
}
