//! Writes text for people: characters that would steer a terminal are replaced, whoever put them into a game or a file.

use std::io::{self, Write};

use plyfold_files::is_terminal_control;

/// A writer of lines in which each character that steers a terminal becomes a question mark.
struct PrintableWriter<W> {
    inner: W,
    /// The line that has begun.
    line: Vec<u8>,
}

impl<W: Write> PrintableWriter<W> {
    fn pass_line(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.line);
        let is_plain = |letter: char| matches!(letter, '\n' | '\t') || !is_terminal_control(letter);
        let shown: String = text.chars().map(|letter| if is_plain(letter) { letter } else { '\u{fffd}' }).collect();
        self.line.clear();
        self.inner.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
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
    let mut printable = PrintableWriter { inner: out, line: Vec::new() };
    answer(&mut printable)?;
    Ok(printable.pass_line()?)
}
