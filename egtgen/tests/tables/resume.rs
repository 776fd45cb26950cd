//! Interrupts a pawn slice after each of its levels and resumes it: the resumed run writes what an undisturbed run writes,
//! block by block.
//!
//! Whole tables that are interrupted at bytes of their files are in `slow/crash.rs`, where only tables of five men have several
//! sections per pawn slice. Here, every level of a small pawn slice is such a moment. That includes rare ones: levels without
//! losses before later levels with losses, pawns that are their own mirror image, and pawn moves into pawn slices that are
//! already done.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use egtgen::Error;
use egtgen::leapfrog::resident::ResidentTiles;
use egtgen::memory_tables::{MemoryLibrary, MemoryTable};
use egtgen::pawn_slice::{GenerationContext, PawnSliceGenerator, SectionSink};
use egtgen::retrograde::result_lists::{LevelList, NeededWords, ResultList, ResultLists, VisitWord};
use plyfold_tables::codec;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::{BlockKind, LevelTotals};
use plyfold_tables::material::{TableMaterial, closure};

type Pieces = BTreeMap<(u16, BlockKind, u32), Vec<u8>>;

/// What a run writes of one pawn slice.
#[derive(Default, PartialEq)]
struct Written {
    pieces: Pieces,
    levels: Vec<LevelTotals>,
    is_last: bool,
}

/// Records what is written, and also puts it into a library if there is one.
struct Keeper<'a> {
    written: &'a mut Written,
    also: Option<Box<dyn SectionSink + 'a>>,
}

impl SectionSink for Keeper<'_> {
    fn begin_section(&mut self, pawn_slice: u32) -> Result<(), Error> {
        self.also.as_mut().map_or(Ok(()), |also| also.begin_section(pawn_slice))
    }

    fn add_block(&mut self, kind: BlockKind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        let before = self.written.pieces.insert((level, kind, tile), bytes.to_vec());
        assert!(before.is_none(), "{kind:?} of level {level} is written twice");
        self.also.as_mut().map_or(Ok(()), |also| also.add_block(kind, level, tile, bytes))
    }

    fn end_section(&mut self, levels: &[LevelTotals], legal: [u64; 2], is_last: bool) -> Result<(), Error> {
        self.written.levels.extend_from_slice(levels);
        self.written.is_last = is_last;
        self.also.as_mut().map_or(Ok(()), |also| also.end_section(levels, legal, is_last))
    }
}

/// The lists of one pawn slice, as in a file that ends after a level.
struct Begun<'a> {
    index: &'a TableIndex,
    pawn_slice: u32,
    pieces: &'a Pieces,
    level: u16,
    asked: Mutex<u16>,
}

impl ResultLists for Begun<'_> {
    fn index(&self) -> &TableIndex {
        self.index
    }

    fn last_level(&self, pawn_slice: u32, list: ResultList) -> Result<Option<u16>, Error> {
        assert_eq!(pawn_slice, self.pawn_slice);
        let levels = self.pieces.keys().filter(|(level, kind, _)| *level <= self.level && *kind == list.block_kind());
        Ok(levels.map(|(level, ..)| *level).max())
    }

    fn visit(&self, at: LevelList, needed: NeededWords, visit: VisitWord) -> Result<(), Error> {
        let LevelList { pawn_slice, list, level } = at;
        assert_eq!(pawn_slice, self.pawn_slice);
        assert!(level <= self.level, "a list that is not written yet");
        let mut asked = self.asked.lock().expect("no thread panics with it");
        *asked = level.max(*asked);
        for (&(_, _, tile), bytes) in
            self.pieces.iter().filter(|((n, kind, _), _)| (*n, *kind) == (level, list.block_kind()))
        {
            if (needed.tile)(tile) {
                codec::for_each_word(bytes, self.index.tile_words(tile), |word, bits| visit(tile, word, bits))
                    .expect("pieces of this test");
            }
        }
        Ok(())
    }
}

fn material(name: &str) -> TableMaterial {
    TableMaterial::parse(name).expect("a name of a material")
}

fn run(
    index: &TableIndex,
    pawn_slice: u32,
    shelf: &MemoryLibrary,
    keeper: &mut Keeper<'_>,
    from: Option<(u16, &dyn ResultLists)>,
) {
    let means = GenerationContext { library: shelf, threads: 1, stop: &AtomicBool::new(false), on_cycle: &|_| {} };
    let mut work = PawnSliceGenerator::new(index, pawn_slice, &means).expect("all that is needed is there");
    let store = ResidentTiles::new(index, None);
    let done = match from {
        None => work.run(&store, keeper),
        Some((level, lists)) => work.resume(&store, level, lists, keeper),
    };
    done.expect("memory holds it");
}

/// Counts the moments at which the pawn slices of a table were interrupted, to prove that the rare ones are among them.
#[derive(Default, Debug)]
struct Moments {
    /// Levels after which a pawn slice was resumed.
    all: usize,
    /// Levels without losses that precede a level with losses.
    pauses: usize,
    /// Levels after the last loss, when only the bitmaps are missing or the last cycle has found nothing.
    ends: usize,
    /// Levels of pawn slices whose pawns are their own mirror image.
    symmetric: usize,
}

/// Generates a table and all that it converts into in memory, and resumes its pawn slices after each of their levels.
fn broken_off_everywhere(name: &str) -> Moments {
    let shelf = MemoryLibrary::default();
    let mut moments = Moments::default();
    for table in closure(&[material(name)]) {
        let index = TableIndex::new(table);
        let made = Arc::new(MemoryTable::new(table));
        shelf.insert(Arc::clone(&made));
        for pawn_slice in 0..index.pawn_slices().len() as u32 {
            let mut whole = Written::default();
            run(
                &index,
                pawn_slice,
                &shelf,
                &mut Keeper { written: &mut whole, also: Some(Box::new(made.sink())) },
                None,
            );
            assert!(whole.is_last);
            let is_symmetric = index.has_pawns()
                && index.pawn_slices()[pawn_slice as usize] == index.pawn_slices()[pawn_slice as usize].mirrored();
            // Of the many pawn slices with two pawns this takes a sample, and all that are symmetric.
            if table == material(name) && (is_symmetric || pawn_slice % 16 == 0) {
                moments.count(&index, pawn_slice, &whole);
                for level in 0..whole.levels.len() as u16 {
                    goes_on(&index, pawn_slice, &shelf, &whole, level);
                }
            }
        }
    }
    moments
}

/// Asserts that a run resumed after `level` writes what the whole run wrote after it.
fn goes_on(index: &TableIndex, pawn_slice: u32, shelf: &MemoryLibrary, whole: &Written, level: u16) {
    let lists = Begun { index, pawn_slice, pieces: &whole.pieces, level, asked: Mutex::new(0) };
    let mut rest = Written::default();
    run(index, pawn_slice, shelf, &mut Keeper { written: &mut rest, also: None }, Some((level, &lists)));
    let what = format!("{}, pawn slice {pawn_slice}, broken off after level {level}", index.material());
    assert!(rest.is_last, "{what}");
    assert_eq!(rest.levels, whole.levels[usize::from(level) + 1..], "{what}");
    // Bitmaps and stalemates have no level and come at the end.
    let behind = |(n, kind, _): &(u16, BlockKind, u32)| !kind.has_levels() || *n > level;
    let expected: Vec<_> = whole.pieces.iter().filter(|(piece, _)| behind(piece)).collect();
    assert!(rest.pieces.iter().eq(expected), "{what}: the pieces are not those of a run that was not broken off");
    assert_eq!(*lists.asked.lock().expect("no thread panics with it"), level, "{what}");
}

impl Moments {
    fn count(&mut self, index: &TableIndex, pawn_slice: u32, whole: &Written) {
        let last = whole.levels.iter().rposition(|level| level.lost > 0).unwrap_or(0);
        self.all += whole.levels.len();
        self.pauses += whole.levels[..last].iter().skip(1).filter(|level| level.lost == 0).count();
        self.ends += whole.levels.len() - last;
        let pawns = index.pawn_slices()[pawn_slice as usize];
        if index.has_pawns() && pawns == pawns.mirrored() {
            self.symmetric += whole.levels.len();
        }
    }
}

#[test]
fn after_a_level_without_losses_while_conversions_are_to_come() {
    // With two rooks, levels 2 and 3 have no losses; later ones do, after a rook is captured. Against a queen, levels 2 to 6
    // have none.
    for (name, pauses) in [("KRvKR", 2), ("KRvKQ", 5)] {
        let moments = broken_off_everywhere(name);
        assert_eq!(moments.pauses, pauses, "{name}: {moments:?}");
        assert!(moments.ends > 0 && moments.all > 15, "{name}: {moments:?}");
    }
}

#[test]
#[ignore = "slow"]
fn in_pawn_slices_of_pawns_their_own_mirror_image_and_others() {
    // Pawns can be their own mirror image only if a side has two of them.
    let one = broken_off_everywhere("KPvK");
    assert!(one.all > 20 && one.symmetric == 0, "{one:?}");
    let two = broken_off_everywhere("KPPvK");
    assert!(two.symmetric > 100 && two.all - two.symmetric > 300, "{two:?}");
}
