//! Where tiles rest between two traversals: in memory, or in a file.

use std::sync::Mutex;

use crate::Error;

/// A set of positions of a tile, and which of its chunks have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileBits {
    /// The words; none as long as the set is empty.
    pub words: Vec<u64>,
    /// A bit for each chunk that may have bits.
    pub live: Vec<u64>,
}

impl TileBits {
    /// Whether a chunk may have bits.
    #[inline]
    #[must_use]
    pub fn is_live(&self, chunk: usize) -> bool {
        self.live.get(chunk / 64).is_some_and(|live| live >> (chunk % 64) & 1 != 0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.iter().all(|&live| live == 0)
    }

    /// Marks a chunk and gives its words, of `chunks` of `words` each.
    #[inline]
    pub fn chunk_mut(&mut self, chunk: usize, chunks: usize, words: usize) -> &mut [u64] {
        self.reserve(chunks, words, |number| vec![0; number]);
        self.live[chunk / 64] |= 1 << (chunk % 64);
        &mut self.words[chunk * words..(chunk + 1) * words]
    }

    /// Makes room for all chunks, with memory from `zeroed` if there is none yet.
    pub fn reserve(&mut self, chunks: usize, words: usize, zeroed: impl FnOnce(usize) -> Vec<u64>) {
        if self.words.is_empty() {
            self.words = zeroed(chunks * words);
            self.live = vec![0; chunks.div_ceil(64)];
        }
    }

    /// The numbers of the live chunks, ascending.
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

    /// Empties the set, and keeps its memory.
    pub fn clear(&mut self, words: usize) {
        let live: Vec<usize> = self.live_chunks().collect();
        for chunk in live {
            self.words[chunk * words..(chunk + 1) * words].fill(0);
        }
        self.live.fill(0);
    }

    /// The nonzero words of live chunks, ascending.
    pub fn nonzero_words(&self, words: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.live_chunks().flat_map(move |chunk| {
            let first = chunk * words;
            let words = &self.words[first..first + words];
            (first..).zip(words.iter().copied()).filter(|(_, word)| *word != 0)
        })
    }
}

/// What a tile is between two traversals: `level` is the last completed one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileState {
    /// White to move, legal and not won as far as is known; empty if it has not been asked for.
    pub not_won: Vec<u64>,
    /// Lost at `level`.
    pub lost: TileBits,
    /// Lost at `level + 1`, as far as the last traversal found.
    pub next_lost: TileBits,
    /// Won at `level + 1`, as far as the last traversal found.
    pub won: TileBits,
    /// Whether `open` has changed since the tile was loaded.
    pub is_changed: bool,
    /// Empty memory.
    pub spare: TileBits,
}

/// Keeps tiles. A tile is with one owner at a time.
pub trait TileStore: Sync {
    /// Hands out a tile, with `open` if that costs nothing.
    ///
    /// # Errors
    ///
    /// What reading met.
    fn load(&self, tile: u32) -> Result<TileState, Error>;

    /// The `open` of a tile that was loaded without.
    ///
    /// # Errors
    ///
    /// What reading met.
    fn load_not_won(&self, tile: u32) -> Result<Vec<u64>, Error>;

    /// Zeroed words for a tile's sets: a store that frees memory when a tile is saved lends it here.
    fn zeroed_words(&self, number: usize) -> Vec<u64> {
        vec![0; number]
    }

    /// Takes it back.
    ///
    /// # Errors
    ///
    /// What writing met.
    fn save(&self, tile: u32, content: TileState) -> Result<(), Error>;

    /// A traversal is over: every tile was loaded and saved once.
    ///
    /// # Errors
    ///
    /// What writing met.
    fn end_traversal(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Bytes read and written so far.
    fn traffic(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// All tiles in memory.
pub struct MemoryStore(Vec<Mutex<Option<TileState>>>);

impl MemoryStore {
    /// Room for so many.
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

    /// Every tile has been loaded with its `open`.
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
