//! A store that keeps tiles in scratch files, for tables that do not fit in memory.
//!
//! One file has a slot for the `not_won` of each tile. A slot is rewritten in place when it changes, compressed if that makes
//! it smaller. The lists are far smaller and change in every traversal, so they are read from one of two files and
//! written to the other. Resuming needs none of these files, since it starts from the written sections of the table. So they
//! have no names: no other program can open them, and nothing is left behind however the program ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use plyfold_core::table::codec;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::layout::ReadAt;
use plyfold_files::unnamed_file;

use crate::Error;
use crate::folder::file_error;
use crate::pread::FileBytes;
use crate::rows::PackedRows;
use crate::store::{TileState, TileStore};

/// Where the parts of a tile are stored.
#[derive(Clone, Copy, Default)]
struct TileEntry {
    /// The slot of `not_won`, and how many bytes of it are used.
    not_won_offset: u64,
    not_won_bytes: u32,
    /// The offset of the lists, and the length of each.
    lists_offset: u64,
    list_lengths: [u32; 3],
}

/// The message when a scratch file cannot be written, for instance because the disk is full.
const WRITE_FAILED: &str = "the scratch file beside it cannot be written";
/// The message when a scratch file returns other bytes than were written.
const READBACK_MISMATCH: &str = "the scratch file beside it reads back different bytes from those just written";

/// Keeps all tiles in scratch files.
pub struct DiskStore {
    not_won: ScratchFile,
    lists: [ScratchFile; 2],
    /// Which of the two files is read; the other is written.
    reads_second: AtomicBool,
    entries: Mutex<Vec<TileEntry>>,
    /// Where the next lists are written.
    lists_end: AtomicU64,
    tile_words: Vec<usize>,
    row_words: usize,
    /// Zeroed memory for reuse, and how many words are lent to loaded tiles.
    recycled: Mutex<(Vec<Vec<u64>>, usize)>,
    read: AtomicU64,
    written: AtomicU64,
}

/// An unnamed file in the folder of a table.
struct ScratchFile {
    file: FileBytes,
    /// The path of the table, for messages.
    table: PathBuf,
}

impl ScratchFile {
    fn new(table: &Path) -> Result<ScratchFile, Error> {
        match unnamed_file(table).and_then(FileBytes::new) {
            Ok(file) => Ok(ScratchFile { file, table: table.into() }),
            Err(source) => Err(file_error(table, WRITE_FAILED, source)),
        }
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.file
            .read_at(offset, bytes)
            .map_err(|source| file_error(&self.table, "the scratch file beside it cannot be read", source))
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_at(offset, bytes).map_err(|source| file_error(&self.table, WRITE_FAILED, source))
    }
}

impl DiskStore {
    /// Creates empty files in the folder of `table`, the path of the table's own file.
    ///
    /// # Errors
    ///
    /// The files cannot be created.
    pub fn new(index: &TableIndex, table: &Path) -> Result<DiskStore, Error> {
        let tile_words: Vec<usize> = (0..index.tiles()).map(|tile| index.tile_words(tile)).collect();
        let mut entries = vec![TileEntry::default(); tile_words.len()];
        let mut end = 0;
        for (entry, words) in entries.iter_mut().zip(&tile_words) {
            entry.not_won_offset = end;
            end += 8 * *words as u64;
        }
        Ok(DiskStore {
            not_won: ScratchFile::new(table)?,
            lists: [ScratchFile::new(table)?, ScratchFile::new(table)?],
            reads_second: AtomicBool::new(true),
            entries: Mutex::new(entries),
            lists_end: AtomicU64::new(0),
            tile_words,
            row_words: index.row_words(),
            recycled: Mutex::default(),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    fn lock_entries(&self) -> MutexGuard<'_, Vec<TileEntry>> {
        self.entries.lock().expect("no thread panics with it")
    }

    /// Zeroed words for a tile, from memory that was given back.
    fn zeroed_words(&self, number: usize) -> Vec<u64> {
        let mut guard = self.recycled.lock().expect("no thread panics with it");
        let (spare, lent) = &mut *guard;
        *lent += number;
        // The smallest vector that is large enough.
        let fits = (0..spare.len()).filter(|&at| spare[at].capacity() >= number).min_by_key(|&at| spare[at].capacity());
        match fits {
            Some(at) => {
                let mut words = spare.swap_remove(at);
                words.resize(number, 0);
                words
            }
            None => {
                // All vectors are too small. One is freed, so that the total never exceeds what is lent at once.
                let mut freed = 0;
                while freed < number
                    && let Some(words) = spare.pop()
                {
                    freed += words.capacity();
                }
                vec![0; number]
            }
        }
    }

    /// Takes back words that are no longer needed. All are zero.
    fn recycle(&self, words: Vec<u64>) {
        debug_assert!(words.iter().all(|&word| word == 0));
        let mut guard = self.recycled.lock().expect("no thread panics with it");
        let (spare, lent) = &mut *guard;
        // Memory that this store did not lend is freed, or it would add up to the whole table.
        if !words.is_empty() && *lent >= words.len() {
            *lent -= words.len();
            spare.push(words);
        }
    }

    fn decode(&self, tile: u32, bytes: &[u8]) -> Result<PackedRows, Error> {
        let mut words = Vec::new();
        if bytes.is_empty() {
            return Ok(PackedRows::default());
        }
        let add = |at: usize, word: u64| words.push((at, word));
        codec::for_each_word(bytes, self.tile_words[tile as usize], add).map_err(|what| {
            let path = self.lists[0].table.clone();
            Error::Damaged { path, what: format!("{READBACK_MISMATCH} ({what}): check the disk") }
        })?;
        Ok(PackedRows::from_words(words.into_iter(), self.row_words))
    }
}

impl TileStore for DiskStore {
    fn load(&self, tile: u32) -> Result<TileState, Error> {
        let entry = self.lock_entries()[tile as usize];
        let mut bytes = vec![0; entry.list_lengths.iter().sum::<u32>() as usize];
        if !bytes.is_empty() {
            let file = &self.lists[usize::from(self.reads_second.load(Ordering::Relaxed))];
            file.read(entry.lists_offset, &mut bytes)?;
            self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        let (lost, rest) = bytes.split_at(entry.list_lengths[0] as usize);
        let (next, won) = rest.split_at(entry.list_lengths[1] as usize);
        Ok(TileState {
            lost: self.decode(tile, lost)?,
            next_lost: self.decode(tile, next)?,
            won: self.decode(tile, won)?,
            ..TileState::default()
        })
    }

    fn load_not_won(&self, tile: u32) -> Result<Vec<u64>, Error> {
        let entry = self.lock_entries()[tile as usize];
        let mut open = self.zeroed_words(self.tile_words[tile as usize]);
        let mut bytes = vec![0; entry.not_won_bytes as usize];
        self.not_won.read(entry.not_won_offset, &mut bytes)?;
        self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let raw = 8 * open.len();
        let unpacked;
        let content = if bytes.len() == raw {
            &bytes
        } else {
            unpacked = lz4_flex::block::decompress(&bytes, raw).unwrap_or_default();
            &unpacked
        };
        if content.len() != raw {
            let what = format!("{READBACK_MISMATCH}: check the disk");
            return Err(Error::Damaged { path: self.not_won.table.clone(), what });
        }
        for (open, bytes) in open.iter_mut().zip(content.chunks_exact(8)) {
            *open = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
        Ok(open)
    }

    fn save_not_won(&self, tile: u32, words: Vec<u64>) -> Result<(), Error> {
        let offset = self.lock_entries()[tile as usize].not_won_offset;
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let packed = lz4_flex::block::compress(&raw);
        let bytes = if packed.len() < raw.len() { &packed } else { &raw };
        self.not_won.write(offset, bytes)?;
        self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.lock_entries()[tile as usize].not_won_bytes = bytes.len() as u32;
        self.drop_not_won(words);
        Ok(())
    }

    fn drop_not_won(&self, mut words: Vec<u64>) {
        words.fill(0);
        self.recycle(words);
    }

    fn save(&self, tile: u32, content: TileState) -> Result<(), Error> {
        if content.is_changed && !content.not_won.is_empty() {
            self.save_not_won(tile, content.not_won)?;
        } else {
            self.drop_not_won(content.not_won);
        }
        let mut entry = self.lock_entries()[tile as usize];
        let mut bytes = Vec::new();
        for (length, bits) in entry.list_lengths.iter_mut().zip([&content.lost, &content.next_lost, &content.won]) {
            let before = bytes.len();
            if !bits.is_empty() {
                codec::encode(bits.words(self.row_words), &mut bytes);
            }
            *length = (bytes.len() - before) as u32;
        }
        entry.lists_offset = self.lists_end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if !bytes.is_empty() {
            let file = &self.lists[usize::from(!self.reads_second.load(Ordering::Relaxed))];
            file.write(entry.lists_offset, &bytes)?;
            self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        self.lock_entries()[tile as usize] = entry;
        Ok(())
    }

    fn end_traversal(&self) -> Result<(), Error> {
        let was_second = self.reads_second.fetch_xor(true, Ordering::Relaxed);
        self.lists_end.store(0, Ordering::Relaxed);
        let read = &self.lists[usize::from(was_second)];
        read.file.truncate(0).map_err(|source| file_error(&read.table, WRITE_FAILED, source))
    }

    fn traffic(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.written.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use plyfold_core::table::material::TableMaterial;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn index() -> TableIndex {
        TableIndex::new(TableMaterial::parse("KRBvKR").expect("a material"))
    }

    /// A list with a few words; sometimes empty.
    fn some(index: &TableIndex, tile: u32, random: &mut StdRng) -> PackedRows {
        let mut words = BTreeMap::new();
        for _ in 0..random.random_range(0..40) {
            words.insert(random.random_range(0..index.tile_words(tile)), random.random::<u64>() | 1);
        }
        PackedRows::from_words(words.into_iter(), index.row_words())
    }

    #[test]
    fn tiles_come_back_as_from_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = index();
        let disk = DiskStore::new(&index, &folder.path().join("KRBvKR.egt")).expect("room");
        let mut memory = vec![TileState::default(); index.tiles() as usize];
        let mut random = StdRng::seed_from_u64(8);
        let tiles: Vec<u32> = (0..index.tiles()).step_by(7).collect();
        for turn in 0..6 {
            for &tile in &tiles {
                let slow = &mut memory[tile as usize];
                let mut fast = disk.load(tile).expect("a sound disk");
                if turn > 0 {
                    fast.not_won = disk.load_not_won(tile).expect("a sound disk");
                    assert!(fast.not_won == slow.not_won, "what is open of tile {tile} in turn {turn}");
                    for (one, other) in
                        [(&slow.lost, &fast.lost), (&slow.next_lost, &fast.next_lost), (&slow.won, &fast.won)]
                    {
                        assert!(one == other, "a list of tile {tile} in turn {turn}");
                    }
                    assert!(!fast.is_changed, "nothing has changed yet");
                }
                // Some tiles change completely, some change a little and hardly compress, some change only their lists.
                let is_changed = turn == 0 || random.random();
                if is_changed {
                    let sparse = random.random::<bool>();
                    let word = |random: &mut StdRng| {
                        if sparse { u64::from(random.random::<u8>() / 250) } else { random.random() }
                    };
                    slow.not_won = (0..index.tile_words(tile)).map(|_| word(&mut random)).collect();
                    slow.lost = some(&index, tile, &mut random);
                }
                slow.next_lost = some(&index, tile, &mut random);
                slow.won = some(&index, tile, &mut random);
                slow.is_changed = is_changed;
                let mut saved = slow.clone();
                // The store may skip reading an unchanged `not_won`.
                if !is_changed && random.random() {
                    saved.not_won = Vec::new();
                }
                disk.save(tile, saved).expect("room");
            }
            disk.end_traversal().expect("a sound disk");
        }
        let (read, written) = disk.traffic();
        assert!(read > 0 && written > 0);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "the files have no names");
    }

    #[test]
    fn memory_that_comes_back_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = index();
        let disk = DiskStore::new(&index, &folder.path().join("KRBvKR.egt")).expect("room");
        let mut random = StdRng::seed_from_u64(9);
        for round in 0..20 {
            let tile = random.random_range(0..index.tiles());
            let mut content = disk.load(tile).expect("a sound disk");
            content.not_won = disk.zeroed_words(index.tile_words(tile));
            assert!(content.not_won.iter().all(|&word| word == 0), "round {round}");
            content.not_won.fill(random.random());
            content.won = some(&index, tile, &mut random);
            content.is_changed = true;
            disk.save(tile, content).expect("room");
        }
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let error =
            DiskStore::new(&index(), &folder.path().join("missing").join("KRBvKR.egt")).err().expect("no folder");
        assert!(error.to_string().contains("KRBvKR.egt: the scratch file beside it cannot be written"), "{error}");
    }

    #[test]
    fn bytes_that_changed_on_the_disk_are_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let index = index();
        let table = folder.path().join("KRBvKR.egt");
        let disk = DiskStore::new(&index, &table).expect("room");
        let open = vec![3; index.tile_words(0)];
        disk.save(0, TileState { not_won: open, is_changed: true, ..TileState::default() }).expect("room");
        disk.not_won.write(0, &vec![0xFF; disk.not_won.file.len() as usize]).expect("room");
        let error = disk.load_not_won(0).expect_err("it is damaged").to_string();
        assert!(error.contains("KRBvKR.egt: ") && error.contains("check the disk"), "{error}");
        disk.not_won.file.truncate(0).expect("a sound disk");
        let error = disk.load_not_won(0).expect_err("it is empty").to_string();
        assert!(error.contains("KRBvKR.egt: the scratch file beside it cannot be read"), "{error}");
    }
}
