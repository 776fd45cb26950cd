//! Stores for the tiles between two traversals. This one keeps them in memory; `disk.rs` keeps them in files.

use std::sync::Mutex;

use crate::Error;

/// A set of positions of a tile, with a mark for each chunk that may have some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileBits {
    /// The words; no memory is allocated while the set is empty.
    pub words: Vec<u64>,
    /// One bit for each chunk: whether it may have positions.
    pub live: Vec<u64>,
}

impl TileBits {
    /// Whether a chunk may have positions.
    #[inline]
    #[must_use]
    pub fn is_live(&self, chunk: usize) -> bool {
        self.live.get(chunk / 64).is_some_and(|live| live >> (chunk % 64) & 1 != 0)
    }

    /// Whether no chunk has positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.iter().all(|&live| live == 0)
    }

    /// Marks a chunk and gives its words. The tile has `chunks` chunks of `words` words each.
    #[inline]
    pub fn chunk_mut(&mut self, chunk: usize, chunks: usize, words: usize) -> &mut [u64] {
        self.reserve(chunks, words, |number| vec![0; number]);
        self.live[chunk / 64] |= 1 << (chunk % 64);
        &mut self.words[chunk * words..(chunk + 1) * words]
    }

    /// Allocates all chunks with `zeroed`, unless they are allocated.
    pub fn reserve(&mut self, chunks: usize, words: usize, zeroed: impl FnOnce(usize) -> Vec<u64>) {
        if self.words.is_empty() {
            self.words = zeroed(chunks * words);
            self.live = vec![0; chunks.div_ceil(64)];
        }
    }

    /// The numbers of the marked chunks, ascending.
    pub fn live_chunks(&self) -> impl Iterator<Item = usize> + '_ {
        self.live.iter().enumerate().flat_map(|(at, &live)| {
            let mut live = live;
            std::iter::from_fn(move || {
                (live != 0).then(|| {
                    let chunk = live.trailing_zeros() as usize;
                    live &= live - 1;
                    at * 64 + chunk
                })
            })
        })
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self, words: usize) {
        let live: Vec<usize> = self.live_chunks().collect();
        for chunk in live {
            self.words[chunk * words..(chunk + 1) * words].fill(0);
        }
        self.live.fill(0);
    }

    /// The numbers and values of all nonzero words, ascending.
    pub fn nonzero_words(&self, words: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.live_chunks().flat_map(move |chunk| {
            let first = chunk * words;
            let words = &self.words[first..first + words];
            (first..).zip(words.iter().copied()).filter(|(_, word)| *word != 0)
        })
    }
}

/// The state of a tile between two traversals. `level` is the last complete level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileState {
    /// Positions with White to move that are legal and not won so far; empty if they were not loaded.
    pub not_won: Vec<u64>,
    /// Positions lost at `level`.
    pub lost: TileBits,
    /// Positions lost at `level + 1`, as far as the last traversal found them.
    pub next_lost: TileBits,
    /// Positions won at `level + 1`, as far as the last traversal found them.
    pub won: TileBits,
    /// Whether `not_won` has changed since the tile was loaded.
    pub is_changed: bool,
    /// An empty set whose memory can be reused.
    pub spare: TileBits,
}

/// Stores tiles. Each tile has one owner at a time: the store, or the thread that loaded it.
pub trait TileStore: Sync {
    /// Hands out a tile. `not_won` is included if that costs nothing.
    ///
    /// # Errors
    ///
    /// The tile cannot be read.
    fn load(&self, tile: u32) -> Result<TileState, Error>;

    /// The `not_won` of a tile that was loaded without it.
    ///
    /// # Errors
    ///
    /// The tile cannot be read.
    fn load_not_won(&self, tile: u32) -> Result<Vec<u64>, Error>;

    /// Zeroed words for the sets of a tile. A store that reclaims memory when a tile is saved lends it again here.
    fn zeroed_words(&self, number: usize) -> Vec<u64> {
        vec![0; number]
    }

    /// Takes a tile back.
    ///
    /// # Errors
    ///
    /// The tile cannot be written.
    fn save(&self, tile: u32, content: TileState) -> Result<(), Error>;

    /// Ends a traversal, in which every tile was loaded and saved once.
    ///
    /// # Errors
    ///
    /// The tile cannot be written.
    fn end_traversal(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Bytes read and written so far.
    fn traffic(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// Keeps all tiles in memory.
pub struct MemoryStore(Vec<Mutex<Option<TileState>>>);

impl MemoryStore {
    /// A store for this many tiles.
    #[must_use]
    pub fn new(tiles: u32) -> MemoryStore {
        MemoryStore((0..tiles).map(|_| Mutex::new(None)).collect())
    }
}

impl TileStore for MemoryStore {
    fn load(&self, tile: u32) -> Result<TileState, Error> {
        let mut place = self.0[tile as usize].lock().expect("no thread panics with a tile");
        Ok(place.take().unwrap_or_default())
    }

    /// Never needed: [`load`](TileStore::load) includes it.
    fn load_not_won(&self, _: u32) -> Result<Vec<u64>, Error> {
        Ok(Vec::new())
    }

    fn save(&self, tile: u32, content: TileState) -> Result<(), Error> {
        *self.0[tile as usize].lock().expect("no thread panics with a tile") = Some(content);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn a_set_is_its_words(
            chunks in 1usize..200, words in 1usize..70, put in proptest::collection::vec((any::<u32>(), any::<u32>(), any::<u64>()), 0..40),
        ) {
            let mut bits = TileBits::default();
            let mut slow = BTreeMap::new();
            prop_assert!(bits.is_empty() && !bits.is_live(0));
            for (chunk, word, set) in put {
                let (chunk, word) = (chunk as usize % chunks, word as usize % words);
                bits.chunk_mut(chunk, chunks, words)[word] |= set;
                *slow.entry(chunk * words + word).or_insert(0) |= set;
            }
            let mut live: Vec<usize> = slow.keys().map(|at| at / words).collect();
            live.dedup();
            prop_assert_eq!(bits.live_chunks().collect::<Vec<usize>>(), live.clone());
            prop_assert!((0..chunks).all(|chunk| bits.is_live(chunk) == live.contains(&chunk)));
            prop_assert_eq!(bits.is_empty(), slow.is_empty());
            slow.retain(|_, set| *set != 0);
            prop_assert_eq!(bits.nonzero_words(words).collect::<BTreeMap<usize, u64>>(), slow);
            let length = bits.words.len();
            bits.clear(words);
            prop_assert!(bits.is_empty() && bits.words.iter().all(|&word| word == 0) && bits.words.len() == length);
        }
    }

    #[test]
    fn tiles_rest_in_memory_as_they_were() {
        let memory = MemoryStore::new(3);
        assert_eq!(memory.load(1).expect("memory"), TileState::default());
        let mut tile = TileState { not_won: vec![1, 2], is_changed: true, ..TileState::default() };
        tile.lost.chunk_mut(1, 2, 1)[0] = 5;
        memory.save(1, tile.clone()).expect("memory");
        memory.end_traversal().expect("memory");
        assert_eq!(memory.load(2).expect("memory"), TileState::default());
        assert_eq!(memory.load(1).expect("memory"), tile);
        assert_eq!(memory.traffic(), (0, 0));
    }
}
