//! The wins of the strongest players.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::reduce::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};

use super::super::player::games::{OwnGame, OwnResult};
use crate::game_row::GameRow;

/// The games of this result, those of the highest average rating first; games without both ratings are left out.
pub fn table(corpus: &JoinedCorpus<'_>, games: &[OwnGame<'_>], result: OwnResult) -> ResultTable<'static> {
    let rating = |game: &OwnGame<'_>| (u32::from(game.record.white_elo) + u32::from(game.record.black_elo)) / 2;
    let is_rated = |game: &&OwnGame<'_>| game.record.white_elo > 0 && game.record.black_elo > 0;
    let mut won: Vec<&OwnGame<'_>> = games.iter().filter(|game| game.result() == result).filter(is_rated).collect();
    won.sort_by_key(|game| (std::cmp::Reverse(rating(game)), game.id));
    let rows = won.into_iter().filter_map(|game| {
        let row = GameRow::from_game(corpus, game.id)?;
        Some(vec![
            row.number.into(),
            ResultCell::Text(row.white.to_owned().into()),
            ResultCell::Text(row.black.to_owned().into()),
            u64::from(rating(game)).into(),
            row.date.into(),
            ResultCell::Text(row.event.to_owned().into()),
            u64::from(row.plies).into(),
        ])
    });
    let columns = vec![
        ResultColumn::new(CellKind::Game, "game"),
        ResultColumn::text("white"),
        ResultColumn::text("black"),
        ResultColumn::new(CellKind::Rating, "rating"),
        ResultColumn::text("date"),
        ResultColumn::text("event"),
        ResultColumn::count("plies"),
    ];
    ResultTable::new(columns, rows)
}
