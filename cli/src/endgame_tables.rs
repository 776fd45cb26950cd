//! Opens the endgame tables of a command line, and reports the positions that they do not know.

use std::path::PathBuf;
use std::sync::Arc;

use plyfold_core::reduce::QueryResults;
use plyfold_core::reduce::groups::GroupTable;
use plyfold_core::scan::tables::{BoundTables, MAX_TABLE_PIECES};
use plyfold_core::table::material::canonical_counts;
use plyfold_files::OutputPlan;
use plyfold_library::{TableFiles, table_files};
use plyfold_terminal::table::grouped;
use serde::Serialize;

use crate::failure::Result;

/// The materials that a note names at most.
const MAX_NAMED_MATERIALS: usize = 5;

/// Where the tables are that a query asks.
#[derive(clap::Args, Default)]
pub struct TablesArgument {
    /// Folder of endgame tables made by egtgen, which conditions such as `white tb win` ask. May be repeated.
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// Folder of Syzygy tables, which know no distances to mate. May be repeated.
    #[arg(long, value_name = "DIR")]
    syzygy: Vec<PathBuf>,
}

/// The tables of a command line, or none.
#[derive(Clone, Default)]
pub struct EndgameTables {
    /// As a query asks them.
    pub bound: BoundTables,
    files: Option<Arc<TableFiles>>,
}

impl TablesArgument {
    /// Declares the files that are read.
    pub fn declare_inputs(&self, outputs: &mut OutputPlan) {
        table_files(&self.tables, &self.syzygy).for_each(|path| outputs.reads("an endgame table", path));
    }

    /// Opens the folders. The tables in them are opened when they are first needed.
    ///
    /// # Errors
    ///
    /// A folder cannot be read, or has no tables.
    pub fn open(&self) -> Result<EndgameTables> {
        let files = TableFiles::open(&self.tables, &self.syzygy)?;
        let bound = files.as_ref().map(TableFiles::bound).unwrap_or_default();
        Ok(EndgameTables { bound, files })
    }
}

/// The positions that a result leaves open because no table knows them.
#[derive(Serialize)]
pub struct UnknownReport {
    /// How many there are, with at most [`MAX_TABLE_PIECES`] pieces.
    pub positions: u64,
    /// The games that have such positions.
    pub games: u64,
    /// The materials, the most frequent first.
    pub materials: Vec<UnknownMaterial>,
}

/// The positions of one material that no table knows.
#[derive(Serialize)]
pub struct UnknownMaterial {
    pub material: String,
    pub positions: u64,
    /// Whether there is a table, which does not know these positions: they have castling rights, the position before the move has
    /// no table, or it has no distances.
    pub has_table: bool,
}

impl EndgameTables {
    /// The report of the positions that a query leaves open.
    pub fn report(&self, found: &QueryResults) -> UnknownReport {
        let groups = found.summaries::<GroupTable>().flat_map(|table| &table.groups);
        let materials = canonical_counts(groups.map(|group| (&*group.name, group.positions))).into_iter();
        let materials = materials.map(|(material, positions)| UnknownMaterial {
            has_table: self.files.as_ref().is_some_and(|files| files.has(&material)),
            material,
            positions,
        });
        let materials = materials.collect();
        UnknownReport { positions: found.count.positions, games: found.count.games, materials }
    }

    /// Returns what a report says in words, if there is one, and why some table could not be read.
    pub fn notes(&self, report: Option<&UnknownReport>) -> Vec<String> {
        let mut notes = Vec::new();
        for has_table in [false, true] {
            let materials: Vec<&UnknownMaterial> =
                report.iter().flat_map(|report| &report.materials).filter(|one| one.has_table == has_table).collect();
            let positions = grouped(materials.iter().map(|one| one.positions).sum::<u64>());
            notes.extend((!materials.is_empty()).then(|| match (has_table, &self.files) {
                (true, _) => format!(
                    "{positions} positions are not known although their materials have tables: they have castling rights, the \
                     position before the move has no table, or the tables have no distances to mate"
                ),
                (false, Some(_)) => format!(
                    "{positions} positions are not known; tables of these materials would tell: {}",
                    list_materials(&materials)
                ),
                (false, None) => format!(
                    "no endgame tables are given, so {positions} positions of at most {MAX_TABLE_PIECES} pieces are not known; \
                     --tables and --syzygy name folders of tables, and tables of these materials would tell: {}",
                    list_materials(&materials)
                ),
            }));
        }
        let failure = self.files.as_ref().and_then(|files| files.failure());
        notes.extend(failure.map(|why| format!("a table cannot be used, so its positions are not known: {why}")));
        notes
    }
}

/// The most frequent materials with their positions, and how many more there are.
fn list_materials(materials: &[&UnknownMaterial]) -> String {
    let named = materials.iter().take(MAX_NAMED_MATERIALS);
    let mut names: Vec<String> = named.map(|one| format!("{} ({})", one.material, grouped(one.positions))).collect();
    match materials.len() - names.len() {
        0 => {}
        1 => names.push("1 more material".to_owned()),
        more => names.push(format!("{} more materials", grouped(more as u64))),
    }
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) }
}
