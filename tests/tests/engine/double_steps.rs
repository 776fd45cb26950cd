//! Pawns on both sides: positions with a double step that can be answered en passant. `cargo run -p plyfold-bench --bin double_steps`
//! does the same for tables of any size, with two takers and pinned ones.

use std::convert::Infallible;
use std::sync::atomic::AtomicBool;

use egtgen::TablePosition;
use egtgen::{CachedTables, DEFAULT_CACHE_BYTES, Error, MemoryLibrary, Prober, TableMaterial};
use plyfold_core::table::probe::TableSource;
use plyfold_tests::double_steps::{compare, draw, takers};
use rand::SeedableRng;
use rand::rngs::StdRng;
use shakmaty::{Board, Color, Square};

/// How many positions are compared.
const POSITIONS: u64 = 20_000;

fn material(name: &str) -> TableMaterial {
    TableMaterial::parse(name).expect("a material")
}

#[test]
fn double_steps_lead_where_the_moves_say() {
    let library = MemoryLibrary::generate(&[material("KPvKP")], &AtomicBool::new(false)).expect("memory");
    let tables = CachedTables::new(Box::new(library), DEFAULT_CACHE_BYTES);
    let found =
        compare(&Prober::new(&tables), material("KPvKP"), &Color::ALL, (POSITIONS, 1)).expect("tables in memory");
    assert_eq!((found.compared, found.different), (POSITIONS, 0), "{found:?}");
    // Tables with wrong levels are found out.
    let found = compare(&Prober::new(Longer(&tables)), material("KPvKP"), &Color::ALL, (POSITIONS, 1))
        .expect("tables in memory");
    assert!(found.different > 100, "{found:?}");
}

/// Tables in which every win of pawn against pawn takes a move more.
struct Longer<'a>(&'a CachedTables);

impl TableSource for Longer<'_> {
    type Error = Error;

    fn level(&self, table: TableMaterial, board: &Board, turn: Color) -> Result<Option<u16>, Error> {
        let level = self.0.level(table, board, turn)?;
        Ok(if table == material("KPvKP") && turn.is_white() { level.map(|level| level + 1) } else { level })
    }
}

/// Nothing is ever won, so nothing contradicts itself.
struct Draws;

impl TableSource for Draws {
    type Error = Infallible;

    fn level(&self, _: TableMaterial, _: &Board, _: Color) -> Result<Option<u16>, Infallible> {
        Ok(None)
    }
}

#[test]
fn two_takers_and_pinned_ones_are_among_the_positions() {
    for (name, two, pinned) in [("KPvKP", 0, 0), ("KRPvKP", 0, 100), ("KPPvKP", 1000, 0), ("KPvKPP", 1000, 0)] {
        let Ok(found) = compare(&Prober::new(Draws), material(name), &Color::ALL, (POSITIONS, 7));
        assert!(found.two_takers >= two && found.pinned_takers >= pinned, "{name}: {found:?}");
    }
}

#[test]
fn takers_are_counted_by_the_rules() {
    for (fen, step, told) in [
        ("8/8/8/4k3/3p4/8/4P3/4K3 w - - 0 1", Square::E2, Some((1, 1))),
        ("8/8/8/4k3/3p1p2/8/4P3/4K3 w - - 0 1", Square::E2, Some((2, 2))),
        // Both pawns would leave the fourth rank, and the king is there.
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", Square::E2, Some((1, 0))),
        // A bishop pins the pawn.
        ("8/8/5k2/8/3p4/2B5/4P3/4K3 w - - 0 1", Square::E2, Some((1, 0))),
        ("4k3/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1", Square::D7, Some((2, 2))),
        ("8/8/8/4k3/1p6/8/4P3/4K3 w - - 0 1", Square::E2, None),
        ("8/8/8/4k3/3p4/4N3/4P3/4K3 w - - 0 1", Square::E2, None),
    ] {
        let position = TablePosition::from_fen(fen).expect("a position");
        assert_eq!(takers(&position, step), told, "{fen}");
    }
}

#[test]
fn drawn_positions_have_the_material() {
    let material = TableMaterial::parse("KRPvKPP").expect("a material");
    let mut random = StdRng::seed_from_u64(1);
    let drawn: Vec<_> = (0..3000).filter_map(|_| draw(material, &mut random)).collect();
    assert!(drawn.iter().all(|(position, _)| position.material() == material));
    let two = drawn.iter().filter_map(|(position, step)| takers(position, *step)).filter(|found| found.0 == 2);
    assert!(two.count() > 100);
}
