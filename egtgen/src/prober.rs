//! Tables as answers: a tile is decoded when it is asked for, and kept as long as memory allows.
//!
//! One cache has all that was read of tables: decoded tiles, the directories of sections, and of a strict cache also the
//! tables that are open. What is used least lately goes first. A strict cache never has more than its bound, the memory that
//! decoding takes included: who wants more waits until others have given some back, and is refused what can never fit.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use plyfold_core::table::code;
use plyfold_core::table::index::{Index, Place};
use plyfold_core::table::layout::{Entry, Kind, Level, Piece, Section};
use plyfold_core::table::material::Material;
use plyfold_core::table::probe::Source;
use shakmaty::{Board, Color, Role};

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

    /// Opens a table. Returns how much memory is taken by what stays open.
    ///
    /// # Errors
    /// If there is no such table, or it cannot be read.
    fn open(&self, _table: Material) -> Result<usize, Error> {
        Ok(0)
    }

    /// Closes a table that nobody asks for.
    fn close(&self, _table: Material) {}

    /// Finds what [`decode`](Self::decode) reads, before memory is taken for it.
    ///
    /// # Errors
    /// If there is no such table, or it cannot be read.
    fn find<'a>(&'a self, at: Tile, words: usize, levels: RangeInclusive<u16>) -> Result<Found<'a>, Error> {
        Ok(Found { scratch: 0, decode: Box::new(move |put| self.decode(at, words, levels, put)) })
    }
}

/// What is needed to decode a tile.
pub struct Found<'a> {
    /// Bytes that decoding takes while it goes on.
    pub scratch: usize,
    /// Decodes, as [`Archive::decode`] does.
    pub decode: Decode<'a>,
}

/// Calls what it is given with the bit and the level of each position.
pub type Decode<'a> = Box<dyn FnOnce(&mut dyn FnMut(u64, u16)) -> Result<(), Error> + 'a>;

/// The tables of a folder.
struct Files {
    folder: Folder,
    open: RwLock<HashMap<Material, Arc<OpenTable>>>,
    cache: Arc<Cache>,
}

/// About what an open file takes besides its contents.
const OPEN: usize = 4096;

impl Files {
    fn file(&self, table: Material) -> Result<Arc<OpenTable>, Error> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&table) {
            return Ok(Arc::clone(open));
        }
        let found = self.folder.open(&table.to_string())?.ok_or(Error::Missing(table))?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(table).or_insert_with(|| Arc::new(found))))
    }

    /// The directory of a section.
    fn section(&self, name: Material, table: &OpenTable, number: usize, entry: &Entry) -> Result<Arc<Slot>, Error> {
        self.cache.get(Key::Section(name, number as u32), || {
            let pieces = entry.pieces as usize * size_of::<Piece>();
            let bytes = size_of::<Section>() + pieces + usize::from(entry.levels) * size_of::<Level>();
            let make = Box::new(move || table.read_section(number).map(Content::Section));
            let beside = self.open(name)? + index_bytes(name);
            Ok(Filling { table: name, beside, bytes, scratch: entry.directory as usize, make })
        })
    }
}

impl Archive for Files {
    fn summary(&self, index: &Index) -> Result<Summary, Error> {
        let table = self.file(index.material())?;
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
        (self.find(at, words, levels)?.decode)(put)
    }

    fn open(&self, table: Material) -> Result<usize, Error> {
        let open = self.file(table)?;
        let contents = open.contents();
        let sections = size_of_val(contents.sections()) + contents.sections().len() * size_of::<u32>();
        Ok(OPEN + sections + size_of_val(&contents.summary().levels[..]))
    }

    fn close(&self, table: Material) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&table);
    }

    fn find<'a>(&'a self, at: Tile, words: usize, levels: RangeInclusive<u16>) -> Result<Found<'a>, Error> {
        let table = self.file(at.table)?;
        let kind = match at.side {
            Side::Won => Kind::Won,
            Side::Lost => Kind::Lost,
        };
        let mut pieces = Vec::new();
        for number in table.contents().of_cell(at.cell) {
            let entry = &table.contents().sections()[number];
            let mut of = levels.clone().filter(|level| entry.can_have(kind, *level)).peekable();
            if of.peek().is_none() {
                continue;
            }
            let section = self.section(at.table, &table, number, entry)?;
            let section = section.section();
            pieces.extend(of.filter_map(|level| section?.piece(at.tile, kind, level).copied()));
        }
        // A piece, and its words if they are packed.
        let longest = pieces.iter().map(|piece| piece.length as usize).max();
        let scratch = longest.map_or(0, |longest| longest + 8 * words) + size_of_val(&pieces[..]);
        Ok(Found { scratch, decode: Box::new(move |put| decode(&table, &pieces, words, put)) })
    }
}

/// Reads pieces of a tile and calls `put` with what is in them.
fn decode(table: &OpenTable, pieces: &[Piece], words: usize, put: &mut dyn FnMut(u64, u16)) -> Result<(), Error> {
    let mut bytes = Vec::new();
    for piece in pieces {
        table.read_into(piece, &mut bytes)?;
        let each = |word: usize, mut bits: u64| {
            while bits != 0 {
                put(word as u64 * 64 + u64::from(bits.trailing_zeros()), piece.n);
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
    /// Memory that it takes while it is open, if a strict cache counts it.
    bytes: usize,
}

/// About how many bytes the index of a table takes: most of it are the placements of the pawns.
fn index_bytes(material: Material) -> usize {
    let choose = |of: u64, number: u8| (0..u64::from(number)).fold(1, |ways, at| ways * (of - at) / (at + 1));
    let (white, black) = (material.white.count(Role::Pawn), material.black.count(Role::Pawn));
    // Mirrored ones are one.
    let cells = choose(48, white) * choose(48 - u64::from(white), black) / 2 + choose(24, (white + black) / 2) + 1;
    // Twice the pawns and a number, with what a tree takes for its order.
    4096 + cells as usize * 64
}

/// Tables, decoded tile by tile, for any number of threads.
pub struct Tables {
    archive: Box<dyn Archive>,
    /// What was opened and is not in the cache, since that counts no tables.
    open: RwLock<HashMap<Material, Arc<Table>>>,
    cache: Arc<Cache>,
}

impl Tables {
    /// The whole tables of a folder, with `bound` bytes for decoded tiles and directories.
    #[must_use]
    pub fn open(folder: Folder, bound: usize) -> Tables {
        Tables::of_files(folder, Cache::new(bound, false))
    }

    /// The whole tables of a folder, with `bound` bytes for all that is read of them: never more. Who asks waits for room; what
    /// can never fit is [`Error::Cache`].
    #[must_use]
    pub fn open_within(folder: Folder, bound: usize) -> Tables {
        Tables::of_files(folder, Cache::new(bound, true))
    }

    fn of_files(folder: Folder, cache: Cache) -> Tables {
        let cache = Arc::new(cache);
        let archive = Box::new(Files { folder, open: RwLock::default(), cache: Arc::clone(&cache) });
        Tables { archive, open: RwLock::default(), cache }
    }

    /// The tables of an archive, with `bound` bytes for decoded tiles. More is used only while the
    /// few tiles that threads work on are larger.
    #[must_use]
    pub fn new(archive: Box<dyn Archive>, bound: usize) -> Tables {
        Tables { archive, open: RwLock::default(), cache: Arc::new(Cache::new(bound, false)) }
    }

    /// A table.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn table(&self, material: Material) -> Result<Arc<Table>, Error> {
        if self.cache.is_strict {
            let slot = self.cache.get(Key::Table(material), || {
                let bytes = self.archive.open(material)? + index_bytes(material);
                let make = Box::new(move || Ok(Content::Table(Arc::new(self.read(material, bytes)?))));
                Ok(Filling { table: material, beside: 0, bytes, scratch: 0, make })
            });
            if slot.is_err() {
                self.archive.close(material);
            }
            for closed in self.cache.evicted() {
                self.archive.close(closed);
            }
            return slot?.table().ok_or(Error::Busy);
        }
        if let Some(table) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(&material) {
            return Ok(Arc::clone(table));
        }
        // Whether it is there is known before its index is made, which may be large.
        self.archive.open(material)?;
        let table = Arc::new(self.read(material, 0)?);
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(material).or_insert(table)))
    }

    fn read(&self, material: Material, bytes: usize) -> Result<Table, Error> {
        let index = Index::new(material);
        let summary = self.archive.summary(&index)?;
        Ok(Table { material, index, summary, bytes })
    }

    /// The levels of a tile's positions, for one side to move.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn levels(&self, table: &Table, cell: u32, tile: u32, side: Side) -> Result<Arc<Slot>, Error> {
        let bits = table.index.tile_words(tile) * 64;
        let most = table.summary.most(side).unwrap_or(0);
        let at = Tile { table: table.material, cell, tile, side };
        self.cache.get(Key::Tile(at), || {
            let found = self.archive.find(at, bits / 64, 0..=most)?;
            let make = Box::new(move || {
                let mut levels = Levels::new(bits, most);
                (found.decode)(&mut |bit, level| levels.set(bit, level))?;
                Ok(Content::Levels(levels))
            });
            let bytes = Levels::bytes(bits, most);
            Ok(Filling { table: at.table, beside: table.bytes, bytes, scratch: found.scratch, make })
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

/// What is in the cache of [`Tables`], and nothing else: whoever asks does not wait.
pub struct Cached<'a>(pub &'a Tables);

/// That something has to be read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCached;

impl Source for Cached<'_> {
    type Error = NotCached;

    fn level(&self, table: Material, men: &Board, turn: Color) -> Result<Option<u16>, NotCached> {
        let cache = &self.0.cache;
        let open = cache.look(&Key::Table(table), |slot| slot.table()).flatten().ok_or(NotCached)?;
        let place = open.index.place(men).ok_or(NotCached)?;
        let tile = Tile { table, cell: place.cell, tile: place.tile, side: Side::of(turn) };
        cache
            .look(&Key::Tile(tile), |slot| slot.levels().map(|levels| levels.get(place.bit)))
            .flatten()
            .ok_or(NotCached)
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
            at_hand.bytes -= slot.bytes();
        }
        let slot = self.tables.levels(open, tile.cell, tile.tile, tile.side)?;
        let level = slot.levels().and_then(|levels| levels.get(place.bit));
        if at_hand.bytes + slot.bytes() <= self.bound {
            at_hand.bytes += slot.bytes();
            at_hand.tiles[drawer] = Some((tile, slot));
        }
        Ok(level)
    }
}

/// What something in the cache is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Table(Material),
    Section(Material, u32),
    Tile(Tile),
}

/// Something in the cache.
#[derive(Debug)]
enum Content {
    Table(Arc<Table>),
    Section(Section),
    Levels(Levels),
}

/// A place in the cache.
#[derive(Debug, Default)]
pub struct Slot {
    content: OnceLock<Content>,
    /// Held by the thread that decodes.
    filling: Mutex<()>,
    bytes: AtomicUsize,
    /// How many tiles had been decoded when it was last asked for.
    used: AtomicU64,
}

impl Slot {
    /// The levels of a tile; there as soon as a slot of one is handed out.
    #[must_use]
    pub fn levels(&self) -> Option<&Levels> {
        if let Content::Levels(levels) = self.content.get()? { Some(levels) } else { None }
    }

    fn section(&self) -> Option<&Section> {
        if let Content::Section(section) = self.content.get()? { Some(section) } else { None }
    }

    fn table(&self) -> Option<Arc<Table>> {
        if let Content::Table(table) = self.content.get()? { Some(Arc::clone(table)) } else { None }
    }

    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether nobody but the cache has it; asked while nobody can take it.
    fn is_idle(self: &Arc<Slot>) -> bool {
        let is_alone = match self.content.get() {
            None => false,
            Some(Content::Table(table)) => Arc::strong_count(table) == 1,
            Some(_) => true,
        };
        is_alone && Arc::strong_count(self) == 1
    }
}

/// What it takes to fill a slot.
struct Filling<'a> {
    /// Of which table.
    table: Material,
    /// What is already taken for the table, which must stay open meanwhile.
    beside: usize,
    /// What the slot will have.
    bytes: usize,
    /// What is taken besides while it is filled.
    scratch: usize,
    make: Box<dyn FnOnce() -> Result<Content, Error> + 'a>,
}

/// What was read of tables; what was not asked for longest goes first.
struct Cache {
    bound: usize,
    /// Whether the bound is kept whatever happens.
    is_strict: bool,
    slots: RwLock<Slots>,
    /// How many tiles were decoded.
    decoded: AtomicU64,
    /// Who waits for room holds this, and is told when there may be some.
    waiting: Mutex<()>,
    freed: Condvar,
}

#[derive(Default)]
struct Slots {
    by_key: HashMap<Key, Arc<Slot>>,
    /// Bytes of all slots, and of what is being filled.
    bytes: usize,
    /// How many are being filled.
    filling: usize,
    /// Tables that were let go and are still to be closed.
    closed: Vec<Material>,
}

/// Memory that is taken while a slot is filled; given back when it is dropped.
struct Taken<'a> {
    cache: &'a Cache,
    bytes: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        {
            let mut slots = self.cache.slots.write().unwrap_or_else(PoisonError::into_inner);
            slots.bytes -= self.bytes;
            slots.filling -= 1;
        }
        let _waiting = self.cache.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.cache.freed.notify_all();
    }
}

/// How long somebody waits before looking again whether others have let go what they use, which they do not tell.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// How often somebody looks again while nobody fills a slot, so that only what others hold is in the way.
const LOOKS: usize = 200;

impl Cache {
    fn new(bound: usize, is_strict: bool) -> Cache {
        Cache {
            bound,
            is_strict,
            slots: RwLock::default(),
            decoded: AtomicU64::new(0),
            waiting: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Looks at something that is there, without taking it.
    fn look<T>(&self, key: &Key, at: impl FnOnce(&Slot) -> T) -> Option<T> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.by_key.get(key)?;
        self.note_use(slot);
        Some(at(slot))
    }

    /// Written only when it changes, so that threads do not pass the line to and fro.
    fn note_use(&self, slot: &Slot) {
        let now = self.decoded.load(Ordering::Relaxed);
        if slot.used.load(Ordering::Relaxed) != now {
            slot.used.store(now, Ordering::Relaxed);
        }
    }

    /// Something of a table, filled if it is not there.
    fn get<'a>(&self, key: Key, fill: impl FnOnce() -> Result<Filling<'a>, Error>) -> Result<Arc<Slot>, Error> {
        let known = self.slots.read().unwrap_or_else(PoisonError::into_inner).by_key.get(&key).map(Arc::clone);
        let slot = known.unwrap_or_else(|| {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.by_key.entry(key).or_default())
        });
        self.note_use(&slot);
        if slot.content.get().is_none() {
            let alone = slot.filling.lock().unwrap_or_else(PoisonError::into_inner);
            let filled = if slot.content.get().is_none() { self.fill(&slot, key, fill) } else { Ok(()) };
            drop(alone);
            if let Err(error) = filled {
                let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
                // The next who asks begins anew; whoever waits for this one tries it himself.
                if Arc::strong_count(&slot) == 2 {
                    slots.by_key.remove(&key);
                }
                return Err(error);
            }
        }
        Ok(slot)
    }

    fn fill<'a>(&self, slot: &Slot, key: Key, fill: impl FnOnce() -> Result<Filling<'a>, Error>) -> Result<(), Error> {
        let Filling { table, beside, bytes, scratch, make } = fill()?;
        let taken = if self.is_strict { bytes + scratch } else { bytes };
        if self.is_strict && beside + taken > self.bound {
            return Err(Error::Cache { table, least: (beside + taken) as u64, allowed: self.bound as u64 });
        }
        let mut taken = self.take(taken)?;
        let content = make()?;
        slot.content.get_or_init(|| content);
        slot.bytes.store(bytes, Ordering::Relaxed);
        // These stay taken for the slot.
        taken.bytes -= bytes;
        if matches!(key, Key::Tile(_)) {
            self.decoded.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Takes memory, after others have made room for it.
    fn take(&self, bytes: usize) -> Result<Taken<'_>, Error> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut looks = 0;
        loop {
            {
                let slots = &mut *self.slots.write().unwrap_or_else(PoisonError::into_inner);
                slots.make_room(self.bound, bytes);
                if !self.is_strict || slots.bytes + bytes <= self.bound {
                    slots.bytes += bytes;
                    slots.filling += 1;
                    return Ok(Taken { cache: self, bytes });
                }
                looks = if slots.filling == 0 { looks + 1 } else { 0 };
            }
            // Others hold what they need while they wait for more, as we do: somebody has to yield.
            if looks > LOOKS {
                return Err(Error::Busy);
            }
            let waited = self.freed.wait_timeout(waiting, LOOK_AGAIN);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tables that were let go since this was asked last.
    fn evicted(&self) -> Vec<Material> {
        if self.slots.read().unwrap_or_else(PoisonError::into_inner).closed.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut self.slots.write().unwrap_or_else(PoisonError::into_inner).closed)
    }
}

impl Slots {
    /// Lets go what was not asked for longest, until so many bytes have room or all is in use.
    fn make_room(&mut self, bound: usize, bytes: usize) {
        if self.bytes + bytes <= bound {
            return;
        }
        // An eighth more than is needed, so that not every new tile goes through all.
        let wanted = bound.saturating_sub(bytes).min(bound / 8 * 7);
        let mut oldest: Vec<(u64, Key)> =
            self.by_key.iter().map(|(key, slot)| (slot.used.load(Ordering::Relaxed), *key)).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in oldest {
            if self.bytes <= wanted {
                break;
            }
            // Who holds a slot now would keep its memory; nobody can take one while the map is locked.
            if self.by_key.get(&key).is_some_and(Slot::is_idle)
                && let Some(slot) = self.by_key.remove(&key)
            {
                self.bytes -= slot.bytes();
                if let Key::Table(table) = key {
                    self.closed.push(table);
                }
            }
        }
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
                assert_eq!(slots.by_key.values().map(|slot| slot.bytes()).sum::<usize>(), ONE_TILE);
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

    /// Every position of a strict cache, asked by several threads at once; the most that the cache ever had.
    #[test]
    fn a_strict_bound_is_never_passed_and_answers_are_the_same() {
        let made = made(&["KRvK", "KPvK", "KQvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        for name in ["KRvK", "KPvK", "KQvK"] {
            write(&made, material(name), &Folder::new(directory.path()));
        }
        // Just what the largest step takes, as the refusal says it: an index, a directory or a tile with what is needed beside it.
        let mut bound = 1;
        let tables = loop {
            let tables = Tables::open_within(Folder::new(directory.path()), bound);
            match KNOWN.iter().try_for_each(|(fen, _)| Prober::new(&tables).value(&position(fen)).map(|_| ())) {
                Ok(()) => break tables,
                Err(Error::Cache { least, allowed, .. }) => {
                    assert!(allowed == bound as u64 && least > allowed);
                    bound = least as usize;
                }
                Err(error) => panic!("{error}"),
            }
        };
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut most = 0;
                while !is_over.load(Ordering::Relaxed) {
                    most = most.max(tables.cache.slots.read().expect("no thread panicked").bytes);
                    std::thread::yield_now();
                }
                most
            });
            let askers: Vec<_> = (0..4)
                .map(|nth| {
                    let tables = &tables;
                    scope.spawn(move || {
                        for at in 0..60 {
                            let (fen, value) = &KNOWN[(at + nth) % KNOWN.len()];
                            match Prober::new(tables).value(&position(fen)) {
                                Ok(found) => assert_eq!(found, *value),
                                Err(error) => assert!(matches!(error, Error::Busy), "{error}"),
                            }
                        }
                    })
                })
                .collect();
            for asker in askers {
                asker.join().expect("it answers");
            }
            is_over.store(true, Ordering::Relaxed);
            let most = watcher.join().expect("it looks");
            assert!(most <= bound && most > 0, "{most} of {bound}");
        });
        let slots = tables.cache.slots.read().expect("no thread panicked");
        assert_eq!(slots.bytes, slots.by_key.values().map(|slot| slot.bytes()).sum::<usize>());
        assert_eq!(slots.filling, 0);
    }

    #[test]
    fn what_is_cached_is_answered_and_nothing_else() {
        let made = made(&["KRvK"]);
        let directory = tempfile::tempdir().expect("a folder");
        write(&made, material("KRvK"), &Folder::new(directory.path()));
        let tables = Tables::open_within(Folder::new(directory.path()), USUAL_BOUND);
        let (fen, value) = &KNOWN[0];
        assert_eq!(Prober::new(Cached(&tables)).value(&position(fen)), Err(NotCached));
        assert_eq!(Prober::new(&tables).value(&position(fen)).expect("a table"), *value);
        assert_eq!(Prober::new(Cached(&tables)).value(&position(fen)), Ok(*value));
    }

    #[test]
    fn a_table_that_is_not_there_takes_no_memory() {
        // Its index alone would have gigabytes.
        let directory = tempfile::tempdir().expect("a folder");
        let seven = material("KPPPvKPP");
        assert!(index_bytes(seven) > 500 << 20, "{}", index_bytes(seven));
        for tables in [
            Tables::open(Folder::new(directory.path()), 1 << 20),
            Tables::open_within(Folder::new(directory.path()), 1 << 20),
        ] {
            assert!(matches!(tables.table(seven), Err(Error::Missing(table)) if table == seven));
            assert!(tables.cache.slots.read().expect("no thread panicked").by_key.is_empty());
        }
        for (name, at_most) in [("KPvK", 2), ("KPPvKP", 2), ("KRvK", 2)] {
            let cells = Index::new(material(name)).cells().len() * 64;
            let said = index_bytes(material(name));
            assert!(cells <= said && said < at_most * cells + 8192, "{name}: {cells} {said}");
        }
    }
}
