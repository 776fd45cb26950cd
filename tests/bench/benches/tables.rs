//! Criterion benchmarks of what a cycle of generation does to words, for watching one part while it is worked on: `cargo
//! bench -p plyfold-bench --bench tables`. The table of figures with targets is `cargo xtask bench --only egtgen`.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use egtgen::leapfrog::resident::ResidentTiles;
use egtgen::memory_tables::{MemoryLibrary, MemoryTable};
use egtgen::pawn_slice::{GenerationContext, PawnSliceGenerator, pawn_slice_shape};
use egtgen::retrograde::BlackKingRow;
use egtgen::retrograde::black::{ChunkResults, ChunkScratch, PawnSliceContext, find_lost};
use egtgen::retrograde::conversion::ConversionTables;
use egtgen::retrograde::setwise_moves;
use egtgen::retrograde::shape::DimensionSquares;
use egtgen::retrograde::shape::TableChunk;
use plyfold_core::table::index::TableIndex;
use plyfold_core::table::material::{TableMaterial, closure};
use shakmaty::Role;

/// A row in which half of all bits are set, the same each time.
fn row(seed: u64) -> BlackKingRow {
    std::array::from_fn(|at| (at as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
}

/// The one-tile tables that a material converts into, in memory.
fn smaller(material: TableMaterial) -> MemoryLibrary {
    let (shelf, stop) = (MemoryLibrary::default(), AtomicBool::new(false));
    for table in closure(&[material]).into_iter().filter(|table| *table != material) {
        let made = Arc::new(MemoryTable::new(table));
        let means = GenerationContext { library: &shelf, threads: 1, stop: &stop, on_cycle: &|_| () };
        let index = TableIndex::new(table);
        let mut work = PawnSliceGenerator::new(&index, 0, &means).expect("what it needs is made");
        work.run(&ResidentTiles::new(&index, None), &mut made.sink()).expect("memory does not fail");
        drop(work);
        shelf.insert(made);
    }
    shelf
}

fn words(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("moves of a row, 4096 positions");
    group.throughput(Throughput::Elements(64 * 64));
    let pass = setwise_moves::propagators(1 << 27 | 1 << 36);
    for (name, role) in
        [("queen", Role::Queen), ("rook", Role::Rook), ("bishop", Role::Bishop), ("knight", Role::Knight)]
    {
        let (input, mut out) = (row(0), [0; 64]);
        group.bench_function(name, |bench| {
            bench.iter(|| setwise_moves::innermost_moves(role, &pass, black_box(&input), &mut out))
        });
    }
    group.finish();
}

fn chunks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("black's pass over a chunk");
    for name in ["KRvKR", "KRBvKR", "KRvKRB"] {
        let material = TableMaterial::parse(name).expect("a material");
        let index = TableIndex::new(material);
        let shelf = smaller(material);
        let shape = pawn_slice_shape(&index, 0);
        let feeds = ConversionTables::new(&index, 0, &shelf).expect("what it needs is made");
        let cell = PawnSliceContext { shape: &shape, outer_count: index.outer_count(), conversions: &feeds };
        let chunk = chunk(&index);
        let size = index.chunk_words();
        // About half of the legal positions are newly won, and no others are won.
        let mut open = vec![0; size];
        let mut attacked = [0; 64];
        for (number, open) in open.chunks_exact_mut(64).enumerate() {
            let men = cell.squares_in_row(&chunk, number);
            let Some(occupied) = shape.occupied(chunk.white_king, &men) else { continue };
            shape.attacked(chunk.white_king, &men, occupied, &mut attacked);
            shape.legal_white_to_move(occupied, &attacked, open);
        }
        let fresh: Vec<u64> = (0..size).map(|at| open[at] & row(at as u64 / 64)[at % 64]).collect();
        open.iter_mut().zip(&fresh).for_each(|(open, fresh)| *open &= !fresh);
        let (mut scratch, mut lost) = (ChunkScratch::default(), vec![0; size]);
        group.throughput(Throughput::Elements(size as u64 * 64));
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let (not_won, newly_won) = (black_box(&open[..]), Some(&fresh[..]));
                let results = ChunkResults { not_won, newly_won, with_conversions: false };
                find_lost(&cell, &chunk, results, &mut scratch, &mut lost)
            });
        });
    }
    group.finish();
}

/// A chunk with the king on c3 and the outer pieces on d4 and f6.
fn chunk(index: &TableIndex) -> TableChunk {
    let mut men = DimensionSquares::default();
    men[..index.outer_count()].copy_from_slice(&[27, 45][..index.outer_count()]);
    TableChunk { white_king: 18, squares: men }
}

criterion_group!(benches, words, chunks);
criterion_main!(benches);
