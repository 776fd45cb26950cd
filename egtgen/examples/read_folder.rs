//! Lists the complete tables of a folder with their longest wins, and probes a position in them.
//!
//! ```console
//! $ egtgen generate KRvK --out tables
//! $ cargo run -p egtgen --example read_folder -- tables '8/8/8/8/8/2k5/1R6/K7 w - - 0 1'
//! ```

use std::error::Error;

use egtgen::folder::TableFileState;
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, Prober, TableFolder, TablePosition};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = TableFolder::new(arguments.next().ok_or("name a folder of tables")?);
    for file in folder.list()? {
        if let TableFileState::Whole { facts, summary } = file.state {
            let longest = summary.levels.iter().filter(|level| level.won > 0).map(|level| level.n).max();
            println!("{}: {} bytes, longest win {longest:?}", facts.name, file.bytes);
        }
    }
    if let Some(fen) = arguments.next() {
        let tables = CachedTables::open(folder, DEFAULT_CACHE_BYTES);
        println!("{fen}: {:?}", Prober::new(&tables).value(&TablePosition::from_fen(&fen)?)?);
    }
    Ok(())
}
