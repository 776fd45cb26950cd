//! The rows of `positions(…)`: where a position lies, what it is, and what the text says of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, Int32Array, Int64Array, StringViewArray, StringViewBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use plyfold_core::annotations::columns::{AnnotationColumns, AnnotationNumber, UNKNOWN};
use plyfold_core::board::make::FullState;
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::GameSpan;
use plyfold_core::notation::notate_move;
use plyfold_core::scan::reducer::{Reducer, ScanMatch};
use shakmaty::Color;

/// The schema of `positions(…)`.
pub(crate) static POSITIONS_SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let fields = [
        ("game", DataType::Int64, false),
        ("ply", DataType::Int32, false),
        ("fen", DataType::Utf8View, false),
        ("san", DataType::Utf8View, false),
        ("uci", DataType::Utf8View, false),
        ("eval", DataType::Int32, true),
        ("clock", DataType::Int32, true),
        ("file", DataType::Utf8View, false),
        ("file_game", DataType::Int64, false),
    ];
    Arc::new(Schema::new(fields.map(|(name, kind, nullable)| Field::new(name, kind, nullable)).to_vec()))
});

/// A position of a shard: the index of its game there, and its ply.
pub(crate) type ShardPosition = (u32, u32);

/// The positions that match, and how many all collectors have.
pub(crate) struct PositionCollector<'a> {
    pub positions: Vec<ShardPosition>,
    pub count: &'a AtomicUsize,
}

impl Reducer for PositionCollector<'_> {
    fn game(&mut self, found: &ScanMatch<'_>) {
        let game = found.span.first_in_shard + found.game_in_span;
        self.positions.extend(found.matches.iter().map(|ply| (game, ply.0)));
        self.count.fetch_add(found.matches.count() as usize, Ordering::Relaxed);
    }

    fn merge(&mut self, other: Self) {
        self.positions.extend(other.positions);
    }
}

/// What is read of a shard for the projected columns.
pub(crate) fn position_parts(projection: &[usize]) -> ShardParts {
    projection.iter().fold(ShardParts::RECORDS, |all, column| match column {
        2..=4 => all | ShardParts::MOVES,
        5 | 6 => all | ShardParts::ANNOTATIONS,
        _ => all,
    })
}

/// The projected columns of positions of a shard; `file` is the name of its corpus, and the number of its first game there.
pub(crate) fn position_arrays(
    projection: &[usize],
    span: &GameSpan<'_>,
    positions: &[ShardPosition],
    file: (&str, i64),
) -> Vec<ArrayRef> {
    let first = span.first_game.number() as i64;
    let made = |column: usize| projection.contains(&column);
    let needs_boards = made(2) || made(3) || made(4);
    let mut texts = BoardTexts::default();
    let mut annotations = Annotations::default();
    for of_game in positions.chunk_by(|one, other| one.0 == other.0) {
        if needs_boards {
            texts.add_game(span, of_game);
        }
        if made(5) || made(6) {
            annotations.add_game(span, of_game);
        }
    }
    let mut column = |column: usize| -> ArrayRef {
        match column {
            0 => Arc::new(Int64Array::from_iter_values(positions.iter().map(|(game, _)| first + i64::from(*game)))),
            1 => Arc::new(Int32Array::from_iter_values(positions.iter().map(|(_, ply)| *ply as i32))),
            2 => Arc::new(texts.fen.finish()),
            3 => Arc::new(texts.san.finish()),
            4 => Arc::new(texts.uci.finish()),
            5 => Arc::new(Int32Array::from(std::mem::take(&mut annotations.eval))),
            6 => Arc::new(Int32Array::from(std::mem::take(&mut annotations.clock))),
            7 => Arc::new(positions.iter().map(|_| Some(file.0)).collect::<StringViewArray>()),
            _ => Arc::new(Int64Array::from_iter_values(positions.iter().map(|(game, _)| file.1 + i64::from(*game)))),
        }
    };
    projection.iter().map(|&place| column(place)).collect()
}

/// What is read from boards: the position, and the move that led to it.
#[derive(Default)]
struct BoardTexts {
    fen: StringViewBuilder,
    san: StringViewBuilder,
    uci: StringViewBuilder,
}

impl BoardTexts {
    /// Replays a game through some of its positions.
    fn add_game(&mut self, span: &GameSpan<'_>, positions: &[ShardPosition]) {
        let game = span.game(positions[0].0);
        let mut board = game.start_board();
        let mut played = 0;
        for &(_, ply) in positions {
            let before = (ply as usize).saturating_sub(1);
            for &mv in &game.moves[played..before] {
                board.make::<FullState>(mv);
            }
            let notation = notate_move(&board, game.moves[before]);
            board.make::<FullState>(game.moves[before]);
            played = before + 1;
            self.fen.append_value(board.fen().to_string());
            self.san.append_value(notation.san);
            self.uci.append_value(notation.uci);
        }
    }
}

/// What the texts say of positions: the evaluation in centipawns, and the seconds on the clock of the side that moved.
#[derive(Default)]
struct Annotations {
    columns: AnnotationColumns,
    eval: Vec<Option<i32>>,
    clock: Vec<Option<i32>>,
}

impl Annotations {
    fn add_game(&mut self, span: &GameSpan<'_>, positions: &[ShardPosition]) {
        let game = span.game(positions[0].0);
        let annotated = game.annotated(game.start_board().side_to_move());
        self.columns.start_game();
        for &(_, ply) in positions {
            let index = (ply as usize).saturating_sub(1);
            let side = if annotated.is_blacks(index) { Color::Black } else { Color::White };
            let mut number = |number| {
                let known = self.columns.column(number, &annotated).get(index).copied();
                known.filter(|&value| value != UNKNOWN)
            };
            self.eval.push(number(AnnotationNumber::Eval));
            self.clock.push(number(AnnotationNumber::ClockTime(side)));
        }
    }
}
