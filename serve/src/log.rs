//! Logs each request as a line on standard error: time, request, status, duration and bytes sent.
//!
//! A separate thread writes the lines, so that no request waits for a terminal or a pipe. If that thread cannot keep up, lines
//! are dropped, and the next one has their number.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::http::header::CONTENT_LENGTH;
use axum::http::{Method, Response, StatusCode};
use chrono::{DateTime, SecondsFormat};
use http_body::Body;
use serde::Serialize;

use crate::connection::{ClientConnection, CutReason};

/// How many lines may wait to be written.
const MAX_QUEUED_LINES: usize = 8192;

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// One object per line.
    Json,
    /// For people.
    Text,
}

/// The log entry of a request, and the JSON object.
#[derive(Debug, Serialize)]
struct LogLine {
    /// When it began, in UTC with milliseconds.
    time: String,
    method: String,
    /// The path without parameters.
    path: String,
    status: u16,
    /// From the end of its head to the end of the response.
    ms: f64,
    /// Bytes of the response's body that the system has accepted.
    bytes: u64,
    /// Why the response was not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutReason>,
    /// How many lines before this one were dropped.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The log; by default nothing is written.
#[derive(Debug, Default)]
pub struct RequestLog {
    writer: Mutex<Option<JoinHandle<()>>>,
    sender: Option<SyncSender<Option<LogLine>>>,
    left_out: AtomicU64,
}

impl RequestLog {
    /// Starts the thread that writes; without a format nothing is written.
    ///
    /// # Errors
    ///
    /// The thread cannot be started.
    pub fn start(form: Option<LogFormat>) -> io::Result<RequestLog> {
        let Some(form) = form else { return Ok(RequestLog::default()) };
        let (sender, lines) = sync_channel(MAX_QUEUED_LINES);
        let writer = thread::Builder::new().name("log".into()).spawn(move || write(&lines, form))?;
        Ok(RequestLog { writer: Mutex::new(Some(writer)), sender: Some(sender), left_out: AtomicU64::new(0) })
    }

    /// Writes the remaining lines, and ends the thread.
    pub fn finish(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(sender), Some(writer)) = (&self.sender, writer)
            && sender.send(None).is_ok()
        {
            // A writer that has panicked cannot write more.
            let _ = writer.join();
        }
    }

    fn enqueue(&self, mut line: LogLine) {
        let Some(sender) = &self.sender else { return };
        line.left_out = self.left_out.swap(0, Ordering::Relaxed);
        let before = line.left_out;
        if sender.try_send(Some(line)).is_err() {
            self.left_out.fetch_add(before + 1, Ordering::Relaxed);
        }
    }
}

fn write(lines: &Receiver<Option<LogLine>>, form: LogFormat) {
    let mut text = Vec::new();
    while let Ok(Some(line)) = lines.recv() {
        text.clear();
        let written = match form {
            LogFormat::Json => serde_json::to_writer(&mut text, &line).map_err(io::Error::from),
            LogFormat::Text => {
                let LogLine { time, method, path, status, ms, bytes, cut, .. } = &line;
                let cut = cut.map(|cut| format!(" cut ({})", cut.name())).unwrap_or_default();
                // A client chose the path, so control characters in it are escaped.
                let path = path.escape_debug();
                write!(text, "{time} {status} {method} {path} {ms:.1} ms {bytes} B{cut}")
            }
        };
        text.push(b'\n');
        // The service continues even if the log cannot be written.
        let _ = written.and_then(|()| io::stderr().lock().write_all(&text));
    }
}

/// A running request. Its line is written when its response has been sent, or when this is dropped.
#[derive(Debug)]
pub struct RequestRecord {
    log: Arc<RequestLog>,
    time: SystemTime,
    start: Instant,
    method: Method,
    path: String,
    /// `None` until there is a response.
    status: Option<StatusCode>,
    /// Bytes of the body that were sent.
    pub(crate) bytes: u64,
    pub(crate) cut: Option<CutReason>,
}

impl RequestRecord {
    /// Begins with a request.
    pub fn begin(log: &Arc<RequestLog>, method: &Method, path: &str) -> RequestRecord {
        RequestRecord {
            log: Arc::clone(log),
            time: SystemTime::now(),
            start: Instant::now(),
            method: method.clone(),
            path: path.to_owned(),
            status: None,
            bytes: 0,
            cut: None,
        }
    }

    /// Counts the bytes of the response on its connection from now on.
    pub fn follow<B: Body>(mut self, response: &Response<B>, connection: &ClientConnection) {
        self.status = Some(response.status());
        // A file that is read while it is sent has its length in the header alone.
        let named = response.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let has_body = self.method != Method::HEAD && response.status() != StatusCode::NOT_MODIFIED;
        let length = if has_body { named.or_else(|| response.body().size_hint().exact()) } else { Some(0) };
        connection.await_sent(self, length);
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        if self.log.sender.is_none() {
            return;
        }
        let since = self.time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let time = DateTime::from_timestamp_millis(i64::try_from(since).unwrap_or(0)).unwrap_or_default();
        self.log.enqueue(LogLine {
            time: time.to_rfc3339_opts(SecondsFormat::Millis, true),
            method: self.method.to_string(),
            path: std::mem::take(&mut self.path),
            // Servers log 499 for a client that left before the response.
            status: self.status.map_or(499, |status| status.as_u16()),
            ms: (self.start.elapsed().as_secs_f64() * 1e5).round() / 100.0,
            bytes: self.bytes,
            cut: self.cut,
            left_out: 0,
        });
    }
}
