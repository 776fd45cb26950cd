//! Endgame tables of one pawn slice and of many, and their smaller tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use egtgen::folder::TableFolder;
use egtgen::generation::{GenerationRequest, generate_tables};
use egtgen::prober::CachedTables;
use egtgen::verify::{VerificationExtent, verify};
use plyfold_core::table::codec;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::layout::{LevelTotals, SectionBuilder, SetBlock, TableContents, TableHeader, TableReader};
use plyfold_core::table::material::TableMaterial;
use rand::Rng;
use rand::rngs::StdRng;
use xxhash_rust::xxh3::xxh3_64;

use super::{Subject, SubjectAnswers, hash, shuffled};
use crate::random;

/// All tables of three men by file name: exactly those that a table with one pawn needs.
pub static MADE: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    made(folder.path(), "KPvK").expect("nothing keeps it from being made");
    files(folder.path())
});

/// Generates a table and all that it converts into in a folder.
pub fn made(folder: &Path, name: &str) -> Result<(), egtgen::Error> {
    let material = TableMaterial::parse(name).expect("a material");
    let request = GenerationRequest::with_closure(&[material], folder).with_threads(1);
    generate_tables(&request, &|_| {}, &AtomicBool::new(false))
}

/// The files of a folder by name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .filter(|entry| entry.path().is_file())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).expect("a file")))
        .collect()
}

struct File {
    name: &'static str,
    material: &'static str,
    file: &'static str,
}

/// A table of one pawn slice, and one of many.
pub fn all() -> impl Iterator<Item = Box<dyn Subject>> {
    [("a table of one pawn slice", "KRvK", "KRvK.egt"), ("a table of many pawn slices", "KPvK", "KPvK.egt")]
        .into_iter()
        .map(|(name, material, file)| Box::new(File { name, material, file }) as Box<dyn Subject>)
}

impl Subject for File {
    fn name(&self) -> &'static str {
        self.name
    }

    fn file(&self) -> &'static str {
        self.file
    }

    fn sound(&self) -> &[u8] {
        &MADE[self.file]
    }

    fn borders(&self) -> Vec<usize> {
        let sound = self.sound();
        let table = TableReader::open(sound).expect("a table");
        let mut borders = vec![8, 64, table.contents().end() as usize, sound.len() - 8];
        for entry in table.contents().sections() {
            let (from, to) = (entry.offset as usize, entry.end() as usize);
            borders.extend([from, from + 64, to - entry.directory_bytes as usize, to]);
        }
        borders
    }

    fn ask(&self, bytes: &[u8]) -> SubjectAnswers {
        let table = match TableReader::open(bytes) {
            Ok(table) => table,
            Err(error) => return vec![Err(error.to_string())],
        };
        // Programs that open a table by its name compare these facts.
        let index = TableIndex::new(TableMaterial::parse(self.material).expect("a material"));
        let facts = *table.info();
        if (facts.pawn_slices as usize, facts.tiles, facts.name.as_str())
            != (index.pawn_slices().len(), index.tiles(), self.material)
        {
            return vec![Err("it is another table".into())];
        }
        let mut answers = vec![Ok(hash(table.counts()))];
        answers.extend((0..facts.pawn_slices).map(|pawn_slice| said(&table, &index, pawn_slice)));
        answers.push(table.check_everything().map(|()| "sound".to_owned()).map_err(|error| error.to_string()));
        answers
    }

    fn forge(&self, random: &mut StdRng) -> Vec<u8> {
        if random.random() {
            return written_anew(random, self.sound());
        }
        let mut bytes = self.sound().to_vec();
        let mut borders = self.borders();
        borders.push(0);
        for _ in 0..random.random_range(1..4) {
            let from = borders[random.random_range(0..borders.len())].min(bytes.len() - 1);
            let to = (from + random.random_range(1..80)).min(bytes.len());
            random::overwrite(random, &mut bytes[from..to]);
        }
        seal(&mut bytes, self.sound());
        bytes
    }

    /// `verify` finds every wrong value. Counts, and lists that only generation reads, are not values.
    fn law(&self, bytes: &[u8]) -> Result<(), String> {
        if self.values(bytes).is_none_or(|values| Some(values) == self.values(self.sound())) {
            return Ok(());
        }
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (name, sound) in MADE.iter() {
            let bytes = if *name == self.file { bytes } else { sound };
            std::fs::write(folder.path().join(name), bytes).map_err(|error| error.to_string())?;
        }
        let tables = CachedTables::open(TableFolder::new(folder.path()), 64 << 20);
        let material = TableMaterial::parse(self.material).expect("a material");
        match verify(&tables, material, VerificationExtent::WHOLE, &AtomicBool::new(false), &|_| {}) {
            Ok(report) if report.is_sound() => Err("a table with other values is verified as sound".into()),
            _ => Ok(()),
        }
    }

    fn rearranged(&self, random: &mut StdRng) -> Vec<u8> {
        shuffled(random, self.sound(), &self.borders())
    }
}

impl File {
    /// The values as a prober sees them. A position that is listed twice has the longer distance. `None` if they cannot be
    /// read.
    fn values(&self, bytes: &[u8]) -> Option<BTreeMap<(u32, u32, u8, u64), u16>> {
        let table = TableReader::open(bytes).ok()?;
        let index = TableIndex::new(TableMaterial::parse(self.material).ok()?);
        let mut all = BTreeMap::new();
        for (number, entry) in table.contents().sections().iter().enumerate() {
            let section = table.section(number).ok()?;
            for piece in section.all_blocks().iter().filter(|piece| piece.kind.has_levels()) {
                let coded = table.read_block(piece).ok()?;
                let mut each = |word: usize, mut bits: u64| {
                    while bits != 0 {
                        let bit = word as u64 * 64 + u64::from(bits.trailing_zeros());
                        let value = all.entry((entry.pawn_slice, piece.tile, piece.kind as u8, bit)).or_insert(piece.n);
                        *value = piece.n.max(*value);
                        bits &= bits - 1;
                    }
                };
                codec::for_each_word(&coded, index.tile_words(piece.tile), &mut each).ok()?;
            }
        }
        Some(all)
    }
}

/// A hash of everything that the table says about a pawn slice.
fn said(table: &TableReader<&[u8]>, index: &TableIndex, pawn_slice: u32) -> Result<String, String> {
    let mut values: Vec<(u64, u16, usize, u64)> = Vec::new();
    for number in table.contents().pawn_slice_sections(pawn_slice) {
        let section = table.section(number).map_err(|error| error.to_string())?;
        for block in section.all_blocks() {
            let bytes = table.read_block(block).map_err(|error| error.to_string())?;
            let each = |word: usize, bits: u64| values.push((block.kind as u64, block.n, word, bits));
            let words = index.tile_words(block.tile);
            codec::for_each_word(&bytes, words, each).map_err(|error| error.to_string())?;
        }
    }
    let counts = (
        table.levels(pawn_slice).map_err(|error| error.to_string())?,
        table.legal(pawn_slice).map_err(|error| error.to_string())?,
    );
    Ok(hash((counts, values)))
}

/// Rewrites the table with a block or a count of some section changed. Every checksum is right.
fn written_anew(random: &mut StdRng, sound: &[u8]) -> Vec<u8> {
    let table = TableReader::open(sound).expect("a table");
    let facts = *table.info();
    let (mut contents, mut bytes) = (TableContents::new(facts), vec![0; 64]);
    let changed = random.random_range(0..table.contents().sections().len());
    for (number, entry) in table.contents().sections().iter().enumerate() {
        let section = table.section(number).expect("a section");
        let (mut levels, mut legal) = (section.levels.clone(), section.legal);
        let mut pieces: Vec<_> =
            section.all_blocks().iter().map(|piece| (*piece, table.read_block(piece).expect("a piece"))).collect();
        if number == changed {
            change(random, &mut pieces, &mut levels, &mut legal);
        }
        let mut building = SectionBuilder::new(entry.pawn_slice, contents.end());
        bytes.extend([0; 64]);
        for (piece, coded) in &pieces {
            building.add_block(piece.kind, piece.n, piece.tile, coded);
            bytes.extend(coded);
        }
        let built = building.finish(&facts, &levels, legal, entry.is_last);
        bytes.extend(&built.tail);
        let at = contents.end() as usize;
        bytes[at..at + 64].copy_from_slice(&built.header);
        contents.push(&built.section).expect("a next section");
    }
    let trailer = contents.trailer();
    let header = TableHeader { info: facts, trailer: Some((contents.end(), trailer.len() as u64)) };
    bytes.extend(trailer);
    bytes[..64].copy_from_slice(&header.to_bytes());
    bytes
}

/// Changes a coded block or a count, or leaves the block out.
fn change(
    random: &mut StdRng,
    pieces: &mut Vec<(SetBlock, Vec<u8>)>,
    levels: &mut [LevelTotals],
    legal: &mut [u64; 2],
) {
    let piece = random.random_range(0..pieces.len().max(1));
    match random.random_range(0..6) {
        0 if !levels.is_empty() => {
            let level = random.random_range(0..levels.len());
            levels[level].won = random::number(random, levels[level].won) >> 8;
        }
        1 if legal[0] > 0 => legal[0] = random::number(random, legal[0]) >> 8,
        2 if piece < pieces.len() => drop(pieces.remove(piece)),
        _ if piece < pieces.len() => {
            let coded = &mut pieces[piece].1;
            // Sometimes overwrites the coding method, otherwise the coded content.
            let from = if random.random_range(0..4) == 0 { 0 } else { 1.min(coded.len() - 1) };
            random::overwrite(random, &mut coded[from..]);
        }
        _ => {}
    }
}

/// Repairs the checksums of headers, directories and trailer, at their offsets in the sound table.
fn seal(bytes: &mut [u8], sound: &[u8]) {
    let mut fit = |from: usize, to: usize, at: usize| {
        if bytes.len() >= to.max(at + 8) {
            let checksum = xxh3_64(&bytes[from..to]).to_le_bytes();
            bytes[at..at + 8].copy_from_slice(&checksum);
        }
    };
    let table = TableReader::open(sound).expect("a table");
    for entry in table.contents().sections() {
        let (at, end) = (entry.offset as usize, entry.end() as usize);
        fit(end - entry.directory_bytes as usize, end, at + 48);
        fit(at, at + 56, at + 56);
    }
    fit(table.contents().end() as usize, sound.len() - 8, sound.len() - 8);
    fit(0, 56, 56);
}
