//! Reads complete tables: a tile is decoded when it is first needed, and cached as long as memory allows.

mod archive;
mod cache;
mod cached_tables;
mod folder_archive;
mod thread_tables;

use plyfold_tables::index::TableAddress;
use plyfold_tables::layout::{LevelTotals, TableTotals};
use plyfold_tables::material::TableMaterial;
use shakmaty::Color;

pub(crate) use archive::decode_longest;
pub use archive::{Archive, DecodeFn, PreparedDecode, PutLevel};
pub use cache::{CacheSlot, TileLevels};
pub use cached_tables::{CacheOnlyTables, CachedTables, DEFAULT_CACHE_BYTES, IndexedTable, NotCached};
pub use folder_archive::open_generated;
pub use thread_tables::ThreadTables;

/// The two kinds of lists of a table, by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListSide {
    /// White to move: the lists of `won(N)`.
    Won,
    /// Black to move: the lists of `lost(N)`.
    Lost,
}

impl ListSide {
    /// Both sides.
    pub const BOTH: [ListSide; 2] = [ListSide::Won, ListSide::Lost];

    /// The lists for positions with this side to move.
    #[must_use]
    pub const fn from_side_to_move(turn: Color) -> ListSide {
        if turn.is_white() { ListSide::Won } else { ListSide::Lost }
    }

    /// The side to move.
    #[must_use]
    pub const fn side_to_move(self) -> Color {
        match self {
            ListSide::Won => Color::White,
            ListSide::Lost => Color::Black,
        }
    }

    /// The positions of a level on these lists.
    #[must_use]
    pub const fn count(self, level: &LevelTotals) -> u64 {
        match self {
            ListSide::Won => level.won,
            ListSide::Lost => level.lost,
        }
    }

    /// The highest level at which these lists have positions.
    #[must_use]
    pub fn highest_level(self, totals: &TableTotals) -> Option<u16> {
        totals.levels.iter().rfind(|level| self.count(level) > 0).map(|level| level.n)
    }
}

/// The lists of one side in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileKey {
    /// The table.
    pub table: TableMaterial,
    /// The pawn slice.
    pub pawn_slice: u32,
    /// The tile of the pawn slice.
    pub tile: u32,
    /// The side to move.
    pub side: ListSide,
}

impl TileKey {
    /// The tile with the level of a position.
    pub(crate) fn of_place(table: TableMaterial, place: TableAddress, turn: Color) -> TileKey {
        let side = ListSide::from_side_to_move(turn);
        TileKey { table, pawn_slice: place.pawn_slice, tile: place.tile, side }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::atomic::AtomicBool;

    use plyfold_tables::probe::{ProbeValue, Prober, TableSource};
    use plyfold_tables::successors::TablePosition;

    use super::*;
    use crate::Error;
    use crate::folder::TableFolder;
    use crate::generation::{GenerationRequest, generate_tables};
    use crate::memory_tables::MemoryLibrary;

    pub(crate) fn material(name: &str) -> TableMaterial {
        TableMaterial::parse(name).expect("a material of the test")
    }

    /// Both tables of each material, and all smaller ones.
    pub(crate) fn made(names: &[&str]) -> MemoryLibrary {
        let requested: Vec<TableMaterial> =
            names.iter().flat_map(|name| [material(name), material(name).swapped()]).collect();
        MemoryLibrary::generate(&requested, &AtomicBool::new(false)).expect("memory holds them")
    }

    /// A folder with the tables of these materials, White being the winner, and of all smaller ones.
    pub(super) fn folder_of(names: &[&str]) -> (tempfile::TempDir, TableFolder) {
        let folder = tempfile::tempdir().expect("a folder");
        let tables: Vec<TableMaterial> = names.iter().map(|name| material(name)).collect();
        let request = GenerationRequest::with_closure(&tables, folder.path()).with_threads(1);
        generate_tables(&request, &|_| (), &AtomicBool::new(false)).expect("room");
        let tables = TableFolder::new(folder.path());
        (folder, tables)
    }

    pub(super) fn position(fen: &str) -> TablePosition {
        TablePosition::from_fen(fen).expect("a position of the test")
    }

    /// Some positions of KRvK and KPvK with their values, as an independent solver has them.
    pub(super) const KNOWN: [(&str, ProbeValue); 6] = [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", ProbeValue::Win(16)),
        ("8/8/8/8/8/8/1Rk5/K7 b - - 0 1", ProbeValue::Loss(16)),
        ("8/8/8/8/8/8/1Rk5/7K b - - 0 1", ProbeValue::Draw),
        ("k7/1rK5/8/8/8/8/8/8 w - - 0 1", ProbeValue::Loss(16)),
        ("8/8/8/3P3K/5k2/8/8/8 w - - 0 1", ProbeValue::Win(11)),
        ("8/3P4/k7/8/8/4K3/8/8 b - - 0 1", ProbeValue::Loss(6)),
    ];

    fn answers<S: TableSource<Error = Error>>(source: S) -> Vec<ProbeValue> {
        let prober = Prober::new(source);
        KNOWN.iter().map(|(fen, _)| prober.value(&position(fen)).expect("a table")).collect()
    }

    #[test]
    fn memory_and_files_and_views_answer_alike() {
        let (_directory, folder) = folder_of(&["KRvK", "KPvK"]);
        let files = CachedTables::open(folder, DEFAULT_CACHE_BYTES);
        let known: Vec<ProbeValue> = KNOWN.iter().map(|(_, value)| *value).collect();
        assert_eq!(answers(CachedTables::new(Box::new(made(&["KRvK", "KPvK"])), DEFAULT_CACHE_BYTES)), known);
        assert_eq!(answers(&files), known);
        assert_eq!(answers(ThreadTables::new(&files)), known);
        let missing = Prober::new(&files).value(&position("k7/8/8/8/8/8/1BB5/K7 w - - 0 1"));
        assert!(matches!(missing, Err(Error::Missing(table)) if table == material("KBBvK")));
    }

    #[test]
    fn damage_is_an_error_that_names_the_file() {
        let (_directory, folder) = folder_of(&["KRvK"]);
        let whole = std::fs::read(folder.path("KRvK")).expect("written");
        let mut refused = 0;
        for at in (0..whole.len()).step_by(97) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(folder.path("KRvK"), &bytes).expect("room");
            let tables = CachedTables::open(folder.clone(), DEFAULT_CACHE_BYTES);
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
        assert!(matches!(CachedTables::open(folder, 0).table(material("KRvK")), Err(Error::Damaged { .. })));
    }
}
