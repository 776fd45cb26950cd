//! Writes matching positions, one per line: as FEN, and as EPD.

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::game::GameId;
use plyfold_core::notation::epd_line as epd_of;

use super::Export;
use crate::failure::Result;
use crate::game_row::GameRow;
use crate::positions::PositionFormat;

/// One FEN per line.
pub(super) fn write_fens(export: &Export<'_>) -> Result<()> {
    export.print_warning();
    let bar = export.bar(export.corpus.header.games);
    export.arguments.write(|out| {
        for position in export.positions(PositionFormat::Fen, Some(&bar)) {
            writeln!(out, "{}", position.fen.unwrap_or_default())?;
        }
        Ok(())
    })
}

/// One EPD per line.
pub(super) fn write_epds(export: &Export<'_>) -> Result<()> {
    export.print_warning();
    let bar = export.bar(export.corpus.header.games);
    export.arguments.write(|out| {
        let mut game = (0, String::new());
        for position in export.positions(PositionFormat::Both, Some(&bar)) {
            if game.0 != position.game {
                game = (position.game, epd_id(export.corpus, position.game));
            }
            writeln!(out, "{}", epd_of(&position.fen.unwrap_or_default(), &game.1, position.game, position.ply))?;
        }
        Ok(())
    })
}

/// Players and date as a string operand of EPD.
fn epd_id(corpus: &JoinedCorpus<'_>, number: u64) -> String {
    let Some(facts) = GameRow::from_game(corpus, GameId((number - 1) as u32)) else { return String::new() };
    let mut id = String::new();
    for letter in format!("{} - {}, {}", facts.white, facts.black, facts.date).chars() {
        match letter {
            '"' | '\\' => id.extend(['\\', letter]),
            letter if letter.is_control() => id.push(' '),
            letter => id.push(letter),
        }
    }
    id
}
