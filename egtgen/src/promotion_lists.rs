//! The lists of the tables that pawns promote into, by the square of the promoted piece.
//!
//! A pawn slice needs the positions with the promoted piece on one square of the last rank. The list that has them must be decoded
//! as a whole, and the pawn slices that promote on the other files need the same list. So it is decoded once, and what has
//! the piece on the last rank, or on an edge if no pawn is left, is kept as long as there is room.
//! Nothing is kept where each of these pawn slices needs tiles of its own.

use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, Mutex};

use plyfold_tables::codec;
use plyfold_tables::index::{TableAddress, TableIndex};
use plyfold_tables::material::TableMaterial;

use crate::Error;
use crate::retrograde::result_lists::{LevelList, NeededWords, PromotedPiece, ResultList, ResultLists, VisitWord};
use crate::rows::lanes;
use crate::vectors::by_vectors;

const UNPOISONED: &str = "no thread panics with it";

/// One list takes at most this part of the room, or it is decoded each time.
const MOST_OF_ROOM: u64 = 4;

/// What was asked for within so many requests may be in use: a pawn slice asks for its lists again at each level. If it made
/// room for others, lists would be decoded once for each level.
const REQUESTS_IN_USE: u64 = 512;

/// Keeps what was decoded. What was not used for the longest time makes room.
pub struct PromotionCache {
    /// The most bytes.
    room: u64,
    requests_in_use: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    kept: HashMap<Key, Kept>,
    bytes: u64,
    /// Counts the requests.
    clock: u64,
}

/// The table, the pawn slice, the list, the pieces of which one is the promoted one, and its squares.
type Key = (TableMaterial, u32, ResultList, u32, PromotionSquares);

/// The squares on which promoted pieces may stand, in groups of which a pawn slice needs one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PromotionSquares {
    /// A rank by its files: mirror images leave a piece on its rank.
    Rank(u8),
    /// All edges, by the distance from the nearest corner: without pawns, symmetries turn one edge into another.
    Edges,
}

impl PromotionSquares {
    /// Those of a piece in lists of this table.
    fn of(index: &TableIndex, piece: PromotedPiece) -> PromotionSquares {
        match index.has_pawns() {
            true => PromotionSquares::Rank((piece.squares.trailing_zeros() / 8) as u8),
            false => PromotionSquares::Edges,
        }
    }

    /// One bit for the group of a square; 0 if a promoted piece cannot stand there.
    fn group(self, square: u8) -> u64 {
        let (file, rank) = (square & 7, square >> 3);
        let from_corner = |line: u8| 1 << line.min(7 - line);
        match self {
            PromotionSquares::Rank(last) if rank == last => 1 << file,
            PromotionSquares::Edges if matches!(rank, 0 | 7) => from_corner(file),
            PromotionSquares::Edges if matches!(file, 0 | 7) => from_corner(rank),
            _ => 0,
        }
    }

    /// Whether a tile with positions in which the piece stands on a square has no others with it on one of these squares. Then the
    /// pawn slices that promote on different files need different tiles, and nothing is gained by keeping what they have.
    fn are_apart(self, index: &TableIndex, piece: PromotedPiece) -> bool {
        let number = piece.pieces.trailing_zeros() as usize;
        let (is_one, square) = (piece.pieces.is_power_of_two(), piece.squares.trailing_zeros() as u8);
        is_one
            && number < index.outer_count()
            && index.outer_classes(number).find(square).is_some_and(|(class, _)| {
                index.outer_classes(number).squares(class).iter().all(|&other| self.group(other) == self.group(square))
            })
    }

    /// Whether one of these pieces may stand on them in positions of a tile. An outer piece has squares of one class there.
    fn may_be_in(self, index: &TableIndex, pieces: u32, tile: u32) -> bool {
        let (_, first, second) = index.classes(tile);
        let has_group = |piece: usize, class: usize| {
            index.outer_classes(piece).squares(class).iter().any(|&square| self.group(square) != 0)
        };
        lanes(pieces.into()).any(|piece| match piece {
            _ if piece >= index.outer_count() => true,
            0 => has_group(0, first),
            _ => has_group(1, second),
        })
    }
}

#[derive(Default)]
struct Kept {
    slot: Arc<Mutex<Slot>>,
    bytes: u64,
    last_request: u64,
}

#[derive(Default)]
enum Slot {
    #[default]
    Unknown,
    /// They take more than this many bytes.
    TooLarge(u64),
    Words(Arc<PromotedWords>),
}

/// The words of a list in which a promoted piece stands on one of its squares, compressed like a list.
#[derive(Default)]
struct PromotedWords {
    /// Sets of words, each numbered through all tiles.
    blocks: Vec<u8>,
    /// For each level, and in it for each of eight groups of squares: the end of its block.
    ends: Vec<u32>,
    /// The first word of each tile, and the number of all words.
    tiles: Arc<[u32]>,
}

impl PromotionCache {
    /// A cache of at most this many bytes.
    #[must_use]
    pub fn new(room: u64) -> PromotionCache {
        PromotionCache { room, requests_in_use: REQUESTS_IN_USE, state: Mutex::default() }
    }

    /// The words for a key, made by `make` if they are not kept; `None` if they take too much room.
    fn words(
        &self,
        key: Key,
        decode: impl FnOnce(u64) -> Result<Option<PromotedWords>, Error>,
    ) -> Result<Option<Arc<PromotedWords>>, Error> {
        let slot = {
            let state = &mut *self.state.lock().expect(UNPOISONED);
            state.clock += 1;
            let kept = state.kept.entry(key).or_default();
            kept.last_request = state.clock;
            Arc::clone(&kept.slot)
        };
        // Another thread that needs the same words waits for them here.
        let mut slot = slot.lock().expect(UNPOISONED);
        let most = || self.free_bytes().min(self.room / MOST_OF_ROOM);
        let attempt = match *slot {
            Slot::Unknown => Some(most()),
            // Each attempt decodes a list, so the room must have grown much.
            Slot::TooLarge(bytes) => Some(most()).filter(|most| most / 2 > bytes),
            Slot::Words(_) => None,
        };
        if let Some(most) = attempt {
            *slot = decode(most)?.map_or(Slot::TooLarge(most), |words| Slot::Words(Arc::new(words)));
            if let Slot::Words(words) = &*slot {
                self.add(key, words.bytes());
            }
        }
        Ok(if let Slot::Words(words) = &*slot { Some(Arc::clone(words)) } else { None })
    }

    /// The bytes that new words may take, if all that is not in use is dropped.
    fn free_bytes(&self) -> u64 {
        let state = &*self.state.lock().expect(UNPOISONED);
        let in_use = state.kept.values().filter(|kept| state.clock - kept.last_request <= self.requests_in_use);
        self.room.saturating_sub(in_use.map(|kept| kept.bytes).sum())
    }

    /// Notes the bytes of new words, and drops others for them.
    fn add(&self, key: Key, bytes: u64) {
        let state = &mut *self.state.lock().expect(UNPOISONED);
        if let Some(kept) = state.kept.get_mut(&key) {
            kept.bytes = bytes;
            state.bytes += bytes;
        }
        while state.bytes > self.room {
            let others = state.kept.iter().filter(|(other, kept)| **other != key && kept.bytes > 0);
            let Some((&oldest, _)) = others.min_by_key(|(_, kept)| kept.last_request) else { break };
            state.bytes -= state.kept.remove(&oldest).map_or(0, |kept| kept.bytes);
        }
    }
}

/// The most words that a block may number.
const MOST_WORDS: usize = 1 << 26;

impl PromotedWords {
    /// Decodes a list; `None` if the words with a promoted piece on one of its squares take more than `most` bytes, or cannot be
    /// numbered.
    fn decode(lists: &dyn ResultLists, key: Key, most: u64) -> Result<Option<PromotedWords>, Error> {
        let (_, pawn_slice, list, pieces, squares) = key;
        let index = lists.index();
        let Some(tiles) = first_words(index) else { return Ok(None) };
        let mut found = PromotedWords { tiles, ..PromotedWords::default() };
        let Some(last) = lists.last_level(pawn_slice, list)? else { return Ok(Some(found)) };
        let mut by_group: [Vec<(usize, u64)>; 8] = Default::default();
        for level in 0..=last {
            let mut row = PromotedInRow { index, pawn_slice, pieces, squares, row: None, groups: 0 };
            // Before they are compressed, the words of a level may take as much.
            let mut room = most.saturating_sub(found.bytes()) as usize / size_of::<(usize, u64)>();
            let needs_tile = |tile: u32| squares.may_be_in(index, pieces, tile);
            let needed = NeededWords::of_tiles(&needs_tile);
            lists.visit(LevelList { pawn_slice, list, level }, needed, &mut |tile, word, bits| {
                for group in lanes(row.groups(tile, word)) {
                    if room > 0 {
                        room -= 1;
                        by_group[group].push((found.tiles[tile as usize] as usize + word, bits));
                    }
                }
            })?;
            // A damaged file may have a word in two blocks, which cannot be encoded as one set.
            let is_set = |words: &Vec<(usize, u64)>| words.is_sorted_by(|(one, _), (next, _)| one < next);
            if room == 0 || !by_group.iter().all(is_set) {
                return Ok(None);
            }
            for words in &mut by_group {
                encode_words(words, &mut found.blocks);
                found.ends.push(found.blocks.len() as u32);
                words.clear();
            }
        }
        found.blocks.shrink_to_fit();
        Ok(Some(found))
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.blocks) + size_of_val(&*self.ends)) as u64
    }

    /// Visits the words of a level with the piece on the squares of a group.
    fn visit(&self, level: u16, group: usize, visit: VisitWord) {
        let at = 8 * usize::from(level) + group;
        let Some(&end) = self.ends.get(at) else { return };
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let block = &self.blocks[first as usize..end as usize];
        let (mut tile, tiles) = (0, &*self.tiles);
        let decoded = by_vectors(
            #[inline(always)]
            || {
                codec::for_each_word(
                    block,
                    tiles[tiles.len() - 1] as usize,
                    #[inline(always)]
                    |word, bits| {
                        while tiles[tile + 1] as usize <= word {
                            tile += 1;
                        }
                        visit(tile as u32, word - tiles[tile] as usize, bits);
                    },
                )
            },
        );
        decoded.expect("blocks in memory are as they were made");
    }
}

/// The number of the first word of each tile of a pawn slice, and of all its words; `None` if they are too many for a block.
fn first_words(index: &TableIndex) -> Option<Arc<[u32]>> {
    let mut end = 0;
    let ends = (0..index.tiles()).map(|tile| {
        end += index.tile_words(tile);
        end
    });
    let firsts: Arc<[u32]> = iter::once(0).chain(ends).map(|end| end as u32).collect();
    (end <= MOST_WORDS).then_some(firsts)
}

/// Compresses words with the instructions that the processor has.
fn encode_words(words: &[(usize, u64)], out: &mut Vec<u8>) {
    by_vectors(
        #[inline(always)]
        || codec::encode(words.iter().copied(), out),
    );
}

/// Tells on which of its squares a promoted piece may stand, word by word.
struct PromotedInRow<'a> {
    index: &'a TableIndex,
    pawn_slice: u32,
    pieces: u32,
    squares: PromotionSquares,
    /// The last row that was asked for, and the groups of its pieces but the innermost one.
    row: Option<(u32, usize)>,
    groups: u64,
}

impl PromotedInRow<'_> {
    /// One bit for each group of squares on which one of the pieces stands.
    fn groups(&mut self, tile: u32, word: usize) -> u64 {
        let (width, lane) = (self.index.row_words(), self.index.roles().len() - 1);
        if self.row != Some((tile, word / width)) {
            self.row = Some((tile, word / width));
            let address = TableAddress { pawn_slice: self.pawn_slice, tile, bit: (word as u64) << 6 };
            let squares = self.index.squares(address);
            let pieces = (0..lane).filter(|piece| self.pieces >> piece & 1 != 0);
            self.groups = pieces.fold(0, |groups, piece| groups | self.squares.group(squares.pieces[piece]));
        }
        let of_lane = if self.pieces >> lane & 1 != 0 { self.squares.group((word % width) as u8) } else { 0 };
        self.groups | of_lane
    }
}

/// The lists of a table, those for promotions by way of a cache.
pub struct CachedLists {
    /// The lists.
    pub lists: Arc<dyn ResultLists>,
    /// The cache, which has those of other tables, too.
    pub cache: Arc<PromotionCache>,
}

impl ResultLists for CachedLists {
    fn index(&self) -> &TableIndex {
        self.lists.index()
    }

    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error> {
        self.lists.last_level(pawn_slice, list)
    }

    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
        let Some(piece) = needed.promoted else { return self.lists.visit(at, needed, visit) };
        let index = self.index();
        let squares = PromotionSquares::of(index, piece);
        if self.cache.room == 0 || squares.are_apart(index, piece) {
            return self.lists.visit(at, needed, visit);
        }
        let key = (index.material(), at.pawn_slice, at.list, piece.pieces, squares);
        match self.cache.words(key, |most| PromotedWords::decode(&*self.lists, key, most))? {
            None => self.lists.visit(at, needed, visit)?,
            Some(words) => {
                let groups = lanes(piece.squares).fold(0, |groups, square| groups | squares.group(square as u8));
                lanes(groups).for_each(|group| words.visit(at.level, group, visit));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicU32, Ordering};

    use plyfold_tables::index::MAX_PIECES;
    use plyfold_transform::symmetry::Symmetry;

    use super::*;
    use crate::retrograde::conversion::invented_lists::Invented;
    use crate::retrograde::result_lists::TableLibrary;

    type Words = BTreeSet<(u32, usize, u64)>;

    /// Counts how often lists are decoded.
    struct Counted {
        lists: Arc<dyn ResultLists>,
        visits: AtomicU32,
    }

    impl ResultLists for Counted {
        fn index(&self) -> &TableIndex {
            self.lists.index()
        }

        fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error> {
            self.lists.last_level(pawn_slice, list)
        }

        fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
            self.visits.fetch_add(1, Ordering::Relaxed);
            self.lists.visit(at, needed, visit)
        }
    }

    fn bytes_of(lists: &CachedLists) -> u64 {
        lists.cache.state.lock().expect(UNPOISONED).bytes
    }

    fn counted(table: &str) -> Arc<Counted> {
        let lists = Invented { seed: 3, last: Some(1) }.lists(table.parse().expect("a material")).expect("any table");
        Arc::new(Counted { lists, visits: AtomicU32::new(0) })
    }

    /// All words of a list, each with the squares of the pieces.
    fn all_words(lists: &dyn ResultLists, at: LevelList) -> Vec<(u32, usize, u64, [u8; MAX_PIECES])> {
        let mut found = Vec::new();
        let visit = &mut |tile, word: usize, bits| {
            let address = TableAddress { pawn_slice: at.pawn_slice, tile, bit: 64 * word as u64 };
            found.push((tile, word, bits, lists.index().squares(address).pieces));
        };
        lists.visit(at, NeededWords::of_tiles(&|_| true), visit).expect("lists in memory");
        found
    }

    /// Those of these words in which the piece stands on one of its squares.
    fn expected(all: &[(u32, usize, u64, [u8; MAX_PIECES])], piece: PromotedPiece) -> Words {
        let stands = |pieces: &[u8]| lanes(piece.pieces.into()).any(|number| piece.squares >> pieces[number] & 1 != 0);
        let found = all.iter().filter(|(_, _, _, pieces)| stands(pieces));
        found.map(|&(tile, word, bits, _)| (tile, word, bits)).collect()
    }

    fn promoted(lists: &CachedLists, at: LevelList, piece: PromotedPiece) -> Words {
        let mut found = Words::new();
        let visit = &mut |tile, word, bits| {
            found.insert((tile, word, bits));
        };
        let needed = NeededWords { tile: &|_| true, promoted: Some(piece) };
        lists.visit(at, needed, visit).expect("lists in memory");
        found
    }

    #[test]
    fn kept_words_are_those_with_the_piece_on_its_square() {
        let slices = [0, 7].map(|pawn_slice| LevelList { pawn_slice, list: ResultList::Lost, level: 1 });
        // The innermost piece, a black one, an outer one, and two identical ones; then the same without pawns.
        for (table, pieces, home, slices) in [
            ("KQvKP", 1, 56, &slices[..]),
            ("KPvKQ", 1, 0, &slices),
            ("KRNvKP", 1, 56, &slices[..1]),
            ("KRRvKP", 3, 56, &slices[..1]),
            ("KQvKR", 2, 56, &slices[..1]),
            ("KQvKR", 1, 0, &slices[..1]),
            ("KRRvK", 3, 56, &slices[..1]),
        ] {
            let plain = counted(table);
            let lists = CachedLists { lists: plain.clone(), cache: Arc::new(PromotionCache::new(1 << 30)) };
            let symmetries =
                if plain.index().has_pawns() { &[Symmetry::IDENTITY, Symmetry::FLIP_H][..] } else { &Symmetry::ALL };
            for at in slices {
                let all = all_words(&*plain, *at);
                for square in [home, home + 3] {
                    let squares = symmetries.iter().fold(0, |squares, by| squares | 1 << by.square(square));
                    let piece = PromotedPiece { pieces, squares };
                    let expected = expected(&all, piece);
                    assert!(!expected.is_empty());
                    assert_eq!(promoted(&lists, *at, piece), expected, "{table} {at:?} {square}");
                }
            }
        }
    }

    /// A list of some words of each tile.
    struct SomeWords(TableIndex);

    impl ResultLists for SomeWords {
        fn index(&self) -> &TableIndex {
            &self.0
        }

        fn last_level(&self, _: u32, _: ResultList) -> Result<Option<u16>, Error> {
            Ok(Some(0))
        }

        fn visit(&self, _: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
            for tile in (0..self.0.tiles()).filter(|&tile| (needed.tile)(tile)) {
                (0..self.0.tile_words(tile)).step_by(997).for_each(|word| visit(tile, word, 1 + word as u64));
            }
            Ok(())
        }
    }

    #[test]
    fn only_tiles_with_the_piece_on_its_squares_are_decoded() {
        let at = LevelList { pawn_slice: 0, list: ResultList::Lost, level: 0 };
        // Both rooks, which are outer pieces; a queen and a bishop, each alone of its kind; a black piece; and a table of one tile.
        for (table, pieces, is_kept) in
            [("KRRvKR", 3, true), ("KQRvKR", 1, false), ("KRBvKR", 2, false), ("KRvKQR", 2, true), ("KQvKR", 1, true)]
        {
            let plain = Arc::new(SomeWords(TableIndex::new(table.parse().expect("a material"))));
            let lists = CachedLists { lists: plain.clone(), cache: Arc::new(PromotionCache::new(1 << 30)) };
            let all = all_words(&*plain, at);
            for square in [56, 58] {
                let squares = Symmetry::ALL.iter().fold(0, |squares, by| squares | 1 << by.square(square));
                let piece = PromotedPiece { pieces, squares };
                let expected = expected(&all, piece);
                let found = promoted(&lists, at, piece);
                assert!(!expected.is_empty() && found.is_superset(&expected), "{table} {square}");
                assert!(!is_kept || found == expected, "{table} {square}");
            }
            assert_eq!(kept_lists(&lists) > 0, is_kept, "{table}");
        }
    }

    /// How many lists a cache keeps.
    fn kept_lists(lists: &CachedLists) -> u32 {
        lists.cache.state.lock().expect(UNPOISONED).kept.values().filter(|kept| kept.bytes > 0).count() as u32
    }

    #[test]
    fn lists_are_decoded_once_while_there_is_room() {
        let plain = counted("KQvKP");
        let (levels, piece) = (2, PromotedPiece { pieces: 1, squares: 1 << 56 });
        let list = |pawn_slice| LevelList { pawn_slice, list: ResultList::Lost, level: 0 };
        let visits_of = |lists: &CachedLists, slices: &[u32]| {
            let before = plain.visits.load(Ordering::Relaxed);
            for &slice in slices {
                assert!(!promoted(lists, list(slice), piece).is_empty());
                assert!(bytes_of(lists) <= lists.cache.room);
            }
            plain.visits.load(Ordering::Relaxed) - before
        };
        let with_room = |room, requests_in_use| {
            let cache = PromotionCache { room, requests_in_use, state: Mutex::default() };
            CachedLists { lists: plain.clone(), cache: Arc::new(cache) }
        };
        assert_eq!(visits_of(&with_room(1 << 30, 0), &[0, 1, 0, 1, 0]), 2 * levels);
        assert_eq!(visits_of(&with_room(0, 0), &[0, 0, 0]), 3);
        // The least room in which a list is kept.
        let is_kept = |room: &u64| {
            let lists = with_room(*room, 0);
            visits_of(&lists, &[0, 1, 2]);
            kept_lists(&lists) == 3
        };
        let room = (10..).map(|at| 1 << at).find(is_kept).expect("a gibibyte is enough");
        // What was not asked for longest makes room for others if it is not in use.
        let lists = with_room(room, 0);
        let mut asked = 0;
        while kept_lists(&lists) == asked {
            assert_eq!(visits_of(&lists, &[asked]), levels);
            asked += 1;
        }
        let newest = [asked - 2, asked - 1];
        assert_eq!(visits_of(&lists, &newest), 0);
        assert_eq!(visits_of(&lists, &[0]), levels);
        assert_eq!(visits_of(&lists, &newest), 0);
        // What is in use stays: one attempt for another list, and then each level by itself.
        let lists = with_room(room, REQUESTS_IN_USE);
        visits_of(&lists, &(0..asked).collect::<Vec<_>>());
        let kept = kept_lists(&lists);
        assert!((1..asked).contains(&kept));
        assert!(visits_of(&lists, &[asked, asked, asked]) <= levels + 3);
        assert_eq!(visits_of(&lists, &(0..kept).collect::<Vec<_>>()), 0);
        // One that takes more than its part of the room is never kept.
        assert!(visits_of(&with_room(room / 8, 0), &[0, 0, 0]) <= levels + 3);
    }

    #[test]
    fn kept_words_belong_to_their_tiles() {
        let mut found = PromotedWords { tiles: Arc::new([0, 3, 4, 10, 12]), ..PromotedWords::default() };
        // The third tile has none.
        let words = [(0, 7), (2, 1), (3, 1 << 63), (10, 5), (11, u64::MAX)];
        encode_words(&words, &mut found.blocks);
        found.ends = vec![found.blocks.len() as u32];
        let mut visited = Vec::new();
        found.visit(0, 0, &mut |tile, word, bits| visited.push((tile, word, bits)));
        assert_eq!(visited, [(0, 0, 7), (0, 2, 1), (1, 0, 1 << 63), (3, 0, 5), (3, 1, u64::MAX)]);
    }

    #[test]
    fn tables_with_too_many_words_are_not_kept() {
        let words = |table: &str| first_words(&TableIndex::new(table.parse().expect("a material")));
        let all = words("KRBvKQ").expect("few enough for a block");
        assert_eq!((all[0], all.is_sorted()), (0, true));
        assert!(words("KRBvKQN").is_none());
    }
}
