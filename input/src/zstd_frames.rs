//! Decompresses Zstandard in Rust: all frames of a stream, one after another.
//!
//! The decoder reads one frame; a file may have many, and skippable ones (files of Lichess begin with one). The
//! checksum of a frame is verified if it has one.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::format::MAX_WINDOW_BYTES;

/// The frames of `stream` as one stream.
pub(crate) struct ZstdFrames<R> {
    stream: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    pub(crate) fn new(stream: R) -> ZstdFrames<R> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW_BYTES);
        ZstdFrames { stream, decoder, in_frame: false }
    }

    /// Begins the next frame; false at the end of the stream.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.stream.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let mut magic = [0; 4];
            self.stream.read_exact(&mut magic)?;
            if let [0x50..=0x5f, 0x2a, 0x4d, 0x18] = magic {
                let mut length = [0; 4];
                self.stream.read_exact(&mut length)?;
                let length = u64::from(u32::from_le_bytes(length));
                if io::copy(&mut (&mut self.stream).take(length), &mut io::sink())? < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                continue;
            }
            self.decoder.reset((&magic[..]).chain(&mut self.stream)).map_err(io::Error::other)?;
            self.in_frame = true;
            return Ok(true);
        }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame && !self.next_frame()? {
                return Ok(0);
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            if self.decoder.is_finished() {
                let (stored, calculated) =
                    (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                if stored.is_some() && calculated.is_some() && stored != calculated {
                    return Err(io::Error::other("checksum mismatch"));
                }
                self.in_frame = false;
            } else {
                self.decoder
                    .decode_blocks(&mut self.stream, BlockDecodingStrategy::UptoBytes(128 << 10))
                    .map_err(io::Error::other)?;
            }
        }
    }
}
