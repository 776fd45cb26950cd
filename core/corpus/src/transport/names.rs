//! Codes tables of names.

use alloc::vec::Vec;

use super::super::strings::StringTable;
use super::adaptive::{NumberModel, TextModel};
use super::entropy::Coder;

/// Codes a table of names, which takes at most `limit` bytes. `table` is the one to be written. It is coded as an empty one if it is no
/// table, or has names that hold a zero byte.
///
/// The names follow one another, a zero byte after each.
pub(super) fn code_names<C: Coder>(
    coder: &mut C,
    (numbers, text): (&mut NumberModel, &mut TextModel),
    table: &[u8],
    limit: u64,
) -> Vec<u8> {
    let names = read_names(table).unwrap_or_default();
    let count = numbers.code(coder, names.len() as u32) as usize;
    let (mut ends, mut bytes) = (Vec::new(), Vec::new());
    for nth in 0..count {
        if coder.is_exhausted() || (bytes.len() + nth * 4) as u64 > limit {
            break;
        }
        let mut name = names.get(nth).copied().unwrap_or_default().iter();
        loop {
            match text.code(coder, name.next().copied().unwrap_or(0)) {
                0 => break,
                byte => bytes.push(byte),
            }
            if coder.is_exhausted() || bytes.len() as u64 > limit {
                break;
            }
        }
        ends.push(bytes.len() as u32);
    }
    let mut table = (count as u32).to_le_bytes().to_vec();
    table.extend([0; 4]);
    table.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
    table.extend(bytes);
    table
}

/// The names of a table that [`code_names`] can code.
fn read_names(table: &[u8]) -> Option<Vec<&[u8]>> {
    let table = StringTable::read(table).filter(StringTable::is_sound)?;
    let names: Vec<&[u8]> = table.iter().map(str::as_bytes).collect();
    (!names.iter().any(|name| name.contains(&0))).then_some(names)
}
