//! Tables as answers: a tile is decoded when it is asked for, and kept as long as memory allows.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use plyfold_core::table::code;
use plyfold_core::table::index::{Index, Place};
use plyfold_core::table::layout::{Kind, Level};
use plyfold_core::table::material::Material;
use plyfold_core::table::probe::Source;
use shakmaty::{Board, Color};

use crate::Error;
use crate::folder::{Folder, OpenTable};

/// Memory for decoded tiles unless another bound is given, in bytes.
pub const USUAL_BOUND: usize = 1 << 30;

/// Whose turn it is in a list of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// White's: the lists of `won(N)`.
    Won,
    /// Black's: the lists of `lost(N)`.
    Lost,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Won, Side::Lost];

    /// The list in which a position with this side to move is.
    #[must_use]
    pub const fn of(turn: Color) -> Side {
        if turn.is_white() { Side::Won } else { Side::Lost }
    }

    /// The side to move.
    #[must_use]
    pub const fn turn(self) -> Color {
        match self {
            Side::Won => Color::White,
            Side::Lost => Color::Black,
        }
    }
}

/// What a table says of itself: positions on all squares of the board, identical men in one order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Legal ones with White and with Black to move.
    pub legal: [u64; 2],
    /// How many are won at each level, from level 0 on; none is won in 0.
    pub won: Vec<u64>,
    /// How many are lost at each level, from level 0 on.
    pub lost: Vec<u64>,
}

impl Summary {
    /// How many there are at each level of a side.
    #[must_use]
    pub fn levels(&self, side: Side) -> &[u64] {
        match side {
            Side::Won => &self.won,
            Side::Lost => &self.lost,
        }
    }

    /// The highest level with positions.
    #[must_use]
    pub fn most(&self, side: Side) -> Option<u16> {
        self.levels(side).iter().rposition(|positions| *positions > 0).map(|level| level as u16)
    }
}

/// Where tables are kept.
pub trait Archive: Send + Sync {
    /// What a table of this shape says of itself.
    ///
    /// # Errors
    /// If there is no such table, it cannot be read, or it has another shape.
    fn summary(&self, index: &Index) -> Result<Summary, Error>;

    /// Calls `put` with the bit and the level of each position that a tile of so many words has on its lists of these levels.
    ///
    /// # Errors
    /// If there is no such table, or it cannot be read.
    fn decode(
        &self,
        at: Tile,
        words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error>;
}

/// The tables of a folder.
struct Files {
    folder: Folder,
    open: RwLock<HashMap<Material, Arc<OpenTable>>>,
}

impl Files {
    fn open(&self, table: Material) -> Result<Arc<OpenTable>, Error> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&table) {
            return Ok(Arc::clone(open));
        }
        let found = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(table).or_insert_with(|| Arc::new(found))))
    }
}

impl Archive for Files {
    fn summary(&self, index: &Index) -> Result<Summary, Error> {
        let table = self.open(index.material())?;
        let facts = table.table().facts();
        if (facts.cells as usize, facts.tiles) != (index.cells().len(), index.tiles()) {
            let what = "its cells and tiles are not those of its name; generate the table anew".into();
            return Err(Error::Damaged { path: table.path().to_path_buf(), what });
        }
        let said = table.table().summary();
        let by_level = |count: fn(&Level) -> u64| said.levels.iter().map(count).collect();
        Ok(Summary { legal: said.legal, won: by_level(|level| level.won), lost: by_level(|level| level.lost) })
    }

    fn decode(
        &self,
        at: Tile,
        words: usize,
        levels: RangeInclusive<u16>,
        put: &mut dyn FnMut(u64, u16),
    ) -> Result<(), Error> {
        let table = self.open(at.table)?;
        let kind = match at.side {
            Side::Won => Kind::Won,
            Side::Lost => Kind::Lost,
        };
        let mut bytes = Vec::new();
        for level in levels {
            let Some(piece) = table.find(at.cell, at.tile, kind, level)? else { continue };
            table.read_into(&piece, &mut bytes)?;
            let each = |word: usize, mut bits: u64| {
                while bits != 0 {
                    put(word as u64 * 64 + u64::from(bits.trailing_zeros()), level);
                    bits &= bits - 1;
                }
            };
            code::for_each(&bytes, words, each).map_err(|error| {
                let what = format!("inconsistent piece at byte {}: {error}; generate the table anew", piece.offset);
                Error::Damaged { path: table.path().to_path_buf(), what }
            })?;
        }
        Ok(())
    }
}

/// The lists of a side in a tile of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Of which table.
    pub table: Material,
    /// Of which cell.
    pub cell: u32,
    /// Which tile of the cell.
    pub tile: u32,
    /// Of which side.
    pub side: Side,
}

/// The level of each bit of a tile.
#[derive(Debug)]
pub enum Levels {
    /// Levels below 255, which stands for none.
    Narrow(Box<[u8]>),
    /// Levels below 65535, which stands for none.
    Wide(Box<[u16]>),
}

impl Levels {
    fn new(bits: usize, most: u16) -> Levels {
        if most < u8::MAX.into() {
            Levels::Narrow(vec![u8::MAX; bits].into())
        } else {
            Levels::Wide(vec![u16::MAX; bits].into())
        }
    }

    fn bytes(bits: usize, most: u16) -> usize {
        if most < u8::MAX.into() { bits } else { 2 * bits }
    }

    /// The level of a bit; `None` if it has none, or is beyond the tile.
    #[inline]
    #[must_use]
    pub fn get(&self, bit: u64) -> Option<u16> {
        match self {
            Levels::Narrow(levels) => {
                levels.get(bit as usize).filter(|level| **level != u8::MAX).map(|level| (*level).into())
            }
            Levels::Wide(levels) => levels.get(bit as usize).filter(|level| **level != u16::MAX).copied(),
        }
    }

    /// Bits beyond the tile, and levels beyond those that were said, are left out.
    fn set(&mut self, bit: u64, level: u16) {
        match self {
            Levels::Narrow(levels) => {
                if let (Some(slot), Ok(level)) = (levels.get_mut(bit as usize), u8::try_from(level)) {
                    *slot = level;
                }
            }
            Levels::Wide(levels) => {
                if let Some(slot) = levels.get_mut(bit as usize) {
                    *slot = level;
                }
            }
        }
    }
}

/// A table that is open.
#[derive(Debug)]
pub struct Table {
    /// Which; White is the winner.
    pub material: Material,
    /// Where positions stand in it.
    pub index: Index,
    /// What it says of itself.
    pub summary: Summary,
}

/// Tables, decoded tile by tile, for any number of threads.
pub struct Tables {
    archive: Box<dyn Archive>,
    open: RwLock<HashMap<Material, Arc<Table>>>,
    cache: Cache,
}

impl Tables {
    /// The whole tables of a folder, with `bound` bytes for decoded tiles.
    #[must_use]
    pub fn open(folder: Folder, bound: usize) -> Tables {
        Tables::new(Box::new(Files { folder, open: RwLock::default() }), bound)
    }

    /// The tables of an archive, with `bound` bytes for decoded tiles. More is used only while the
    /// few tiles that threads work on are larger.
    #[must_use]
    pub fn new(archive: Box<dyn Archive>, bound: usize) -> Tables {
        Tables { archive, open: RwLock::default(), cache: Cache::new(bound) }
    }

    /// A table.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn table(&self, material: Material) -> Result<Arc<Table>, Error> {
        if let Some(table) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&material) {
            return Ok(Arc::clone(table));
        }
        let index = Index::new(material);
        let summary = self.archive.summary(&index)?;
        let table = Arc::new(Table { material, index, summary });
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(material).or_insert(table)))
    }

    /// The levels of a tile's positions, for one side to move.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn levels(&self, table: &Table, cell: u32, tile: u32, side: Side) -> Result<Arc<Slot>, Error> {
        let bits = table.index.tile_words(tile) * 64;
        let most = table.summary.most(side).unwrap_or(0);
        let at = Tile { table: table.material, cell, tile, side };
        self.cache.get(at, Levels::bytes(bits, most), || {
            let mut levels = Levels::new(bits, most);
            self.archive.decode(at, bits / 64, 0..=most, &mut |bit, level| levels.set(bit, level))?;
            Ok(levels)
        })
    }

    /// The places of a tile of an open table that have one level, at most so many.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn places(&self, table: &Table, at: Tile, level: u16, most: usize) -> Result<Vec<Place>, Error> {
        let (mut places, words) = (Vec::new(), table.index.tile_words(at.tile));
        self.archive.decode(at, words, level..=level, &mut |bit, _| {
            if places.len() < most {
                places.push(Place { cell: at.cell, tile: at.tile, bit });
            }
        })?;
        Ok(places)
    }
}

impl Source for Tables {
    type Error = Error;

    fn level(&self, table: Material, men: &Board, turn: Color) -> Result<Option<u16>, Error> {
        let table = self.table(table)?;
        let place = table.index.place(men).ok_or(Error::Missing(table.material))?;
        let slot = self.levels(&table, place.cell, place.tile, Side::of(turn))?;
        Ok(slot.levels().and_then(|levels| levels.get(place.bit)))
    }
}

/// One thread's look at [`Tables`]: what it used last is at hand without locks. For a while, not for long: tiles at hand
/// are not let go.
pub struct View<'a> {
    tables: &'a Tables,
    at_hand: RefCell<AtHand>,
    /// Bytes that tiles at hand may have, so that those of all threads leave half of the bound free to move.
    bound: usize,
}

#[derive(Default)]
struct AtHand {
    tables: Vec<Arc<Table>>,
    tiles: [Option<(Tile, Arc<Slot>)>; 32],
    bytes: usize,
}

impl<'a> View<'a> {
    /// A look at tables by one of the threads of the current rayon pool.
    #[must_use]
    pub fn new(tables: &'a Tables) -> View<'a> {
        let bound = tables.cache.bound / (2 * rayon::current_num_threads());
        View { tables, at_hand: RefCell::default(), bound }
    }
}

impl Source for View<'_> {
    type Error = Error;

    fn level(&self, table: Material, men: &Board, turn: Color) -> Result<Option<u16>, Error> {
        let at_hand = &mut *self.at_hand.borrow_mut();
        let number = match at_hand.tables.iter().position(|open| open.material == table) {
            Some(number) => number,
            None => {
                at_hand.tables.push(self.tables.table(table)?);
                at_hand.tables.len() - 1
            }
        };
        let open = &at_hand.tables[number];
        let place = open.index.place(men).ok_or(Error::Missing(table))?;
        let tile = Tile { table, cell: place.cell, tile: place.tile, side: Side::of(turn) };
        let drawer =
            (tile.cell as usize * 61 + tile.tile as usize * 2 + tile.side as usize + 7 * number) % at_hand.tiles.len();
        if let Some((held, slot)) = &at_hand.tiles[drawer]
            && *held == tile
        {
            return Ok(slot.levels().and_then(|levels| levels.get(place.bit)));
        }
        if let Some((_, slot)) = at_hand.tiles[drawer].take() {
            at_hand.bytes -= slot.bytes;
        }
        let slot = self.tables.levels(open, tile.cell, tile.tile, tile.side)?;
        let level = slot.levels().and_then(|levels| levels.get(place.bit));
        if at_hand.bytes + slot.bytes <= self.bound {
            at_hand.bytes += slot.bytes;
            at_hand.tiles[drawer] = Some((tile, slot));
        }
        Ok(level)
    }
}

/// A place in the cache for the levels of a tile.
#[derive(Debug, Default)]
pub struct Slot {
    levels: OnceLock<Levels>,
    /// Held by the thread that decodes.
    filling: Mutex<()>,
    bytes: usize,
    /// How many tiles had been decoded when it was last asked for.
    used: AtomicU64,
}

impl Slot {
    /// The levels; there as soon as a slot is handed out.
    #[must_use]
    pub fn levels(&self) -> Option<&Levels> {
        self.levels.get()
    }
}

/// Decoded tiles; those that were not asked for longest go first.
struct Cache {
    bound: usize,
    slots: RwLock<Slots>,
    /// How many tiles were decoded.
    decoded: AtomicU64,
}

#[derive(Default)]
struct Slots {
    by_tile: HashMap<Tile, Arc<Slot>>,
    bytes: usize,
}

impl Cache {
    fn new(bound: usize) -> Cache {
        Cache { bound, slots: RwLock::default(), decoded: AtomicU64::new(0) }
    }

    fn get(
        &self,
        tile: Tile,
        bytes: usize,
        decode: impl FnOnce() -> Result<Levels, Error>,
    ) -> Result<Arc<Slot>, Error> {
        let now = self.decoded.load(Ordering::Relaxed);
        let known = self.slots.read().unwrap_or_else(PoisonError::into_inner).by_tile.get(&tile).map(Arc::clone);
        let slot = known.unwrap_or_else(|| self.make_room(tile, bytes));
        // Written only when it changes, so that threads do not pass the line to and fro.
        if slot.used.load(Ordering::Relaxed) != now {
            slot.used.store(now, Ordering::Relaxed);
        }
        if slot.levels.get().is_none() {
            let _alone = slot.filling.lock().unwrap_or_else(PoisonError::into_inner);
            if slot.levels.get().is_none() {
                let levels = decode()?;
                self.decoded.fetch_add(1, Ordering::Relaxed);
                slot.levels.get_or_init(|| levels);
            }
        }
        Ok(slot)
    }

    /// A slot for a tile, after others have made room for it.
    fn make_room(&self, tile: Tile, bytes: usize) -> Arc<Slot> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if slots.bytes + bytes > self.bound {
            // An eighth more than is needed, so that not every new tile goes through all.
            let wanted = self.bound.saturating_sub(bytes).min(self.bound / 8 * 7);
            let mut oldest: Vec<(u64, Tile)> =
                slots.by_tile.iter().map(|(tile, slot)| (slot.used.load(Ordering::Relaxed), *tile)).collect();
            oldest.sort_unstable_by_key(|(used, _)| *used);
            for (_, tile) in oldest {
                if slots.bytes <= wanted {
                    break;
                }
                // Who holds a slot now would keep its memory; nobody can take one while the map is locked.
                if slots.by_tile.get(&tile).is_some_and(|slot| Arc::strong_count(slot) == 1)
                    && let Some(slot) = slots.by_tile.remove(&tile)
                {
                    slots.bytes -= slot.bytes;
                }
            }
        }
        let slots = &mut *slots;
        let slot = slots.by_tile.entry(tile).or_insert_with(|| {
            slots.bytes += bytes;
            Arc::new(Slot { bytes, ..Slot::default() })
        });
        Arc::clone(slot)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::AtomicBool;

    use plyfold_core::table::layout::{Facts, Name};
    use plyfold_core::table::material::closure;
    use plyfold_core::table::probe::{Prober, Value};
    use plyfold_core::table::successors::Position;

    use super::*;
    use crate::generate::{Means, Work};
    use crate::memory;
    use crate::part::Part;
    use crate::step::feed::{List, Lists};
    use crate::store::Memory;

    /// Tables in memory.
    pub(crate) struct Made(memory::Shelf);

    pub(crate) fn material(name: &str) -> Material {
        Material::parse(name).expect("a material of the test")
    }

    /// Both tables of the materials and all smaller ones.
    pub(crate) fn made(names: &[&str]) -> Made {
        let shelf = memory::Shelf::default();
        let asked: Vec<Material> = names.iter().flat_map(|name| [material(name), material(name).flipped()]).collect();
        for table in closure(&asked) {
            let index = Index::new(table);
            let made = Arc::new(memory::Table::new(table));
            shelf.put(Arc::clone(&made));
            let means = Means { library: &shelf, threads: 1, stop: &AtomicBool::new(false), watch: &|_| {} };
            for cell in 0..index.cells().len() as u32 {
                let mut work = Work::new(&index, cell, &means).expect("all that is needed is there");
                work.run(&Memory::new(index.tiles()), &mut made.sink()).expect("memory holds it");
            }
        }
        Made(shelf)
    }

    impl Archive for Made {
        fn summary(&self, index: &Index) -> Result<Summary, Error> {
            let table = self.0.get(index.material()).ok_or(Error::Missing(index.material()))?;
            let (levels, legal) = table.counts();
            let (won, lost) = levels.iter().map(|level| (level.won, level.lost)).unzip();
            Ok(Summary { legal, won, lost })
        }

        fn decode(
            &self,
            at: Tile,
            _: usize,
            levels: RangeInclusive<u16>,
            put: &mut dyn FnMut(u64, u16),
        ) -> Result<(), Error> {
            let table = self.0.get(at.table).ok_or(Error::Missing(at.table))?;
            let list = if at.side == Side::Won { List::Won } else { List::Lost };
            for level in levels {
                table.visit(at.cell, list, level, &|tile| tile == at.tile, &mut |_, word, mut bits| {
                    while bits != 0 {
                        put(word as u64 * 64 + u64::from(bits.trailing_zeros()), level);
                        bits &= bits - 1;
                    }
                })?;
            }
            Ok(())
        }
    }

    /// The same table as a file, one section a cell.
    fn write(made: &dyn Archive, table: Material, folder: &Folder) {
        let index = Index::new(table);
        let summary = made.summary(&index).expect("made");
        let name = Name::new(&table.to_string()).expect("a short name");
        let facts = Facts { name, cells: index.cells().len() as u32, tiles: index.tiles() };
        let mut part = Part::create(&folder.path(name.as_str()), facts).expect("a folder of the test");
        for cell in 0..facts.cells {
            part.begin(cell).expect("room");
            let mut levels = Vec::new();
            for n in 0..summary.won.len() as u16 {
                // The summary is of the table as a whole, so the first cell has all of it here.
                let [won, lost] =
                    [&summary.won, &summary.lost].map(|of| if cell == 0 { of[usize::from(n)] } else { 0 });
                levels.push(Level { n, won, lost });
                for (side, kind) in [(Side::Won, Kind::Won), (Side::Lost, Kind::Lost)] {
                    for tile in 0..facts.tiles {
                        let mut words = vec![0_u64; index.tile_words(tile)];
                        let at = Tile { table, cell, tile, side };
                        let decoded = made
                            .decode(at, words.len(), n..=n, &mut |bit, _| words[bit as usize / 64] |= 1 << (bit % 64));
                        decoded.expect("made");
                        let mut bytes = Vec::new();
                        code::encode((0..).zip(words).filter(|(_, word)| *word != 0), &mut bytes);
                        part.piece(kind, n, tile, &bytes).expect("room");
                    }
                }
            }
            part.end(&levels, if cell == 0 { summary.legal } else { [0, 0] }, true).expect("room");
        }
        part.finish().expect("room");
    }

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).expect("a position of the test")
    }

    /// Some positions of KRvK and KPvK with their values, as an independent solver has them.
    const KNOWN: [(&str, Value); 6] = [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", Value::Win(16)),
        ("8/8/8/8/8/8/1Rk5/K7 b - - 0 1", Value::Loss(16)),
        ("8/8/8/8/8/8/1Rk5/7K b - - 0 1", Value::Draw),
        ("k7/1rK5/8/8/8/8/8/8 w - - 0 1", Value::Loss(16)),
        ("8/8/8/3P3K/5k2/8/8/8 w - - 0 1", Value::Win(11)),
        ("8/3P4/k7/8/8/4K3/8/8 b - - 0 1", Value::Loss(6)),
    ];

    fn answers<S: Source<Error = Error>>(source: S) -> Vec<Value> {
        let prober = Prober::new(source);
        KNOWN.iter().map(|(fen, _)| prober.value(&position(fen)).expect("a table")).collect()
    }

    #[test]
    fn memory_and_files_and_views_answer_alike() {
        let made = made(&["KRvK", "KPvK"]);
        let folder = tempfile::tempdir().expect("a folder");
        let folder = Folder::new(folder.path());
        for name in ["KRvK", "KPvK", "KQvK"] {
            write(&made, material(name), &folder);
        }
        let files = Tables::open(folder, USUAL_BOUND);
        let known: Vec<Value> = KNOWN.iter().map(|(_, value)| *value).collect();
        assert_eq!(answers(Tables::new(Box::new(made), USUAL_BOUND)), known);
        assert_eq!(answers(&files), known);
        assert_eq!(answers(View::new(&files)), known);
        let missing = Prober::new(&files).value(&position("8/8/8/8/8/2k5/B7/K7 w - - 0 1"));
        assert!(matches!(missing, Err(Error::Missing(table)) if table == material("KBvK")));
    }

    #[test]
    fn damage_is_an_error_that_names_the_file() {
        let made = made(&["KRvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        let folder = Folder::new(directory.path());
        write(&made, material("KRvK"), &folder);
        let whole = std::fs::read(folder.path("KRvK")).expect("written");
        let mut refused = 0;
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(folder.path("KRvK"), &bytes).expect("room");
            let tables = Tables::open(folder.clone(), USUAL_BOUND);
            for (fen, value) in &KNOWN[..3] {
                match Prober::new(&tables).value(&position(fen)) {
                    Ok(found) => assert_eq!(found, *value, "byte {at}"),
                    Err(error) => {
                        assert!(error.to_string().contains("KRvK.egt"), "byte {at}: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 0);
        std::fs::write(folder.path("KRvK"), &whole[..whole.len() / 2]).expect("room");
        assert!(matches!(Tables::open(folder, 0).table(material("KRvK")), Err(Error::Damaged { .. })));
    }

    #[test]
    fn a_small_bound_forgets_tiles_and_answers_alike() {
        const ONE_TILE: usize = 64 * 64;
        let tables = Tables::new(Box::new(made(&["KPvK"])), ONE_TILE + 900);
        let prober = Prober::new(&tables);
        for _ in 0..20 {
            for (fen, value) in &KNOWN[4..] {
                assert_eq!(prober.value(&position(fen)).expect("a table"), *value);
                let slots = tables.cache.slots.read().expect("no thread panicked");
                assert_eq!(slots.bytes, ONE_TILE);
                assert_eq!(slots.by_tile.values().map(|slot| slot.bytes).sum::<usize>(), ONE_TILE);
            }
        }
        assert_eq!(tables.cache.decoded.load(Ordering::Relaxed), 40, "each sends the other away");
    }

    #[test]
    fn what_somebody_holds_is_not_forgotten() {
        let tables = Tables::new(Box::new(made(&["KPvK"])), 0);
        let table = tables.table(material("KPvK")).expect("a table");
        let held = tables.levels(&table, 0, 0, Side::Won).expect("a tile");
        for cell in 1..5 {
            tables.levels(&table, cell, 0, Side::Won).expect("a tile");
        }
        let again = tables.levels(&table, 0, 0, Side::Won).expect("a tile");
        assert!(Arc::ptr_eq(&held, &again));
        assert_eq!(tables.cache.decoded.load(Ordering::Relaxed), 5);
    }
}
