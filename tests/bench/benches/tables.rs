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
use egtgen::retrograde::black::PawnSliceContext;
use egtgen::retrograde::conversion::ConversionTables;
use egtgen::retrograde::layout::ChunkLayout;
use egtgen::retrograde::newly_lost::{self, NewlyWon, NotWon};
use egtgen::retrograde::setwise_moves;
use egtgen::retrograde::shape::DimensionSquares;
use egtgen::retrograde::shape::TableChunk;
use egtgen::rows::{MarkedRows, PackedRows};
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
        let conversions = ConversionTables::new(&index, 0, &shelf).expect("what it needs is made");
        let slice = PawnSliceContext { shape: &shape, outer_count: index.outer_count(), conversions: &conversions };
        let chunk = chunk(&index);
        let size = index.chunk_words();
        // About half of the legal positions are newly won, and no others are won.
        let mut open = vec![0; size];
        for (number, open) in open.chunks_exact_mut(64).enumerate() {
            shape.legal_row_white_to_move(chunk.white_king, &slice.squares_in_row(&chunk, number), open);
        }
        let (mut fresh, mut candidates) = (MarkedRows::new(size / 64, 64), MarkedRows::new(size / 64, 64));
        for (at, open) in open.iter_mut().enumerate() {
            let new = *open & row(at as u64 / 64)[at % 64];
            fresh.add(at / 64, at % 64, new);
            *open &= !new;
        }
        let (mut lost, mut unfolded) = (PackedRows::default(), Vec::new());
        group.throughput(Throughput::Elements(size as u64 * 64));
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let newly_won = NewlyWon { rows: black_box(&fresh), base: 0, with_conversions: false };
                newly_lost::find_candidates(&slice, &chunk, newly_won, &mut candidates);
                let not_won = NotWon { words: black_box(&open), layout: ChunkLayout::whole(&shape) };
                lost.clear();
                newly_lost::take_lost(&slice, &chunk, not_won, &mut candidates, (&mut lost, &mut unfolded));
            });
        });
    }
    group.finish();
}

/// A chunk with the king on c3 and the outer pieces on d4 and f6.
fn chunk(index: &TableIndex) -> TableChunk {
    let mut squares = DimensionSquares::default();
    squares[..index.outer_count()].copy_from_slice(&[27, 45][..index.outer_count()]);
    TableChunk { white_king: 18, squares }
}

criterion_group!(benches, words, chunks);
criterion_main!(benches);
