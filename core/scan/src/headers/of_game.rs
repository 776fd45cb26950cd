//! What the header of one game says, by the columns of its shard, or by its record in a shard without columns.

use plyfold_corpus::HeaderColumns;
use plyfold_corpus::record::{Date, Eco, HeaderRecord};

use crate::game::GameSpan;

/// The ratings of White and Black, 0 where they are unknown. `game` is an index in the span.
pub(crate) fn elos(span: &GameSpan<'_>, game: u32) -> [u16; 2] {
    let white = fact(span, game, HeaderColumns::white_elos, |record| record.white_elo);
    [white, fact(span, game, HeaderColumns::black_elos, |record| record.black_elo)]
}

/// The date.
pub(crate) fn date(span: &GameSpan<'_>, game: u32) -> Date {
    fact(span, game, HeaderColumns::dates, |record| record.date)
}

/// The code of the ECO tag.
pub(crate) fn eco_tag(span: &GameSpan<'_>, game: u32) -> Eco {
    fact(span, game, HeaderColumns::ecos, |record| record.eco)
}

/// The number of the [class](super::TimeClass) of the time control.
pub(crate) fn time_class(span: &GameSpan<'_>, game: u32) -> u8 {
    fact(span, game, HeaderColumns::time_classes, |record| record.time_class() as u8)
}

fn fact<'a, T: Copy>(
    span: &GameSpan<'a>,
    game: u32,
    column: fn(&HeaderColumns<'a>) -> &'a [T],
    of_record: fn(&HeaderRecord) -> T,
) -> T {
    span.columns().map_or_else(|| of_record(span.record(game)), |columns| column(&columns)[game as usize])
}
