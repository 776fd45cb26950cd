//! Tables of both kinds as one source: those of egtgen, which have distances to mate, and Syzygy tables, which know the fifty-move
//! rule and up to seven men.
//!
//! Either may be missing. The outcome comes from the first source that has it: egtgen's tables, since they have the distance too,
//! then Syzygy tables. A position is unknown only if neither has it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use plyfold_tables::material::TableMaterial;
use plyfold_tables::probe::{ProbeValue, Prober, TableSource};
use plyfold_tables::successors::TablePosition;
use shakmaty::{Board, Color};

use crate::Error;
use crate::folder::TableFolder;
use crate::prober::CachedTables;
use crate::syzygy::{SyzygyTables, Wdl50};

/// A source of tables with distances to mate that threads share.
pub type SharedSource = Arc<dyn TableSource<Error = Error> + Send + Sync>;

/// The outcome if both sides play their best. The fifty-move rule is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The side to move wins.
    Win,
}

impl From<ProbeValue> for Wdl {
    fn from(value: ProbeValue) -> Wdl {
        match value {
            ProbeValue::Loss(_) => Wdl::Loss,
            ProbeValue::Draw => Wdl::Draw,
            ProbeValue::Win(_) => Wdl::Win,
        }
    }
}

impl From<Wdl50> for Wdl {
    /// A win that the fifty-move rule makes a draw is a win here.
    fn from(value: Wdl50) -> Wdl {
        match value {
            Wdl50::Loss | Wdl50::BlessedLoss => Wdl::Loss,
            Wdl50::Draw => Wdl::Draw,
            Wdl50::CursedWin | Wdl50::Win => Wdl::Win,
        }
    }
}

/// What the tables know of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// The outcome for the side to move.
    pub outcome: Wdl,
    /// Moves of the winner up to mate, 0 if it is mate; `None` in a draw, and if only Syzygy tables have the position.
    pub moves_to_mate: Option<u16>,
}

/// Sources of distances to mate, asked in order. A table is that of the first source that has it.
pub struct DistanceTables(Vec<SharedSource>);

impl TableSource for DistanceTables {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        for source in &self.0 {
            match source.level(table, board, turn) {
                Err(Error::Missing(_)) => {}
                known => return known,
            }
        }
        Err(Error::Missing(table))
    }
}

/// Tables of both kinds as one source, which any number of threads share.
pub struct Tablebase {
    distances: Prober<DistanceTables>,
    syzygy: SyzygyTables,
    left_out: Vec<Error>,
}

impl Tablebase {
    /// The tables of these folders: `tables` of egtgen, `syzygy` of Syzygy. `cache_bytes` limits the bytes of both kinds that are
    /// kept in memory. Tables are opened when they are first needed.
    ///
    /// A folder or a file that cannot be used is left out, and [`left_out`](Self::left_out) says why.
    ///
    /// # Errors
    /// Folders are named, and none of them can be used.
    pub fn open(tables: &[PathBuf], syzygy: &[PathBuf], cache_bytes: usize) -> Result<Tablebase, Error> {
        let mut left_out = Vec::new();
        let syzygy_bytes = syzygy_share(!tables.is_empty(), !syzygy.is_empty(), cache_bytes);
        let syzygy = SyzygyTables::open(syzygy, syzygy_bytes, &mut left_out);
        let mut sources: Vec<SharedSource> = Vec::new();
        for folder in tables {
            match fs::read_dir(folder) {
                Ok(_) => {
                    let bytes = (cache_bytes - syzygy_bytes) / tables.len();
                    sources.push(Arc::new(CachedTables::open(TableFolder::new(folder), bytes)));
                }
                Err(source) => left_out.push(Error::file(folder, "the folder of tables cannot be read", source)),
            }
        }
        if sources.is_empty()
            && syzygy.is_empty()
            && let Some(first) = left_out.drain(..).next()
        {
            return Err(first);
        }
        Ok(Tablebase { left_out, ..Tablebase::new(sources, syzygy) })
    }

    /// These sources as one.
    #[must_use]
    pub fn new(sources: Vec<SharedSource>, syzygy: SyzygyTables) -> Tablebase {
        Tablebase { distances: Prober::new(DistanceTables(sources)), syzygy, left_out: Vec::new() }
    }

    /// The folders and files that cannot be used, each as one sentence.
    #[must_use]
    pub fn left_out(&self) -> &[Error] {
        &self.left_out
    }

    /// The outcome of a position and its distance to mate; `None` if no table knows it.
    ///
    /// # Errors
    /// A table cannot be read or is damaged.
    pub fn verdict(&self, position: &TablePosition) -> Result<Option<Verdict>, Error> {
        if let Some(value) = self.value(position)? {
            return Ok(Some(Verdict { outcome: value.into(), moves_to_mate: value.moves() }));
        }
        let known = self.syzygy.wdl(position.as_chess())?;
        Ok(known.map(|outcome| Verdict { outcome: outcome.into(), moves_to_mate: None }))
    }

    /// The value of a position in egtgen's tables; `None` if they do not have it.
    ///
    /// # Errors
    /// A table cannot be read or is damaged.
    pub fn value(&self, position: &TablePosition) -> Result<Option<ProbeValue>, Error> {
        match self.distances.value(position) {
            Ok(value) => Ok(Some(value)),
            Err(Error::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The tables with distances to mate.
    #[must_use]
    pub fn distances(&self) -> &Prober<DistanceTables> {
        &self.distances
    }

    /// The Syzygy tables.
    #[must_use]
    pub fn syzygy(&self) -> &SyzygyTables {
        &self.syzygy
    }
}

/// The part of a cache of `bytes` bytes that files of Syzygy tables get. They need less of it than decoded tiles.
#[must_use]
pub const fn syzygy_share(has_own: bool, has_syzygy: bool, bytes: usize) -> usize {
    match (has_own, has_syzygy) {
        (_, false) => 0,
        (false, true) => bytes,
        (true, true) => bytes / 4,
    }
}
