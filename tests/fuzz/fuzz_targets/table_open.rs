//! Any bytes as a table: an error, or a table that can be read to its last bit, never a panic.
//!
//! Random bytes seldom pass a checksum. So the input overwrites a few bytes of a sound table, and the target repairs the
//! checksums: only the checks of consistency and of the coding can then catch the damage.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plyfold_core::table::codec;
use plyfold_core::table::layout::{
    BlockKind, LevelTotals, SectionBuilder, TableContents, TableHeader, TableInfo, TableName, TableReader,
};
use xxhash_rust::xxh3::xxh3_64;

/// Words of a tile.
const WORDS: usize = 64;

struct Sound {
    bytes: Vec<u8>,
    contents: TableContents,
}

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let info = TableInfo { name: TableName::new("KRvK").expect("a name"), pawn_slices: 2, tiles: 3 };
    let mut contents = TableContents::new(info);
    let mut bytes = vec![0; 64];
    for (pawn_slice, n, is_last) in [(0, 0, false), (0, 1, true), (1, 0, true)] {
        let mut builder = SectionBuilder::new(pawn_slice, contents.end());
        bytes.extend([0; 64]);
        for (kind, tile) in [(BlockKind::Lost, 0), (BlockKind::Lost, 2), (BlockKind::Won, 1), (BlockKind::Bitmap, 1)] {
            let words: Vec<u64> = (0..WORDS as u64).map(|word| word.wrapping_mul(0x0104_0213) >> (tile * 9)).collect();
            let mut block = Vec::new();
            match kind {
                BlockKind::Bitmap => codec::encode_bitmap(&words, &mut block),
                _ => codec::encode((0..).zip(words).filter(|(_, word)| *word != 0), &mut block),
            }
            builder.add_block(kind, if kind.has_levels() { n } else { 0 }, tile, &block);
            bytes.extend(block);
        }
        let built = builder.finish(&info, &[LevelTotals { n, won: 5, lost: 700 }], [0; 2], is_last);
        bytes.extend(&built.tail);
        let at = contents.end() as usize;
        bytes[at..at + 64].copy_from_slice(&built.header);
        contents.push(&built.section).expect("a next section");
    }
    let trailer = contents.trailer();
    let header = TableHeader { info, trailer: Some((contents.end(), trailer.len() as u64)) };
    bytes.extend(trailer);
    bytes[..64].copy_from_slice(&header.to_bytes());
    Sound { bytes, contents }
});

/// Repairs the checksums of headers, directories and trailer, at their offsets in the sound table.
fn seal(bytes: &mut [u8], contents: &TableContents) {
    let mut fit = |from: usize, to: usize, at: usize| {
        if bytes.len() >= to.max(at + 8) {
            let checksum = xxh3_64(&bytes[from..to]).to_le_bytes();
            bytes[at..at + 8].copy_from_slice(&checksum);
        }
    };
    for entry in contents.sections() {
        let (at, end) = (entry.offset as usize, entry.end() as usize);
        fit(end - entry.directory_bytes as usize, end, at + 48);
        fit(at, at + 56, at + 56);
    }
    let end = SOUND.bytes.len();
    fit(contents.end() as usize, end - 8, end - 8);
    fit(0, 56, 56);
}

fn read(bytes: &[u8]) {
    // The kind of block does not matter here: all decoders are tried on all blocks.
    let mut words = [0; WORDS];
    let _ = codec::for_each_word(bytes, words.len(), |index, word| words[index] |= word);
    let _ = codec::for_each_word(bytes, 3, |index, word| assert!(index < 3 && word != 0));
}

fuzz_target!(|input: &[u8]| {
    let is_patched = input.first().is_some_and(|byte| byte & 1 == 0);
    let mut bytes = if is_patched { SOUND.bytes.clone() } else { input.to_vec() };
    if is_patched {
        for patch in input.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = patch[2];
            }
        }
        if input[0] & 2 == 0 {
            seal(&mut bytes, &SOUND.contents);
        }
    }
    read(input);
    for table in
        [TableReader::open(bytes.as_slice()), TableReader::open_unfinished(bytes.as_slice())].into_iter().flatten()
    {
        let _ = table.check_everything();
        for (number, entry) in table.contents().sections().iter().enumerate() {
            let Ok(section) = table.section(number) else { continue };
            for block in section.all_blocks() {
                if let Ok(bytes) = table.read_block(block) {
                    read(&bytes);
                }
                let _ = table.blocks(entry.pawn_slice, block.kind, block.n);
            }
            let _ = (table.levels(entry.pawn_slice), table.legal(entry.pawn_slice));
        }
    }
});
