//! Sends a file of tower-http's `ServeDir` or `ServeFile`, completely or a range of it by RFC 9110.
//!
//! The two refuse a range that they cannot read, where RFC 9110 wants the complete file, and they do not read `If-Range`. So they
//! see only a single range that fits the file as it is now.

use std::convert::Infallible;
use std::ops::Range;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use tower_http::services::fs::ServeFileSystemResponseBody;
use tower_service::Service;

/// Bytes of a file that are read at a time. Hyper reads ahead until it holds 14 KiB that the client has not accepted, so larger
/// chunks would not be sent faster, and several hundred clients that accept nothing would hold more memory.
pub const CHUNK_BYTES: usize = 6 << 10;

/// Answers GET and HEAD with a file of `files`, or with the requested range of it. The client is to ask again before it uses its copy.
///
/// Statuses are those of the service `files`; its errors have no body.
pub async fn serve_file<S>(files: S, mut request: Request) -> Response
where
    S: Service<Request, Response = Response<ServeFileSystemResponseBody>, Error = Infallible> + Clone,
{
    let asked = request.headers().clone();
    request.headers_mut().remove(RANGE);
    // Ranges are defined only for GET.
    if asked.contains_key(RANGE) && *request.method() == Method::GET {
        let mut look = Request::new(Body::empty());
        *look.method_mut() = Method::HEAD;
        *look.uri_mut() = request.uri().clone();
        *look.headers_mut() = request.headers().clone();
        let described = call(files.clone(), look).await;
        if described.status() != StatusCode::OK {
            return described;
        }
        request.headers_mut().extend(fitting_range(&asked, described.headers()).map(|range| (RANGE, range)));
    }
    call(files, request).await
}

async fn call<S>(mut files: S, request: Request) -> Response
where
    S: Service<Request, Response = Response<ServeFileSystemResponseBody>, Error = Infallible>,
{
    let Ok(response) = files.call(request).await;
    let mut response = response.map(Body::new);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The range that a request asks for, as tower-http reads it; `None` for the whole file. `described` has the headers of the file.
fn fitting_range(asked: &HeaderMap, described: &HeaderMap) -> Option<HeaderValue> {
    // `If-Range` asks for the range if the file is unchanged, and for the whole file otherwise.
    if let Some(known) = asked.get(IF_RANGE)
        && ![ETAG, LAST_MODIFIED].iter().any(|name| described.get(name) == Some(known))
    {
        return None;
    }
    let length = described.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    let mut ranges = asked.get_all(RANGE).iter();
    let (Some(range), None) = (ranges.next(), ranges.next()) else { return None };
    let range = parse_range(range.to_str().ok()?, length)?;
    // The last range is in no file.
    let text = if range.is_empty() { "bytes=1-0".into() } else { format!("bytes={}-{}", range.start, range.end - 1) };
    HeaderValue::from_str(&text).ok()
}

/// The range that a `Range` header asks for, by RFC 9110; empty if it begins after the end. `None` if it must be ignored: another
/// unit, no valid range, or several ranges, which a server may answer with the whole file.
fn parse_range(range: &str, length: u64) -> Option<Range<u64>> {
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
        let last = number(last)?;
        // An empty file has no last byte.
        return (last == 0 || length > 0).then(|| length.saturating_sub(last)..length);
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    (first <= last).then(|| first.min(length)..last.saturating_add(1).min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(parse_range(range, 100), Some(bytes), "{range}");
        }
        for beyond in ["bytes=100-", "bytes=100-200", "bytes=99999999999999999999999-", "bytes=-0"] {
            assert_eq!(parse_range(beyond, 100), Some(100..100), "{beyond}");
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
        assert_eq!(parse_range("bytes=0-0", 0), Some(0..0));
        assert_eq!(parse_range("bytes=-1", 0), None);
    }

    #[test]
    fn a_file_is_whole_or_a_range() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("ten"), "0123456789").expect("a file");
        std::fs::write(folder.path().join("none"), "").expect("a file");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let ask = |method: Method, path: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri(path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let files = tower_http::services::ServeDir::new(folder.path());
            runtime.block_on(async {
                let response = serve_file(files, request.body(Body::empty()).expect("a request")).await;
                let (head, body) = response.into_parts();
                let body = axum::body::to_bytes(body, 100).await.expect("a body");
                let range = head.headers.get("content-range").map(|range| range.to_str().expect("text").to_owned());
                (head.status.as_u16(), range, String::from_utf8(body.to_vec()).expect("text"))
            })
        };
        let part = |range: &str, text: &str| (206, Some(format!("bytes {range}")), text.to_owned());
        let whole = (200, None, "0123456789".to_owned());
        let get = |headers: &[(&str, &str)]| ask(Method::GET, "/ten", headers);
        assert_eq!(get(&[]), whole);
        assert_eq!(get(&[("range", "bytes=2-5")]), part("2-5/10", "2345"));
        assert_eq!(get(&[("range", "bytes=007-099999999999999999999")]), part("7-9/10", "789"));
        assert_eq!(get(&[("range", "Bytes=-99")]), part("0-9/10", "0123456789"));
        for ignored in ["lines=1-2", "bytes=5-2", "bytes=0-1,5-6", "bytes=x"] {
            assert_eq!(get(&[("range", ignored)]), whole, "{ignored}");
        }
        assert_eq!(get(&[("range", "bytes=0-1"), ("range", "bytes=0-1")]), whole);
        assert_eq!(get(&[("range", "bytes=0-1"), ("if-range", "\"other\"")]), whole);
        assert_eq!(get(&[("range", "bytes=10-")]), (416, Some("bytes */10".into()), String::new()));
        assert_eq!(ask(Method::HEAD, "/ten", &[("range", "bytes=0-1")]), (200, None, String::new()));
        assert_eq!(
            ask(Method::GET, "/none", &[("range", "bytes=0-1")]),
            (416, Some("bytes */0".into()), String::new())
        );
        assert_eq!(ask(Method::GET, "/none", &[("range", "bytes=-1")]), (200, None, String::new()));
        assert_eq!(ask(Method::GET, "/nine", &[("range", "bytes=0-1")]).0, 404);
        assert_eq!(ask(Method::POST, "/ten", &[("range", "bytes=0-1")]).0, 405);
    }
}
