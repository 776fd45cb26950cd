use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use egtgen::generate::*;
use egtgen::memory::*;
use egtgen::store::Memory;
use plyfold_core::table::material::*;
fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut asked = Vec::new();
    for n in &names { let m = Material::parse(n).unwrap(); asked.push(m); asked.push(m.flipped()); }
    let shelf = Shelf::default();
    let truth = std::fs::read_to_string("../shared/data/egt/truth.tsv").unwrap_or_default();
    let truth: Vec<Vec<&str>> = truth.lines().map(|l| l.split('\t').collect()).collect();
    let hist = std::fs::read_to_string("../shared/data/egt/histogram.tsv").unwrap_or_default();
    let mut bad = 0;
    for table in closure(&asked) {
        if table.white.len() == 0 { continue }
        let start = std::time::Instant::now();
        let stop = AtomicBool::new(false);
        let made = Arc::new(Table::new(table));
        shelf.put(made.clone());
        let means = Means { library: &shelf, threads: std::env::var("T").map_or(2, |t| t.parse().unwrap()), stop: &stop, watch: &|c| if std::env::var("V").is_ok() { println!("{c:?}") } };
        let index = plyfold_core::table::index::Index::new(table);
        for cell in 0..index.cells().len() as u32 {
            let store = Memory::new(index.tiles());
            let mut work = Work::new(&index, cell, &means).unwrap();
            work.run(&store, &mut made.sink()).unwrap();
        }
        let (levels, legal) = made.counts();
        let won: u64 = levels.iter().map(|l| l.won).sum();
        let lost: u64 = levels.iter().map(|l| l.lost).sum();
        let mw = levels.iter().filter(|l| l.won > 0).map(|l| l.n).max().unwrap_or(0) as i32 * 2 - 1;
        let ml = levels.iter().filter(|l| l.lost > 0).map(|l| l.n as i32).max().unwrap_or(-1) * 2;
        println!("{table} {:.3}s won {won} lost {lost} max win {mw} loss {ml} legal {legal:?} bytes {}", start.elapsed().as_secs_f64(), made.bytes());
        // truth: winner first-named
        let c = table.canonical();
        let flipped = c != table;
        let (w, b) = if flipped { ("b", "w") } else { ("w", "b") };
        let mut check = |stm: &str, legal: u64, value: u64, col: usize, max: i32, maxcol: usize| {
            if let Some(t) = truth.iter().find(|t| t[0] == c.to_string() && t[1] == stm) {
                if t[2] != legal.to_string() || t[col] != value.to_string() || (max >= 0 && t[maxcol] != max.to_string()) { println!("   BAD {stm}: legal {legal} {}, {value} {}, {max} {}", t[2], t[col], t[maxcol]); bad += 1; }
            }
        };
        check(w, legal[0], won, 3, mw, 6);
        check(b, legal[1], lost, 5, ml, 7);
        for l in &levels {
            for (stm, plies, res, n) in [(w, 2 * l.n as i32 - 1, "win", l.won), (b, 2 * l.n as i32, "loss", l.lost)] {
                let line = format!("{c}\t{stm}\t{plies}\t{res}\t{n}");
                if n > 0 && truth.iter().any(|t| t[0] == c.to_string()) && !hist.lines().any(|h| h == line) { println!("   BAD {line}"); bad += 1; if bad > 20 { return } }
            }
        }
    }
    println!("bad {bad}");
}
