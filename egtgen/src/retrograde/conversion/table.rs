//! One conversion table: the array, how a level of its lists is entered, and how the conversions of a piece index it.

use plyfold_tables::index::TableIndex;
use plyfold_transform::symmetry::Symmetry;

use super::en_passant::EnPassantReplies;
use super::source_list::SourceList;
use super::squares;
use crate::Error;
use crate::retrograde::geometry::to_corner;
use crate::retrograde::result_lists::ResultList;
use crate::retrograde::shape::{ArrayShape, DimensionSquares};
use crate::rows::{MarkedRows, RowWords};

/// An array of the positions that some conversions lead to.
pub struct ConversionTable {
    pub(super) shape: ArrayShape,
    /// The pieces of the pawn slice that index it.
    pub(super) dimensions: Vec<usize>,
    pub(super) kings: StoredKings,
    pub(super) sources: Vec<SourceList>,
    /// After Black's conversions: legal positions with White to move that are not won so far. Empty after White's.
    pub not_won: Vec<u64>,
    /// Decided in this cycle: won positions after Black's conversions, lost positions after White's.
    pub newly_decided: MarkedRows,
    /// Whether `newly_decided` has any position.
    pub has_new: bool,
    /// The captures en passant by which Black may answer a double step of White.
    pub(super) en_passant: Option<Box<EnPassantReplies>>,
    /// Bytes of all arrays.
    pub(super) bytes: u64,
}

/// The squares of the white king that an array has: those that the table has.
#[derive(Clone)]
pub(super) struct StoredKings {
    pub squares: Vec<u8>,
    /// The number of each square among them, or [`NO_NUMBER`](StoredKings::NO_NUMBER).
    numbers: [u8; 64],
    /// The symmetry that leads from each square to one of them.
    to_stored: [Symmetry; 64],
}

impl StoredKings {
    const NO_NUMBER: u8 = u8::MAX;

    pub fn new(index: &TableIndex) -> StoredKings {
        let classes = index.king_classes();
        let all = (0..classes.count()).flat_map(|class| classes.squares(class));
        let set = all.fold(0u64, |set, square| set | 1 << square);
        let mut numbers = [StoredKings::NO_NUMBER; 64];
        (0..).zip(squares(set)).for_each(|(number, square)| numbers[usize::from(square)] = number);
        let to_stored = std::array::from_fn(|square| match numbers[square] {
            StoredKings::NO_NUMBER => to_corner(square as u8),
            _ => Symmetry::IDENTITY,
        });
        StoredKings { squares: squares(set).collect(), numbers, to_stored }
    }

    /// The number of a square; `None` if the array does not have it.
    #[inline(always)]
    pub fn find(&self, square: u8) -> Option<usize> {
        let number = self.numbers[usize::from(square)];
        (number != StoredKings::NO_NUMBER).then_some(usize::from(number))
    }
}

/// A conversion table as the conversions of one piece see it.
#[derive(Clone, Copy)]
pub struct Conversion<'a> {
    /// The table.
    pub table: &'a ConversionTable,
    dimensions: &'a [usize],
}

impl<'a> Conversion<'a> {
    /// The table as these pieces index it.
    #[inline(always)]
    pub(super) fn new(table: &'a ConversionTable, dimensions: &'a [usize]) -> Conversion<'a> {
        Conversion { table, dimensions }
    }

    /// The number of the word for the squares of the white king and the pieces. Squares of pieces without a dimension do not
    /// matter.
    #[inline(always)]
    #[must_use]
    pub fn word_index(&self, white_king: u8, squares: &DimensionSquares) -> usize {
        self.word_of(white_king, |piece| squares[piece])
    }

    /// The number of the word for the squares of the white king and of each piece.
    #[inline(always)]
    fn word_of(&self, white_king: u8, square: impl Fn(usize) -> u8) -> usize {
        let king = usize::from(self.table.kings.numbers[usize::from(white_king)]);
        self.dimensions.iter().fold(king, |at, &piece| at << 6 | usize::from(square(piece)))
    }

    /// The same for any square of the white king, and the symmetry that leads to the positions of that word.
    #[inline(always)]
    #[must_use]
    pub fn stored_word(&self, white_king: u8, squares: &DimensionSquares) -> (usize, Symmetry) {
        let symmetry = self.table.kings.to_stored[usize::from(white_king)];
        (self.word_of(symmetry.square(white_king), |piece| symmetry.square(squares[piece])), symmetry)
    }

    /// The positions of a word that were decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided(&self, word: usize) -> u64 {
        self.table.newly_decided.words()[word]
    }

    /// The positions of the row that begins with this word, if any was decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided_row(&self, word: usize) -> Option<&[u64]> {
        let row = word / self.table.shape.row_words();
        self.table.newly_decided.is_live(row).then(|| self.table.newly_decided.row(row))
    }

    /// The words of the row that begins with this word, if any position of it was decided in this cycle.
    #[inline(always)]
    #[must_use]
    pub fn newly_decided_words(&self, word: usize) -> Option<RowWords<'_>> {
        let row = word / self.table.shape.row_words();
        self.table.newly_decided.is_live(row).then(|| self.table.newly_decided.row_words(row))
    }
}

impl ConversionTable {
    /// The table as its own pieces index it.
    #[inline(always)]
    #[must_use]
    pub fn conversion(&self) -> Conversion<'_> {
        Conversion { table: self, dimensions: &self.dimensions }
    }

    /// Adds the positions decided at this level, or at `level + 1` after Black's conversions.
    pub(super) fn advance(&mut self, level: u16) -> Result<(), Error> {
        if self.has_new {
            self.newly_decided.clear(0..self.row_count());
            self.has_new = false;
        }
        // PERF: a row has 1 or 64 words, and a shift takes a tenth of the time of a division.
        let width = self.shape.row_words();
        let ConversionTable { sources, dimensions, kings, newly_decided, not_won, en_passant, .. } = self;
        let mut put = |word: usize, bits: u64| {
            newly_decided.add(word >> width.trailing_zeros(), word & (width - 1), bits);
        };
        if let Some(replies) = en_passant {
            for origin in sources {
                let lost = &mut replies.lost_but_for_captures;
                origin.add_level(level, dimensions, kings, |word, bits| lost[word] |= bits)?;
            }
            replies.decide(level, put)?;
        } else {
            for origin in sources {
                let at = if origin.list == ResultList::Won { level + 1 } else { level };
                origin.add_level(at, dimensions, kings, &mut put)?;
            }
        }
        // After White's conversions there is no `not_won`, and all positions are new.
        if !not_won.is_empty() && newly_decided.row_count() > 0 {
            let rows = not_won.len() / width;
            let mut next = newly_decided.next_live(0, rows);
            while let Some(row) = next {
                newly_decided.take_from(row, &mut not_won[row * width..(row + 1) * width]);
                next = newly_decided.next_live(row + 1, rows);
            }
        }
        self.has_new = !self.newly_decided.is_empty();
        Ok(())
    }

    /// The last level at which positions can be decided.
    pub(super) fn last_level(&self) -> Option<u16> {
        let last = |origin: &SourceList| {
            let last = origin.last_level?;
            Some(if origin.list == ResultList::Won { last.saturating_sub(1) } else { last })
        };
        let own = self.sources.iter().filter_map(last).max();
        let after = self.en_passant.iter().flat_map(|replies| &replies.captures);
        own.max(after.filter_map(|after| Some(after.last_level()? + 1)).max())
    }

    /// Number of words of its arrays.
    pub(super) fn word_count(&self) -> usize {
        self.kings.squares.len() << (6 * self.shape.pieces.len())
    }

    pub(super) fn row_count(&self) -> usize {
        self.word_count() / self.shape.row_words()
    }

    /// All legal positions with White to move.
    pub(super) fn all_legal_white_to_move(&self) -> Vec<u64> {
        let shape = &self.shape;
        let mut open = vec![0; self.word_count()];
        let width = shape.row_words();
        let outer_count = shape.innermost_piece().unwrap_or(0);
        for (row, open) in open.chunks_exact_mut(width).enumerate() {
            let mut squares = DimensionSquares::default();
            let mut rest = row;
            for piece in (0..outer_count).rev() {
                squares[piece] = (rest & 63) as u8;
                rest >>= 6;
            }
            shape.legal_row_white_to_move(self.kings.squares[rest], &squares, open);
        }
        open
    }
}
