//! Games as PGN, and as JSON with their text.

use plyfold_core::pgn::MoveEndFinder;
use serde::Serialize;

use super::Export;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::positions::PositionFormat;
use crate::progress;

/// The text of the comment behind a matching move.
#[derive(Clone, Debug)]
pub(super) struct MatchComment(String);

impl std::str::FromStr for MatchComment {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<MatchComment, String> {
        match text.chars().find(|&letter| matches!(letter, '{' | '}') || letter.is_control()) {
            None => Ok(MatchComment(format!(" {{{text}}}"))),
            Some(letter) => Err(format!("a PGN comment cannot contain {letter:?}: leave it out")),
        }
    }
}

/// How the first line of a game ends; none if it has only one line.
fn line_end(text: &[u8]) -> Option<&'static [u8]> {
    let at = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    Some(match &text[at..] {
        [b'\r', b'\n', ..] => b"\r\n",
        [b'\r', ..] => b"\r",
        _ => b"\n",
    })
}

/// The games, each in its original text, separated by a blank line. The last line of a game and the blank line after it end
/// like the game's first line. If the game has only one line, they end like the lines of the game before it.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    let games = export.games()?;
    let mark = export.arguments.mark.as_ref();
    if mark.is_some() {
        export.print_warning();
    }
    let bar = export.bar(games.count());
    let silent = progress::ScanProgress::hidden();
    let mut positions = mark.map(|_| export.positions(PositionFormat::Ref, &silent).peekable());
    let mut ends = MoveEndFinder::default();
    export.arguments.write(|out| {
        let mut texts = export.corpus.texts();
        let mut end_of_line: &[u8] = b"\n";
        for (index, id) in games.iter().enumerate() {
            let text = texts.get(id.0).map_err(CliFailure::corpus(&export.arguments.corpus))?;
            if index > 0 {
                out.write_all(end_of_line)?;
            }
            end_of_line = line_end(text).unwrap_or(end_of_line);
            let mut done = 0;
            if let (Some(MatchComment(mark)), Some(positions)) = (mark, &mut positions) {
                let number = id.number();
                while positions.next_if(|next| next.game < number).is_some() {}
                let is_marked = positions.peek().is_some_and(|next| next.game == number);
                let ends = if is_marked { ends.find(text) } else { &[] };
                while let Some(position) = positions.next_if(|next| next.game == number) {
                    let end = ends.get(position.ply as usize - 1).copied().ok_or_else(|| {
                        let what = format!("the text of game {number} has no ply {}: import it again", position.ply);
                        CliFailure::UnsuitableFile(export.arguments.corpus.clone(), what)
                    })?;
                    out.write_all(&text[done..end])?;
                    out.write_all(mark.as_bytes())?;
                    done = end;
                }
            }
            out.write_all(&text[done..])?;
            out.write_all(end_of_line)?;
            bar.add_games(1);
        }
        Ok(())
    })
}

/// A game in JSON.
#[derive(Serialize)]
struct ExportedGame<'a> {
    #[serde(flatten)]
    facts: GameRow<'a>,
    /// The original text; invalid UTF-8 in it is replaced.
    pgn: std::borrow::Cow<'a, str>,
}

/// The games, one object per line.
pub(super) fn json(export: &Export<'_>) -> Result<()> {
    let games = export.games()?;
    let bar = export.bar(games.count());
    export.arguments.write(|out| {
        let mut texts = export.corpus.texts();
        for id in games.iter() {
            let text = texts.get(id.0).map_err(CliFailure::corpus(&export.arguments.corpus))?;
            if let Some(facts) = GameRow::from_game(export.corpus, id) {
                serde_json::to_writer(&mut *out, &ExportedGame { facts, pgn: String::from_utf8_lossy(text) })?;
                writeln!(out)?;
            }
            bar.add_games(1);
        }
        Ok(())
    })
}
