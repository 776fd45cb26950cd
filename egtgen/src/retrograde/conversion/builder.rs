//! Builds the conversion tables of a pawn slice: which captures, promotions and pawn moves there are, and where they lead.

use plyfold_tables::index::{PawnPlacement, TableIndex};
use plyfold_transform::symmetry::Symmetry;
use shakmaty::Role;

use super::en_passant::EnPassantReplies;
use super::source_list::{SourceList, identical_piece_permutations};
use super::table::{ConversionTable, StoredKings};
use super::{PawnMove, squares};
use crate::Error;
use crate::retrograde::geometry::{beside, pawn_attacks};
use crate::retrograde::pawn_step::PawnStep;
use crate::retrograde::result_lists::{ResultList, TableLibrary};
use crate::retrograde::shape::{ArrayShape, EndgamePiece};
use crate::rows::MarkedRows;

/// A pawn that comes to a square.
#[derive(Clone, Copy)]
struct PawnArrival {
    is_white: bool,
    /// The other pawns of its side.
    other_pawns: u64,
    to: u8,
}

/// The moves of one side's pawns.
#[derive(Default)]
pub(super) struct PawnMoves {
    pub moves: Vec<PawnMove>,
    pub steps: Vec<PawnStep>,
}

/// Builds the conversion tables of a pawn slice.
pub(super) struct ConversionTableBuilder<'a> {
    pub index: &'a TableIndex,
    pub kings: StoredKings,
    /// `None` to find only the sizes of the arrays.
    pub library: Option<&'a dyn TableLibrary>,
    pub pieces: Vec<EndgamePiece>,
    pub pawns: PawnPlacement,
}

impl ConversionTableBuilder<'_> {
    /// The table for a conversion of one side: without `captured_piece`, with these pawns, and with a promoted piece fixed on its
    /// square.
    pub fn conversion_table(
        &self,
        by_white: bool,
        captured_piece: Option<usize>,
        pawns: PawnPlacement,
        fixed: Option<(EndgamePiece, u8)>,
    ) -> Result<Option<ConversionTable>, Error> {
        let dims: Vec<usize> = (0..self.pieces.len()).filter(|piece| Some(*piece) != captured_piece).collect();
        let pieces: Vec<EndgamePiece> = dims.iter().map(|&piece| self.pieces[piece]).collect();
        let shape = ArrayShape { pieces, white_pawns: pawns.white, black_pawns: pawns.black, fixed };
        let list = if by_white { ResultList::Lost } else { ResultList::Won };
        // White cannot win if the conversion leaves it a lone king. For Black, such a conversion is an escape.
        if by_white && shape.material().white.is_empty() {
            return Ok(None);
        }
        let mut table = ConversionTable {
            dimensions: dims,
            kings: self.kings.clone(),
            sources: self.source_list(&shape, list)?.into_iter().collect(),
            not_won: Vec::new(),
            newly_decided: MarkedRows::default(),
            has_new: false,
            en_passant: None,
            bytes: 0,
            shape,
        };
        let (words, width) = (table.word_count(), table.shape.row_words());
        table.bytes = MarkedRows::bytes(words, width) + if by_white { 0 } else { 8 * words as u64 };
        if self.library.is_some() {
            if !by_white {
                table.not_won = table.all_legal_white_to_move();
            }
            if !table.sources.is_empty() {
                table.newly_decided = MarkedRows::new(table.row_count(), width);
            }
        }
        Ok(Some(table))
    }

    /// The tables after captures of pieces, and for each piece the number of its table and the pieces that index it.
    #[expect(clippy::type_complexity, reason = "two fields of one struct")]
    pub fn piece_captures(&self) -> Result<(Vec<ConversionTable>, Vec<Option<(usize, Vec<usize>)>>), Error> {
        let mut tables: Vec<ConversionTable> = Vec::new();
        let mut captures: Vec<Option<(usize, Vec<usize>)>> = Vec::new();
        for (number, piece) in self.pieces.iter().enumerate() {
            let same = self.pieces[..number].iter().position(|other| other == piece);
            let capture = if let Some(same) = same {
                // After the capture of this piece, the other one stands in its dimension.
                let swap = |&other: &usize| if other == number { same } else { other };
                captures[same].as_ref().map(|(table, pieces)| (*table, pieces.iter().map(swap).collect()))
            } else {
                let table = self.conversion_table(!piece.is_white, Some(number), self.pawns, None)?;
                table.map(|table| {
                    let pieces = table.dimensions.clone();
                    tables.push(table);
                    (tables.len() - 1, pieces)
                })
            };
            captures.push(capture);
        }
        Ok((tables, captures))
    }

    /// The lists that fill an array; `None` if White has a lone king.
    fn source_list(&self, shape: &ArrayShape, list: ResultList) -> Result<Option<SourceList>, Error> {
        let material = shape.material();
        if material.white.is_empty() {
            return Ok(None);
        }
        let Some(library) = self.library else { return Ok(None) };
        let lists = library.lists(material)?;
        let index = lists.index();
        let pawns = PawnPlacement { white: shape.white_pawns, black: shape.black_pawns };
        let (pawn_slice, is_mirrored) =
            index.pawn_slice_of(pawns).expect("a placement of this material's pawns has a pawn slice");
        let images = match index.has_pawns() {
            false => Symmetry::ALL.to_vec(),
            true if pawns == pawns.mirrored() => vec![Symmetry::IDENTITY, Symmetry::FLIP_H],
            true if is_mirrored => vec![Symmetry::FLIP_H],
            true => vec![Symmetry::IDENTITY],
        };
        let table_pieces = EndgamePiece::of_table(index);
        let fixed = shape.fixed.map(|(piece, square)| {
            (
                table_pieces.iter().position(|other| *other == piece).expect("a promoted piece is one of its table"),
                square,
            )
        });
        let orders = identical_piece_permutations(&table_pieces, &shape.pieces, shape.fixed.map(|(piece, _)| piece));
        let last = lists.last_level(pawn_slice, list)?;
        Ok(Some(SourceList {
            pawn_slice,
            image_squares: images.iter().map(|by| std::array::from_fn(|square| by.square(square as u8))).collect(),
            symmetries: images,
            fixed,
            list,
            last_level: last,
            permutations: orders,
            lists,
        }))
    }

    /// The moves of one side's pawns.
    pub fn pawn_moves(&self, white: bool) -> Result<PawnMoves, Error> {
        let mut moves = PawnMoves::default();
        let (own, up): (u64, i32) = if white { (self.pawns.white, 8) } else { (self.pawns.black, -8) };
        for from in squares(own) {
            let lifted = own & !(1 << from);
            let arrival = |to: u8| PawnArrival { is_white: white, other_pawns: lifted, to };
            let to = (i32::from(from) + up) as u8;
            if self.pawns.occupied() >> to & 1 == 0 {
                self.add_arrivals(&mut moves, arrival(to), (None, 0))?;
                let is_home = from >> 3 == if white { 1 } else { 6 };
                let beyond = (i32::from(to) + up) as u8;
                if is_home && self.pawns.occupied() >> beyond & 1 == 0 {
                    self.add_double_step(&mut moves, arrival(beyond), to)?;
                }
            }
            for to in squares(pawn_attacks(1 << from, white)) {
                let theirs = if white { self.pawns.black } else { self.pawns.white };
                if theirs >> to & 1 != 0 {
                    self.add_arrivals(&mut moves, arrival(to), (None, 1 << to))?;
                } else if own >> to & 1 == 0 {
                    for piece in 0..self.pieces.len() {
                        if self.pieces[piece].is_white != white {
                            self.add_arrivals(&mut moves, arrival(to), (Some(piece), 0))?;
                        }
                    }
                }
            }
        }
        Ok(moves)
    }

    /// The step of a white pawn that leads to these pawns.
    fn pawn_step(&self, pawns: PawnPlacement, must_be_empty: u64) -> Result<PawnStep, Error> {
        let lists = self.library.map(|library| library.lists(self.index.material())).transpose()?;
        PawnStep::new(self.index, lists, pawns, must_be_empty)
    }

    /// The pawns after a move: `own_pawns` of the side that moves, and those of the other side without `captured_pawn`.
    fn pawns_after(&self, white: bool, own_pawns: u64, captured_pawn: u64) -> PawnPlacement {
        match white {
            true => PawnPlacement { white: own_pawns, black: self.pawns.black & !captured_pawn },
            false => PawnPlacement { white: self.pawns.white & !captured_pawn, black: own_pawns },
        }
    }

    /// Adds the moves by which a pawn comes to a square: one, or one for each promotion. It may capture the piece of this number or
    /// the pawn of this set.
    fn add_arrivals(
        &self,
        moves: &mut PawnMoves,
        arrival: PawnArrival,
        (captured_piece, captured_pawn): (Option<usize>, u64),
    ) -> Result<(), Error> {
        let PawnArrival { is_white: white, other_pawns, to } = arrival;
        let captured = captured_piece.map(|piece| (piece, to));
        let mut add = |table: Option<ConversionTable>| {
            moves.moves.extend(table.map(|table| PawnMove { target: table, captured, must_be_empty: 0 }));
        };
        if (8..56).contains(&to) {
            let pawns = self.pawns_after(white, other_pawns | 1 << to, captured_pawn);
            if white && captured.is_none() && captured_pawn == 0 && PawnStep::keeps_places(self.index, pawns) {
                moves.steps.push(self.pawn_step(pawns, 0)?);
            } else {
                add(self.conversion_table(white, captured_piece, pawns, None)?);
            }
        } else {
            for role in [Role::Queen, Role::Rook, Role::Bishop, Role::Knight] {
                let pawns = self.pawns_after(white, other_pawns, captured_pawn);
                let promoted = EndgamePiece { is_white: white, role };
                add(self.conversion_table(white, captured_piece, pawns, Some((promoted, to)))?);
            }
        }
        Ok(())
    }

    /// Adds a double step over the square `over`, with the captures en passant that may answer it.
    fn add_double_step(&self, moves: &mut PawnMoves, arrival: PawnArrival, over: u8) -> Result<(), Error> {
        let PawnArrival { is_white: white, other_pawns, to } = arrival;
        let pawns = self.pawns_after(white, other_pawns | 1 << to, 0);
        let takers = beside(1 << to) & if white { pawns.black } else { pawns.white };
        if white && takers == 0 && PawnStep::keeps_places(self.index, pawns) {
            moves.steps.push(self.pawn_step(pawns, 1 << over)?);
            return Ok(());
        }
        let Some(mut table) = self.conversion_table(white, None, pawns, None)? else { return Ok(()) };
        let mut after = Vec::new();
        for taker in squares(takers) {
            let pawns = match white {
                true => {
                    PawnPlacement { white: pawns.white & !(1 << to), black: pawns.black & !(1 << taker) | 1 << over }
                }
                false => {
                    PawnPlacement { white: pawns.white & !(1 << taker) | 1 << over, black: pawns.black & !(1 << to) }
                }
            };
            if white {
                after.extend(self.conversion_table(false, None, pawns, None)?);
            } else {
                // White to move wins by a capture as by any other move, so its lists are added.
                let shape = ArrayShape { white_pawns: pawns.white, black_pawns: pawns.black, ..table.shape.clone() };
                table.sources.extend(self.source_list(&shape, ResultList::Lost)?);
                if self.library.is_some() && table.newly_decided.row_count() == 0 {
                    table.newly_decided = MarkedRows::new(table.row_count(), table.shape.row_words());
                }
            }
        }
        if !after.is_empty() {
            table.bytes += 8 * 4 * table.word_count() as u64 + after.iter().map(|after| after.bytes).sum::<u64>();
            if self.library.is_some() {
                table.en_passant = Some(Box::new(self.en_passant_replies(&table, after)?));
            }
        }
        moves.moves.push(PawnMove { target: table, captured: None, must_be_empty: 1 << over });
        Ok(())
    }

    /// The captures en passant that may answer a double step.
    fn en_passant_replies(
        &self,
        table: &ConversionTable,
        captures: Vec<ConversionTable>,
    ) -> Result<EnPassantReplies, Error> {
        let words = table.word_count();
        let mut stale = vec![0; words];
        if let Some(origin) = self.source_list(&table.shape, ResultList::Stale)? {
            origin.add_level(0, &table.dimensions, &table.kings, |word, bits| stale[word] |= bits)?;
        }
        // It is no stalemate if a pawn can capture.
        for (at, stale) in stale.iter_mut().enumerate() {
            *stale &= captures.iter().fold(0, |any, after| any | after.not_won[at]);
        }
        let (lost_but_for_captures, known_lost) = (vec![0; words], vec![0; words]);
        Ok(EnPassantReplies { captures, lost_but_for_captures, stalemate_but_for_captures: stale, known_lost })
    }
}
