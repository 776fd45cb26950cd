//! Writes text for people: characters that would steer a terminal are replaced, whoever put them into a game or a file, and styles
//! become colours.

use std::io::{self, Write};

use plyfold_files::is_terminal_control;

use crate::style::Style;

/// The escape sequence that ends a style.
const PLAIN: &str = "\x1b[0m";

/// A writer of lines.
struct PrintableWriter<W> {
    inner: W,
    /// Whether each character that steers a terminal becomes a question mark.
    replaces: bool,
    /// Whether styles become escape sequences; otherwise they are passed on.
    colours: bool,
    /// The pieces of the line that has begun.
    line: Vec<(Style, Vec<u8>)>,
}

impl<W: Write> PrintableWriter<W> {
    fn pass_line(&mut self) -> io::Result<()> {
        for (style, piece) in self.line.drain(..) {
            let piece = if self.replaces { printed(&piece).into_bytes() } else { piece };
            if !self.colours || style == Style::Plain {
                style.of(|| self.inner.write_all(&piece))?;
                continue;
            }
            // A style ends before the line does, or a window that is scrolled would keep it.
            let (text, end) = piece.strip_suffix(b"\n").map_or((&piece[..], ""), |text| (text, "\n"));
            if !text.is_empty() {
                self.inner.write_all(style.begins().as_bytes())?;
                self.inner.write_all(text)?;
                self.inner.write_all(PLAIN.as_bytes())?;
            }
            self.inner.write_all(end.as_bytes())?;
        }
        Ok(())
    }
}

/// A piece of a line without what steers a terminal.
fn printed(piece: &[u8]) -> String {
    let text = String::from_utf8_lossy(piece);
    let is_plain = |letter: char| matches!(letter, '\n' | '\t') || !is_terminal_control(letter);
    text.chars().map(|letter| if is_plain(letter) { letter } else { '\u{fffd}' }).collect()
}

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let style = Style::current();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            match self.line.last_mut().filter(|(before, _)| *before == style) {
                Some((_, begun)) => begun.extend_from_slice(piece),
                None => self.line.push((style, piece.to_vec())),
            }
            if piece.ends_with(b"\n") {
                self.pass_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_line()?;
        self.inner.flush()
    }
}

/// Writes text for people.
///
/// # Errors
///
/// Those of `answer`, and those of writing.
pub fn text<F: From<io::Error>>(
    out: &mut dyn Write,
    answer: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    through(PrintableWriter { inner: out, replaces: true, colours: false, line: Vec::new() }, answer)
}

/// Writes an output to a stream that may be a terminal, which nothing but its styles may steer, and that may show colours.
pub(crate) fn stream<F: From<io::Error>>(
    out: &mut dyn Write,
    (is_terminal, colours): (bool, bool),
    answer: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    match is_terminal || colours {
        true => through(PrintableWriter { inner: out, replaces: is_terminal, colours, line: Vec::new() }, answer),
        // What programs read goes through unchanged.
        false => answer(out),
    }
}

fn through<F: From<io::Error>>(
    mut printable: PrintableWriter<&mut dyn Write>,
    answer: impl FnOnce(&mut dyn Write) -> Result<(), F>,
) -> Result<(), F> {
    answer(&mut printable)?;
    Ok(printable.pass_line()?)
}
