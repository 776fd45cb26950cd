//! What the text says of the last move: bands of evaluations, bands of the clock, and judgements.

use alloc::format;
use alloc::string::{String, ToString};

use plyfold_annotations::columns::{AnnotationColumns, AnnotationNumber, MATE_VALUE, UNKNOWN};
use plyfold_annotations::judgement::Judgement;
use plyfold_scan::game::ShardParts;
use plyfold_scan::scan::reducer::ScanMatch;
use shakmaty::Color;

use super::feature::{KeyFeature, KeyValue, ValueFormat};

/// The number of centipawns in a band.
const BAND: i32 = 100;
/// Added to the number of a band, so that values are ordered; 0 is unknown.
const FIRST_BAND: i32 = 100_000;
/// The first second of each band of the clock.
const CLOCK_BANDS: [i32; 7] = [0, 10, 30, 60, 180, 600, 1800];

pub(super) const EVAL: KeyFeature = KeyFeature {
    name: "eval",
    aliases: &["evaluation"],
    summary: "the evaluation in the text, in bands of 100 centipawns",
    value: KeyValue::Changes(ShardParts::ANNOTATIONS, |found, at| {
        at(0, 0);
        let (game, mut columns) =
            (found.game.annotated(found.start_board.side_to_move()), AnnotationColumns::default());
        let evals = columns.column(AnnotationNumber::Eval, &game);
        for (index, &eval) in evals.iter().enumerate() {
            let value = if eval == UNKNOWN { 0 } else { eval.div_euclid(BAND) + FIRST_BAND };
            at(value as u64, index + 1);
        }
    }),
    format: ValueFormat::Value(|value| match (value as i32 - FIRST_BAND) * BAND {
        _ if value == 0 => String::from("?"),
        MATE_VALUE => String::from("White mates"),
        mate if mate == -MATE_VALUE => String::from("Black mates"),
        band => band.to_string(),
    }),
    is_ordered: true,
    condition: None,
};

pub(super) const CLOCK_TIME: KeyFeature = KeyFeature {
    name: "clock_time",
    aliases: &["clock_left"],
    summary: "the clock of the side that moved, in bands of seconds",
    value: KeyValue::Changes(ShardParts::ANNOTATIONS, |found, at| {
        at(0, 0);
        let (game, mut columns) =
            (found.game.annotated(found.start_board.side_to_move()), AnnotationColumns::default());
        for index in 0..game.plies {
            let side = if game.is_blacks(index) { Color::Black } else { Color::White };
            let clock = columns.column(AnnotationNumber::ClockTime(side), &game)[index];
            at(CLOCK_BANDS.iter().filter(|&&from| clock != UNKNOWN && from <= clock).count() as u64, index + 1);
        }
    }),
    format: ValueFormat::Value(|value| {
        let Some(&from) = (value as usize).checked_sub(1).and_then(|index| CLOCK_BANDS.get(index)) else {
            return String::from("?");
        };
        match CLOCK_BANDS.get(value as usize) {
            Some(next) => format!("{from}-{}", next - 1),
            None => format!("{from}+"),
        }
    }),
    ..EVAL
};

pub(super) const JUDGEMENT: KeyFeature = KeyFeature {
    name: "judgement",
    aliases: &["judgment"],
    summary: "whether the last move was an inaccuracy, a mistake or a blunder, by the evaluations in the text",
    value: KeyValue::Changes(ShardParts::ANNOTATIONS, judgements),
    format: ValueFormat::Value(|value| {
        let name = match value {
            value if value == Judgement::Blunder as u64 => "blunder",
            value if value == Judgement::Mistake as u64 => "mistake",
            value if value == Judgement::Inaccuracy as u64 => "inaccuracy",
            _ => "none",
        };
        name.to_string()
    }),
    is_ordered: false,
    condition: None,
};

fn judgements(found: &ScanMatch<'_>, at: &mut dyn FnMut(u64, usize)) {
    at(0, 0);
    let game = found.game.annotated(found.start_board.side_to_move());
    for (index, &judgement) in AnnotationColumns::default().judgements(&game).iter().enumerate() {
        at(judgement.into(), index + 1);
    }
}
