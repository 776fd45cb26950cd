//! Endgame tables for queries: the packed tables that the page has given to the engine, and what an answer says of the positions
//! that they do not know.
//!
//! The files are in memory as a whole, because a scan cannot wait for the browser's storage. Each thread that asks takes a session
//! of its own; open tables are shared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use plyfold_core::query::error::QueryError;
use plyfold_core::reduce::groups::{COUNTS, GroupTable};
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::{QueryResults as Found, ReducerSelection};
use plyfold_core::scan::Query;
use plyfold_core::scan::tables::{BoundTables, ProbedPosition, TableOutcome, TableVerdict, TableVerdicts};
use plyfold_core::table::material::{TableMaterial, canonical_counts};
use plyfold_core::table::packed::head::PackedError;
use plyfold_core::table::packed::tables::{Answer, ByteRange, PackedFault, PackedTable, PackedTables};
use plyfold_core::table::probe::ProbeValue;
use plyfold_core::table::successors::TablePosition;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::plain::{List, plain_object};
use crate::threads;

/// Bytes of blocks and units that all sessions together keep.
const CACHE_BYTES: usize = 32 << 20;

/// The tables that queries ask.
static BOUND: RwLock<Option<Arc<PackedFiles>>> = RwLock::new(None);

/// The tables of the page, or none.
pub(crate) fn bound_tables() -> BoundTables {
    packed_files().map_or_else(BoundTables::default, |files| BoundTables::new(files))
}

fn packed_files() -> Option<Arc<PackedFiles>> {
    BOUND.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A packed table in memory.
struct PackedFile {
    bytes: Vec<u8>,
    table: Arc<PackedTable>,
}

/// Packed tables in memory, which threads share.
struct PackedFiles {
    files: BTreeMap<TableMaterial, PackedFile>,
    most_pieces: u32,
    sessions: Mutex<Vec<PackedTables>>,
    /// Why some table cannot be used: the first such sentence.
    trouble: OnceLock<String>,
}

/// Files of tables on their way to the queries.
#[wasm_bindgen]
#[derive(Default)]
pub struct TableFiles {
    files: BTreeMap<TableMaterial, PackedFile>,
    trouble: Option<String>,
}

#[wasm_bindgen]
impl TableFiles {
    /// No tables yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> TableFiles {
        TableFiles::default()
    }

    /// Adds the file `NAME.egp`. A file that cannot be used is left out, and results say why.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        let Ok(material) = TableMaterial::parse(name) else {
            return self
                .leave_out(format!("{name}.egp: a packed table has the name of its material, such as KRvK.egp"));
        };
        match open(material, &bytes) {
            Ok(table) => drop(self.files.insert(material, PackedFile { bytes, table: Arc::new(table) })),
            Err(error) => self.leave_out(format!("{name}.egp: {error}")),
        }
    }

    /// Notes why a table is left out.
    #[wasm_bindgen(js_name = leaveOut)]
    pub fn leave_out(&mut self, sentence: String) {
        self.trouble.get_or_insert(sentence);
    }

    /// Lets queries ask these tables from now on, and no others.
    pub fn bind(self) {
        let TableFiles { files, trouble } = self;
        let most_pieces = files.keys().map(|material| material.men() as u32).max().unwrap_or(0);
        let trouble = trouble.map_or_else(OnceLock::new, OnceLock::from);
        let bound = PackedFiles { files, most_pieces, sessions: Mutex::default(), trouble };
        *BOUND.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(bound));
    }
}

fn open(material: TableMaterial, bytes: &[u8]) -> Result<PackedTable, PackedError> {
    let table = PackedTable::open(material, bytes)?;
    if table.header.file_bytes == bytes.len() as u64 {
        Ok(table)
    } else {
        Err(PackedError::Truncated { part: "file", offset: bytes.len() as u64 })
    }
}

impl TableVerdicts for PackedFiles {
    fn most_pieces(&self) -> u32 {
        self.most_pieces
    }

    fn verdict(&self, position: &ProbedPosition) -> Option<TableVerdict> {
        let ProbedPosition { board, turn, en_passant } = position.clone();
        let position = TablePosition::from_board(board, turn, en_passant).ok()?;
        let session = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = session.unwrap_or_else(|| PackedTables::new(CACHE_BYTES / threads()));
        let value = self.value(&mut session, &position);
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        let value = value.unwrap_or_else(|fault| {
            self.trouble.get_or_init(|| fault.to_string());
            None
        })?;
        let outcome = match value {
            ProbeValue::Win(_) => TableOutcome::Win,
            ProbeValue::Draw => TableOutcome::Draw,
            ProbeValue::Loss(_) => TableOutcome::Loss,
        };
        Some(TableVerdict { outcome, moves_to_mate: value.moves() })
    }
}

impl PackedFiles {
    /// The value of a position; none if a table is missing.
    fn value(&self, session: &mut PackedTables, position: &TablePosition) -> Result<Option<ProbeValue>, PackedFault> {
        loop {
            match session.value(position) {
                Ok(Answer::Known(value)) => return Ok(Some(value)),
                Ok(Answer::Needs(ranges)) => ranges.into_iter().try_for_each(|range| self.supply(session, range))?,
                Err(PackedFault::Missing(_)) => return Ok(None),
                Err(fault) => return Err(fault),
            }
        }
    }

    fn supply(&self, session: &mut PackedTables, range: ByteRange) -> Result<(), PackedFault> {
        let Some(PackedFile { bytes, table }) = self.files.get(&range.table) else {
            session.set_absent(range.table);
            return Ok(());
        };
        if session.table(range.table).is_none() {
            session.insert(Arc::clone(table));
            return Ok(());
        }
        let end = bytes.len().min(range.bytes.end as usize);
        let start = end.min(range.bytes.start as usize);
        session.supply(range.table, start as u64, &bytes[start..end])
    }

    fn has(&self, material: &str) -> bool {
        let winners = TableMaterial::parse(material).map(|material| [material, material.swapped()]);
        winners.into_iter().flatten().any(|winner| self.files.contains_key(&winner))
    }
}

/// The positions that a result leaves open because no table knows them.
#[derive(Tsify)]
pub struct UnknownPositions {
    /// How many there are, with at most seven pieces.
    pub positions: f64,
    /// The games that have such positions.
    pub games: f64,
    /// The materials, the most frequent first.
    pub materials: List<UnknownMaterial>,
    /// Number of the tables that the query asks.
    pub tables: u32,
    /// Why some table cannot be used, without a full stop; empty if all can.
    pub trouble: String,
}
plain_object!(UnknownPositions { positions, games, materials, tables, trouble });

/// The positions of one material that no table knows.
#[derive(Tsify)]
pub struct UnknownMaterial {
    /// The material, the stronger side first: `KRPvKR`.
    pub material: String,
    /// How many there are.
    pub positions: f64,
    /// Whether there is a table, which does not know these positions: they have castling rights, or the position before the move has
    /// no table.
    pub has_table: bool,
}
plain_object!(UnknownMaterial { material, positions, has_table });

/// The query of the positions that a query leaves open, and the outputs from which [`UnknownPositions`] are made; none if the query
/// asks no tables.
///
/// # Errors
///
/// The query has too many predicates.
pub(crate) fn unknown_positions(query: &Query) -> Result<Option<(Query, ReducerSelection)>, QueryError> {
    let material = GroupingKey::named("material").map(|key| COUNTS.by(key));
    let selection = ReducerSelection {
        positions_count: true,
        outputs: material.into_iter().collect(),
        ..ReducerSelection::default()
    };
    Ok(plyfold_core::query::unknown_positions(query)?.map(|unknown| (unknown, selection)))
}

impl From<&Found> for UnknownPositions {
    fn from(found: &Found) -> UnknownPositions {
        let files = packed_files();
        let groups = found.summaries::<GroupTable>().flat_map(|table| &table.groups);
        let materials = canonical_counts(groups.map(|group| (&*group.name, group.positions)));
        let described = materials.into_iter().map(|(material, positions)| UnknownMaterial {
            has_table: files.as_ref().is_some_and(|files| files.has(&material)),
            material,
            positions: positions as f64,
        });
        UnknownPositions {
            positions: found.count.positions as f64,
            games: found.count.games as f64,
            materials: described.collect(),
            tables: files.as_ref().map_or(0, |files| files.files.len() as u32),
            trouble: files.and_then(|files| files.trouble.get().cloned()).unwrap_or_default(),
        }
    }
}
