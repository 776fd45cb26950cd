//! `egtgen transform`: transforms boards, and finds the transforms between two boards.
//!
//! ```text
//! input   arguments, lines and games of PGN → the text of a position, and its place
//! task    a position → its images
//! writer  images → FEN, EPD, JSON or text
//! ```

mod input;
mod task;
mod writer;

use std::path::PathBuf;

use clap::ValueEnum;
use plyfold_terminal::input::STDIN_MARK;
use plyfold_twinning::epd::{EpdExporter, EpdStyle};
use plyfold_twinning::{OffBoardRule, TwinList};

use crate::cli::failure::{EgtgenFailure, Result};
use crate::cli::fens::join_fens;
use input::{TransformRun, TransformSource};
use task::TransformTask;
use writer::TransformWriter;

/// Flip, rotate, shift or recolour boards, and find the transforms between two of them.
///
/// Positions are FENs on the command line, lines of FEN or EPD, or the start positions of PGN games. They need not be legal.
///
/// OP is the name of a transform, several names, commands of Popeye and Olive, or a list of twins:
///
///   flipH flipV flipD flipAD rot90 rot180 rot270 flipcolor swap_colours shift:1,-2
///
///   'rotate 90 shift a1 b2', 'mirror a1<-->h1', 'move b3 b4', 'add white Qh8'
///
///   'Twin rotate 90 Twin continued remove d6', 'ZeroPosition swap_colours Twin …'
///
/// Rotations are anticlockwise. A mirror swaps the two squares that it names. `polish` is another name of `swap_colours`.
#[derive(clap::Args)]
#[command(
    override_usage = "egtgen transform [OPTIONS] OP [FEN]...\n       egtgen transform [OPTIONS] --all [FEN]...\n       \
        egtgen transform [OPTIONS] --family FAMILY [FEN]...\n       egtgen transform [OPTIONS] --detect [IMAGE ORIGINAL]",
    after_help = MORE
)]
pub struct Arguments {
    /// The operation and the positions; `-` is standard input, which is also read if no position and no file is given.
    #[arg(value_name = "OP FEN")]
    words: Vec<String>,
    /// Read positions from a file, FEN, EPD or PGN; `-` is standard input. May be repeated.
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<PathBuf>,
    /// Format of files and standard input [default: PGN if they begin with a tag, else lines of FEN or EPD].
    #[arg(long, value_enum)]
    input: Option<InputFormat>,
    /// Format of the output [default: fen; epd with --family, text with --detect].
    #[arg(long, value_enum)]
    format: Option<OutputForm>,
    /// Write EPD as the exporters of the CQL library libxfm do: without `;` at the end, and with two blanks in `rotate 90`.
    #[arg(long)]
    literal: bool,
    /// Refuse a position of which a shift takes a piece off the board [default: `shift a1 b2` refuses, `shift:1,1` does not].
    #[arg(long, conflicts_with = "drop")]
    strict: bool,
    /// Drop pieces that a shift takes off the board.
    #[arg(long)]
    drop: bool,
    /// Make all flips, all rotations, or the shifts between 36 pairs of squares.
    #[arg(long, value_enum, group = "instead", conflicts_with_all = ["strict", "drop"])]
    family: Option<Family>,
    /// Make all distinct images of a board by flips, rotations and the colour flip, the board itself first.
    #[arg(long, group = "instead", conflicts_with_all = ["strict", "drop", "literal"])]
    all: bool,
    /// Name all transforms that make the first position from the second, of two arguments or of lines with a tab between two positions.
    #[arg(long, group = "instead", conflicts_with_all = ["strict", "drop", "literal", "input"])]
    detect: bool,
}

const MORE: &str = "\
Exit codes: 0 success; 1 a problem with a file; 2 a mistake in the command line, or positions that could not be read or \
transformed, each reported with its file and line; 130 interrupted, after complete lines.

Example:
  egtgen transform rot90 '8/2k5/3p4/4P3/8/1N6/2K5/8 w - - 0 1'
  egtgen transform 'rotate 90 shift a1 a2' --file problems.pgn --format epd
  egtgen transform --detect '8/5k2/8/8/8/8/8/6K1' '8/2k5/8/8/8/8/8/1K6'";

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InputFormat {
    /// One position per line, as FEN or EPD.
    Fen,
    /// PGN games, whose start positions are used.
    Pgn,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputForm {
    /// One image per line.
    Fen,
    /// Original and image in turn, with the operation as `c0` and a number as `id`; twins and --all give only the images.
    Epd,
    /// For people.
    Text,
    /// One object per line, for each position.
    Json,
}

/// What the exporters of libxfm do.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Family {
    /// The four flips.
    Flip,
    /// The three rotations.
    Rotate,
    /// Shifts between 36 pairs of squares.
    Shift,
}

/// Runs the command.
///
/// # Errors
///
/// The operation or a position is wrong, or a file cannot be read; of many positions, the number of those that failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let has_op = arguments.family.is_none() && !arguments.all && !arguments.detect;
    let (op, fens) = split_arguments(&arguments.words);
    let task = task(arguments, has_op.then_some(op.as_str()))?;
    if let (false, false) = (has_op, op.is_empty()) {
        let word = &arguments.words[0];
        return Err(EgtgenFailure::Usage(format!(
            "`{word}` is not a FEN, and --family, --all and --detect take no OP"
        )));
    }
    let form = output_form(arguments)?;
    let policy = if arguments.literal { EpdStyle::Literal } else { EpdStyle::WellFormed };
    let sources = sources(arguments, fens)?;
    let mut transform_run = TransformRun::new(task, TransformWriter::new(form, policy), arguments.input);
    transform_run.answer(sources)
}

/// Splits the arguments into the operation and the positions. Only the first field of a position has slashes.
fn split_arguments(words: &[String]) -> (String, Vec<String>) {
    let is_position = |word: &String| word.contains('/') || word == STDIN_MARK;
    let at = words.iter().position(is_position).unwrap_or(words.len());
    (words[..at].join(" "), join_fens(&words[at..]))
}

fn task(arguments: &Arguments, op: Option<&str>) -> Result<TransformTask> {
    let leaving = match (arguments.strict, arguments.drop) {
        (true, _) => OffBoardRule::Refuse,
        (_, true) => OffBoardRule::Drop,
        _ => OffBoardRule::AsWritten,
    };
    if let Some(op) = op {
        if op.is_empty() {
            let what = "there is no operation: write flipH, rot90, 'shift a1 b2' or another OP, or use --all, --family or --detect";
            return Err(EgtgenFailure::Usage(what.to_owned()));
        }
        let twins = TwinList::read(op)
            .map_err(|misread| EgtgenFailure::Usage(format!("`{op}`: {}", misread.with_column(op))))?;
        return Ok(TransformTask::parse(op, twins, leaving));
    }
    Ok(match arguments.family {
        Some(Family::Flip) => TransformTask::family(EpdExporter::Flip),
        Some(Family::Rotate) => TransformTask::family(EpdExporter::Rotate),
        Some(Family::Shift) => TransformTask::family(EpdExporter::Shift),
        None if arguments.all => TransformTask::all(),
        None => TransformTask::Detect,
    })
}

fn output_form(arguments: &Arguments) -> Result<OutputForm> {
    let usual = match (arguments.detect, arguments.family.is_some() || arguments.literal) {
        (true, _) => OutputForm::Text,
        (_, true) => OutputForm::Epd,
        _ => OutputForm::Fen,
    };
    let form = arguments.format.unwrap_or(usual);
    if arguments.detect && matches!(form, OutputForm::Fen | OutputForm::Epd) {
        return Err(EgtgenFailure::Usage("--detect writes names: --format must be text or json".to_owned()));
    }
    if arguments.literal && form != OutputForm::Epd {
        return Err(EgtgenFailure::Usage("--literal applies to EPD: it needs --format epd".to_owned()));
    }
    Ok(form)
}

fn sources(arguments: &Arguments, fens: Vec<String>) -> Result<Vec<TransformSource>> {
    let mut sources = Vec::new();
    let mut fens = fens;
    if arguments.detect && fens.len() == 2 && fens.iter().all(|fen| fen != STDIN_MARK && !fen.contains('\t')) {
        fens = vec![fens.join("\t")];
    }
    let is_one = fens.len() == 1 && arguments.files.is_empty();
    for (index, fen) in fens.into_iter().enumerate() {
        let number = (!is_one).then_some(index + 1);
        sources.push(if fen == STDIN_MARK {
            TransformSource::standard_input()
        } else {
            TransformSource::Argument { text: fen, number }
        });
    }
    for path in &arguments.files {
        sources.push(if path.as_os_str() == STDIN_MARK {
            TransformSource::standard_input()
        } else {
            TransformSource::open(path)?
        });
    }
    if sources.is_empty() {
        sources.push(TransformSource::standard_input());
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_without_quotes_ends_where_a_position_begins() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let (op, fens) =
            split_arguments(&words("rotate 90 shift a1 b2 8/8/8/8/8/2k5/1R6/K7 w - - 0 1 - 8/8/8/8/8/8/8/8"));
        assert_eq!(op, "rotate 90 shift a1 b2");
        assert_eq!(fens, ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1 -", "8/8/8/8/8/8/8/8"]);
        assert_eq!(split_arguments(&words("flipH -")), ("flipH".to_owned(), vec!["-".to_owned()]));
        assert_eq!(split_arguments(&words("flipH")), ("flipH".to_owned(), vec![]));
    }
}
