//! Tables in memory: for tests, and for places without files.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use plyfold_core::table::code;
use plyfold_core::table::index::Index;
use plyfold_core::table::layout::{Kind, Level};
use plyfold_core::table::material::Material;

use crate::Error;
use crate::generate::Sink;
use crate::step::feed::{Library, List, Lists};

/// A table's pieces.
pub struct Table {
    index: Index,
    content: Mutex<Content>,
}

#[derive(Default)]
struct Content {
    cell: u32,
    pieces: BTreeMap<(u32, Kind, u16, u32), Vec<u8>>,
    levels: BTreeMap<u16, Level>,
    legal: [u64; 2],
}

impl Table {
    /// An empty one.
    #[must_use]
    pub fn new(material: Material) -> Table {
        Table { index: Index::new(material), content: Mutex::default() }
    }

    /// Positions by level, and legal ones with White and Black to move.
    #[must_use]
    pub fn counts(&self) -> (Vec<Level>, [u64; 2]) {
        let content = self.content.lock().expect("no thread panics with it");
        (content.levels.values().copied().collect(), content.legal)
    }

    /// Bytes of all pieces.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.content.lock().expect("no thread panics with it").pieces.values().map(|piece| piece.len() as u64).sum()
    }

    /// A place to put pieces into.
    #[must_use]
    pub fn sink(&self) -> impl Sink + '_ {
        TableSink(self)
    }
}

struct TableSink<'a>(&'a Table);

impl Sink for TableSink<'_> {
    fn begin(&mut self, cell: u32) -> Result<(), Error> {
        self.0.content.lock().expect("no thread panics with it").cell = cell;
        Ok(())
    }

    fn piece(&mut self, kind: Kind, level: u16, tile: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
        let cell = content.cell;
        content.pieces.insert((cell, kind, level, tile), bytes.to_vec());
        Ok(())
    }

    fn end(&mut self, levels: &[Level], legal: [u64; 2], _: bool) -> Result<(), Error> {
        let mut content = self.0.content.lock().expect("no thread panics with it");
        for level in levels {
            let sum = content.levels.entry(level.n).or_insert(Level { n: level.n, won: 0, lost: 0 });
            sum.won += level.won;
            sum.lost += level.lost;
        }
        content.legal[0] += legal[0];
        content.legal[1] += legal[1];
        Ok(())
    }
}

impl Lists for Table {
    fn index(&self) -> &Index {
        &self.index
    }

    fn last(&self, cell: u32, list: List) -> Result<Option<u16>, Error> {
        let content = self.content.lock().expect("no thread panics with it");
        let range = content.pieces.range((cell, list.kind(), 0, 0)..=(cell, list.kind(), u16::MAX, u32::MAX));
        Ok(range.last().map(|((_, _, level, _), _)| *level))
    }

    fn visit(
        &self,
        cell: u32,
        list: List,
        level: u16,
        wanted: &dyn Fn(u32) -> bool,
        visit: &mut dyn FnMut(u32, usize, u64),
    ) -> Result<(), Error> {
        let content = self.content.lock().expect("no thread panics with it");
        let range = content.pieces.range((cell, list.kind(), level, 0)..=(cell, list.kind(), level, u32::MAX));
        for ((_, _, _, tile), bytes) in range.filter(|((_, _, _, tile), _)| wanted(*tile)) {
            code::for_each(bytes, self.index.tile_words(*tile), |word, bits| visit(*tile, word, bits))
                .expect("pieces in memory are as they were made");
        }
        Ok(())
    }
}

impl List {
    /// The kind of its pieces.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self {
            List::Lost => Kind::Lost,
            List::Won => Kind::Won,
            List::Stale => Kind::Stale,
        }
    }
}

/// Tables by name.
#[derive(Default)]
pub struct Shelf(Mutex<HashMap<Material, Arc<Table>>>);

impl Shelf {
    /// Puts a table there.
    pub fn put(&self, table: Arc<Table>) {
        self.0.lock().expect("no thread panics with it").insert(table.index.material(), table);
    }

    /// The table of a material.
    #[must_use]
    pub fn get(&self, material: Material) -> Option<Arc<Table>> {
        self.0.lock().expect("no thread panics with it").get(&material).cloned()
    }
}

impl Library for Shelf {
    fn lists(&self, table: Material) -> Result<Arc<dyn Lists>, Error> {
        self.get(table).map(|table| table as Arc<dyn Lists>).ok_or(Error::Missing(table))
    }
}
