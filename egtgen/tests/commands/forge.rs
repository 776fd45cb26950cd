//! Tables written anew with something changed, every checksum right: what only `verify` can see.

use std::fs;

use egtgen::folder::Folder;
use egtgen::part::Part;
use plyfold_core::table::code;
use plyfold_core::table::index::Index;
use plyfold_core::table::layout::{Kind, Legal, Level};
use plyfold_core::table::material::Material;

use crate::program::Sandbox;

/// The content of one section: what is kept of it, and the words of each piece.
pub struct Content {
    pub index: Index,
    pub levels: Vec<Level>,
    pub legal: Legal,
    pieces: Vec<(Kind, u16, u32, Vec<u64>)>,
}

impl Content {
    /// The words of the first tile on a list.
    pub fn words(&mut self, kind: Kind, level: u16) -> &mut Vec<u64> {
        let piece = self.pieces.iter_mut().find(|(of, n, ..)| (*of, *n) == (kind, level));
        &mut piece.expect("a list of this table").3
    }
}

/// Writes a table of a sandbox anew, with the content of its only section changed.
pub fn forge(sandbox: &Sandbox, name: &str, change: impl FnOnce(&mut Content)) {
    let folder = Folder::new(sandbox.path("t"));
    let table = folder.open(name).unwrap().unwrap();
    let facts = *table.table().facts();
    let index = Index::new(Material::parse(name).unwrap());
    assert_eq!(table.contents().sections().len(), 1, "one section a cell, and one cell");
    let section = table.section(0).unwrap();
    let words = |piece: &plyfold_core::table::layout::Piece| {
        let (mut bytes, mut words) = (Vec::new(), vec![0; index.tile_words(piece.tile)]);
        table.read_into(piece, &mut bytes).unwrap();
        code::decode_into(&bytes, &mut words).unwrap();
        (piece.kind, piece.n, piece.tile, words)
    };
    let pieces = section.all().iter().map(words).collect();
    let mut content = Content { index: index.clone(), levels: section.levels.clone(), legal: section.legal, pieces };
    change(&mut content);
    let mut part = Part::create(&folder.path(name), facts).unwrap();
    part.begin(0).unwrap();
    for (kind, n, tile, words) in &content.pieces {
        let mut bytes = Vec::new();
        match kind {
            Kind::Bitmap => code::encode_bitmap(words, &mut bytes),
            _ => code::encode(words.iter().copied().enumerate().filter(|(_, word)| *word != 0), &mut bytes),
        }
        part.piece(*kind, *n, *tile, &bytes).unwrap();
    }
    part.end(&content.levels, content.legal, true).unwrap();
    // A table takes its name only if that is free.
    fs::remove_file(folder.path(name)).unwrap();
    part.finish().unwrap();
}
