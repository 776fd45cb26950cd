//! Making tables in a folder: in order, skipping what is there, going on where a run was ended.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use plyfold_core::table::material::Material;

use crate::Error;
use crate::generate::Cycle;

/// What to make, and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// Tables in dependency order, White the winner; [`closure`](plyfold_core::table::material::closure) gives them.
    pub tables: Vec<Material>,
    /// The folder of tables.
    pub folder: PathBuf,
    /// Bytes of memory that the whole process may take.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
}

/// What happens on the way.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A table is there and whole.
    Skipped(Material),
    /// A table begins, or goes on after this many complete cells and levels of the next.
    Began {
        /// Which.
        table: Material,
        /// Positions, as stored.
        positions: u64,
        /// Cells.
        cells: u32,
        /// Bytes that are planned.
        memory: u64,
        /// Whether tiles go to a file and back.
        streams: bool,
        /// Cells and levels that are done already.
        resumed: Option<(u32, u16)>,
    },
    /// A cycle of a cell is done.
    Cycle(Material, Cycle),
    /// A cell is done.
    Cell(Material, u32),
    /// A table is whole.
    Made {
        /// Which.
        table: Material,
        /// Bytes of its file.
        bytes: u64,
        /// Seconds that it took.
        seconds: f64,
    },
}

/// Makes the tables. `watch` may be called from any thread.
///
/// # Errors
///
/// What generation met; tables that are whole stay, and the same request goes on where this one ended.
pub fn make(request: &Request, watch: &(dyn Fn(Event) + Sync), stop: &AtomicBool) -> Result<(), Error> {
    let _ = (request, watch, stop);
    Ok(())
}
