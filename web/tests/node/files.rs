//! Files of the browser, as the engine reads them. Node has no private files, so these are played.

use js_sys::{Array, Function, Reflect, Uint8Array};
use plyfold_web::corpus::Corpus;
use plyfold_web::error::JsFailure;
use plyfold_web::import::Import;
use plyfold_web::source::JsByteSource;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{GAMES, all_of, get, import, item, source, text};

/// The browser's classes, as far as the engine uses them. A step whose name is in `faults` throws an error of the name that stands there.
const BROWSER: &str = r#"
const check = (faults, step) => {
  if (faults[step]) throw new DOMException(`played: ${faults[step]}`, faults[step]);
};
globalThis.FileSystemSyncAccessHandle ??= class {
  faults = {};
  isClosed = false;
  /** The write from which on the device is full, from 0; it still takes so many bytes, or throws. */
  full = [Infinity, null];
  constructor(bytes) { this.bytes = bytes; }
  write(bytes, { at }) {
    const [nth, room] = this.full;
    this.full[0]--;
    if (nth <= 0 && room === null) throw new DOMException('played: full', 'QuotaExceededError');
    const taken = nth <= 0 ? Math.min(bytes.length, room) : bytes.length;
    const grown = new Uint8Array(Math.max(this.bytes.length, at + taken));
    grown.set(this.bytes);
    grown.set(bytes.subarray(0, taken), at);
    this.bytes = grown;
    return taken;
  }
  flush() { check(this.faults, 'flush'); }
  getSize() { check(this.faults, 'size'); return this.bytes.length; }
  read(into, { at }) {
    if (this.isClosed) throw new DOMException('closed', 'InvalidStateError');
    check(this.faults, 'read');
    const piece = this.bytes.subarray(at, at + Math.min(into.length, 700));
    into.set(piece);
    return piece.length;
  }
  close() { this.isClosed = true; }
};
globalThis.Blob = class {
  faults = {};
  asked = [];
  constructor(bytes) { this.bytes = bytes; }
  get size() { return this.bytes.length; }
  slice(from, to) { this.asked.push(to - from); return { faults: this.faults, bytes: this.bytes.slice(from, to) }; }
};
globalThis.FileReaderSync = class {
  readAsArrayBuffer({ faults, bytes }) { check(faults, 'read'); return bytes.buffer; }
};
return new { handle: FileSystemSyncAccessHandle, blob: Blob }[kind](bytes);
"#;

/// Makes a played `handle` or `blob` with these bytes.
fn played(kind: &str, bytes: &[u8]) -> JsValue {
    let make = Function::new_with_args("kind, bytes", BROWSER);
    make.call2(&JsValue::NULL, &kind.into(), &Uint8Array::from(bytes)).expect("a class")
}

fn set_fault(file: &JsValue, step: &str, name: &str) {
    Reflect::set(&get(file, "faults"), &step.into(), &name.into()).expect("a plain object");
}

fn readable(file: &JsValue) -> JsByteSource {
    file.clone().unchecked_into()
}

/// Returns code and message of a failure.
fn told(failure: JsFailure) -> [String; 2] {
    let failure = JsValue::from(failure);
    ["code", "message"].map(|key| text(&failure, key))
}

fn is_closed(handle: &JsValue) -> bool {
    get(handle, "isClosed").is_truthy()
}

#[wasm_bindgen_test]
fn a_private_file_is_read_and_closed_with_its_corpus() {
    let (_, bytes) = import(GAMES.as_bytes());
    let handle = played("handle", &bytes);
    let corpus = Corpus::open(readable(&handle), Some("one".into())).expect("a whole corpus");
    assert_eq!((corpus.games(), corpus.size_bytes()), (2.0, bytes.len() as f64));
    assert!(corpus.text(0).expect("a text").starts_with(b"[Event"));
    assert!(!is_closed(&handle));
    drop(corpus);
    assert!(is_closed(&handle));
}

#[wasm_bindgen_test]
fn a_file_that_is_no_corpus_is_closed() {
    let (_, bytes) = import(GAMES.as_bytes());
    for (size, fault, code) in
        [(bytes.len() - 8, None, "bad-corpus"), (5, None, "bad-corpus"), (100, Some("size"), "storage")]
    {
        let handle = played("handle", &bytes[..size]);
        if let Some(step) = fault {
            set_fault(&handle, step, "UnknownError");
        }
        let failure = Corpus::open(readable(&handle), Some("one".into())).map(drop).expect_err("broken");
        assert_eq!(told(failure)[0], code);
        assert!(is_closed(&handle));
    }
}

#[wasm_bindgen_test]
fn a_file_is_given_up_and_taken_again() {
    let (_, bytes) = import(GAMES.as_bytes());
    let [handle, again] = [played("handle", &bytes), played("handle", &bytes)];
    let corpus = Corpus::open(readable(&handle), Some("one".into())).expect("a whole corpus");
    corpus.release();
    assert!(is_closed(&handle) && corpus.is_released());
    // What scans read is in memory.
    assert_eq!(corpus.games(), 2.0);
    assert!(corpus.text(0).is_err());
    corpus.resume(readable(&again));
    assert!(!corpus.is_released() && corpus.text(0).is_ok());
    drop(corpus);
    assert!(is_closed(&again));
    // Nobody waits for what has no handle.
    let corpus = Corpus::open(readable(&played("blob", &bytes)), Some("one".into())).expect("a whole corpus");
    corpus.release();
    assert!(!corpus.is_released() && corpus.text(0).is_ok());
}

#[wasm_bindgen_test]
fn a_failure_of_the_browser_is_told() {
    let (_, bytes) = import(GAMES.as_bytes());
    let text_of = |kind: &str, stored_as: Option<&str>, fault: &str| {
        let file = played(kind, &bytes);
        let corpus = Corpus::open(readable(&file), stored_as.map(Into::into)).expect("a whole corpus");
        set_fault(&file, "read", fault);
        told(corpus.text(0).expect_err("the file fails"))
    };
    for (kind, stored_as, fault, message) in [
        ("handle", Some("one"), "UnknownError", "played: UnknownError"),
        ("blob", Some("one"), "NotReadableError", "the browser's storage failed (played: NotReadableError)"),
        ("blob", Some("one"), "NotFoundError", "\"one\" was deleted in another tab of this browser"),
        // A file of the user.
        ("blob", None, "NotFoundError", "played: NotFoundError"),
    ] {
        assert_eq!(text_of(kind, stored_as, fault), ["storage", message]);
    }
}

#[wasm_bindgen_test]
fn a_file_to_import_is_read_ahead() {
    let pgn = GAMES.repeat(20_000);
    let blob = played("blob", pgn.as_bytes());
    let progress = Function::new_no_args("");
    let mut task = Import::new(None);
    task.file("games.pgn".into(), &readable(&blob), &progress).expect("a text");
    assert_eq!(task.games(), 40_000.0);
    let asked = Array::from(&get(&blob, "asked")).iter().filter_map(|size| size.as_f64()).collect::<Vec<_>>();
    let whole = f64::from(4 << 20);
    let (last, before) = asked.split_last().expect("some pieces");
    assert!(before.iter().all(|&size| size == whole) && *last == pgn.len() as f64 % whole, "{asked:?}");

    set_fault(&blob, "read", "NotReadableError");
    let failure = task.file("games.pgn".into(), &readable(&blob), &progress).expect_err("the file fails");
    assert_eq!(told(failure), ["bad-input", "games.pgn cannot be read at byte 0: played: NotReadableError"]);
}

#[wasm_bindgen_test]
fn arrays_are_read_over_their_borders() {
    let (_, bytes) = import(GAMES.as_bytes());
    let arrays = bytes.chunks(7).map(Uint8Array::from).collect::<Array>();
    let corpus = Corpus::open(arrays.unchecked_into(), None).expect("a whole corpus");
    assert_eq!(corpus.text(1).ok(), Corpus::open(source(&bytes), None).expect("a whole corpus").text(1).ok());
}

/// Imports games twice, as two shards, into a played file: what is returned of a corpus in memory, and the import.
fn import_twice(handle: Option<&JsValue>) -> (Result<Option<Array>, JsFailure>, Import) {
    let mut task = Import::new(handle.map(|handle| handle.clone().unchecked_into()));
    for name in ["games.pgn", "more.pgn"] {
        task.file(name.into(), &source(GAMES.as_bytes()), &Function::new_no_args("")).expect("a text");
    }
    (task.finish(), task)
}

/// Returns the corpus that is expected of [`import_twice`].
fn expected_corpus() -> Vec<u8> {
    all_of(import_twice(None).0.expect("memory"))
}

fn bytes_in(handle: &JsValue) -> Vec<u8> {
    get(handle, "bytes").unchecked_into::<Uint8Array>().to_vec()
}

#[wasm_bindgen_test]
fn a_corpus_is_written_to_its_file() {
    let expected = expected_corpus();
    let handle = played("handle", b"");
    let (written, task) = import_twice(Some(&handle));
    assert!(written.expect("there is room").is_none() && is_closed(&handle));
    assert_eq!((bytes_in(&handle), task.size_bytes()), (expected.clone(), expected.len() as f64));
    // An import that is given up closes its file.
    let handle = played("handle", b"");
    drop(Import::new(Some(handle.clone().unchecked_into())));
    assert!(is_closed(&handle));
}

#[wasm_bindgen_test]
fn a_corpus_goes_on_in_memory_when_there_is_no_room() {
    let expected = expected_corpus();
    // There are four writes: a header, two shards, and the header again.
    for nth in 0..4 {
        for room in [JsValue::NULL, JsValue::from(0), JsValue::from(63)] {
            let handle = played("handle", b"");
            Reflect::set(&handle, &"full".into(), &Array::of2(&nth.into(), &room)).expect("a plain object");
            let (written, task) = import_twice(Some(&handle));
            assert_eq!(all_of(written.expect("memory has room")), expected, "write {nth}");
            assert!(is_closed(&handle) && task.games() == 4.0);
        }
    }
    let handle = played("handle", b"");
    set_fault(&handle, "flush", "QuotaExceededError");
    assert_eq!(all_of(import_twice(Some(&handle)).0.expect("memory has room")), expected);
}

#[wasm_bindgen_test]
fn what_a_full_device_has_lost_is_told() {
    let handle = played("handle", b"");
    let mut task = Import::new(Some(handle.clone().unchecked_into()));
    Reflect::set(&handle, &"full".into(), &Array::of2(&0.into(), &JsValue::NULL)).expect("a plain object");
    set_fault(&handle, "read", "UnknownError");
    let failure = task.file("games.pgn".into(), &source(GAMES.as_bytes()), &Function::new_no_args(""));
    let expected = ["storage", "the browser lost a part of the written data; import again"];
    assert_eq!(told(failure.expect_err("nothing can be read")), expected);
    assert!(is_closed(&handle));

    let handle = played("handle", b"");
    set_fault(&handle, "flush", "UnknownError");
    set_fault(&handle, "read", "UnknownError");
    let failure = import_twice(Some(&handle)).0.expect_err("nothing can be read");
    assert_eq!(told(failure), ["storage", "the browser's storage failed (played: UnknownError)"]);
}

#[wasm_bindgen_test]
fn whoever_follows_an_import_can_cancel_it() {
    let calls = Array::new();
    let body = "calls.push([bytes, games, refused, plies]); return answer;";
    let follow = |answer: JsValue| {
        let follow = Function::new_with_args("calls, answer, bytes, games, refused, plies", body);
        follow.bind2(&JsValue::NULL, &calls, &answer).unchecked_into::<Function>()
    };
    let mut task = Import::new(None);
    let file = source(GAMES.as_bytes());
    task.file("games.pgn".into(), &file, &follow(JsValue::UNDEFINED)).expect("it goes on");
    let size = GAMES.len() as f64;
    let last = Array::from(&item(&calls, calls.length() - 1)).into_iter().filter_map(|number| number.as_f64());
    assert_eq!(last.collect::<Vec<_>>(), [size, 2.0, 1.0, 10.0]);
    // The first report of an import is made at once.
    let failure = Import::new(None).file("games.pgn".into(), &file, &follow(JsValue::FALSE)).expect_err("cancelled");
    assert_eq!(code_of(failure), "cancelled");
    // A page that fails to show progress stops nothing.
    Import::new(None)
        .file("games.pgn".into(), &file, &Function::new_no_args("throw new Error('no page')"))
        .expect("it goes on");
}

fn code_of(failure: JsFailure) -> String {
    let [code, _] = told(failure);
    code
}
