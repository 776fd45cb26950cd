//! Lines that random games often follow and leave: `@wide` from all of their start positions, `@deep` from the usual one.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use plyfold_core::board::Board;
use plyfold_core::board::start::PackedStart;
use plyfold_core::game::GameSpan;
use plyfold_core::line_search;
use plyfold_core::pgn::LineTree;
use plyfold_core::scan::Query;
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use crate::games::{STARTS, position};

static WIDE: LazyLock<TestLines> = LazyLock::new(|| TestLines::new(STARTS, &[2, 3, 4]));
static DEEP: LazyLock<TestLines> = LazyLock::new(|| TestLines::new(&[None], &[3, 5, 7, 9, 11]));

/// Lines, as the engine reads them and as shakmaty plays them.
struct TestLines {
    tree: Arc<LineTree>,
    /// The positions by [`identity`], each with whether the lines go on there.
    positions: HashMap<String, bool>,
}

impl TestLines {
    /// Lines from these start positions. After so many moves as there are `steps`, they end; a step of 3 takes each third legal move.
    fn new(starts: &[Option<&str>], steps: &[usize]) -> TestLines {
        let (mut text, mut positions) = (String::new(), HashMap::new());
        for &start in starts {
            let tags = start.map_or_else(String::new, |fen| format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n"));
            let mut end_line = |moves: &[String]| text += &format!("{tags}{} *\n\n", moves.join(" "));
            add_lines(&position(start), steps, &mut Vec::new(), &mut positions, &mut end_line);
        }
        let tree = LineTree::read(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(tree.len(), positions.len());
        TestLines { tree: Arc::new(tree), positions }
    }

    fn named(name: &str) -> &'static TestLines {
        match name {
            "wide" => &WIDE,
            "deep" => &DEEP,
            _ => panic!("there are no lines @{name}"),
        }
    }
}

/// Adds the lines from a position, which `moves` have led to.
fn add_lines(
    at: &Chess,
    steps: &[usize],
    moves: &mut Vec<String>,
    positions: &mut HashMap<String, bool>,
    end_line: &mut dyn FnMut(&[String]),
) {
    let legal = at.legal_moves();
    let (step, later) = steps.split_first().map_or((usize::MAX, steps), |(&step, later)| (step, later));
    let played: Vec<_> = legal.iter().skip(moves.len() % 2).step_by(step).filter(|_| !steps.is_empty()).collect();
    let goes_on = positions.entry(identity(&Board::from_start(&PackedStart::from_position(at)))).or_default();
    *goes_on |= !played.is_empty();
    if played.is_empty() {
        end_line(moves);
    }
    for &mv in played {
        moves.push(SanPlus::from_move(at.clone(), mv).to_string());
        let mut after = at.clone();
        after.play_unchecked(mv);
        add_lines(&after, later, moves, positions, end_line);
        moves.pop();
    }
}

/// What makes positions equal: the fields of a FEN but the clocks.
pub fn identity(board: &Board) -> String {
    board.fen().to_string().rsplitn(3, ' ').last().unwrap_or_default().to_owned()
}

/// Whether the lines with this name go on at a position, by its [`identity`]; none if it is none of theirs.
pub fn goes_on(name: &str, identity: &str) -> Option<bool> {
    TestLines::named(name).positions.get(identity).copied()
}

/// Binds the lines of a query, whose sets and tables are bound, to the games in which they can change its result.
pub fn bind_lines(query: &mut Query, spans: &[GameSpan<'_>]) {
    let tree = |name: &str| (name.to_owned(), Arc::clone(&TestLines::named(name).tree));
    let lines = query.line_names().into_iter().map(tree).collect();
    line_search::bind_lines(query, spans, &lines, &()).expect("nobody cancels");
}
