//! Checks what shakmaty-syzygy takes on trust.
//!
//! A file of distances stores one side to move, and says which by a bit. If the position has the other side to move, the library
//! tries every move and asks again. Where both sides have the same men with pawns, the positions after a move count as having the
//! same side to move, so a wrong bit would make the library ask without end.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use shakmaty_syzygy::filesystem::{RandomAccessFile, ReadHint};

/// The bit for Black to move.
const BLACK_TO_MOVE: u8 = 1;
/// The bit for a part with one value for all positions.
const SINGLE_VALUE: u8 = 128;

/// Refuses a file of distances that would be asked without end.
///
/// # Errors
/// The bit is wrong, or the file ends before it.
pub(super) fn check_side_to_move(path: &Path, file: &dyn RandomAccessFile) -> io::Result<()> {
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let is_symmetric = name.split_once('v').is_some_and(|(white, black)| white == black);
    if !is_symmetric || !name.contains('P') || path.extension() != Some(OsStr::new("rtbz")) {
        return Ok(());
    }
    // Magic number and flags; for each file of the leading pawn two bytes of order and one for each man; then an even offset.
    let mut at = 5 + 4 * (2 + name.len() as u64 - 1);
    at += at & 1;
    for _ in 0..4 {
        let flags = file.read_u8_at(at, ReadHint::Header)?;
        if flags & BLACK_TO_MOVE != 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        at += if flags & SINGLE_VALUE == 0 { coding_bytes(file, at)? } else { 2 };
    }
    Ok(())
}

/// The length of a part's header: ten bytes, two for each length of a symbol, and three for each symbol.
fn coding_bytes(file: &dyn RandomAccessFile, at: u64) -> io::Result<u64> {
    let (longest, shortest) = (file.read_u8_at(at + 8, ReadHint::Header)?, file.read_u8_at(at + 9, ReadHint::Header)?);
    let lengths = 10 + 2 * (u64::from(longest.saturating_sub(shortest)) + 1);
    let symbols = u64::from(file.read_u16_le_at(at + lengths, ReadHint::Header)?);
    Ok(lengths + 2 + 3 * symbols + (symbols & 1))
}
