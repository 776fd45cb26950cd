//! Tables rewritten with a change and with right checksums, so that only `verify` can find the change.

use std::fs;

use egtgen::folder::TableFolder;
use egtgen::partial_table::PartialTable;
use plyfold_tables::codec;
use plyfold_tables::index::TableIndex;
use plyfold_tables::layout::{BlockKind, LegalCounts, LevelTotals};
use plyfold_tables::material::TableMaterial;

use super::program::EgtgenSandbox;

/// The content of one section: what the header and directory say, and the words of each block.
pub struct Content {
    pub index: TableIndex,
    pub levels: Vec<LevelTotals>,
    pub legal: LegalCounts,
    pieces: Vec<(BlockKind, u16, u32, Vec<u64>)>,
}

impl Content {
    /// The words of the first tile in a list.
    pub fn words(&mut self, kind: BlockKind, level: u16) -> &mut Vec<u64> {
        let piece = self.pieces.iter_mut().find(|(of, n, ..)| (*of, *n) == (kind, level));
        &mut piece.expect("a list of this table").3
    }
}

/// Rewrites a table of a sandbox with the content of its only section changed.
pub fn forge(sandbox: &EgtgenSandbox, name: &str, change: impl FnOnce(&mut Content)) {
    let folder = TableFolder::new(sandbox.path("t"));
    let table = folder.open(name).unwrap().unwrap();
    let facts = *table.table().info();
    let index = TableIndex::new(TableMaterial::parse(name).unwrap());
    assert_eq!(table.contents().sections().len(), 1, "one section a pawn slice, and one pawn slice");
    let section = table.section(0).unwrap();
    let words = |piece: &plyfold_tables::layout::SetBlock| {
        let (mut bytes, mut words) = (Vec::new(), vec![0; index.tile_words(piece.tile)]);
        table.read_into(piece, &mut bytes).unwrap();
        codec::for_each_word(&bytes, words.len(), |index, word| words[index] |= word).unwrap();
        (piece.kind, piece.n, piece.tile, words)
    };
    let pieces = section.all_blocks().iter().map(words).collect();
    let mut content = Content { index: index.clone(), levels: section.levels.clone(), legal: section.legal, pieces };
    change(&mut content);
    let mut part = PartialTable::resume(&folder.path(name), facts).unwrap();
    part.begin_section(0).unwrap();
    for (kind, n, tile, words) in &content.pieces {
        let mut bytes = Vec::new();
        match kind {
            BlockKind::Bitmap => codec::encode_bitmap(words, &mut bytes),
            _ => codec::encode(words.iter().copied().enumerate().filter(|(_, word)| *word != 0), &mut bytes),
        }
        part.add_block(*kind, *n, *tile, &bytes).unwrap();
    }
    part.end_section(&content.levels, content.legal, true).unwrap();
    // A table gets its name only if that name is free.
    fs::remove_file(folder.path(name)).unwrap();
    part.finish().unwrap();
}
