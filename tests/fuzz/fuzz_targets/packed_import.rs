//! Any bytes as a PGN file, plain or packed: an error with a message, or an import that does not depend on the chunk size.
//!
//! Random bytes are seldom a sound stream, so the target compresses some inputs and overwrites a few bytes of the stream.

#![no_main]

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;
use plyfold_core::pgn::PgnImportReport;
use plyfold_input::PgnSource;
use plyfold_input::import::{ImportOptions, import_games};

fn import(bytes: &[u8], chunk_bytes: usize) -> Result<PgnImportReport, String> {
    let source = PgnSource::new(Cursor::new(bytes.to_vec()), Some(bytes.len() as u64));
    let mut source = source.map_err(|error| error.to_string())?;
    // A stream of a few bytes may decompress to gigabytes, so the target sets a bound as any caller does.
    let options = ImportOptions { threads: 1, chunk_bytes, max_game_bytes: 1 << 20, ..ImportOptions::default() };
    let mut progress = |_: &_, _: &_| true;
    import_games(&mut source, &options, &mut progress, &mut |_| Ok(())).map_err(|error| error.to_string())
}

fn packed(how: u8, text: &[u8]) -> Vec<u8> {
    match how % 4 {
        0 => text.to_vec(),
        // A zip archive with one stored file, whose checksum is that of no text.
        3 => [&b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0"[..], &(text.len() as u32).to_le_bytes(), &[0; 4], b"\x05\0\0\0a.pgn", text].concat(),
        1 => {
            let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(text).and_then(|()| writer.finish()).expect("memory")
        }
        _ => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(text).and_then(|()| writer.finish()).expect("memory")
        }
    }
}

fuzz_target!(|input: (u8, Vec<(u16, u8)>, &[u8])| {
    let (how, patches, text) = input;
    let mut bytes = packed(how, text);
    for (at, byte) in patches.into_iter().take(4) {
        if let Some(place) = bytes.get_mut(usize::from(at)) {
            *place = byte;
        }
    }
    match (import(&bytes, 4 << 20), import(&bytes, 64)) {
        (Ok(whole), Ok(pieces)) => assert_eq!(whole, pieces),
        (Err(whole), Err(pieces)) => assert!(!whole.is_empty() && !pieces.is_empty()),
        (whole, pieces) => panic!("whole {whole:?}, in pieces {pieces:?}"),
    }
});
