//! Reads positions from the command line, files and standard input.
//!
//! A file is read in blocks, and its complete lines or games are processed. All output is written before the program waits for
//! more input, so that a program that writes a line gets its result. An interrupt ends the program between two blocks.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use memchr::memchr;
use plyfold_files::{PrintablePath, escape_control_lines};
use plyfold_pgn::{self as pgn, last_game_boundary};
use plyfold_terminal::input::STANDARD_INPUT;
use plyfold_terminal::interrupt;
use plyfold_terminal::progress::{self, ProgressBar};
use plyfold_transform::position_text;
use shakmaty::Setup;

use super::InputFormat;
use super::task::TransformTask;
use super::writer::TransformWriter;
use crate::cli::failure::{EgtgenFailure, Result};

/// How many bytes are read at a time.
const BLOCK_BYTES: usize = 256 << 10;
/// The greatest length of a line…
const MAX_LINE_BYTES: usize = 1 << 20;
/// …and of a game.
const MAX_GAME_BYTES: usize = 64 << 20;
/// Output is written when there are this many bytes of it.
const FLUSH_BYTES: usize = 256 << 10;
/// How files begin that are no text, and what to do with them.
const COMPRESSED_SIGNATURES: [(&[u8], &str); 7] = [
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd; decompress it first: `zstdcat FILE | egtgen transform …`"),
    (b"\x1f\x8b", "is compressed by gzip; decompress it first: `zcat FILE | egtgen transform …`"),
    (b"BZh", "is compressed by bzip2; decompress it first: `bzcat FILE | egtgen transform …`"),
    (b"\xfd7zXZ\x00", "is compressed by xz; decompress it first: `xzcat FILE | egtgen transform …`"),
    (b"PK\x03\x04", "is a zip archive; unpack it first"),
    (b"\xff\xfe", "is UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16; save it as UTF-8"),
];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A source of positions.
pub enum TransformSource {
    /// The command line.
    Argument {
        /// A position, or two with a tab between them.
        text: String,
        /// Its number among several.
        number: Option<usize>,
    },
    /// A file or standard input.
    Stream(PositionText),
}

/// A file or standard input, with the bytes that are read but not processed.
pub struct PositionText {
    name: String,
    /// The path for messages; `None` for standard input.
    path: Option<PathBuf>,
    bytes: Box<dyn Read>,
    /// Its length in bytes, if it is known.
    length: Option<u64>,
    buffered: Vec<u8>,
    has_ended: bool,
}

/// The place of a position.
#[derive(Clone, Copy)]
enum InputLocation<'a> {
    /// On the command line, with its number among several.
    Argument(Option<usize>),
    /// A line of a file, from 1.
    Line(&'a str, u64),
    /// A game of a file, from 1.
    Game(&'a str, u64),
}

/// Processes the positions of all sources.
pub struct TransformRun {
    task: TransformTask,
    writer: TransformWriter,
    kind: Option<InputFormat>,
    bar: ProgressBar,
    number: u64,
    failed: u64,
}

impl TransformSource {
    /// Standard input.
    pub fn standard_input() -> TransformSource {
        TransformSource::stream(STANDARD_INPUT.to_owned(), None, Box::new(io::stdin()), None)
    }

    /// A file.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(path: &Path) -> Result<TransformSource> {
        let failed = |error| EgtgenFailure::unsuitable(path, format!("cannot be read: {error}"));
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let length = about.is_file().then_some(about.len());
        let name = PrintablePath(path).to_string();
        Ok(TransformSource::stream(name, Some(path.to_path_buf()), Box::new(file), length))
    }

    fn stream(name: String, path: Option<PathBuf>, bytes: Box<dyn Read>, length: Option<u64>) -> TransformSource {
        TransformSource::Stream(PositionText { name, path, bytes, length, buffered: Vec::new(), has_ended: false })
    }
}

impl PositionText {
    /// Reads up to one block more and appends it.
    fn read(&mut self) -> Result<()> {
        let before = self.buffered.len();
        self.buffered.resize(before + BLOCK_BYTES, 0);
        let (bytes, room) = (&mut self.bytes, &mut self.buffered[before..]);
        let read = interrupt::run_interruptible(|| {
            loop {
                match bytes.read(room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            }
        });
        self.buffered.truncate(before + *read.as_ref().unwrap_or(&0));
        self.has_ended = matches!(read, Ok(0));
        read.map(drop).map_err(|error| self.failure(&format!("cannot be read: {error}")))
    }

    fn failure(&self, what: &str) -> EgtgenFailure {
        match &self.path {
            Some(path) => EgtgenFailure::unsuitable(path, what),
            None => EgtgenFailure::Other(format!("{} {what}", self.name)),
        }
    }
}

impl TransformRun {
    /// Starts with no position processed.
    pub fn new(task: TransformTask, writer: TransformWriter, kind: Option<InputFormat>) -> TransformRun {
        TransformRun { task, writer, kind, bar: ProgressBar::hidden(), number: 0, failed: 0 }
    }

    /// Processes all positions.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or the user interrupts. If positions failed: their number, or the reason if there was only one.
    pub fn answer(&mut self, sources: Vec<TransformSource>) -> Result<()> {
        interrupt::stop_flag();
        let length = |source: &TransformSource| match source {
            TransformSource::Argument { .. } => Some(0),
            TransformSource::Stream(stream) => stream.length,
        };
        self.bar = sources.iter().map(length).sum::<Option<u64>>().map_or_else(ProgressBar::hidden, bar);
        for source in sources {
            match source {
                TransformSource::Argument { text, number } => {
                    self.number += 1;
                    let done = self.task.transform_line(text.trim_ascii(), &mut self.writer);
                    self.record_outcome(done, InputLocation::Argument(number))?;
                }
                TransformSource::Stream(stream) => self.answer_stream(stream)?,
            }
        }
        self.flush_output()?;
        self.bar.finish_and_clear();
        match self.failed {
            0 => Ok(()),
            failed => Err(EgtgenFailure::unanswered(failed, self.number, true)),
        }
    }

    fn answer_stream(&mut self, mut stream: PositionText) -> Result<()> {
        // Enough bytes to recognise the format.
        let first = |held: &[u8]| held.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        while !stream.has_ended
            && (stream.buffered.len() < 8 || first(&stream.buffered).is_none())
            && stream.buffered.len() < BLOCK_BYTES
        {
            self.read_more(&mut stream)?;
            // Each line gets its result before the next one is read, however short it is.
            if memchr(b'\n', &stream.buffered).is_some() && first(&stream.buffered).is_some() {
                break;
            }
        }
        if let Some((_, what)) = COMPRESSED_SIGNATURES.iter().find(|(magic, _)| stream.buffered.starts_with(magic)) {
            return Err(stream.failure(what));
        }
        let text = stream.buffered.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&stream.buffered);
        let is_pgn = self.kind.map_or(first(text) == Some(b'['), |kind| kind == InputFormat::Pgn);
        match (is_pgn, &self.task) {
            (true, TransformTask::Detect) => Err(stream.failure("is PGN, but --detect reads lines with two positions")),
            (true, _) => self.answer_games(stream),
            (false, _) => self.answer_lines(stream),
        }
    }

    fn answer_lines(&mut self, mut stream: PositionText) -> Result<()> {
        let mut number = 0;
        if stream.buffered.starts_with(BYTE_ORDER_MARK) {
            stream.buffered.drain(..BYTE_ORDER_MARK.len());
        }
        loop {
            let held = std::mem::take(&mut stream.buffered);
            let mut at = 0;
            loop {
                let end = match memchr(b'\n', &held[at..]) {
                    Some(length) => at + length + 1,
                    None if stream.has_ended && at < held.len() => held.len(),
                    None => break,
                };
                number += 1;
                self.answer_line(&held[at..end], InputLocation::Line(&stream.name, number))?;
                at = end;
            }
            if stream.has_ended {
                return Ok(());
            }
            stream.buffered = held;
            stream.buffered.drain(..at);
            if stream.buffered.len() > MAX_LINE_BYTES {
                return Err(
                    stream.failure(&format!("has a line of more than {MAX_LINE_BYTES} bytes: line {}", number + 1))
                );
            }
            self.read_more(&mut stream)?;
        }
    }

    fn answer_line(&mut self, line: &[u8], place: InputLocation<'_>) -> Result<()> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        self.number += 1;
        let done = match std::str::from_utf8(line) {
            Ok(text) => self.task.transform_line(text, &mut self.writer),
            Err(_) => Err("this is not UTF-8 text".to_owned()),
        };
        self.record_outcome(done, place)
    }

    fn answer_games(&mut self, mut stream: PositionText) -> Result<()> {
        let mut number = 0;
        let mut needed = BLOCK_BYTES;
        loop {
            let border = match stream.has_ended {
                true => Some(stream.buffered.len()),
                false if stream.buffered.len() >= needed => last_game_boundary(&stream.buffered),
                false => None,
            };
            if let Some(border) = border {
                let held = std::mem::take(&mut stream.buffered);
                let mut failure = None;
                pgn::find_game_starts(&held[..border], 0, &mut |game| {
                    number += 1;
                    if failure.is_none() {
                        failure = self.answer_game(game, InputLocation::Game(&stream.name, number)).err();
                    }
                });
                if let Some(failure) = failure {
                    return Err(failure);
                }
                if stream.has_ended {
                    return Ok(());
                }
                stream.buffered = held;
                stream.buffered.drain(..border);
                needed = BLOCK_BYTES;
            } else if stream.buffered.len() >= needed {
                if needed >= MAX_GAME_BYTES {
                    return Err(
                        stream.failure(&format!("has a game of more than {MAX_GAME_BYTES} bytes: game {}", number + 1))
                    );
                }
                needed *= 2;
            }
            if !stream.has_ended {
                self.read_more(&mut stream)?;
            }
        }
    }

    fn answer_game(
        &mut self,
        game: Result<pgn::PgnGameStart<'_>, pgn::RejectionReason>,
        place: InputLocation<'_>,
    ) -> Result<()> {
        self.number += 1;
        let done = match game.map(|game| game.fen) {
            Ok(None) => self.task.transform_position(&Setup::initial(), &mut self.writer),
            Ok(Some(fen)) => match position_text::read_fen(fen.trim_ascii()) {
                Ok(position) => self.task.transform_position(&position, &mut self.writer),
                Err(misread) => Err(format!("its FEN, {}", misread.with_column(fen.trim_ascii()))),
            },
            Err(reason) => Err(reason.to_string()),
        };
        self.record_outcome(done, place)
    }

    /// Reports a failure, and continues if the position is one of many.
    fn record_outcome(&mut self, done: Result<(), String>, place: InputLocation<'_>) -> Result<()> {
        if let Err(error) = done {
            self.failed += 1;
            let place_text = place.to_string();
            if !self.writer.write_error(&place_text, &error) {
                if let InputLocation::Argument(None) = place {
                    return Err(EgtgenFailure::Usage(error));
                }
                let say = || writeln!(io::stderr(), "{}", escape_control_lines(&format!("{place_text}: {error}")));
                // If this cannot be written, the exit code still reports the failure.
                let _ = self.bar.suspend(say);
            }
        }
        if self.writer.pending_mut().len() > FLUSH_BYTES { self.flush_output() } else { Ok(()) }
    }

    /// Reads more, after all output is written.
    fn read_more(&mut self, stream: &mut PositionText) -> Result<()> {
        self.flush_output()?;
        let before = stream.buffered.len();
        stream.read()?;
        self.bar.inc((stream.buffered.len() - before) as u64);
        self.check_interrupt()
    }

    /// Writes the output.
    fn flush_output(&mut self) -> Result<()> {
        let ready = self.writer.pending_mut();
        if !ready.is_empty() {
            let mut out = io::stdout().lock();
            out.write_all(ready)?;
            out.flush()?;
            ready.clear();
        }
        self.check_interrupt()
    }

    fn check_interrupt(&self) -> Result<()> {
        match interrupt::stop_flag().load(Ordering::SeqCst) {
            true => {
                Err(EgtgenFailure::Interrupted(format!("complete lines were written for {} positions", self.number)))
            }
            false => Ok(()),
        }
    }
}

impl fmt::Display for InputLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputLocation::Argument(None) => f.write_str("the position"),
            InputLocation::Argument(Some(number)) => write!(f, "position {number}"),
            InputLocation::Line(name, number) => write!(f, "{name}:{number}"),
            InputLocation::Game(name, number) => write!(f, "{name}: game {number}"),
        }
    }
}

/// A progress bar for files, on a terminal that does not show the output.
fn bar(length: u64) -> ProgressBar {
    match length {
        0 => ProgressBar::hidden(),
        _ if io::stdout().is_terminal() => ProgressBar::hidden(),
        _ => progress::bar(length, "{bar:30} {percent} %  {bytes_per_sec}  {elapsed}, {eta} left"),
    }
}
