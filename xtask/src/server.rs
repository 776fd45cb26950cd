//! A small static server for one folder on 127.0.0.1, with the headers that a page needs to use threads.
//!
//! The deployable site has the same headers in its file `_headers`, so a page is tried here as a host serves it.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Result, anyhow};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// The headers of the site, which hosts that support such a file read as well. They are written only there.
const HEADERS_FILE: &str = include_str!("../../www/public/_headers");

/// Names and values for a path: cross-origin isolation, which shared memory needs; no guessing of types; no referrer for other
/// sites; and what the page may load and run. A later block of the file replaces what an earlier one says.
pub fn headers(path: &str) -> Vec<(&'static str, &'static str)> {
    let mut headers: Vec<(&str, &str)> = Vec::new();
    let mut is_meant = false;
    for line in HEADERS_FILE.lines() {
        if let Some(pattern) = line.strip_prefix('/') {
            is_meant = path.trim_start_matches('/').starts_with(pattern.trim_end_matches('*'));
        } else if let Some((name, value)) = line.trim().split_once(": ").filter(|_| is_meant && line.starts_with(' ')) {
            headers.retain(|(other, _)| *other != name);
            headers.push((name, value));
        }
    }
    headers
}

/// A browser opens up to six connections, and a large file may occupy each.
const THREADS: usize = 8;

/// Serves `folder` in the background until this program ends. Port 0 takes any free port.
///
/// # Errors
/// The port is not free.
pub fn start(folder: &Path, port: u16) -> Result<SocketAddr> {
    let server = Server::http(("127.0.0.1", port)).map_err(|error| {
        anyhow!("port {port} cannot be used ({error}): choose another with --port, 0 takes any free one")
    })?;
    let address = server.server_addr().to_ip().ok_or_else(|| anyhow!("the server has no IP address"))?;
    let server = Arc::new(server);
    for _ in 0..THREADS {
        let (server, folder) = (Arc::clone(&server), folder.to_owned());
        thread::spawn(move || {
            for request in server.incoming_requests() {
                // It is not an error if a browser closes the connection early.
                let _ = answer(request, &folder);
            }
        });
    }
    Ok(address)
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(plain("only GET and HEAD are answered here", 405));
    }
    let found = file_for(request.url(), folder).and_then(|path| Some((content_type(&path), File::open(&path).ok()?)));
    match found {
        Some((content_type, file)) => {
            let mut response = Response::from_file(file)
                .with_header(header("Content-Type", content_type))
                // Browsers check the file each time, since it has just been built.
                .with_header(header("Cache-Control", "no-cache"));
            for (name, value) in headers(request.url()) {
                response.add_header(header(name, value));
            }
            request.respond(response)
        }
        None => request.respond(plain("there is no such file", 404)),
    }
}

fn plain(text: &str, status: u16) -> Response<std::io::Cursor<Vec<u8>>> {
    let mut response = Response::from_string(text).with_status_code(StatusCode(status));
    for (name, value) in headers("") {
        response.add_header(header(name, value));
    }
    response
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("our headers are ASCII")
}

/// The file of a URL: the query is dropped, `%xx` is decoded, and a folder means its `index.html`. `None` if there is
/// no such file, or if the path leaves the folder.
fn file_for(url: &str, folder: &Path) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?;
    let relative = percent_decoded(path)?;
    let relative = Path::new(relative.trim_start_matches('/'));
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut file = folder.join(relative);
    if file.is_dir() {
        file.push("index.html");
    }
    file.is_file().then_some(file)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        Some("pgn") => "application/vnd.chess-pgn",
        Some("zst") => "application/zstd",
        Some("gz") => "application/gzip",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;
    use crate::paths::in_project;

    /// The whole response to one request, as text.
    fn ask(address: SocketAddr, request_line: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("the server listens");
        write!(stream, "{request_line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .expect("the request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the answer is text");
        answer
    }

    #[test]
    fn files_come_with_type_and_isolation() {
        let address = start(&in_project("xtask"), 0).expect("a free port");
        let names: Vec<&str> = headers("Cargo.toml").into_iter().map(|(name, _)| name).collect();
        for name in ["Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy", "Content-Security-Policy"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let answer = ask(address, "GET /Cargo%2Etoml?v=1");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("name = \"xtask\""));
        for (name, value) in headers("Cargo.toml") {
            assert!(answer.contains(&format!("{name}: {value}")), "{answer}");
        }
        assert!(ask(address, "GET /none").starts_with("HTTP/1.1 404"));
        assert!(ask(address, "POST /Cargo.toml").starts_with("HTTP/1.1 405"));
        let head = ask(address, "HEAD /Cargo.toml");
        assert!(head.starts_with("HTTP/1.1 200") && !head.contains("xtask"));
    }

    #[test]
    fn only_the_worker_of_tables_may_ask_other_hosts() {
        let policy = |path: &str| {
            let policies: Vec<&str> = headers(path)
                .into_iter()
                .filter(|(name, _)| *name == "Content-Security-Policy")
                .map(|(_, value)| value)
                .collect();
            assert_eq!(policies.len(), 1, "{path}");
            policies[0]
        };
        assert!(policy("/assets/tablesworker-x.js").contains("connect-src 'self' https: http:"));
        for path in ["/", "/index.html", "/assets/worker-x.js", "/assets/start-x.js"] {
            assert!(policy(path).contains("connect-src 'self';"), "{path}");
        }
    }

    #[test]
    fn nothing_outside_the_folder_is_served() {
        let folder = in_project("xtask");
        for url in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/../../x", "/%zz", "/%"] {
            assert_eq!(file_for(url, &folder), None, "{url}");
        }
        assert!(file_for("/src/main.rs", &folder).is_some());
    }

    #[test]
    fn wasm_has_the_type_streaming_compilation_wants() {
        assert_eq!(content_type(Path::new("a_bg.wasm")), "application/wasm");
    }
}
