//! One layer of compression: it decompresses the bytes below it, and notes what is wrong with them.

use std::cell::{Cell, OnceCell};
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::GzDecoder;

use crate::archive::{DamagedArchive, UnsuitableArchive};
use crate::format::CompressionFormat;
use crate::tar_entries::TarEntries;
use crate::zip_entries::ZipEntries;

/// How many bytes identify the format of a stream: a block of tar.
const HEAD_BYTES: u64 = 512;

/// What has been read from a stream.
#[derive(Default)]
pub(crate) struct StreamMeter {
    pub(crate) bytes: Cell<u64>,
    pub(crate) ended: Cell<bool>,
    pub(crate) failed: Cell<bool>,
}

/// A stream that counts the bytes read from it.
pub(crate) struct MeteredReader<R> {
    inner: R,
    meter: Rc<StreamMeter>,
}

impl<R: Read> MeteredReader<R> {
    pub(crate) fn new(inner: R, meter: &Rc<StreamMeter>) -> MeteredReader<R> {
        MeteredReader { inner, meter: Rc::clone(meter) }
    }
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.inner.read(buffer) {
            Ok(count) => count,
            Err(error) => {
                self.meter.failed.set(error.kind() != io::ErrorKind::Interrupted);
                return Err(error);
            }
        };
        self.meter.bytes.set(self.meter.bytes.get() + count as u64);
        self.meter.ended.set(count == 0 && !buffer.is_empty());
        Ok(count)
    }
}

/// Returns the first bytes of `stream`, fewer only if it has fewer, and a stream of all its bytes.
pub(crate) fn peek_head(mut stream: Box<dyn Read>) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut head = Vec::new();
    // A pipe or a decoder may return one byte at a time.
    (&mut stream).take(HEAD_BYTES).read_to_end(&mut head)?;
    let whole = io::Cursor::new(head.clone()).chain(stream);
    Ok((head, Box::new(whole)))
}

/// A fault of compressed bytes.
#[derive(Clone, Debug)]
pub(crate) enum StreamFault {
    /// They end too early.
    Truncated(CompressionFormat),
    /// They cannot be decompressed.
    Damaged(CompressionFormat, String),
    /// Other bytes follow their end.
    Trailing(CompressionFormat),
    /// They are an archive that is not read, for this reason.
    Unsuitable(CompressionFormat, String),
    /// They need more memory than is given to them.
    LargeWindow,
}

/// The first fault of any layer. The layers above it see only a read error, which a decoder may have worded
/// differently.
pub(crate) type FirstFault = Rc<OnceCell<StreamFault>>;

/// A decoder that notes its faults.
struct DecoderLayer {
    decoder: Box<dyn Read>,
    format: CompressionFormat,
    /// Counts the compressed bytes.
    meter: Rc<StreamMeter>,
    fault: FirstFault,
}

/// Decompresses `stream`, which has this format.
///
/// # Errors
///
/// There is no memory for a decoder.
pub(crate) fn decompress(
    stream: Box<dyn Read>,
    format: CompressionFormat,
    fault: &FirstFault,
) -> io::Result<Box<dyn Read>> {
    let meter = Rc::new(StreamMeter::default());
    let packed = BufReader::with_capacity(256 << 10, MeteredReader::new(stream, &meter));
    let decoder: Box<dyn Read> = match format {
        CompressionFormat::Plain => Box::new(packed),
        CompressionFormat::Gzip => Box::new(GzipMembers::new(packed)),
        CompressionFormat::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
        CompressionFormat::Zstd => zstd(packed)?,
        CompressionFormat::Zip => Box::new(ZipEntries::new(packed)),
        CompressionFormat::Tar => Box::new(TarEntries::new(packed)),
        #[cfg(feature = "seven-zip")]
        CompressionFormat::SevenZip => Box::new(crate::seven_zip::SevenZipEntries::new(packed)),
    };
    Ok(Box::new(DecoderLayer { decoder, format, meter, fault: Rc::clone(fault) }))
}

impl Read for DecoderLayer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).inspect_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted || self.meter.failed.get() {
                return;
            }
            let fault = if error.get_ref().is_some_and(|inner| inner.is::<TrailingBytes>()) {
                StreamFault::Trailing(self.format)
            } else if let Some(why) = error.get_ref().and_then(|inner| inner.downcast_ref::<UnsuitableArchive>()) {
                StreamFault::Unsuitable(self.format, why.to_string())
            } else if is_about_memory(error) {
                StreamFault::LargeWindow
            } else if error.get_ref().is_some_and(|inner| inner.is::<DamagedArchive>()) {
                StreamFault::Damaged(self.format, error.to_string())
            } else if self.meter.ended.get() || error.kind() == io::ErrorKind::UnexpectedEof {
                StreamFault::Truncated(self.format)
            } else {
                StreamFault::Damaged(self.format, error.to_string())
            };
            // The first fault is the cause of all later ones.
            let _ = self.fault.set(fault);
        })
    }
}

/// Whether an error says that a window of zstd is too large, in the words of either decoder.
fn is_about_memory(error: &io::Error) -> bool {
    let words = error.to_string().to_ascii_lowercase();
    words.contains("too much memory") || words.contains("window")
}

/// The members of a gzip file as one stream. Zeros may follow them, since tapes and some servers pad their blocks;
/// gzip(1) accepts them too.
struct GzipMembers<R> {
    /// `None` at the end.
    member: Option<GzDecoder<R>>,
}

/// Bytes after the last member that are neither a member nor zeros.
#[derive(Debug, thiserror::Error)]
#[error("other bytes follow its end")]
struct TrailingBytes;

impl<R: BufRead> GzipMembers<R> {
    fn new(packed: R) -> GzipMembers<R> {
        GzipMembers { member: Some(GzDecoder::new(packed)) }
    }
}

/// Whether another member follows. Zeros are not a member.
fn has_next_member(packed: &mut impl BufRead) -> io::Result<bool> {
    match packed.fill_buf()?.first() {
        None => return Ok(false),
        Some(0x1f) => return Ok(true),
        Some(_) => {}
    }
    loop {
        let bytes = packed.fill_buf()?;
        if bytes.iter().any(|&byte| byte != 0) {
            return Err(io::Error::other(TrailingBytes));
        }
        let count = bytes.len();
        if count == 0 {
            return Ok(false);
        }
        packed.consume(count);
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if has_next_member(member.get_mut())? {
                self.member = self.member.take().map(|member| GzDecoder::new(member.into_inner()));
            } else {
                self.member = None;
            }
        }
        Ok(0)
    }
}

#[cfg(all(feature = "native-zstd", not(target_arch = "wasm32")))]
fn zstd(packed: impl BufRead + 'static) -> io::Result<Box<dyn Read>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.window_log_max(crate::format::MAX_WINDOW_BYTES.ilog2())?;
    Ok(Box::new(decoder))
}

#[cfg(not(all(feature = "native-zstd", not(target_arch = "wasm32"))))]
fn zstd(packed: impl BufRead + 'static) -> io::Result<Box<dyn Read>> {
    Ok(Box::new(crate::zstd_frames::ZstdFrames::new(packed)))
}
