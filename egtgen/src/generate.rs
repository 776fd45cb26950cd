//! Making a table: cell after cell, cycle after cycle, whatever the tiles rest in and wherever the lists go.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use plyfold_core::table::code;
use plyfold_core::table::index::{Index, MOST_PIECES, Place, Squares};
use plyfold_core::table::layout::{Kind, Level};
use plyfold_core::transform::symmetry::Symmetry;
use rayon::prelude::*;

use crate::Error;
use crate::leapfrog::Turn;
use crate::leapfrog::cycle::{Cycles, Found, coded};
use crate::leapfrog::keep::Keep;
use crate::step::black::{self, Cell, Chunk, Scratch};
use crate::step::feed::{Feeds, Library, List, Lists, orders};
use crate::step::shape::{Man, Shape};
use crate::store::{Bits, Store, Tile};

/// Where the pieces of a table go, section by section. A section that was ended is safe.
pub trait Sink: Send {
    /// A section of a cell begins.
    ///
    /// # Errors
    ///
    /// What writing met.
    fn begin(&mut self, cell: u32) -> Result<(), Error>;

    /// A piece of it.
    ///
    /// # Errors
    ///
    /// What writing met.
    fn piece(&mut self, kind: Kind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error>;

    /// The section is whole: its levels, how many positions of the cell are legal with White and with Black to move (zero
    /// but in the first section of a cell), and whether it is the cell's last.
    ///
    /// # Errors
    ///
    /// What writing met.
    fn end(&mut self, levels: &[Level], legal: [u64; 2], is_last: bool) -> Result<(), Error>;
}

/// A cycle is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cycle {
    /// Of how many cells, and which.
    pub cells: u32,
    /// Which cell.
    pub cell: u32,
    /// The level that is complete.
    pub level: u16,
    /// Positions newly won.
    pub won: u64,
    /// Positions newly lost.
    pub lost: u64,
    /// Chunks in which anything was won.
    pub touched: u64,
    /// Chunks of the cell.
    pub chunks: u64,
    /// Bytes that tiles took from a file and back.
    pub traffic: (u64, u64),
}

/// What generation needs besides its table.
pub struct Means<'a> {
    /// Smaller tables, and this table's finished cells.
    pub library: &'a dyn Library,
    /// Threads.
    pub threads: usize,
    /// The caller wants no more.
    pub stop: &'a AtomicBool,
    /// Told of each cycle.
    pub watch: &'a (dyn Fn(Cycle) + Sync),
}

/// A cell on its way.
pub struct Work<'a> {
    index: &'a Index,
    number: u32,
    shape: Shape,
    feeds: Feeds,
    keep: Keep,
    means: &'a Means<'a>,
}

/// The shape of a cell.
#[must_use]
pub fn shape(index: &Index, cell: u32) -> Shape {
    let pawns = index.cells()[cell as usize];
    let men = (0..).zip(index.roles()).map(|(man, &role)| Man { white: man < index.whites(), role }).collect();
    Shape { men, white_pawns: pawns.white, black_pawns: pawns.black, pinned: None }
}

/// Whether White's double steps into a cell let Black take en passant, so that its stalemates must be known.
#[must_use]
pub fn needs_stalemates(index: &Index, cell: u32) -> bool {
    let pawns = index.cells()[cell as usize];
    let fourth = pawns.white & 0xFF00_0000;
    let beside = (fourth << 1 & !0x0101_0101_0101_0101) | (fourth >> 1 & !0x8080_8080_8080_8080);
    beside & pawns.black != 0
}

impl<'a> Work<'a> {
    /// Gets a cell ready: all that it leads to must be there.
    ///
    /// # Errors
    ///
    /// A table is missing or damaged.
    pub fn new(index: &'a Index, number: u32, means: &'a Means<'a>) -> Result<Work<'a>, Error> {
        let feeds = Feeds::new(index, number, means.library)?;
        Ok(Work { index, number, shape: shape(index, number), feeds, keep: Keep::new(index, number), means })
    }

    /// Generates the cell from its beginning. `store` is empty.
    ///
    /// # Errors
    ///
    /// What store, sink or library met, or [`Error::Stopped`].
    pub fn run(&mut self, store: &dyn Store, sink: &mut dyn Sink) -> Result<(), Error> {
        let mut section = Section::new(self.index, self.number, sink);
        section.begin()?;
        let (legal, lost) = self.lay_out(store, &mut section)?;
        section.levels.push(Level { n: 0, won: 0, lost: lost / self.index.orders() });
        section.legal = legal.map(|positions| positions / self.index.orders());
        section.cut()?;
        self.go_on(store, 0, section)
    }

    /// Goes on where `level` is the last complete one, with the lists so far. `store` is empty.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn resume(
        &mut self,
        store: &dyn Store,
        level: u16,
        lists: &dyn Lists,
        sink: &mut dyn Sink,
    ) -> Result<(), Error> {
        for level in 0..level {
            self.feeds.advance(level)?;
        }
        for kings in 0..self.index.kings().len() {
            self.rebuild(store, kings, level, lists)?;
        }
        store.turn()?;
        let mut section = Section::new(self.index, self.number, sink);
        section.begin()?;
        // Of the last cycle only the bitmaps may be missing; another cycle would find nothing, and write that it did.
        let last = lists.last(self.number, List::Lost)?;
        if level > 0 && last.is_none_or(|last| last < level) && !self.feeds.has_more(level) {
            return self.close(store, section);
        }
        self.go_on(store, level, section)
    }

    fn go_on(&mut self, store: &dyn Store, mut level: u16, mut section: Section) -> Result<(), Error> {
        let orders = self.index.orders();
        let chunks = (0..self.index.tiles()).map(|tile| self.index.tile_chunks(tile) as u64).sum();
        self.cycles(store).begin(Turn::completing(level))?;
        loop {
            self.feeds.advance(level)?;
            level += 1;
            let turn = Turn::completing(level);
            let tally = self.cycles(store).complete(turn, &mut |found: Found| {
                if !found.won.is_empty() {
                    section.piece(Kind::Won, level, found.tile, &found.won)?;
                }
                if !found.lost.is_empty() {
                    section.piece(Kind::Lost, level, found.tile, &found.lost)?;
                }
                Ok(())
            })?;
            let done = Level { n: level, won: tally.won / orders, lost: tally.lost / orders };
            section.levels.push(done);
            let is_over = tally.lost == 0 && !self.feeds.has_more(level);
            (self.means.watch)(Cycle {
                cells: self.index.cells().len() as u32,
                cell: self.number,
                level,
                won: done.won,
                lost: done.lost,
                touched: tally.touched,
                chunks,
                traffic: store.traffic(),
            });
            section.cut()?;
            if is_over {
                break;
            }
        }
        self.close(store, section)
    }

    /// All cycles are done.
    fn close(&self, store: &dyn Store, mut section: Section) -> Result<(), Error> {
        self.write_bitmaps(store, &mut section)?;
        section.end(true)
    }

    /// The tiles of a class of kings as they were when `level` was complete.
    fn rebuild(&self, store: &dyn Store, kings: usize, level: u16, lists: &dyn Lists) -> Result<(), Error> {
        let words = self.index.chunk_words();
        let tiles: Vec<u32> = (0..self.index.tiles()).filter(|&tile| self.index.classes(tile).0 == kings).collect();
        let mut contents: Vec<Tile> = tiles
            .par_iter()
            .map(|&tile| Tile { open: self.legal(tile), is_changed: true, ..Tile::default() })
            .collect();
        let pawns = self.index.cells()[self.number as usize];
        let symmetries: &[Symmetry] = match self.index.has_pawns() {
            false => &Symmetry::ALL,
            true if pawns == pawns.mirrored() => &[Symmetry::IDENTITY, Symmetry::FLIP_H],
            true => &[Symmetry::IDENTITY],
        };
        let orders = orders(&self.shape.men, &self.shape.men, None);
        // Places that files leave out have their equals among the same kings, or those on the mirrored square.
        let is_near = |tile: u32| {
            let of = |class: usize| self.index.kings().squares(class).iter();
            let class = self.index.classes(tile).0;
            of(class).any(|king| of(kings).any(|other| symmetries.iter().any(|by| by.square(*king) == *other)))
        };
        for (list, level) in (1..=level).map(|level| (List::Won, level)).chain([(List::Lost, level)]) {
            lists.visit(self.number, list, level, &is_near, &mut |tile, word, bits| {
                let squares = self.index.squares(Place { cell: self.number, tile, bit: (word as u64) << 6 });
                for symmetry in symmetries {
                    let turned = self.index.turned(&squares, *symmetry);
                    for order in &orders {
                        let mut men = [0; MOST_PIECES];
                        for man in 0..self.shape.men.len() {
                            men[order[man]] = turned.men[man];
                        }
                        let image = Squares { white_king: turned.white_king, men, black_king: 0 };
                        let Some(place) = self.index.place_of(self.number, &image) else { continue };
                        let Ok(at) = tiles.binary_search(&place.tile) else { continue };
                        let (word, bits) = ((place.bit >> 6) as usize, symmetry.word(bits));
                        if list == List::Won {
                            contents[at].open[word] &= !bits;
                        } else {
                            let chunks = self.index.tile_chunks(place.tile);
                            contents[at].lost.chunk_mut(word / words, chunks, words)[word % words] |= bits;
                        }
                    }
                }
            })?;
        }
        tiles.into_iter().zip(contents).try_for_each(|(tile, content)| store.save(tile, content))
    }

    fn cycles<'b>(&'b self, store: &'b dyn Store) -> Cycles<'b> {
        Cycles {
            index: self.index,
            number: self.number,
            cell: self.cell(),
            keep: &self.keep,
            store,
            threads: self.means.threads,
            stop: self.means.stop,
        }
    }

    fn cell(&self) -> Cell<'_> {
        Cell { shape: &self.shape, outer: self.index.outer(), feeds: &self.feeds }
    }

    /// All tiles as they are in the beginning: what is legal, and what is mate. Gives the numbers of legal positions with
    /// White and Black to move and of mates, identical men in every order.
    fn lay_out(&self, store: &dyn Store, section: &mut Section) -> Result<([u64; 2], u64), Error> {
        let mut sums = ([0, 0], 0);
        let tiles: Vec<u32> = (0..self.index.tiles()).collect();
        for tiles in tiles.chunks(2 * rayon::current_num_threads()) {
            let made: Vec<_> =
                tiles.par_iter().map(|&tile| (tile, pulp::Arch::new().dispatch(|| self.first_tile(tile)))).collect();
            for (tile, (content, stale, legal)) in made {
                let words = self.index.chunk_words();
                sums.1 += self.count(tile, &content.lost);
                sums.0[0] += legal[0];
                sums.0[1] += legal[1];
                for (kind, bits) in [(Kind::Lost, &content.lost), (Kind::Stale, &stale)] {
                    let width = self.index.row_words();
                    let bytes = coded(bits, words, |word| self.keep.has(tile, word, width));
                    if !bytes.is_empty() {
                        section.piece(kind, 0, tile, &bytes)?;
                    }
                }
                store.save(tile, content)?;
            }
        }
        store.turn()?;
        Ok(sums)
    }

    fn count(&self, tile: u32, bits: &Bits) -> u64 {
        let words = self.index.chunk_words();
        let weighed = bits.nonzero(words).map(|(word, set)| {
            let king = self.index.chunk_squares(tile, word / words).0;
            u64::from(set.count_ones()) * self.index.weight(self.number, king)
        });
        weighed.sum()
    }

    /// A tile in the beginning, its stalemates if they are wanted, and how many of its positions are legal.
    #[inline(always)]
    fn first_tile(&self, tile: u32) -> (Tile, Bits, [u64; 2]) {
        let (words, chunks) = (self.index.chunk_words(), self.index.tile_chunks(tile));
        let width = self.index.row_words();
        let cell = self.cell();
        let mut content = Tile { open: self.legal(tile), is_changed: true, ..Tile::default() };
        let mut stalemates = Bits::default();
        let wants_stalemates = needs_stalemates(self.index, self.number);
        let mut legal = [0, 0];
        let (mut scratch, mut stuck) = (Scratch::default(), vec![0; words]);
        let (mut attacked, mut closed) = ([0; 64], [0; 64]);
        for number in 0..chunks {
            let open = &content.open[number * words..(number + 1) * words];
            let chunk = self.chunk(tile, number);
            let weight = self.index.weight(self.number, chunk.white_king);
            let count = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() * weight;
            legal[0] += count(open);
            for spot in (0..cell.rows()).filter_map(|row| cell.spot(&chunk, row)) {
                self.shape.closed(chunk.white_king, &spot.men, spot.occupied, &mut closed[..width]);
                legal[1] += count(&closed[..width]);
            }
            if !black::pass(&cell, &chunk, open, None, false, &mut scratch, &mut stuck) {
                continue;
            }
            for (row, stuck) in stuck.chunks_exact(width).enumerate() {
                let men = cell.men(&chunk, row);
                let Some(occupied) = self.shape.occupied(chunk.white_king, &men) else { continue };
                self.shape.attacked(chunk.white_king, &men, occupied, &mut attacked[..width]);
                let here = row * width..(row + 1) * width;
                if stuck.iter().zip(&attacked).any(|(stuck, attacked)| stuck & attacked != 0) {
                    let mates = &mut content.lost.chunk_mut(number, chunks, words)[here.clone()];
                    for ((mate, stuck), attacked) in mates.iter_mut().zip(stuck).zip(&attacked) {
                        *mate = stuck & attacked;
                    }
                }
                if wants_stalemates && stuck.iter().zip(&attacked).any(|(stuck, attacked)| stuck & !attacked != 0) {
                    let stale = &mut stalemates.chunk_mut(number, chunks, words)[here];
                    for ((stale, stuck), attacked) in stale.iter_mut().zip(stuck).zip(&attacked) {
                        *stale = stuck & !attacked;
                    }
                }
            }
        }
        (content, stalemates, legal)
    }

    fn chunk(&self, tile: u32, number: usize) -> Chunk {
        let bit = (number * self.index.chunk_words() * 64) as u64;
        let squares = self.index.squares(Place { cell: self.number, tile, bit });
        Chunk { white_king: squares.white_king, men: squares.men }
    }

    /// What is legal with White to move in a tile.
    #[inline(always)]
    fn legal(&self, tile: u32) -> Vec<u64> {
        let (words, chunks) = (self.index.chunk_words(), self.index.tile_chunks(tile));
        let width = self.index.row_words();
        let cell = self.cell();
        let mut legal = vec![0; words * chunks];
        let mut attacked = [0; 64];
        for (number, legal) in legal.chunks_exact_mut(words).enumerate() {
            let chunk = self.chunk(tile, number);
            for (row, legal) in legal.chunks_exact_mut(width).enumerate() {
                let men = cell.men(&chunk, row);
                if let Some(occupied) = self.shape.occupied(chunk.white_king, &men) {
                    self.shape.attacked(chunk.white_king, &men, occupied, &mut attacked[..width]);
                    self.shape.open(occupied, &attacked[..width], legal);
                }
            }
        }
        legal
    }

    /// All that is won, as bitmaps.
    fn write_bitmaps(&self, store: &dyn Store, section: &mut Section) -> Result<(), Error> {
        let width = self.index.row_words();
        let tiles: Vec<u32> = (0..self.index.tiles()).collect();
        for tiles in tiles.chunks(2 * rayon::current_num_threads()) {
            let made = Mutex::new(Vec::new());
            tiles.par_iter().try_for_each(|&tile| {
                let mut content = store.load(tile)?;
                if content.open.is_empty() {
                    content.open = store.open(tile)?;
                }
                let mut won = self.legal(tile);
                for (word, (won, open)) in won.iter_mut().zip(&content.open).enumerate() {
                    *won = if self.keep.has(tile, word, width) { *won & !open } else { 0 };
                }
                if won.iter().any(|&word| word != 0) {
                    let mut bytes = Vec::new();
                    code::encode_bitmap(&won, &mut bytes);
                    made.lock().expect("no thread panics with it").push((tile, bytes));
                }
                Ok::<(), Error>(())
            })?;
            let mut made = made.into_inner().expect("no thread panics with it");
            made.sort_unstable_by_key(|(tile, _)| *tile);
            made.into_iter().try_for_each(|(tile, bytes)| section.piece(Kind::Bitmap, 0, tile, &bytes))?;
        }
        Ok(())
    }
}

/// Sections of a cell: one for each cycle, or one in all for a cell of one tile.
struct Section<'a> {
    sink: &'a mut dyn Sink,
    cell: u32,
    levels: Vec<Level>,
    legal: [u64; 2],
    is_small: bool,
}

impl<'a> Section<'a> {
    fn new(index: &Index, cell: u32, sink: &'a mut dyn Sink) -> Section<'a> {
        Section { sink, cell, levels: Vec::new(), legal: [0, 0], is_small: index.tiles() == 1 }
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.sink.begin(self.cell)
    }

    fn piece(&mut self, kind: Kind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        self.sink.piece(kind, level, tile, bytes)
    }

    /// A cycle is over.
    fn cut(&mut self) -> Result<(), Error> {
        if self.is_small {
            return Ok(());
        }
        self.end(false)?;
        self.begin()
    }

    fn end(&mut self, is_last: bool) -> Result<(), Error> {
        let legal = std::mem::take(&mut self.legal);
        self.sink.end(&std::mem::take(&mut self.levels), legal, is_last)
    }
}
