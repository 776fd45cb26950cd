//! `plyfold signature`: shows the material signature of positions, and whether one position can be reached from another.

use std::io::Write;

use plyfold_core::matsig::MatSig;
use plyfold_core::matsig::reach::can_reach;
use plyfold_terminal::input::{STANDARD_INPUT, STDIN_MARK, for_each_line};
use plyfold_terminal::{ReportFormat, output};
use serde_json::json;
use shakmaty::fen::Fen;

use crate::failure::{CliFailure, Result};

/// Show the material signature of positions, or whether one can be reached from another.
///
/// A signature is two hexadecimal words, White's and Black's: pawns, piece counts, and pawn steps if they
/// are known. A signature may stand in place of any FEN. A FEN need not be legal: kings may be missing, and nine
/// queens are allowed.
#[derive(clap::Args)]
pub struct Arguments {
    /// Positions as FEN [default, and for `-`: one from each line of standard input].
    #[arg(value_name = "FEN")]
    fens: Vec<String>,
    /// Whether the second position can be reached from the first: `false` is certain, `true` means that the
    /// material does not rule it out. Without positions, each line of standard input has two, with a tab between them.
    #[arg(long)]
    can_reach: bool,
    /// Format of the output; JSON has one object per line.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Runs the command.
///
/// # Errors
///
/// A text is not a FEN, a position has no signature, or a line is not a pair of positions.
pub fn run(arguments: &Arguments) -> Result<()> {
    let fens = join_fens(&arguments.fens);
    if fens.is_empty() || fens == [STDIN_MARK] {
        return output::print(|out| {
            for_each_line(|number, line| {
                let unsuitable = |text| CliFailure::unsuitable(STANDARD_INPUT, format!("line {number}: {text}"));
                arguments.answer(out, &arguments.read(line).map_err(unsuitable)?)
            })
        });
    }
    let lines = match (arguments.can_reach, fens.len()) {
        (true, 2) => vec![fens.join("\t")],
        (true, number) => {
            let what = "--can-reach needs two positions, or none to read them from standard input";
            return Err(CliFailure::Usage(format!("{what}; got {number}")));
        }
        (false, _) => fens,
    };
    // The command reads all positions before it writes the first result.
    let asked: ParseResult<Vec<SignatureQuestion>> = lines.iter().map(|line| arguments.read(line)).collect();
    let asked = asked.map_err(CliFailure::Usage)?;
    output::print(|out| asked.iter().try_for_each(|asked| arguments.answer(out, asked)))
}

/// Joins FENs that the shell has split because they had no quotes. Only the first field of a FEN has slashes.
fn join_fens(arguments: &[String]) -> Vec<String> {
    let mut fens: Vec<String> = Vec::new();
    for argument in arguments {
        let is_piece = !argument.contains('/') && !argument.trim().contains(char::is_whitespace);
        match fens.last_mut() {
            Some(fen) if is_piece && fen.contains('/') && (argument != STDIN_MARK || fen.contains(' ')) => {
                *fen = format!("{fen} {argument}");
            }
            _ => fens.push(argument.clone()),
        }
    }
    fens
}

/// The parsed value, or what is wrong with the text.
type ParseResult<T> = std::result::Result<T, String>;

/// A request of one line.
enum SignatureQuestion {
    One(SignedPosition),
    Two(SignedPosition, SignedPosition),
}

/// A position of the input.
struct SignedPosition {
    text: String,
    signature: MatSig,
}

impl SignedPosition {
    fn read(text: &str) -> ParseResult<SignedPosition> {
        let text = text.trim();
        let signature = match text.parse() {
            Ok(signature) => signature,
            Err(_) => {
                let fen: Fen = text
                    .parse()
                    .map_err(|error| format!("{:?} is neither a FEN nor a signature: {error}", shortened(text)))?;
                MatSig::from_setup(fen.as_setup()).map_err(|error| format!("{:?}: {error}", shortened(text)))?
            }
        };
        Ok(SignedPosition { text: text.to_owned(), signature })
    }
}

/// The first hundred characters.
fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

impl Arguments {
    /// Reads the position of a line, or the two.
    fn read(&self, line: &str) -> ParseResult<SignatureQuestion> {
        if !self.can_reach {
            return Ok(SignatureQuestion::One(SignedPosition::read(line)?));
        }
        let texts: Vec<&str> = line.split('\t').collect();
        match texts.len() {
            2 => Ok(SignatureQuestion::Two(SignedPosition::read(texts[0])?, SignedPosition::read(texts[1])?)),
            1 => Err(format!("{:?} has no tab: write two positions with a tab between them", shortened(line))),
            number => Err(format!("write two positions with a tab between them; this line has {number}")),
        }
    }

    /// Writes the signature of a position, or the verdict on two.
    fn answer(&self, out: &mut dyn Write, asked: &SignatureQuestion) -> Result<()> {
        match (asked, self.format) {
            (SignatureQuestion::One(position), ReportFormat::Text) => writeln!(out, "{}", position.signature)?,
            (SignatureQuestion::One(position), ReportFormat::Json) => writeln!(out, "{}", position.json())?,
            (SignatureQuestion::Two(from, to), format) => {
                let verdict = can_reach(&from.signature, &to.signature);
                match format {
                    ReportFormat::Text => writeln!(out, "{verdict}")?,
                    ReportFormat::Json => {
                        writeln!(out, "{}", json!({ "from": from.json(), "to": to.json(), "can_reach": verdict }))?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl SignedPosition {
    fn json(&self) -> serde_json::Value {
        let word = |word: u64| format!("{word:016x}");
        json!({ "fen": self.text, "white": word(self.signature.white), "black": word(self.signature.black) })
    }
}
