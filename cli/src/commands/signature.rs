//! `plyfold signature`: the material signature of positions, and whether one may come of another.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::can_reach;
use serde_json::json;
use shakmaty::fen::Fen;

use crate::Format;
use crate::failure::{Failure, Result};
use crate::out;

/// Stands for standard input.
const INPUT: &str = "-";

/// Show the material signature of positions, or whether one may come of another.
///
/// A signature is two words in hexadecimal, White's and Black's: pawns, numbers of men, steps of the pawns where they
/// are known. Wherever a FEN is wanted, a signature does as well. No rule is asked of a FEN: kings may be missing, nine
/// queens are nine queens.
#[derive(clap::Args)]
pub struct Arguments {
    /// Positions as FEN. Without any, or for `-`, one is read from each line of standard input.
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    /// Whether the second position may come of the first: `false` is certain, `true` means that no man and no pawn
    /// speaks against it. Without positions, two are read from each line, with a tab between.
    #[arg(long)]
    can_reach: bool,
    /// How answers are written; in JSON, an object for each in a line of its own.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
///
/// A text that is no FEN, one that has no signature, a pair that is none.
pub fn run(arguments: &Arguments) -> Result<()> {
    let fens = joined(&arguments.fens);
    if fens.is_empty() || fens == [INPUT] {
        return out::write(None, false, |out| each_line(|line| Ok(arguments.answer(out, &arguments.read(line)?)?)));
    }
    // All are read before any is answered.
    let asked: Read<Vec<Asked>> = match (arguments.can_reach, &fens[..]) {
        (true, [from, to]) => Position::read(from).and_then(|from| Ok(vec![Asked::Two(from, Position::read(to)?)])),
        (true, fens) => Err(format!("--can-reach wants two positions, or none to read them; these are {}", fens.len())),
        (false, fens) => fens.iter().map(|fen| Position::read(fen).map(Asked::One)).collect(),
    };
    let asked = asked.map_err(Failure::Usage)?;
    out::write(None, false, |out| asked.iter().try_for_each(|asked| arguments.answer(out, asked)))
}

/// What can go wrong with a line: with its text, or with the answer.
enum Trouble {
    Text(String),
    Failure(Failure),
}

impl From<String> for Trouble {
    fn from(text: String) -> Trouble {
        Trouble::Text(text)
    }
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Failure(failure)
    }
}

/// Answers each line of standard input that is not blank, until one makes trouble.
fn each_line(mut answer: impl FnMut(&str) -> std::result::Result<(), Trouble>) -> Result<()> {
    let input = || PathBuf::from("standard input");
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = lines.read_until(b'\n', &mut line).map_err(Failure::file(&input(), "cannot be read"))?;
        if read == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            answer(text.trim()).map_err(|trouble| match trouble {
                Trouble::Text(text) => Failure::NotThat(input(), format!("line {number}: {text}")),
                Trouble::Failure(failure) => failure,
            })?;
        }
    }
    Ok(())
}

/// FENs that came without quotes, in pieces, are put together: only the first field of one has slashes.
fn joined(arguments: &[String]) -> Vec<String> {
    let mut fens: Vec<String> = Vec::new();
    for argument in arguments {
        let is_piece = !argument.contains('/') && !argument.trim().contains(char::is_whitespace);
        match fens.last_mut() {
            Some(fen) if is_piece && fen.contains('/') && (argument != INPUT || fen.contains(' ')) => {
                *fen = format!("{fen} {argument}");
            }
            _ => fens.push(argument.clone()),
        }
    }
    fens
}

/// What is read, or what is wrong with the text.
type Read<T> = std::result::Result<T, String>;

/// What is to be answered at once.
enum Asked {
    One(Position),
    Two(Position, Position),
}

/// A position that was asked about.
struct Position {
    text: String,
    signature: MatSig,
}

impl Position {
    fn read(text: &str) -> Read<Position> {
        let text = text.trim();
        let signature = match text.parse() {
            Ok(signature) => signature,
            Err(_) => {
                let fen: Fen = text
                    .parse()
                    .map_err(|error| format!("{:?} is neither a FEN nor a signature: {error}", shortened(text)))?;
                MatSig::of_setup(fen.as_setup()).map_err(|error| format!("{:?}: {error}", shortened(text)))?
            }
        };
        Ok(Position { text: text.to_owned(), signature })
    }
}

/// The first hundred letters.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

impl Arguments {
    /// The position of a line, or the two.
    fn read(&self, line: &str) -> Read<Asked> {
        if !self.can_reach {
            return Ok(Asked::One(Position::read(line)?));
        }
        let texts: Vec<&str> = line.split('\t').collect();
        match texts.len() {
            2 => Ok(Asked::Two(Position::read(texts[0])?, Position::read(texts[1])?)),
            1 => Err(format!("{:?} has no tab: two positions are wanted, with a tab between", shortened(line))),
            number => Err(format!("two positions are wanted, with a tab between; this has {number}")),
        }
    }

    /// Writes the signature of a position, or the verdict on two.
    fn answer(&self, out: &mut dyn Write, asked: &Asked) -> Result<()> {
        match (asked, self.format) {
            (Asked::One(position), Format::Text) => writeln!(out, "{}", position.signature)?,
            (Asked::One(position), Format::Json) => writeln!(out, "{}", position.json())?,
            (Asked::Two(from, to), format) => {
                let verdict = can_reach(&from.signature, &to.signature);
                match format {
                    Format::Text => writeln!(out, "{verdict}")?,
                    Format::Json => {
                        writeln!(out, "{}", json!({ "from": from.json(), "to": to.json(), "can_reach": verdict }))?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Position {
    fn json(&self) -> serde_json::Value {
        let word = |word: u64| format!("{word:016x}");
        json!({ "fen": self.text, "white": word(self.signature.white), "black": word(self.signature.black) })
    }
}
