//! A store that keeps tiles in scratch files, for tables that do not fit in memory.
//!
//! One file has a slot for the `not_won` of each chunk, since late levels change few chunks of many tiles. A slot is rewritten
//! in place when it changes, compressed if that makes it smaller. The lists are far smaller and change in every traversal, so
//! they are read from one of two files and written to the other. Resuming needs none of these files, since it starts from the
//! written sections of the table. So they have no names: no other program can open them, and nothing is left behind however the
//! program ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use plyfold_files::unnamed_file;
use plyfold_tables::codec;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::ReadAt;

use crate::Error;
use crate::pread::FileBytes;
use crate::rows::PackedRows;
use crate::store::{TileState, TileStore};

/// Where the lists of a tile are stored: their offset, and the length of each.
#[derive(Clone, Copy, Default)]
struct ListsEntry {
    offset: u64,
    lengths: [u32; 3],
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
    /// By tile.
    entries: Mutex<Vec<ListsEntry>>,
    /// Where the next lists are written.
    lists_end: AtomicU64,
    /// By chunk: how many bytes of its slot are used. The chunks of a tile follow each other.
    chunk_bytes: Vec<AtomicU32>,
    /// The first chunk of each tile.
    first_chunks: Vec<usize>,
    tile_words: Vec<usize>,
    chunk_words: usize,
    row_words: usize,
    /// Memory of chunks for reuse.
    spare: Mutex<Vec<Vec<u64>>>,
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
            Err(source) => Err(Error::file(table, WRITE_FAILED, source)),
        }
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Error> {
        self.file
            .read_at(offset, bytes)
            .map_err(|source| Error::file(&self.table, "the scratch file beside it cannot be read", source))
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_at(offset, bytes).map_err(|source| Error::file(&self.table, WRITE_FAILED, source))
    }
}

impl DiskStore {
    /// Creates empty files in the folder of `table`, the path of the table's own file.
    ///
    /// # Errors
    ///
    /// The files cannot be created.
    pub fn new(index: &TableIndex, table: &Path) -> Result<DiskStore, Error> {
        let mut first_chunks = Vec::new();
        let mut chunks = 0;
        for tile in 0..index.tiles() {
            first_chunks.push(chunks);
            chunks += index.tile_chunks(tile);
        }
        Ok(DiskStore {
            not_won: ScratchFile::new(table)?,
            lists: [ScratchFile::new(table)?, ScratchFile::new(table)?],
            reads_second: AtomicBool::new(true),
            entries: Mutex::new(vec![ListsEntry::default(); first_chunks.len()]),
            lists_end: AtomicU64::new(0),
            chunk_bytes: (0..chunks).map(|_| AtomicU32::new(0)).collect(),
            first_chunks,
            tile_words: (0..index.tiles()).map(|tile| index.tile_words(tile)).collect(),
            chunk_words: index.chunk_words(),
            row_words: index.row_words(),
            spare: Mutex::default(),
        })
    }

    fn lock_entries(&self) -> MutexGuard<'_, Vec<ListsEntry>> {
        self.entries.lock().expect("no thread panics with it")
    }

    /// Writes the `not_won` of a chunk.
    fn write_chunk(&self, tile: u32, chunk: usize, words: &[u64]) -> Result<(), Error> {
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let packed = lz4_flex::block::compress(&raw);
        let bytes = if packed.len() < raw.len() { &packed } else { &raw };
        let chunk = self.first_chunks[tile as usize] + chunk;
        self.not_won.write((chunk * 8 * self.chunk_words) as u64, bytes)?;
        self.chunk_bytes[chunk].store(bytes.len() as u32, Ordering::Relaxed);
        Ok(())
    }

    fn decode(&self, tile: u32, bytes: &[u8]) -> Result<PackedRows, Error> {
        let mut words = Vec::new();
        if bytes.is_empty() {
            return Ok(PackedRows::default());
        }
        let add = |at: usize, word: u64| words.push((at, word));
        codec::for_each_word(bytes, self.tile_words[tile as usize], add).map_err(|what| {
            Error::damaged(&self.lists[0].table, format!("{READBACK_MISMATCH} ({what}): check the disk"))
        })?;
        Ok(PackedRows::from_words(words.into_iter(), self.row_words))
    }
}

impl TileStore for DiskStore {
    fn load(&self, tile: u32) -> Result<TileState, Error> {
        let entry = self.lock_entries()[tile as usize];
        let mut bytes = vec![0; entry.lengths.iter().sum::<u32>() as usize];
        if !bytes.is_empty() {
            let file = &self.lists[usize::from(self.reads_second.load(Ordering::Relaxed))];
            file.read(entry.offset, &mut bytes)?;
        }
        let (lost, rest) = bytes.split_at(entry.lengths[0] as usize);
        let (next, won) = rest.split_at(entry.lengths[1] as usize);
        Ok(TileState {
            lost: self.decode(tile, lost)?,
            next_lost: self.decode(tile, next)?,
            won: self.decode(tile, won)?,
            ..TileState::default()
        })
    }

    fn load_chunk(&self, tile: u32, chunk: usize) -> Result<Vec<u64>, Error> {
        let chunk = self.first_chunks[tile as usize] + chunk;
        let raw = 8 * self.chunk_words;
        let mut bytes = vec![0; self.chunk_bytes[chunk].load(Ordering::Relaxed) as usize];
        self.not_won.read((chunk * raw) as u64, &mut bytes)?;
        let content = match bytes.len() {
            length if length == raw => bytes,
            _ => lz4_flex::block::decompress(&bytes, raw).unwrap_or_default(),
        };
        if content.len() != raw {
            return Err(Error::damaged(&self.not_won.table, format!("{READBACK_MISMATCH}: check the disk")));
        }
        let mut words = self.spare.lock().expect("no thread panics with it").pop().unwrap_or_default();
        words.clear();
        words.extend(content.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        Ok(words)
    }

    fn save_chunk(&self, tile: u32, chunk: usize, words: Vec<u64>) -> Result<(), Error> {
        self.write_chunk(tile, chunk, &words)?;
        self.drop_chunk(words);
        Ok(())
    }

    fn drop_chunk(&self, words: Vec<u64>) {
        self.spare.lock().expect("no thread panics with it").push(words);
    }

    fn save(&self, tile: u32, content: TileState) -> Result<(), Error> {
        for (chunk, words) in content.not_won.chunks_exact(self.chunk_words).enumerate() {
            self.write_chunk(tile, chunk, words)?;
        }
        let mut entry = ListsEntry::default();
        let mut bytes = Vec::new();
        for (length, bits) in entry.lengths.iter_mut().zip([&content.lost, &content.next_lost, &content.won]) {
            let before = bytes.len();
            if !bits.is_empty() {
                codec::encode(bits.words(self.row_words), &mut bytes);
            }
            *length = (bytes.len() - before) as u32;
        }
        entry.offset = self.lists_end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if !bytes.is_empty() {
            let file = &self.lists[usize::from(!self.reads_second.load(Ordering::Relaxed))];
            file.write(entry.offset, &bytes)?;
        }
        self.lock_entries()[tile as usize] = entry;
        Ok(())
    }

    fn end_traversal(&self) -> Result<(), Error> {
        let was_second = self.reads_second.fetch_xor(true, Ordering::Relaxed);
        self.lists_end.store(0, Ordering::Relaxed);
        let read = &self.lists[usize::from(was_second)];
        read.file.truncate(0).map_err(|source| Error::file(&read.table, WRITE_FAILED, source))
    }

    fn traffic(&self) -> (u64, u64) {
        let [first, second] = &self.lists;
        let files = [&self.not_won, first, second].map(|scratch| scratch.file.traffic());
        files.into_iter().fold((0, 0), |(read, written), file| (read + file.0, written + file.1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use plyfold_tables::material::TableMaterial;
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
                let fast = disk.load(tile).expect("a sound disk");
                if turn > 0 {
                    assert!(fast.not_won.is_empty(), "it is loaded chunk by chunk");
                    for (chunk, slow) in slow.not_won.chunks_exact(index.chunk_words()).enumerate() {
                        let fast = disk.load_chunk(tile, chunk).expect("a sound disk");
                        assert!(fast == slow, "what is open of chunk {chunk} of tile {tile} in turn {turn}");
                        disk.drop_chunk(fast);
                    }
                    for (one, other) in
                        [(&slow.lost, &fast.lost), (&slow.next_lost, &fast.next_lost), (&slow.won, &fast.won)]
                    {
                        assert!(one == other, "a list of tile {tile} in turn {turn}");
                    }
                }
                let sparse = random.random::<bool>();
                let mut word = || if sparse { u64::from(random.random::<u8>() / 250) } else { random.random() };
                let mut saved = TileState::default();
                if turn == 0 {
                    slow.not_won = (0..index.tile_words(tile)).map(|_| word()).collect();
                    saved.not_won = slow.not_won.clone();
                } else if turn % 2 == 1 {
                    // Some chunks change completely, and compress well or hardly.
                    for (chunk, slow) in slow.not_won.chunks_exact_mut(index.chunk_words()).enumerate().step_by(3) {
                        slow.iter_mut().for_each(|slow| *slow = word());
                        disk.save_chunk(tile, chunk, slow.to_vec()).expect("room");
                    }
                }
                saved.lost = some(&index, tile, &mut random);
                saved.next_lost = some(&index, tile, &mut random);
                saved.won = some(&index, tile, &mut random);
                *slow = TileState { not_won: std::mem::take(&mut slow.not_won), ..saved.clone() };
                disk.save(tile, saved).expect("room");
            }
            disk.end_traversal().expect("a sound disk");
        }
        let (read, written) = disk.traffic();
        assert!(read > 0 && written > 0);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "the files have no names");
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
        disk.save(0, TileState { not_won: open, ..TileState::default() }).expect("room");
        disk.not_won.write(0, &vec![0xFF; disk.not_won.file.len() as usize]).expect("room");
        let error = disk.load_chunk(0, 0).expect_err("it is damaged").to_string();
        assert!(error.contains("KRBvKR.egt: ") && error.contains("check the disk"), "{error}");
        disk.not_won.file.truncate(0).expect("a sound disk");
        let error = disk.load_chunk(0, 0).expect_err("it is empty").to_string();
        assert!(error.contains("KRBvKR.egt: the scratch file beside it cannot be read"), "{error}");
    }
}
