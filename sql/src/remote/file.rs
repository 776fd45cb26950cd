//! One file on object storage, read by ranges of bytes that must all belong to the same state of it.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::try_join_all;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};

use super::failure::{CHANGED, RemoteFailure};
use crate::session_work::SessionWork;

/// Ranges are read together if at most so many bytes lie between them: reading those takes less time than another request.
const MAX_GAP: u64 = 64 << 10;
/// The most bytes of a request.
const MAX_REQUEST: u64 = 8 << 20;

/// Where a file lies.
#[derive(Clone, Debug)]
pub(crate) struct RemotePlace {
    pub store: Arc<dyn ObjectStore>,
    pub path: Path,
    /// What its user calls it.
    pub address: String,
}

/// A file that has been opened.
pub(super) struct RemoteFile {
    place: RemotePlace,
    /// Its state when it was opened.
    state: ObjectMeta,
    work: Arc<SessionWork>,
}

/// Bytes of a file, in pieces that are in its order.
pub(super) struct FetchedRanges(Vec<(Range<u64>, Bytes)>);

impl RemoteFile {
    /// Opens a file by reading its first bytes, at most so many.
    pub async fn open(
        place: RemotePlace,
        bytes: u64,
        work: Arc<SessionWork>,
    ) -> Result<(RemoteFile, Bytes), RemoteFailure> {
        let options = GetOptions { range: Some(GetRange::Bounded(0..bytes)), ..GetOptions::default() };
        let (state, head) = get(&place, options, &work).await?;
        Ok((RemoteFile { place, state, work }, head))
    }

    /// The address.
    pub fn address(&self) -> &str {
        &self.place.address
    }

    /// How many bytes it has.
    pub fn size_bytes(&self) -> u64 {
        self.state.size
    }

    /// Reads some bytes, which lie in the file.
    pub async fn read(&self, range: Range<u64>) -> Result<Bytes, RemoteFailure> {
        // Weak tags are equal for files that are not, so a condition on one never holds.
        let tag = self.state.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let range_asked = Some(GetRange::Bounded(range.clone()));
        let options = GetOptions { range: range_asked, if_match: tag, ..GetOptions::default() };
        let (state, bytes) = get(&self.place, options, &self.work).await?;
        let known = |state: &ObjectMeta| (state.size, state.e_tag.clone(), state.last_modified);
        if known(&state) != known(&self.state) {
            return Err(RemoteFailure::storage(self.address(), CHANGED));
        }
        let length = range.end - range.start;
        if bytes.len() as u64 != length {
            let what = format!("gave {} bytes instead of {length}: ask again", bytes.len());
            return Err(RemoteFailure::storage(self.address(), what));
        }
        Ok(bytes)
    }

    /// Reads ranges, which are in ascending order, by a few large requests at the same time.
    pub async fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<FetchedRanges, RemoteFailure> {
        let requests = merged_requests(ranges).into_iter();
        let fetched = requests.map(async |range| Ok((range.clone(), self.read(range).await?)));
        try_join_all(fetched).await.map(FetchedRanges)
    }
}

impl FetchedRanges {
    /// The bytes of one of the ranges that were asked for.
    pub fn get(&self, range: &Range<u64>) -> Bytes {
        let overlaps = |piece: &&(Range<u64>, Bytes)| piece.0.start < range.end && range.start < piece.0.end;
        let mut pieces = self.0.iter().filter(overlaps).map(|(place, bytes)| {
            let part = range.start.max(place.start)..range.end.min(place.end);
            bytes.slice((part.start - place.start) as usize..(part.end - place.start) as usize)
        });
        match (pieces.next(), pieces.next()) {
            (None, _) => Bytes::new(),
            (Some(whole), None) => whole,
            (Some(first), Some(second)) => {
                [first, second].into_iter().chain(pieces).collect::<Vec<Bytes>>().concat().into()
            }
        }
    }
}

/// Makes a request and reads its whole answer.
async fn get(
    place: &RemotePlace,
    options: GetOptions,
    work: &SessionWork,
) -> Result<(ObjectMeta, Bytes), RemoteFailure> {
    work.count_request();
    let failed = RemoteFailure::request(&place.address);
    let answer = place.store.get_opts(&place.path, options).await.map_err(&failed)?;
    let state = answer.meta.clone();
    let bytes = answer.bytes().await.map_err(|error| match failed(error) {
        RemoteFailure::Storage { address, what } => {
            let what = what.strip_prefix("cannot be read: ").unwrap_or(&what);
            RemoteFailure::storage(
                &address,
                format!("the connection broke in the middle of an answer ({what}): ask again"),
            )
        }
        other => other,
    })?;
    work.count_bytes(bytes.len() as u64);
    Ok((state, bytes))
}

/// The requests that read ascending ranges: what lies close together is read at once, and no request is too large.
fn merged_requests(ranges: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end + MAX_GAP && range.end - last.start <= MAX_REQUEST => {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range.clone()),
        }
    }
    let pieces = |range: Range<u64>| {
        let starts = (range.start..range.end).step_by(MAX_REQUEST as usize);
        starts.map(move |start| start..range.end.min(start + MAX_REQUEST))
    };
    merged.into_iter().flat_map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_ranges_are_read_at_once_and_large_ones_in_pieces() {
        let far = 100 << 20;
        let asked = [0..10, 20..30, MAX_GAP + 30..MAX_GAP + 40, far..far + 2 * MAX_REQUEST + 5, far * 2..far * 2 + 1];
        let requests = merged_requests(&asked);
        let large = [0, 1, 2].map(|nth| far + nth * MAX_REQUEST);
        let expected =
            [0..MAX_GAP + 40, large[0]..large[1], large[1]..large[2], large[2]..large[2] + 5, far * 2..far * 2 + 1];
        assert_eq!(requests, expected);
        assert_eq!(merged_requests(&[0..10, MAX_GAP + 11..MAX_GAP + 12]).len(), 2, "the gap is too large");
        assert!(merged_requests(&[]).is_empty());
    }

    #[test]
    fn a_range_is_put_together_again() {
        let pieces = [(0..4, "abcd"), (4..8, "efgh"), (20..23, "xyz")];
        let fetched = FetchedRanges(pieces.map(|(range, text)| (range, Bytes::from(text))).to_vec());
        for (range, text) in [(1..3, "bc"), (2..6, "cdef"), (0..8, "abcdefgh"), (20..23, "xyz"), (21..22, "y")] {
            assert_eq!(fetched.get(&range), text);
        }
    }
}
