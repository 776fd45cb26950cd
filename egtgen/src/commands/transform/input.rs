//! Where positions come from: the command line, files, standard input.
//!
//! A file is read in blocks and answered as far as its lines, or its games, are whole. What is ready goes out before more is waited for, so that
//! whoever writes a line gets the answer to it; and an interrupt ends the program between two blocks.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressStyle};
use memchr::memchr;
use plyfold_core::pgn::{self, last_border};
use plyfold_core::transform::read;
use plyfold_files::{Shown, escaped_lines};
use shakmaty::Setup;

use super::Kind;
use super::task::Task;
use super::written::Written;
use crate::cli::failure::{Failure, Result};
use crate::cli::interrupt;

/// Bytes that are asked for at a time.
const BLOCK: usize = 256 << 10;
/// No line is longer, …
const MOST_LINE: usize = 1 << 20;
/// … and no game.
const MOST_GAME: usize = 64 << 20;
/// Answers go out when there are so many bytes of them.
const MOST_READY: usize = 256 << 10;
/// What files begin with that are no text, and what to do.
const PACKED: [(&[u8], &str); 7] = [
    (b"\x28\xb5\x2f\xfd", "is packed by zstd; unpack it first: `zstdcat FILE | egtgen transform …`"),
    (b"\x1f\x8b", "is packed by gzip; unpack it first: `zcat FILE | egtgen transform …`"),
    (b"BZh", "is packed by bzip2; unpack it first: `bzcat FILE | egtgen transform …`"),
    (b"\xfd7zXZ\x00", "is packed by xz; unpack it first: `xzcat FILE | egtgen transform …`"),
    (b"PK\x03\x04", "is a zip archive; unpack it first"),
    (b"\xff\xfe", "is UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16; save it as UTF-8"),
];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Where positions come from.
pub enum Source {
    /// The command line.
    Given {
        /// A position, or two with a tab between them.
        text: String,
        /// Which of several.
        number: Option<usize>,
    },
    /// A file or standard input.
    Stream(Stream),
}

/// A file or standard input, read as far as it is not answered.
pub struct Stream {
    name: String,
    /// For messages; none for standard input.
    path: Option<PathBuf>,
    bytes: Box<dyn Read>,
    /// Bytes in all, if that is known.
    length: Option<u64>,
    held: Vec<u8>,
    has_ended: bool,
}

/// Where a position stands.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// On the command line; its number among several.
    Given(Option<usize>),
    /// A line of a file, from 1.
    Line(&'a str, u64),
    /// A game of a file, from 1.
    Game(&'a str, u64),
}

/// Positions one after the other.
pub struct Asked {
    task: Task,
    written: Written,
    kind: Option<Kind>,
    bar: Option<ProgressBar>,
    number: u64,
    failed: u64,
}

impl Source {
    /// Standard input.
    pub fn input() -> Source {
        let bytes = Box::new(io::stdin());
        let name = "standard input".to_owned();
        Source::Stream(Stream { name, path: None, bytes, length: None, held: Vec::new(), has_ended: false })
    }

    /// A file.
    ///
    /// # Errors
    ///
    /// It cannot be opened.
    pub fn open(path: &Path) -> Result<Source> {
        let failed = |error| Failure::NotThat(path.to_path_buf(), format!("cannot be read: {error}"));
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let (name, path) = (Shown(path).to_string(), Some(path.to_path_buf()));
        let length = about.is_file().then_some(about.len());
        Ok(Source::Stream(Stream { name, path, bytes: Box::new(file), length, held: Vec::new(), has_ended: false }))
    }
}

impl Stream {
    /// Reads up to a block more, behind what is held.
    fn read(&mut self) -> Result<()> {
        let before = self.held.len();
        self.held.resize(before + BLOCK, 0);
        let (bytes, room) = (&mut self.bytes, &mut self.held[before..]);
        let read = interrupt::at_rest(|| {
            loop {
                match bytes.read(room) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            }
        });
        self.held.truncate(before + *read.as_ref().unwrap_or(&0));
        self.has_ended = matches!(read, Ok(0));
        read.map(drop).map_err(|error| self.failure(&format!("cannot be read: {error}")))
    }

    fn failure(&self, what: &str) -> Failure {
        match &self.path {
            Some(path) => Failure::NotThat(path.clone(), what.to_owned()),
            None => Failure::Other(format!("{} {what}", self.name)),
        }
    }
}

impl Asked {
    /// Nothing answered yet.
    pub fn new(task: Task, written: Written, kind: Option<Kind>) -> Asked {
        Asked { task, written, kind, bar: None, number: 0, failed: 0 }
    }

    /// Answers all.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; an interrupt; at the end, how many positions got no answer, or why, if one was asked about.
    pub fn answer(&mut self, sources: Vec<Source>) -> Result<()> {
        interrupt::flag();
        let length = |source: &Source| match source {
            Source::Given { .. } => Some(0),
            Source::Stream(stream) => stream.length,
        };
        self.bar = sources.iter().map(length).sum::<Option<u64>>().and_then(bar);
        for source in sources {
            match source {
                Source::Given { text, number } => {
                    self.number += 1;
                    let done = self.task.line(text.trim_ascii(), &mut self.written);
                    self.done(done, Place::Given(number))?;
                }
                Source::Stream(stream) => self.stream(stream)?,
            }
        }
        self.send()?;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        match self.failed {
            0 => Ok(()),
            failed => Err(Failure::Unanswered { failed, asked: self.number, is_usage: true }),
        }
    }

    fn stream(&mut self, mut stream: Stream) -> Result<()> {
        // Enough to tell what it is.
        let first = |held: &[u8]| held.iter().copied().find(|byte| !byte.is_ascii_whitespace());
        while !stream.has_ended && (stream.held.len() < 8 || first(&stream.held).is_none()) && stream.held.len() < BLOCK
        {
            self.more(&mut stream)?;
            // A line is answered before the next is written, however short.
            if memchr(b'\n', &stream.held).is_some() && first(&stream.held).is_some() {
                break;
            }
        }
        if let Some((_, what)) = PACKED.iter().find(|(magic, _)| stream.held.starts_with(magic)) {
            return Err(stream.failure(what));
        }
        let text = stream.held.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&stream.held);
        let is_pgn = self.kind.map_or(first(text) == Some(b'['), |kind| kind == Kind::Pgn);
        match (is_pgn, &self.task) {
            (true, Task::Detect) => Err(stream.failure("is PGN, but --detect reads lines with two positions")),
            (true, _) => self.games(stream),
            (false, _) => self.lines(stream),
        }
    }

    fn lines(&mut self, mut stream: Stream) -> Result<()> {
        let mut number = 0;
        if stream.held.starts_with(BYTE_ORDER_MARK) {
            stream.held.drain(..BYTE_ORDER_MARK.len());
        }
        loop {
            let held = std::mem::take(&mut stream.held);
            let mut at = 0;
            loop {
                let end = match memchr(b'\n', &held[at..]) {
                    Some(length) => at + length + 1,
                    None if stream.has_ended && at < held.len() => held.len(),
                    None => break,
                };
                number += 1;
                self.line(&held[at..end], Place::Line(&stream.name, number))?;
                at = end;
            }
            if stream.has_ended {
                return Ok(());
            }
            stream.held = held;
            stream.held.drain(..at);
            if stream.held.len() > MOST_LINE {
                return Err(stream.failure(&format!("has a line of more than {MOST_LINE} bytes: line {}", number + 1)));
            }
            self.more(&mut stream)?;
        }
    }

    fn line(&mut self, line: &[u8], place: Place<'_>) -> Result<()> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        self.number += 1;
        let done = match std::str::from_utf8(line) {
            Ok(text) => self.task.line(text, &mut self.written),
            Err(_) => Err("this is no text: bytes that are no UTF-8".to_owned()),
        };
        self.done(done, place)
    }

    fn games(&mut self, mut stream: Stream) -> Result<()> {
        let mut number = 0;
        let mut wanted = BLOCK;
        loop {
            let border = match stream.has_ended {
                true => Some(stream.held.len()),
                false if stream.held.len() >= wanted => last_border(&stream.held),
                false => None,
            };
            if let Some(border) = border {
                let held = std::mem::take(&mut stream.held);
                let mut failure = None;
                pgn::beginnings(&held[..border], 0, &mut |game| {
                    number += 1;
                    if failure.is_none() {
                        failure = self.game(game, Place::Game(&stream.name, number)).err();
                    }
                });
                if let Some(failure) = failure {
                    return Err(failure);
                }
                if stream.has_ended {
                    return Ok(());
                }
                stream.held = held;
                stream.held.drain(..border);
                wanted = BLOCK;
            } else if stream.held.len() >= wanted {
                if wanted >= MOST_GAME {
                    return Err(
                        stream.failure(&format!("has a game of more than {MOST_GAME} bytes: game {}", number + 1))
                    );
                }
                wanted *= 2;
            }
            if !stream.has_ended {
                self.more(&mut stream)?;
            }
        }
    }

    fn game(&mut self, game: Result<pgn::Beginning<'_>, pgn::Reason>, place: Place<'_>) -> Result<()> {
        self.number += 1;
        let done = match game.map(|game| game.fen) {
            Ok(None) => self.task.position(&Setup::initial(), &mut self.written),
            Ok(Some(fen)) => match read::fen(fen.trim_ascii()) {
                Ok(position) => self.task.position(&position, &mut self.written),
                Err(misread) => Err(format!("its FEN, {}", misread.placed(fen.trim_ascii()))),
            },
            Err(reason) => Err(reason.to_string()),
        };
        self.done(done, place)
    }

    /// Goes on after what got no answer, if it is one of many.
    fn done(&mut self, done: Result<(), String>, place: Place<'_>) -> Result<()> {
        if let Err(error) = done {
            self.failed += 1;
            let place_text = place.to_string();
            if !self.written.error(&place_text, &error) {
                if let Place::Given(None) = place {
                    return Err(Failure::Usage(error));
                }
                let say = || writeln!(io::stderr(), "{}", escaped_lines(&format!("{place_text}: {error}")));
                // If even this cannot be written, the exit code still says it.
                let _ = self.bar.as_ref().map_or_else(say, |bar| bar.suspend(say));
            }
        }
        if self.written.ready().len() > MOST_READY { self.send() } else { Ok(()) }
    }

    /// Reads on, with all answers out.
    fn more(&mut self, stream: &mut Stream) -> Result<()> {
        self.send()?;
        let before = stream.held.len();
        stream.read()?;
        if let Some(bar) = &self.bar {
            bar.inc((stream.held.len() - before) as u64);
        }
        self.go_on()
    }

    /// What is ready goes out.
    fn send(&mut self) -> Result<()> {
        let ready = self.written.ready();
        if !ready.is_empty() {
            let mut out = io::stdout().lock();
            out.write_all(ready)?;
            out.flush()?;
            ready.clear();
        }
        self.go_on()
    }

    fn go_on(&self) -> Result<()> {
        match interrupt::flag().load(Ordering::SeqCst) {
            true => Err(Failure::Interrupted(format!("whole lines were written, of {} positions", self.number))),
            false => Ok(()),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Given(None) => f.write_str("the position"),
            Place::Given(Some(number)) => write!(f, "position {number}"),
            Place::Line(name, number) => write!(f, "{name}:{number}"),
            Place::Game(name, number) => write!(f, "{name}: game {number}"),
        }
    }
}

/// For files, on a terminal that shows no answers.
fn bar(length: u64) -> Option<ProgressBar> {
    (length > 0 && io::stderr().is_terminal() && !io::stdout().is_terminal()).then(|| {
        let style = ProgressStyle::with_template("{bar:30} {percent} %  {bytes_per_sec}  {elapsed}, {eta} left");
        ProgressBar::new(length).with_style(style.expect("a template of ours is well-formed"))
    })
}
