//! Reads the PGN files in a 7z archive, one after another.
//!
//! The directory of an archive stands at its end, so all packed bytes are in memory. The library that unpacks them hands files to its
//! caller, so it runs in a thread, which is only some pieces ahead of the reader.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use sevenz_rust2::{ArchiveEntry, ArchiveReader, Error, Password};

use crate::archive::{SEPARATOR, WRONG_CHECKSUM, damaged, is_pgn_name, no_pgn, unsuitable};

/// The most bytes of an archive, and the most memory of a decoder.
const MAX_BYTES: u64 = 1 << 30;
const PIECE_BYTES: usize = 256 << 10;
/// How many pieces the thread may be ahead.
const AHEAD: usize = 4;

/// A piece of the text; an empty one is the end.
type Piece = io::Result<Vec<u8>>;

/// The bytes of all PGN files of an archive.
pub(crate) struct SevenZipEntries<R> {
    archive: Option<R>,
    pieces: Option<Receiver<Piece>>,
    piece: Cursor<Vec<u8>>,
}

impl<R: Read> SevenZipEntries<R> {
    /// An archive from its first byte.
    pub(crate) fn new(archive: R) -> SevenZipEntries<R> {
        SevenZipEntries { archive: Some(archive), pieces: None, piece: Cursor::default() }
    }

    /// Reads the whole archive and starts the thread.
    fn start(archive: R) -> io::Result<Receiver<Piece>> {
        let mut packed = Vec::new();
        archive.take(MAX_BYTES + 1).read_to_end(&mut packed)?;
        if packed.len() as u64 > MAX_BYTES {
            return Err(unsuitable(&format!("it has more than {} MiB: unpack it", MAX_BYTES >> 20)));
        }
        if is_cut(&packed) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let (sender, pieces) = sync_channel(AHEAD);
        thread::Builder::new().name("7z".into()).spawn(move || {
            let end = unpack(packed, &sender).map(|()| Vec::new());
            // Nobody waits for it if the import has ended.
            let _ = sender.send(end);
        })?;
        Ok(pieces)
    }
}

impl<R: Read> Read for SevenZipEntries<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(archive) = self.archive.take() {
            self.pieces = Some(SevenZipEntries::start(archive)?);
        }
        while let Some(pieces) = &self.pieces {
            let count = self.piece.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let next = pieces.recv().unwrap_or_else(|_| Err(io::Error::other("it cannot be unpacked")))?;
            if next.is_empty() {
                self.pieces = None;
            }
            self.piece = Cursor::new(next);
        }
        Ok(0)
    }
}

/// Whether an archive ends before its directory does, whose place stands in its head.
fn is_cut(packed: &[u8]) -> bool {
    const HEAD_BYTES: u64 = 32;
    let word = |at: usize| packed.get(at..at + 8).and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
    let end = word(12).zip(word(20)).and_then(|(offset, length)| HEAD_BYTES.checked_add(offset)?.checked_add(length));
    end.is_none_or(|end| end > packed.len() as u64)
}

/// Sends the bytes of the PGN files of an archive.
fn unpack(packed: Vec<u8>, pieces: &SyncSender<Piece>) -> io::Result<()> {
    let most_kib = (MAX_BYTES >> 10) as usize;
    let reader = ArchiveReader::new_with_memory_limit(Cursor::new(packed), Password::empty(), most_kib);
    let mut reader = reader.map_err(in_words)?;
    reader.set_thread_count(1);
    let (mut files, mut names) = (0, 0);
    let each = |entry: &ArchiveEntry, bytes: &mut dyn Read| {
        names += usize::from(!entry.is_directory());
        if entry.is_directory() || !is_pgn_name(entry.name().as_bytes()) {
            return Ok(true);
        }
        files += 1;
        let mut text = bytes.chain(SEPARATOR);
        loop {
            let mut piece = Vec::new();
            (&mut text).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
            if piece.is_empty() {
                return Ok(true);
            }
            pieces.send(Ok(piece)).map_err(|_| Error::Other("the reader is gone".into()))?;
        }
    };
    reader.for_each_entries(each).map_err(in_words)?;
    if files == 0 { Err(no_pgn(names)) } else { Ok(()) }
}

/// Returns what is wrong, in the words of the other layers.
fn in_words(error: Error) -> io::Error {
    match error {
        Error::MaxMemLimited { .. } => {
            unsuitable(&format!("it needs more than {} MiB of memory: unpack it", MAX_BYTES >> 20))
        }
        Error::PasswordRequired | Error::MaybeBadPassword(_) => unsuitable("a file in it is encrypted"),
        Error::UnsupportedCompressionMethod(method) => {
            unsuitable(&format!("a file in it is packed by the method {method}: unpack it"))
        }
        Error::Io(source, _) if source.kind() == io::ErrorKind::UnexpectedEof => source,
        Error::Io(source, _) => damaged(&source.to_string()),
        Error::ChecksumVerificationFailed | Error::NextHeaderCrcMismatch => damaged(WRONG_CHECKSUM),
        Error::Other(what) | Error::Unsupported(what) => damaged(&what),
        _ => damaged("its directory cannot be read"),
    }
}
