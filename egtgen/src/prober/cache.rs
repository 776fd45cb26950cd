//! The cache of what is read of tables: decoded tiles, directories of sections, and the open tables.
//!
//! The least recently used entry is evicted first. A strict cache never exceeds its bound, including the open tables and the memory
//! for decoding: a thread that needs more waits until others release some, and is refused what can never fit.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use plyfold_tables::layout::TableSection;
use plyfold_tables::material::TableMaterial;

use super::{IndexedTable, TileKey};
use crate::Error;

/// The level of each bit of a tile.
#[derive(Debug)]
pub enum TileLevels {
    /// Levels below 255; 255 means none.
    Narrow(Box<[u8]>),
    /// Levels below 65535; 65535 means none.
    Wide(Box<[u16]>),
}

impl TileLevels {
    pub(super) fn new(bits: usize, most: u16) -> TileLevels {
        if most < u8::MAX.into() {
            TileLevels::Narrow(vec![u8::MAX; bits].into())
        } else {
            TileLevels::Wide(vec![u16::MAX; bits].into())
        }
    }

    pub(super) fn bytes(bits: usize, most: u16) -> usize {
        if most < u8::MAX.into() { bits } else { 2 * bits }
    }

    /// The level of a bit; `None` if it has none or is outside the tile.
    #[inline]
    #[must_use]
    pub fn get(&self, bit: u64) -> Option<u16> {
        match self {
            TileLevels::Narrow(levels) => {
                levels.get(bit as usize).filter(|level| **level != u8::MAX).map(|level| (*level).into())
            }
            TileLevels::Wide(levels) => levels.get(bit as usize).filter(|level| **level != u16::MAX).copied(),
        }
    }

    /// Sets the level of a bit. Ignores bits outside the tile and levels that do not fit.
    pub(super) fn set(&mut self, bit: u64, level: u16) {
        match self {
            TileLevels::Narrow(levels) => {
                if let (Some(slot), Ok(level)) = (levels.get_mut(bit as usize), u8::try_from(level)) {
                    *slot = level;
                }
            }
            TileLevels::Wide(levels) => {
                if let Some(slot) = levels.get_mut(bit as usize) {
                    *slot = level;
                }
            }
        }
    }
}

/// The key of a cache entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CacheKey {
    Table(TableMaterial),
    Section(TableMaterial, u32),
    Tile(TileKey),
}

/// The content of a cache entry.
#[derive(Debug)]
pub(super) enum CacheContent {
    Table(Arc<IndexedTable>),
    Section(TableSection),
    Levels(TileLevels),
}

/// A cache entry.
#[derive(Debug, Default)]
pub struct CacheSlot {
    content: OnceLock<CacheContent>,
    /// Locked by the thread that fills the entry.
    filling: Mutex<()>,
    bytes: AtomicUsize,
    /// The number of tiles that had been decoded when the entry was last used.
    last_used: AtomicU64,
}

impl CacheSlot {
    /// The levels, if the entry is a tile; [`levels`](super::CachedTables::levels) returns it filled.
    #[must_use]
    pub fn levels(&self) -> Option<&TileLevels> {
        if let CacheContent::Levels(levels) = self.content.get()? { Some(levels) } else { None }
    }

    pub(super) fn section(&self) -> Option<&TableSection> {
        if let CacheContent::Section(section) = self.content.get()? { Some(section) } else { None }
    }

    pub(super) fn table(&self) -> Option<Arc<IndexedTable>> {
        if let CacheContent::Table(table) = self.content.get()? { Some(Arc::clone(table)) } else { None }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether only the cache holds the entry. The map must be locked, so that no thread can take it.
    fn is_idle(self: &Arc<CacheSlot>) -> bool {
        let is_alone = match self.content.get() {
            None => false,
            Some(CacheContent::Table(table)) => Arc::strong_count(table) == 1,
            Some(_) => true,
        };
        is_alone && Arc::strong_count(self) == 1
    }
}

/// How to fill a cache entry.
pub(super) struct CacheFill<'a> {
    /// Its table.
    pub table: TableMaterial,
    /// Bytes that the table already takes; it must stay open while the entry is filled.
    pub table_bytes: usize,
    /// Bytes of the filled entry.
    pub bytes: usize,
    /// Further bytes that are needed while it is filled.
    pub scratch: usize,
    pub load: Box<dyn FnOnce() -> Result<CacheContent, Error> + 'a>,
}

/// The cache, which evicts the least recently used entries first.
pub(super) struct TableCache {
    pub bound: usize,
    /// Whether the bound is never exceeded.
    pub is_strict: bool,
    pub slots: RwLock<CacheSlots>,
    /// Number of tiles decoded so far.
    pub decoded: AtomicU64,
    /// Held by threads that wait for memory; `freed` wakes them.
    waiting: Mutex<()>,
    freed: Condvar,
}

#[derive(Default)]
pub(super) struct CacheSlots {
    pub by_key: HashMap<CacheKey, Arc<CacheSlot>>,
    /// Bytes of all entries, including those that are being filled.
    pub bytes: usize,
    /// Number of entries that are being filled.
    pub filling: usize,
    /// Evicted tables that are not closed yet.
    evicted_tables: Vec<TableMaterial>,
}

/// Memory that is reserved while an entry is filled, and released when this is dropped.
struct MemoryReservation<'a> {
    cache: &'a TableCache,
    bytes: usize,
}

impl Drop for MemoryReservation<'_> {
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

/// How long a thread waits before it checks again for unused entries. Their holders give no signal.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// How often a thread checks again while no entry is being filled, so that only held entries are in its way.
const MAX_RETRIES: usize = 200;

impl TableCache {
    pub(super) fn new(bound: usize, is_strict: bool) -> TableCache {
        TableCache {
            bound,
            is_strict,
            slots: RwLock::default(),
            decoded: AtomicU64::new(0),
            waiting: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Reads an entry if it is in the cache, without holding it.
    pub(super) fn peek<T>(&self, key: &CacheKey, at: impl FnOnce(&CacheSlot) -> T) -> Option<T> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.by_key.get(key)?;
        self.mark_used(slot);
        Some(at(slot))
    }

    /// Stores the time of use only if it changes, so that threads do not contend for the cache line.
    fn mark_used(&self, slot: &CacheSlot) {
        let now = self.decoded.load(Ordering::Relaxed);
        if slot.last_used.load(Ordering::Relaxed) != now {
            slot.last_used.store(now, Ordering::Relaxed);
        }
    }

    /// The entry of a key, filled if it is new.
    pub(super) fn get_or_fill<'a>(
        &self,
        key: CacheKey,
        fill: impl FnOnce() -> Result<CacheFill<'a>, Error>,
    ) -> Result<Arc<CacheSlot>, Error> {
        let known = self.slots.read().unwrap_or_else(PoisonError::into_inner).by_key.get(&key).map(Arc::clone);
        let slot = known.unwrap_or_else(|| {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.by_key.entry(key).or_default())
        });
        self.mark_used(&slot);
        if slot.content.get().is_none() {
            let alone = slot.filling.lock().unwrap_or_else(PoisonError::into_inner);
            let filled = if slot.content.get().is_none() { self.fill(&slot, key, fill) } else { Ok(()) };
            drop(alone);
            if let Err(error) = filled {
                let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
                // The next request creates a new entry; a thread that waits for this one fills it itself.
                if Arc::strong_count(&slot) == 2 {
                    slots.by_key.remove(&key);
                }
                return Err(error);
            }
        }
        Ok(slot)
    }

    fn fill<'a>(
        &self,
        slot: &CacheSlot,
        key: CacheKey,
        fill: impl FnOnce() -> Result<CacheFill<'a>, Error>,
    ) -> Result<(), Error> {
        let CacheFill { table, table_bytes, bytes, scratch, load } = fill()?;
        let taken = if self.is_strict { bytes + scratch } else { bytes };
        if self.is_strict && table_bytes + taken > self.bound {
            return Err(Error::Cache { table, least: (table_bytes + taken) as u64, allowed: self.bound as u64 });
        }
        let mut taken = self.reserve(taken)?;
        let content = load()?;
        slot.content.get_or_init(|| content);
        slot.bytes.store(bytes, Ordering::Relaxed);
        // These bytes stay reserved for the entry.
        taken.bytes -= bytes;
        if matches!(key, CacheKey::Tile(_)) {
            self.decoded.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Reserves memory, and evicts entries or waits for it if need be.
    fn reserve(&self, bytes: usize) -> Result<MemoryReservation<'_>, Error> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let mut retries = 0;
        loop {
            {
                let slots = &mut *self.slots.write().unwrap_or_else(PoisonError::into_inner);
                slots.make_room(self.bound, bytes);
                if !self.is_strict || slots.bytes + bytes <= self.bound {
                    slots.bytes += bytes;
                    slots.filling += 1;
                    return Ok(MemoryReservation { cache: self, bytes });
                }
                retries = if slots.filling == 0 { retries + 1 } else { 0 };
            }
            // Other threads hold entries while they wait for more, as this one does: one of them has to give up.
            if retries > MAX_RETRIES {
                return Err(Error::Busy);
            }
            let waited = self.freed.wait_timeout(waiting, RETRY_INTERVAL);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The tables that were evicted since the last call.
    pub(super) fn take_evicted(&self) -> Vec<TableMaterial> {
        if self.slots.read().unwrap_or_else(PoisonError::into_inner).evicted_tables.is_empty() {
            return Vec::new();
        }
        std::mem::take(&mut self.slots.write().unwrap_or_else(PoisonError::into_inner).evicted_tables)
    }
}

impl CacheSlots {
    /// Evicts the least recently used entries until `bytes` fit or all are in use.
    fn make_room(&mut self, bound: usize, bytes: usize) {
        if self.bytes + bytes <= bound {
            return;
        }
        // Frees an eighth more than needed, so that not every new tile sorts all entries.
        let target_bytes = bound.saturating_sub(bytes).min(bound / 8 * 7);
        let mut oldest: Vec<(u64, CacheKey)> =
            self.by_key.iter().map(|(key, slot)| (slot.last_used.load(Ordering::Relaxed), *key)).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in oldest {
            if self.bytes <= target_bytes {
                break;
            }
            // A held entry would keep its memory. No thread can take one while the map is locked.
            if self.by_key.get(&key).is_some_and(|slot| slot.bytes() > 0 && slot.is_idle())
                && let Some(slot) = self.by_key.remove(&key)
            {
                self.bytes -= slot.bytes();
                if let CacheKey::Table(table) = key {
                    self.evicted_tables.push(table);
                }
            }
        }
    }
}
