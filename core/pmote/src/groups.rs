//! PMOTE-GB: counts by the value of a key, records of 48 bytes and then their names.

use alloc::string::String;
use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};
use plyfold_reduce::groups::{Group, GroupTable};
use plyfold_reduce::matching_positions::PositionRef;
use plyfold_reduce::result_counts::ResultCounts;
use plyfold_scan::game::{GameId, Ply};

use super::error::PmoteError;
use super::header::{CorpusStamp, FilePart, HEADER_BYTES, HeaderBuilder, check_body, read_header, u64_at};
use super::kind::PmoteKind;

/// Bytes before the first record.
const RECORDS_OFFSET: usize = HEADER_BYTES + 32;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct GroupRecord {
    value: u64,
    positions: u64,
    /// Games: result unknown, White won, Black won, drawn.
    results: [u32; 4],
    first_game: u32,
    first_ply: u32,
    /// Byte after its name, counted from where the names begin.
    name_end: u64,
}

/// The bytes of the groups of a key.
pub fn encode(table: &GroupTable, stamp: CorpusStamp) -> Vec<u8> {
    let mut names = table.key.clone().into_bytes();
    let records = table.groups.iter().map(|group| {
        names.extend_from_slice(group.name.as_bytes());
        GroupRecord {
            value: group.value,
            positions: group.positions,
            results: group.results.counts(),
            first_game: group.first.game.0,
            first_ply: group.first.ply.0,
            name_end: names.len() as u64,
        }
    });
    let records: Vec<GroupRecord> = records.collect();
    let counts = [table.distinct, table.positions, records.len() as u64, table.key.len() as u64];
    let body = [bytemuck::cast_slice(&counts), bytemuck::cast_slice(&records), &names].concat();
    let mut builder = HeaderBuilder::new(PmoteKind::Groups, stamp);
    builder.update(&body);
    [&builder.finish()[..], &body].concat()
}

/// Reads and checks the groups of a key: `bytes` is the whole file.
///
/// # Errors
///
/// The first thing wrong, with its place.
pub fn decode(bytes: &[u8]) -> Result<(CorpusStamp, GroupTable), PmoteError> {
    let (stamp, checksum) = read_header(PmoteKind::Groups, bytes)?;
    let length = bytes.len() as u64;
    let truncated = |part, offset: usize, end: u64| {
        Err(PmoteError::Truncated { part, offset: offset as u64, missing: end.saturating_sub(length) })
    };
    if bytes.len() < RECORDS_OFFSET {
        return truncated("counts", HEADER_BYTES, RECORDS_OFFSET as u64);
    }
    let [distinct, positions, groups, key_length] = [32, 40, 48, 56].map(|at| u64_at(bytes, at));
    let end = groups
        .checked_mul(size_of::<GroupRecord>() as u64)
        .and_then(|records| records.checked_add(RECORDS_OFFSET as u64));
    let end = end.unwrap_or(u64::MAX);
    if length < end {
        return truncated("records", RECORDS_OFFSET, end);
    }
    let names = end as usize;
    let records = bytes[RECORDS_OFFSET..names].chunks_exact(size_of::<GroupRecord>()).map(bytemuck::pod_read_unaligned);
    let records: Vec<GroupRecord> = records.collect();
    let names_end = records.last().map_or(key_length, |last| last.name_end);
    let part = FilePart { name: "names", offset: end, end: end.saturating_add(names_end) };
    check_body(bytes, (stamp, checksum), PmoteKind::Groups, part)?;
    let inconsistent = |what| PmoteError::Inconsistent { part: "names", offset: end, what };
    let mut at = 0;
    let mut name = |to: u64| {
        let name = usize::try_from(to).ok().and_then(|to| bytes[names..].get(core::mem::replace(&mut at, to)..to));
        let name = name.ok_or_else(|| inconsistent("their ends are not in ascending order"))?;
        core::str::from_utf8(name).map(String::from).map_err(|_| inconsistent("a value is not UTF-8"))
    };
    let key = name(key_length)?;
    let group = |record: &GroupRecord| {
        let &GroupRecord { value, positions, results, first_game, first_ply, name_end } = record;
        let results = ResultCounts::from_counts(results);
        let first = PositionRef { game: GameId(first_game), ply: Ply(first_ply) };
        Ok(Group { value, name: name(name_end)?, positions, results, first })
    };
    let groups: Vec<Group> = records.iter().map(group).collect::<Result<_, PmoteError>>()?;
    if distinct < groups.len() as u64 {
        let what = "there are fewer values than groups";
        return Err(PmoteError::Inconsistent { part: "counts", offset: HEADER_BYTES as u64, what });
    }
    Ok((stamp, GroupTable { key, distinct, positions, groups }))
}
