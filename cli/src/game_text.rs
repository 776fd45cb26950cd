//! Returns the PGN of a game: the text as it was imported, or where the corpus keeps none, one written from all that the corpus
//! knows.

use std::borrow::Cow;
use std::fmt::Write;

use plyfold_core::annotations::{COMMENT_MARK, GameAnnotations, Score, UNKNOWN_TIME};
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::record::{CUSTOM_START, Ending, INCOMPLETE};
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

/// The PGN of a game without words and variations, and without a line end behind its result.
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
        ("ECO", row.eco_tag.as_deref()),
        ("TimeControl", row.time_control),
        ("Termination", termination(game.record.ending())),
        ("Annotator", row.annotator),
        ("Incomplete", (game.record.flags() & INCOMPLETE != 0).then_some("1")),
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

/// Returns how a Termination tag says that the game ended so; none if nothing is known, or if the rules show it.
fn termination(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::Unknown | Ending::Checkmate | Ending::Stalemate | Ending::InsufficientMaterial => None,
        other => Some(other.name()),
    }
}

/// The glyphs of a ply and its evaluation, clock and time, as words of PGN.
fn annotations_of(said: &GameAnnotations, ply: usize) -> Vec<String> {
    let marks = said.marks.iter().filter(|&&(at, mark)| usize::from(at) == ply && mark != COMMENT_MARK);
    let mut words: Vec<String> = marks.map(|(_, mark)| format!("${mark}")).collect();
    let time = |times: &[u32]| times.get(ply - 1).copied().filter(|&time| time != UNKNOWN_TIME).map(clock_text);
    let score = said.scores.get(ply - 1).copied().and_then(score_text);
    let commands = [("eval", score), ("clk", time(&said.clocks)), ("emt", time(&said.elapsed))];
    let written = commands.into_iter().filter_map(|(name, value)| Some(format!("[%{name} {}]", value?)));
    let written: Vec<String> = written.collect();
    if !written.is_empty() {
        words.push(format!("{{{}}}", written.join(" ")));
    }
    words
}

/// Writes an evaluation from White's side, as `[%eval]` has it.
fn score_text(score: Score) -> Option<String> {
    match (score.as_mate(), score.as_centipawns()) {
        (Some((moves, white)), _) => Some(format!("#{}{moves}", if white { "+" } else { "-" })),
        (None, Some(hundredths)) => {
            let sign = if hundredths < 0 { "-" } else { "" };
            Some(format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100))
        }
        (None, None) => None,
    }
}

/// Writes tenths of a second as `[%clk]` has them: `1:02:03.4`.
fn clock_text(tenths: u32) -> String {
    let (seconds, tenth) = (tenths / 10, tenths % 10);
    let fraction = if tenth == 0 { String::new() } else { format!(".{tenth}") };
    format!("{}:{:02}:{:02}{fraction}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The moves with their numbers and what is known of them, and the result, in lines.
fn write_moves(row: &GameRow<'_>, game: &Game<'_>) -> String {
    let mut words = Vec::new();
    let said = game.annotations.unpack();
    for (nth, written) in notate_game(game).into_iter().enumerate() {
        match written.color.is_white() {
            true => words.push(format!("{}.", written.move_number)),
            false if nth == 0 => words.push(format!("{}...", written.move_number)),
            false => {}
        }
        words.push(written.san);
        words.extend(annotations_of(&said, nth + 1));
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
