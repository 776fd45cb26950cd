//! Generates the tables of one endgame in memory and prints the best moves of a position.
//!
//! ```console
//! $ cargo run --release -p egtgen --example probe_in_memory -- KQvKR '8/8/8/3r4/4k3/8/8/K1Q5 w - - 0 1'
//! ```

use std::error::Error;
use std::sync::atomic::AtomicBool;

use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, MemoryLibrary, Prober, TableMaterial, TablePosition};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let material: TableMaterial = arguments.next().as_deref().unwrap_or("KRvK").parse()?;
    let fen = arguments.next().unwrap_or_else(|| "8/8/8/8/8/2k5/1R6/K7 w - - 0 1".to_owned());
    let position = TablePosition::from_fen(&fen)?;

    // Both sides can win, so both tables are needed.
    let library = MemoryLibrary::generate(&[material, material.swapped()], &AtomicBool::new(false))?;
    let tables = CachedTables::new(Box::new(library), DEFAULT_CACHE_BYTES);
    let prober = Prober::new(&tables);

    println!("{fen}: {:?}", prober.value(&position)?);
    for choice in prober.rated_moves(&position)?.iter().take(5) {
        println!("  {}: {:?}", choice.played, choice.value);
    }
    Ok(())
}
