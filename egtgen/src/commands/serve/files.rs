//! Serves a file of a folder, and nothing outside it: by the path of a URL, completely or a range of it.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use egtgen::folder::PARTIAL_EXTENSION;
use egtgen::pread::FileBytes;
use http_body::{Frame, SizeHint};
use percent_encoding::percent_decode_str;
use plyfold_tables::layout::ReadAt;
use tokio::fs;
use tokio::task::{JoinHandle, spawn_blocking};
use tower_http::services::ServeFile;

use super::http_error::HttpError;

/// Bytes of a file in memory for one client. The next chunk is read when the system has accepted this one.
const CHUNK_BYTES: usize = 16 << 10;

/// The file of a URL path below `folder`, whose own path has no links. A folder stands for its `index.html`. `None` if there is no
/// such file, or the path or a link leads out of the folder or to a hidden or unfinished file.
pub async fn find_file(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut file = folder.to_path_buf();
    let path = path.strip_prefix('/').unwrap_or(path);
    let is_folder = path.is_empty() || path.ends_with('/');
    for part in path.strip_suffix('/').unwrap_or(path).split('/') {
        if !path.is_empty() {
            file.push(decode_part(part)?);
        }
    }
    if is_folder {
        file.push("index.html");
    }
    let file = fs::canonicalize(file).await.ok()?;
    // A link must not lead to a file that a URL cannot name.
    let mut names = file.strip_prefix(folder).ok()?.components();
    let is_plain = names.all(|name| name.as_os_str().to_str().is_some_and(is_visible_name));
    (is_plain && fs::metadata(&file).await.ok()?.is_file()).then_some(file)
}

/// Decodes a segment of a path; `None` if the name must not be served.
fn decode_part(part: &str) -> Option<String> {
    let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
    is_visible_name(&name).then_some(name)
}

/// Whether this is the name of an entry of a folder, and neither hidden nor an unfinished file.
fn is_visible_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.ends_with(PARTIAL_EXTENSION)
        && !name.contains(['/', '\\', '\0', ':'])
}

/// Answers GET and HEAD with a file, or with the requested range of it.
///
/// # Errors
///
/// The file cannot be read, or the method is another one.
pub async fn serve_file(request: Request, file: &Path) -> Result<Response, HttpError> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(HttpError::method_not_allowed("GET, HEAD"));
    }
    let mut response = describe_file(request.headers(), file).await?;
    // Ranges are defined only for GET.
    if response.status() != StatusCode::OK || *request.method() == Method::HEAD {
        return Ok(response);
    }
    let path = file.to_path_buf();
    let opened = spawn_blocking(move || plyfold_files::open(&path).and_then(FileBytes::new)).await;
    let opened = opened.map_err(io::Error::from).flatten().map_err(|_| file_not_found())?;
    let length = opened.len();
    let bytes = match requested_range(request.headers(), response.headers(), length) {
        RequestedRange::Whole => 0..length,
        RequestedRange::Bytes(bytes) => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let range = format!("bytes {}-{}/{length}", bytes.start, bytes.end - 1);
            response.headers_mut().extend(header(&range).map(|value| (CONTENT_RANGE, value)));
            bytes
        }
        RequestedRange::Beyond => {
            let message = format!("this range does not exist; the file has {length} bytes");
            let mut refused = HttpError::new(StatusCode::RANGE_NOT_SATISFIABLE, message).into_response();
            refused.headers_mut().extend(header(&format!("bytes */{length}")).map(|value| (CONTENT_RANGE, value)));
            return Ok(refused);
        }
    };
    response.headers_mut().insert(CONTENT_LENGTH, (bytes.end - bytes.start).into());
    *response.body_mut() = Body::new(FileBody::new(opened, bytes));
    Ok(response)
}

/// The headers of a file, or the status that the client already has it.
async fn describe_file(request_headers: &HeaderMap, file: &Path) -> Result<Response, HttpError> {
    let mut look = Request::new(Body::empty());
    *look.method_mut() = Method::HEAD;
    *look.headers_mut() = request_headers.clone();
    look.headers_mut().remove(RANGE);
    let served = ServeFile::new(file).try_call(look).await;
    let mut response = served.map(|response| response.map(Body::new)).map_err(|_| file_not_found())?;
    if response.status() == StatusCode::NOT_FOUND {
        return Err(file_not_found());
    }
    // The client revalidates each time, which transfers no file if it is unchanged.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

fn header(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}

/// The error for a missing file.
pub fn file_not_found() -> HttpError {
    HttpError::not_found("there is no such file")
}

/// The requested part of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum RequestedRange {
    Whole,
    /// A range of at least one byte.
    Bytes(Range<u64>),
    /// A range that begins after the end.
    Beyond,
}

/// The part of a file that a request asks for. `described` has the headers of the current file.
fn requested_range(request_headers: &HeaderMap, described: &HeaderMap, length: u64) -> RequestedRange {
    // `If-Range` asks for the range if the file is unchanged, and for the whole file otherwise.
    if let Some(as_it_was) = request_headers.get(IF_RANGE)
        && ![ETAG, LAST_MODIFIED].iter().any(|name| described.get(name) == Some(as_it_was))
    {
        return RequestedRange::Whole;
    }
    let mut ranges = request_headers.get_all(RANGE).iter();
    match (ranges.next(), ranges.next()) {
        (Some(range), None) => {
            range.to_str().ok().and_then(|range| parse_range(range, length)).unwrap_or(RequestedRange::Whole)
        }
        _ => RequestedRange::Whole,
    }
}

/// The range that a `Range` header asks for, by RFC 9110. `None` if it must be ignored: another unit, no valid range, or several
/// ranges, which a server may answer with the whole file.
fn parse_range(range: &str, length: u64) -> Option<RequestedRange> {
    let (unit, set) = range.split_once('=')?;
    let mut ranges = set.split(',').map(|range| range.trim_matches([' ', '\t'])).filter(|range| !range.is_empty());
    let (Some(range), None) = (ranges.next(), ranges.next()) else { return None };
    let (first, last) = range.split_once('-')?;
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        // A number that does not fit into 64 bits is beyond the end of any file.
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    if first.is_empty() {
        return Some(match number(last)?.min(length) {
            // An empty file has no last byte.
            0 if length == 0 && number(last)? > 0 => RequestedRange::Whole,
            0 => RequestedRange::Beyond,
            last => RequestedRange::Bytes(length - last..length),
        });
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    match () {
        () if last < first => None,
        () if first >= length => Some(RequestedRange::Beyond),
        () => Some(RequestedRange::Bytes(first..last.saturating_add(1).min(length))),
    }
}

/// A file as the body of a response. Only one chunk is in memory at a time, however slowly the client reads.
struct FileBody {
    file: Arc<FileBytes>,
    remaining: Range<u64>,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
    gate: Arc<ChunkGate>,
}

/// Whether a chunk is still being sent, and which task waits for it.
#[derive(Default)]
struct ChunkGate(Mutex<(bool, Option<Waker>)>);

/// A chunk that is being sent. When it is dropped, the next one may be read.
struct BodyChunk {
    bytes: Vec<u8>,
    gate: Arc<ChunkGate>,
}

impl AsRef<[u8]> for BodyChunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for BodyChunk {
    fn drop(&mut self) {
        let mut state = self.gate.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = false;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }
}

impl FileBody {
    fn new(file: FileBytes, bytes: Range<u64>) -> FileBody {
        FileBody { file: Arc::new(file), remaining: bytes, reading: None, gate: Arc::default() }
    }

    /// Starts to read the next chunk.
    fn start_read(&mut self) -> JoinHandle<io::Result<Vec<u8>>> {
        let (file, from) = (Arc::clone(&self.file), self.remaining.start);
        let length = (self.remaining.end - from).min(CHUNK_BYTES as u64) as usize;
        spawn_blocking(move || {
            let mut bytes = vec![0; length];
            file.read_at(from, &mut bytes)?;
            Ok(bytes)
        })
    }
}

impl http_body::Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.remaining.is_empty() {
            return Poll::Ready(None);
        }
        {
            let mut state = self.gate.0.lock().unwrap_or_else(PoisonError::into_inner);
            if state.0 {
                state.1 = Some(context.waker().clone());
                return Poll::Pending;
            }
        }
        let mut reading = self.reading.take().unwrap_or_else(|| self.start_read());
        let Poll::Ready(read) = Pin::new(&mut reading).poll(context) else {
            self.reading = Some(reading);
            return Poll::Pending;
        };
        let bytes = match read.map_err(io::Error::from).flatten() {
            Ok(bytes) => bytes,
            Err(error) => {
                self.remaining = 0..0;
                return Poll::Ready(Some(Err(error)));
            }
        };
        self.remaining.start += bytes.len() as u64;
        self.gate.0.lock().unwrap_or_else(PoisonError::into_inner).0 = true;
        let chunk = BodyChunk { bytes, gate: Arc::clone(&self.gate) };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(chunk)))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining.end - self.remaining.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(decode_part("a%20b.js").as_deref(), Some("a b.js"));
        assert_eq!(decode_part("a%2Bb+c").as_deref(), Some("a+b+c"));
        for wrong in [
            "",
            ".",
            "..",
            "%2e%2e",
            "%2E.",
            ".git",
            "%2ehidden",
            "a%2fb",
            "a%5cb",
            "a\\b",
            "a%00",
            "c:",
            "%ff",
            "a.part",
            "a%2Epart",
        ] {
            assert_eq!(decode_part(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn ranges_are_those_of_rfc_9110() {
        for (range, bytes) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-99", 0..100),
            ("bytes=10-", 10..100),
            ("bytes=99-", 99..100),
            ("bytes=90-1000", 90..100),
            ("bytes=0-99999999999999999999999", 0..100),
            ("bytes=-1", 99..100),
            ("bytes=-100", 0..100),
            ("bytes=-101", 0..100),
            ("bytes=-99999999999999999999999", 0..100),
            ("Bytes=0-0", 0..1),
            ("bytes=, 5-6 ,", 5..7),
        ] {
            assert_eq!(parse_range(range, 100), Some(RequestedRange::Bytes(bytes)), "{range}");
        }
        for beyond in ["bytes=100-", "bytes=100-200", "bytes=99999999999999999999999-", "bytes=-0"] {
            assert_eq!(parse_range(beyond, 100), Some(RequestedRange::Beyond), "{beyond}");
        }
        for ignored in [
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=-",
            "bytes=a-b",
            "bytes=1",
            "bytes=2-1",
            "bytes=+1-2",
            "bytes=1-2-3",
            "bytes=0x1-2",
            "bytes =0-1",
            "lines=0-1",
            "bytes=0-1,5-6",
            "bytes=0-1,x",
            "bytes: 0-1",
        ] {
            assert_eq!(parse_range(ignored, 100), None, "{ignored}");
        }
        assert_eq!(parse_range("bytes=0-0", 0), Some(RequestedRange::Beyond));
        assert_eq!(parse_range("bytes=-1", 0), Some(RequestedRange::Whole));
    }
}
