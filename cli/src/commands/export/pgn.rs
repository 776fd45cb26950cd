//! Writes games as PGN, and as JSON with their text.

use std::borrow::Cow;
use std::io::Write;
use std::iter::Peekable;

use plyfold_core::corpus::file::GameTexts;
use plyfold_core::corpus::joined::{JoinedCorpus, JoinedFiles};
use plyfold_core::game::{GameId, game_by_id};
use plyfold_core::pgn::MoveEndFinder;
use plyfold_core::scan::game_verdicts::{GameVerdicts, PlyVerdict};
use plyfold_core::scan::predicate::ThrownAway;
use plyfold_core::scan::tables::WinnerVerdict;
use plyfold_terminal::output;
use serde::Serialize;
use shakmaty::Color;

use super::Export;
use crate::failure::{CliFailure, Result};
use crate::game_row::GameRow;
use crate::game_text::kept_or_written;
use crate::positions::{PositionFormat, PositionStream};

/// The comments that are written behind moves.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// This one behind each matching move.
    Matches(String),
    /// What endgame tables say of the game.
    Tables,
}

impl std::str::FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Mark, String> {
        match text.chars().find(|&letter| matches!(letter, '{' | '}') || letter.is_control()) {
            None if text == "tb" => Ok(Mark::Tables),
            None => Ok(Mark::Matches(format!(" {{{text}}}"))),
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

/// The games, separated by a blank line.
pub(super) fn write(export: &Export<'_>) -> Result<()> {
    let games = export.ordered_games()?;
    if matches!(export.arguments.mark, Some(Mark::Matches(_))) {
        export.print_warning();
    }
    let bar = export.bar(games.len() as u64);
    export.arguments.write(|out| {
        let mut writer = GameWriter::new(export);
        games.iter().try_for_each(|&id| {
            bar.add_games(1);
            writer.write(out, id)
        })
    })
}

/// Writes one game after the other, each in its original text (or one written from headers and moves, where the corpus keeps none), with
/// the changes that are asked for. The last line of a game and the blank line after it end like the game's first line. If the game has
/// only one line, they end like the lines of the game before it.
pub(super) struct GameWriter<'a> {
    export: &'a Export<'a>,
    texts: GameTexts<'a, JoinedFiles<'a>>,
    comments: Option<Comments<'a>>,
    ends: MoveEndFinder,
    end_of_line: &'static [u8],
    has_written: bool,
}

impl<'a> GameWriter<'a> {
    pub(super) fn new(export: &'a Export<'a>) -> GameWriter<'a> {
        let comments = export.arguments.mark.as_ref().map(|mark| match mark {
            Mark::Matches(text) => Comments::Matches(text, export.positions(PositionFormat::Ref, None).peekable()),
            Mark::Tables => {
                Comments::Tables(export.corpus, GameVerdicts::new(export.command_query.tables.bound.clone()))
            }
        });
        let (texts, ends) = (export.corpus.texts(), MoveEndFinder::default());
        GameWriter { export, texts, comments, ends, end_of_line: b"\n", has_written: false }
    }

    /// Writes a game. With marks, games come in the order of the corpus.
    pub(super) fn write(&mut self, out: &mut dyn Write, id: GameId) -> Result<()> {
        let path = &self.export.arguments.library.path;
        let text = self.texts.get(id.0).map_err(CliFailure::corpus(path))?;
        let text = self.export.rewriter.rewrite(self.export.corpus, id, kept_or_written(self.export.corpus, id, text));
        if std::mem::replace(&mut self.has_written, true) {
            out.write_all(self.end_of_line)?;
        }
        self.end_of_line = line_end(&text).unwrap_or(self.end_of_line);
        let mut done = 0;
        let of_game = self.comments.as_mut().map_or_else(Vec::new, |comments| comments.of_game(id));
        let ends = if of_game.is_empty() { &[] } else { self.ends.find(&text) };
        for (ply, comment) in of_game {
            let end = ends.get(ply as usize - 1).copied().ok_or_else(|| {
                let what = format!("the text of game {} has no ply {ply}: import it again", id.number());
                CliFailure::unsuitable(path, what)
            })?;
            out.write_all(&text[done..end])?;
            out.write_all(comment.as_bytes())?;
            done = end;
        }
        out.write_all(&text[done..])?;
        Ok(out.write_all(self.end_of_line)?)
    }
}

/// Makes the comments of one game after the other.
enum Comments<'a> {
    /// The text behind each matching position.
    Matches(&'a str, Peekable<PositionStream<'a>>),
    /// What tables say.
    Tables(&'a JoinedCorpus<'a>, GameVerdicts),
}

impl<'a> Comments<'a> {
    /// The comments of a game, each with its ply. Games come in order.
    fn of_game(&mut self, id: GameId) -> Vec<(u32, Cow<'a, str>)> {
        let mut comments = Vec::new();
        match self {
            Comments::Matches(text, positions) => {
                let number = id.number();
                while positions.next_if(|next| next.game < number).is_some() {}
                while let Some(position) = positions.next_if(|next| next.game == number) {
                    comments.push((position.ply, Cow::Borrowed(*text)));
                }
            }
            Comments::Tables(corpus, verdicts) => {
                let Some(game) = game_by_id(corpus, id) else { return comments };
                let mut winner_before = None;
                for PlyVerdict { ply, verdict, thrown_away } in verdicts.of_game(&game) {
                    let Some(verdict) = verdict else { continue };
                    if winner_before != Some(verdict.winner) {
                        comments.push((ply.0, Cow::Owned(describe_verdict(verdict, thrown_away))));
                    }
                    winner_before = Some(verdict.winner);
                }
            }
        }
        comments
    }
}

/// The comment of a verdict: ` {tb: draw; White threw a win away}`.
fn describe_verdict(verdict: WinnerVerdict, thrown_away: Option<(Color, ThrownAway)>) -> String {
    let side = |color: Color| color.fold_wb("White", "Black");
    let mut text = match (verdict.winner, verdict.moves_to_mate) {
        (None, _) => "draw".to_owned(),
        (Some(winner), None) => format!("{} wins", side(winner)),
        (Some(winner), Some(0)) => format!("{} has mated", side(winner)),
        (Some(winner), Some(moves)) => format!("{} mates in {moves}", side(winner)),
    };
    if let Some((mover, thrown)) = thrown_away {
        text += &format!("; {} threw a {thrown} away", side(mover));
    }
    format!(" {{tb: {text}}}")
}

/// A game in JSON.
#[derive(Serialize)]
struct ExportedGame<'a> {
    #[serde(flatten)]
    facts: GameRow<'a>,
    /// The original text, or one written from headers and moves; invalid UTF-8 in it is replaced.
    pgn: Cow<'a, str>,
}

/// The games, one object per line.
pub(super) fn json(export: &Export<'_>) -> Result<()> {
    let games = export.ordered_games()?;
    let bar = export.bar(games.len() as u64);
    export.arguments.write(|out| {
        let mut texts = export.corpus.texts();
        for id in games {
            let text = texts.get(id.0).map_err(CliFailure::corpus(&export.arguments.library.path))?;
            let text = export.rewriter.rewrite(export.corpus, id, kept_or_written(export.corpus, id, text));
            if let Some(mut facts) = GameRow::from_game(export.corpus, id) {
                facts.rename(export.rewriter.aliases());
                output::json(out, &ExportedGame { facts, pgn: String::from_utf8_lossy(&text) })?;
            }
            bar.add_games(1);
        }
        Ok(())
    })
}
