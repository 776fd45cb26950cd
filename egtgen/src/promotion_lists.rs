//! The lists of the tables that pawns promote into, by the square of the promoted piece.
//!
//! A pawn slice needs the positions with the promoted piece on one square of the last rank. The list that has them must be decoded
//! as a whole, and the pawn slices that promote on the other files need the same list. So it is decoded once, and what has
//! the piece on the last rank is kept as long as there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use plyfold_core::table::index::{TableAddress, TableIndex};
use plyfold_core::table::material::TableMaterial;

use crate::Error;
use crate::retrograde::conversion::{LevelList, PromotedPiece, ResultList, ResultLists};
use crate::rows::lanes;

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

/// The table, the pawn slice, the list, the pieces of which one is the promoted one, and their rank.
type Key = (TableMaterial, u32, ResultList, u32, u8);

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
    /// There was no room at this request.
    TooLarge(u64),
    Words(Arc<RankWords>),
}

/// The words of a list in which a promoted piece stands on one rank.
#[derive(Default)]
struct RankWords {
    /// The tile and the number of each word.
    places: Vec<(u32, u32)>,
    words: Vec<u64>,
    /// For each level, and in it for each file: the end of its words.
    ends: Vec<u32>,
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
        make: impl FnOnce(u64) -> Result<Option<RankWords>, Error>,
    ) -> Result<Option<Arc<RankWords>>, Error> {
        let (slot, clock) = {
            let mut state = self.state.lock().expect(UNPOISONED);
            state.clock += 1;
            let clock = state.clock;
            let kept = state.kept.entry(key).or_default();
            kept.last_request = clock;
            (Arc::clone(&kept.slot), clock)
        };
        // Another thread that needs the same words waits for them here.
        let mut slot = slot.lock().expect(UNPOISONED);
        let is_wanted = match *slot {
            Slot::Unknown => true,
            // Another thread may have asked later and looked before.
            Slot::TooLarge(then) => clock.saturating_sub(then) > self.requests_in_use,
            Slot::Words(_) => false,
        };
        if is_wanted {
            let words = make(self.free_bytes().min(self.room / MOST_OF_ROOM))?;
            *slot = words.map_or(Slot::TooLarge(clock), |words| Slot::Words(Arc::new(words)));
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

impl RankWords {
    /// Decodes a list; `None` if the words with a promoted piece on the rank take more than `most` bytes.
    fn decode(lists: &dyn ResultLists, key: Key, most: u64) -> Result<Option<RankWords>, Error> {
        let (_, pawn_slice, list, men, rank) = key;
        let mut found = RankWords::default();
        let Some(last) = lists.last_level(pawn_slice, list)? else { return Ok(Some(found)) };
        let mut by_file: [Vec<(u32, u32, u64)>; 8] = Default::default();
        for level in 0..=last {
            let mut row = PromotedInRow::new(lists.index(), pawn_slice, (men, rank));
            let mut room = (most.saturating_sub(found.bytes()) / 16) as usize;
            lists.visit(LevelList { pawn_slice, list, level }, &|_| true, &mut |tile, word, bits| {
                for file in lanes(row.files(tile, word)) {
                    if room > 0 {
                        room -= 1;
                        by_file[file].push((tile, word as u32, bits));
                    }
                }
            })?;
            if room == 0 {
                return Ok(None);
            }
            for file in &mut by_file {
                found.places.extend(file.iter().map(|(tile, word, _)| (*tile, *word)));
                found.words.extend(file.drain(..).map(|(_, _, bits)| bits));
                found.ends.push(found.words.len() as u32);
            }
        }
        found.places.shrink_to_fit();
        found.words.shrink_to_fit();
        Ok(Some(found))
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.places) + size_of_val(&*self.words) + size_of_val(&*self.ends)) as u64
    }

    /// Visits the words of a level with the piece on a file.
    fn visit(&self, level: u16, file: usize, visit: &mut dyn FnMut(u32, usize, u64)) {
        let at = 8 * usize::from(level) + file;
        let Some(&end) = self.ends.get(at) else { return };
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let range = first as usize..end as usize;
        for (&(tile, word), &bits) in self.places[range.clone()].iter().zip(&self.words[range]) {
            visit(tile, word as usize, bits);
        }
    }
}

/// Tells on which files of the last rank a promoted piece may stand, word by word.
struct PromotedInRow<'a> {
    index: &'a TableIndex,
    pawn_slice: u32,
    men: u32,
    rank: u8,
    /// The last row that was asked for, and the files of its pieces but the innermost one.
    row: Option<(u32, usize)>,
    files: u64,
}

impl PromotedInRow<'_> {
    fn new(index: &TableIndex, pawn_slice: u32, (men, rank): (u32, u8)) -> PromotedInRow<'_> {
        PromotedInRow { index, pawn_slice, men, rank, row: None, files: 0 }
    }

    /// One bit for each file on which one of the pieces stands on the rank.
    fn files(&mut self, tile: u32, word: usize) -> u64 {
        let (width, lane) = (self.index.row_words(), self.index.roles().len() - 1);
        let file_of = |square: u8| if square >> 3 == self.rank { 1 << (square & 7) } else { 0 };
        if self.row != Some((tile, word / width)) {
            self.row = Some((tile, word / width));
            let address = TableAddress { pawn_slice: self.pawn_slice, tile, bit: (word as u64) << 6 };
            let squares = self.index.squares(address);
            let men = (0..lane).filter(|man| self.men >> man & 1 != 0);
            self.files = men.fold(0, |files, man| files | file_of(squares.pieces[man]));
        }
        let of_lane = if self.men >> lane & 1 != 0 { file_of((word % width) as u8) } else { 0 };
        self.files | of_lane
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

    fn visit(
        &self,
        at: LevelList,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        self.lists.visit(at, needs_tile, visit)
    }

    fn visit_promoted(
        &self,
        at: LevelList,
        piece: PromotedPiece,
        needs_tile: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let index = self.index();
        // Without pawns, symmetries move the piece to other ranks, and few pawn slices ask.
        if !index.has_pawns() || self.cache.room == 0 {
            return self.visit(at, needs_tile, visit);
        }
        let rank = (piece.squares.trailing_zeros() / 8) as u8;
        let key = (index.material(), at.pawn_slice, at.list, piece.men, rank);
        match self.cache.words(key, |most| RankWords::decode(&*self.lists, key, most))? {
            None => self.visit(at, needs_tile, visit)?,
            Some(words) => lanes(piece.squares >> (8 * rank)).for_each(|file| words.visit(at.level, file, visit)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicU32, Ordering};

    use plyfold_core::table::index::MAX_PIECES;
    use plyfold_core::transform::symmetry::Symmetry;

    use super::*;
    use crate::retrograde::conversion::TableLibrary;
    use crate::retrograde::conversion::tests::Invented;

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

        fn visit(
            &self,
            at: LevelList,
            needs_tile: &dyn Fn(u32) -> bool,
            visit: &mut dyn FnMut(u32, usize, u64),
        ) -> Result<(), Error> {
            self.visits.fetch_add(1, Ordering::Relaxed);
            self.lists.visit(at, needs_tile, visit)
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
        lists.visit(at, &|_| true, visit).expect("lists in memory");
        found
    }

    fn promoted(lists: &CachedLists, at: LevelList, piece: PromotedPiece) -> Words {
        let mut found = Words::new();
        let visit = &mut |tile, word, bits| {
            found.insert((tile, word, bits));
        };
        lists.visit_promoted(at, piece, &|_| true, visit).expect("lists in memory");
        found
    }

    #[test]
    fn kept_words_are_those_with_the_piece_on_its_square() {
        let slices = [0, 7].map(|pawn_slice| LevelList { pawn_slice, list: ResultList::Lost, level: 1 });
        // The innermost piece, a black one, an outer one, and two identical ones.
        for (table, men, home) in [("KQvKP", 1, 56), ("KPvKQ", 1, 0), ("KRNvKP", 1, 56), ("KRRvKP", 3, 56)] {
            let plain = counted(table);
            let lists = CachedLists { lists: plain.clone(), cache: Arc::new(PromotionCache::new(1 << 30)) };
            for at in &slices[..if table.len() < 6 { 2 } else { 1 }] {
                let all = all_words(&*plain, *at);
                for square in [home, home + 3] {
                    let squares = 1 << square | 1 << Symmetry::FLIP_H.square(square);
                    let stands = |pieces: &[u8; MAX_PIECES]| lanes(men).any(|man| squares >> pieces[man] & 1 != 0);
                    let expected = all.iter().filter(|(_, _, _, pieces)| stands(pieces));
                    let expected: Words = expected.map(|&(tile, word, bits, _)| (tile, word, bits)).collect();
                    assert!(!expected.is_empty());
                    let piece = PromotedPiece { men: men as u32, squares };
                    assert_eq!(promoted(&lists, *at, piece), expected, "{table} {at:?} {square}");
                }
            }
        }
    }

    #[test]
    fn lists_are_decoded_once_while_there_is_room() {
        let plain = counted("KQvKP");
        let (levels, piece) = (2, PromotedPiece { men: 1, squares: 1 << 56 });
        let list = |pawn_slice| LevelList { pawn_slice, list: ResultList::Lost, level: 0 };
        let visits_of = |lists: &CachedLists, slices: &[u32]| {
            let before = plain.visits.load(Ordering::Relaxed);
            for &slice in slices {
                assert!(!promoted(lists, list(slice), piece).is_empty());
                assert!(bytes_of(lists) <= lists.cache.room);
            }
            plain.visits.load(Ordering::Relaxed) - before
        };
        let with_room = |room| CachedLists { lists: plain.clone(), cache: Arc::new(PromotionCache::new(room)) };
        assert_eq!(visits_of(&with_room(1 << 30), &[0, 1, 0, 1, 0]), 2 * levels);
        assert_eq!(visits_of(&with_room(0), &[0, 0, 0]), 3);
        let large = with_room(1 << 30);
        visits_of(&large, &[0]);
        let bytes = bytes_of(&large);
        // Four fit, and the one that was not asked for longest goes if it is not in use.
        let room = 5 * bytes - bytes / 2;
        let cache = PromotionCache { room, requests_in_use: 0, state: Mutex::default() };
        let four = CachedLists { lists: plain.clone(), cache: Arc::new(cache) };
        assert_eq!(visits_of(&four, &[0, 1, 2, 3]), 4 * levels);
        assert_eq!(visits_of(&four, &[0, 4]), levels);
        assert_eq!(visits_of(&four, &[0, 2, 3]), 0);
        assert_eq!(visits_of(&four, &[1]), levels);
        let in_use = with_room(room);
        visits_of(&in_use, &[0, 1, 2, 3]);
        // One attempt for the fifth, and then each level by itself.
        assert!(visits_of(&in_use, &[4, 4, 4]) <= levels + 3);
        assert_eq!(visits_of(&in_use, &[0, 1, 2, 3]), 0);
        // One that takes more than its part of the room is never kept: one attempt, and then each level by itself.
        assert!(visits_of(&with_room(bytes), &[0, 0, 0]) <= levels + 3);
    }
}
