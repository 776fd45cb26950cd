//! Transforms positions, finds relations, and refuses with the place of the mistake.

use serde_json::{Value, json};

use super::{KNIGHT, Served, TURNED, at, url};
use crate::commands::program::EgtgenSandbox;

#[test]
fn positions_are_turned() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let one = json!({"fen": KNIGHT, "images": [{"name": "Rotate 90", "fen": TURNED}]});
    let path = format!("/transform?fen={}&op=rot90", url(KNIGHT));
    let answer = served.ask(&format!("GET {path}")).with_status(200);
    assert_eq!((answer.json(), answer.header("content-type")), (one.clone(), Some("application/json")));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert!(answer.header("access-control-allow-origin").is_none());
    let answer = served.ask(&format!("HEAD {path}")).with_status(200);
    assert!(answer.body.is_empty());
    let line = format!("{TURNED}\n");
    assert_eq!(served.with(&format!("GET {path}"), "accept: text/plain").with_status(200).text(), line);
    assert_eq!(served.ask(&format!("GET {path}&format=text")).with_status(200).text(), line);
    assert_eq!(served.with(&format!("GET {path}&format=json"), "accept: text/plain").with_status(200).json(), one);

    let twins = "Twin%20rotate%2090+Twin%20Continued%20shift%20a1%20b2";
    let row = served.ask(&format!("GET /transform?fen={}&op={twins}", url(KNIGHT))).with_status(200).json();
    let told: Vec<_> =
        row["images"].as_array().unwrap().iter().map(|image| (&image["label"], &image["name"])).collect();
    assert_eq!(json!(told), json!([["a", ""], ["b", "rotate 90"], ["c", "shift a1 ==> b2"]]));
    let count = |fen: &str| {
        let all = served.ask(&format!("GET /transform?fen={}&all=1", url(fen))).with_status(200).json();
        let images = all["images"].as_array().unwrap().clone();
        assert_eq!(images[0], json!({"name": "identity", "fen": fen}));
        images.len()
    };
    assert_eq!(count(KNIGHT), 16);
    // Each image is listed once: the board has one piece on a long diagonal, so a flip along that diagonal changes nothing.
    assert_eq!(count("8/8/8/8/8/8/8/K7 w - - 0 1"), 8);

    let posted = |body: Value| served.post("/transform", "application/json", body.to_string().as_bytes());
    assert_eq!(posted(json!({"fen": KNIGHT, "op": "rot90"})).with_status(200).json(), one);
    let many = json!({"positions": [one, one]});
    assert_eq!(posted(json!({"fens": [KNIGHT, KNIGHT], "op": "rot90"})).with_status(200).json(), many);
    assert_eq!(posted(json!({"fens": [], "op": "rot90"})).with_status(200).json(), json!({"positions": []}));
    let lines = format!("{KNIGHT}\r\n\n{KNIGHT}");
    let path = "/transform?op=rot90";
    assert_eq!(served.post(path, "text/plain; charset=utf-8", lines.as_bytes()).with_status(200).json(), many);
    let asked = format!("{path}&format=text");
    assert_eq!(served.post(&asked, "Text/Plain", lines.as_bytes()).with_status(200).text(), line.repeat(2));
    let shifted = posted(json!({"fen": KNIGHT, "op": "shift a1 h8", "leaving": "drop"})).with_status(200).json();
    assert_eq!(shifted["images"][0]["fen"], "8/8/8/8/8/8/8/8 b - - 3 40");
    // A longer list than the service transforms at once while other requests wait.
    let lines = format!("{KNIGHT}\n").repeat(10_000);
    assert_eq!(served.post(&asked, "text/plain", lines.as_bytes()).with_status(200).text(), line.repeat(10_000));
}

#[test]
fn relations_are_found() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let (image, original) = ("8/8/8/8/8/3k4/K7/8 w - - 0 1", "8/8/8/8/8/4k3/1K6/B7 w - - 0 1");
    let found = json!({"image": image, "original": original, "transforms": ["shift:-1,0"]});
    let path = format!("/detect?image={}&original={}", url(image), url(original));
    assert_eq!(served.ask(&format!("GET {path}")).with_status(200).json(), found);
    assert_eq!(served.ask(&format!("GET {path}&format=text")).with_status(200).text(), "shift:-1,0\n");
    let asked = json!({"image": image, "original": original}).to_string();
    assert_eq!(served.post("/detect", "application/json", asked.as_bytes()).with_status(200).json(), found);
    // The order counts: no transform brings a bishop in from outside the board.
    let other = format!("{original}\n{image}\n");
    let none = served.post("/detect", "text/plain", other.as_bytes()).with_status(200).json();
    assert_eq!(none["transforms"], json!([]));
    served.post("/detect", "text/plain", b"8/8/8/8/8/8/8/8").refused(400, "two lines", at("body", 0, 15));
    let place = Some(json!({"field": "body", "line": 3, "from": 0, "to": 1}));
    served.post("/detect", "text/plain", b"8/8/8/8/8/8/8/8\n\nx").refused(400, "`x`", place);
    served.ask("GET /detect?image=8/8/8/8/8/8/8/8").refused(400, "`original` is missing", at("original", 0, 0));
}

#[test]
fn faults_have_a_place() {
    let served = Served::start(&EgtgenSandbox::new(), &[]);
    let fen = url(KNIGHT);
    for (query, says, place) in [
        (String::new(), "`op` is missing", at("op", 0, 0)),
        ("op=rot90".to_owned(), "`fen` is missing", at("fen", 0, 0)),
        ("fen=8/8/9&op=rot90".to_owned(), "`9`", at("fen", 4, 5)),
        (format!("fen={fen}&op=rot45"), "not a command", at("op", 0, 5)),
        (format!("fen={fen}&op=rot90+remove+a1"), "no piece on a1", at("op", 6, 15)),
        (format!("fen={fen}&op=shift:-2,0&leaving=strict"), "Nb3", at("op", 0, 10)),
        (format!("fen={fen}&op=shift:-2,0&leaving=go"), "`strict` or `drop`", at("leaving", 0, 2)),
        (format!("fen={fen}&op=rot90&all=1"), "leave `op` out", at("op", 0, 5)),
        (format!("fen={fen}&all=yes"), "1 or 0", at("all", 0, 3)),
        (format!("fen={fen}&op=rot90&format=xml"), "`json` or `text`", at("format", 0, 3)),
        (format!("fen={fen}&op=rot90&leave=drop"), "unknown", at("leave", 0, 4)),
        (format!("fen={fen}&op=rot90&op=rot90"), "twice", at("op", 0, 5)),
        (format!("fen=%ff%00&op={}", "a".repeat(1025)), "at most 1024", at("op", 1024, 1025)),
        ("fen=%ff%00&op=rot90".to_owned(), "is no piece", at("fen", 0, 3)),
    ] {
        served.ask(&format!("GET /transform?{query}")).refused(400, says, place);
    }
    let posted = |body: &str| served.post("/transform", "application/json", body.as_bytes());
    posted(r#"{"fens":["8/8/8/8/8/8/8/8","8/8"],"op":"rot90"}"#).refused(400, "not 2", at("fens[1]", 3, 3));
    posted(r#"{"op":"rot90"}"#).refused(400, "either `fen` or `fens`", at("body", 0, 14));
    posted(r#"{"fen":"","fens":[],"op":"rot90"}"#).refused(400, "either", at("body", 0, 33));
    posted(r#"{"fen":1}"#).refused(400, "expected a string", at("body", 7, 8));
    posted(r#"{"fne":""}"#).refused(400, "unknown field `fne`", at("body", 5, 6));
    posted("").refused(400, "EOF", at("body", 0, 0));
    posted(&"[".repeat(100_000)).with_status(400);
    served.post("/transform?op=rot90", "text/plain", b"\xff").refused(400, "UTF-8", at("body", 0, 1));
    served.post("/transform?op=rot90", "application/x-www-form-urlencoded", b"fen=").refused(415, "Content-Type", None);
    let many = format!("{KNIGHT}\n").repeat(2_000);
    served.post("/transform?all=1", "text/plain", many.as_bytes()).refused(413, "20000 images", None);
}
