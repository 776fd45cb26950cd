//! The PGN of a game: the text as it was imported, or where the corpus keeps none, one written from headers and moves.

use std::borrow::Cow;
use std::fmt::Write;

use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::CUSTOM_START;
use plyfold_core::game::{Game, GameId, game_by_id};
use plyfold_core::notation::notate_game;

use crate::game_row::GameRow;

/// Lines of moves are broken before this column, as the export format of PGN has it.
const LINE_WIDTH: usize = 80;

/// The text of game `id`, where `text` is what the corpus keeps of it.
pub fn kept_or_written<'t>(corpus: &JoinedCorpus<'_>, id: GameId, text: &'t [u8]) -> Cow<'t, [u8]> {
    if !text.is_empty() {
        return Cow::Borrowed(text);
    }
    let written = GameRow::from_game(corpus, id).zip(game_by_id(corpus, id)).map(|(row, game)| write_pgn(&row, &game));
    Cow::Owned(written.unwrap_or_default().into_bytes())
}

/// The PGN of a game without comments and variations, and without a line end behind its result.
fn write_pgn(row: &GameRow<'_>, game: &Game<'_>) -> String {
    let mut pgn = String::new();
    let elo = |elo: Option<u16>| elo.map(|elo| elo.to_string());
    let (white_elo, black_elo) = (elo(row.white_elo), elo(row.black_elo));
    let fen = (game.record.flags() & CUSTOM_START != 0).then(|| game.start_board().fen().to_string());
    let or_unknown = |text: &'_ str| if text.is_empty() { "?".to_owned() } else { text.to_owned() };
    let (event, site, round) = (or_unknown(row.event), or_unknown(row.site), row.round.map_or("?", |round| round));
    let (white, black) = (or_unknown(row.white), or_unknown(row.black));
    let tags = [
        ("Event", Some(&*event)),
        ("Site", Some(&*site)),
        ("Date", Some(&*row.date)),
        ("Round", Some(round)),
        ("White", Some(&*white)),
        ("Black", Some(&*black)),
        ("Result", Some(row.result)),
        ("WhiteTitle", row.white_title),
        ("BlackTitle", row.black_title),
        ("WhiteElo", white_elo.as_deref()),
        ("BlackElo", black_elo.as_deref()),
        ("ECO", row.eco.as_deref()),
        ("TimeControl", row.time_control),
        ("Annotator", row.annotator),
        ("Variant", row.chess960.then_some("Chess960")),
        ("SetUp", fen.as_deref().map(|_| "1")),
        ("FEN", fen.as_deref()),
    ];
    for (name, value) in tags {
        let Some(value) = value else { continue };
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing into a string cannot fail.
        let _ = writeln!(pgn, "[{name} \"{value}\"]");
    }
    pgn.push('\n');
    pgn.push_str(&write_moves(row, game));
    pgn
}

/// The moves with their numbers and the result, in lines.
fn write_moves(row: &GameRow<'_>, game: &Game<'_>) -> String {
    let mut words = Vec::new();
    for (nth, written) in notate_game(game).into_iter().enumerate() {
        match written.color.is_white() {
            true => words.push(format!("{}.", written.move_number)),
            false if nth == 0 => words.push(format!("{}...", written.move_number)),
            false => {}
        }
        words.push(written.san);
    }
    words.push(row.result.to_owned());
    let (mut moves, mut column) = (String::new(), 0);
    for word in words {
        if column > 0 && column + 1 + word.len() >= LINE_WIDTH {
            moves.push('\n');
            column = 0;
        } else if column > 0 {
            moves.push(' ');
            column += 1;
        }
        column += word.len();
        moves.push_str(&word);
    }
    moves
}
