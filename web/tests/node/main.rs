//! Tests of the bindings as JavaScript calls them, under node, in the single flavour.
//! The end-to-end tests cover threads in a browser, because the pool never starts under this runner.
#![cfg(target_arch = "wasm32")]

mod edits;
mod files;

use js_sys::{Array, Float64Array, Function, Object, Reflect, Uint8Array, Uint32Array};
use plyfold_web::corpus::{Corpus, corpus_size};
use plyfold_web::editor::{complete, composed, paint, predicates};
use plyfold_web::endgame_tables::{TableFiles, UnknownPositions};
use plyfold_web::error::JsFailure;
use plyfold_web::game_rows::GameRow;
use plyfold_web::groups::{Group, Groups, OutcomeCounts};
use plyfold_web::import::Import;
use plyfold_web::next_moves::{NextMove, NextMoves};
use plyfold_web::query::{Outputs, Part, PreparedQuestion, QueryRun, Question, check};
use plyfold_web::result_table::ResultTable;
use plyfold_web::search_results::SearchResults;
use plyfold_web::source::JsByteSource;
use plyfold_web::transform::{between, images, images_asked, twins};
use tsify::Tsify;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const GAMES: &str = "[Event \"Café\"]\n[White \"Zeta\"]\n[Black \"Alpha\"]\n[WhiteElo \"2500\"]\n[Result \"1-0\"]\n\n\
    1. e4 {best by test} e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nf6 1-0\n\n\
    [Event \"Two\"]\n[White \"Beta\"]\n[Black \"Gamma\"]\n[FEN \"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40\"]\n\n\
    1. exd6 Kd7 *\n\n\
    [Event \"Bad\"]\n\n1. Ke3 *\n";

/// Makes an object with these properties.
fn object(properties: &[(&str, &JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        Reflect::set(&object, &(*name).into(), value).expect("a plain object");
    }
    object
}

/// Makes bytes that the engine reads: arrays of at most 1000 bytes.
fn source(bytes: &[u8]) -> JsByteSource {
    bytes.chunks(1000).map(Uint8Array::from).collect::<Array>().unchecked_into()
}

/// Imports a text; returns the import and the bytes of the corpus.
fn import(pgn: &[u8]) -> (Import, Vec<u8>) {
    let mut import = Import::new(None);
    import.file("games.pgn".into(), &source(pgn), &Function::new_no_args("")).expect("a text");
    let bytes = all_of(import.finish().expect("memory"));
    assert_eq!(import.size_bytes(), bytes.len() as f64);
    (import, bytes)
}

/// Returns the bytes of what was written to memory.
fn all_of(arrays: Option<Array>) -> Vec<u8> {
    let arrays = arrays.expect("there is no file").into_iter();
    arrays.flat_map(|array| array.unchecked_into::<Uint8Array>().to_vec()).collect()
}

fn open(bytes: &[u8]) -> Corpus {
    Corpus::open(source(bytes), None).expect("a whole corpus")
}

/// Prepares a query on the games of an expression over sets.
fn question_within(corpus: &Corpus, query: &str, within: &str) -> Result<PreparedQuestion, JsFailure> {
    corpus.prepare_question(&Question {
        query: query.into(),
        within: within.into(),
        parts: Vec::new(),
        everywhere: false,
    })
}

/// Prepares a query on all games.
fn question(corpus: &Corpus, query: &str) -> PreparedQuestion {
    question_within(corpus, query, "").expect("a query")
}

/// Prepares a query on one part of its games.
fn part_of(corpus: &Corpus, query: &str, part: Part) -> Result<PreparedQuestion, JsFailure> {
    corpus.prepare_question(&Question {
        query: query.into(),
        within: String::new(),
        parts: vec![part],
        everywhere: false,
    })
}

/// No outputs beyond the counts and the numbers of the matching games.
const NOTHING_MORE: Outputs = Outputs {
    heatmap: false,
    structures: 0,
    positions: 0,
    one_per_game: false,
    next: false,
    key: String::new(),
    table: String::new(),
};

/// All outputs, with a few entries of each.
fn everything() -> Outputs {
    Outputs {
        heatmap: true,
        structures: 5,
        positions: 1,
        one_per_game: false,
        next: true,
        key: "result".into(),
        table: "endgames".into(),
    }
}

fn run(corpus: &Corpus, question: &PreparedQuestion, outputs: &Outputs) -> QueryRun {
    corpus.run_for(question, outputs).expect("nobody cancels")
}

/// Runs a query and returns the result as JavaScript gets it.
fn ask(corpus: &Corpus, query: &str, outputs: &Outputs) -> JsValue {
    corpus.results(run(corpus, &question(corpus, query), outputs)).expect("a run on this corpus").into()
}

/// Returns the numbers of the matching games.
fn ids(corpus: &Corpus, question: &PreparedQuestion) -> Vec<u32> {
    let results = corpus.results(run(corpus, question, &NOTHING_MORE)).expect("a run on this corpus");
    get(&results.into(), "ids").unchecked_into::<Uint32Array>().to_vec()
}

fn get(object: &JsValue, key: &str) -> JsValue {
    Reflect::get(object, &key.into()).expect("an object")
}

fn item(list: &JsValue, index: u32) -> JsValue {
    Array::from(list).get(index)
}

/// Returns what JavaScript prints for an object: equal texts mean equal objects.
fn json(object: &JsValue) -> String {
    js_sys::JSON::stringify(object).expect("plain data").into()
}

fn text(object: &JsValue, key: &str) -> String {
    let value = Reflect::get(object, &key.into()).expect("an object");
    value.as_string().or_else(|| value.as_f64().map(|number| number.to_string())).unwrap_or_default()
}

#[wasm_bindgen_test]
fn games_come_in_and_come_back_verbatim() {
    let (import, bytes) = import(GAMES.as_bytes());
    assert_eq!((import.games(), import.plies(), import.refused()), (2.0, 10.0, 1.0));
    assert_eq!(json(&corpus_size(&bytes[..64]).expect("a header").into()), r#"{"games":2,"plies":10}"#);
    let corpus = open(&bytes);
    let first = String::from_utf8(corpus.text(0).expect("a text")).expect("UTF-8");
    assert!(GAMES.starts_with(&first) && first.contains("{best by test}"));
    let both = String::from_utf8(corpus.texts(&[0, 1]).expect("texts")).expect("UTF-8");
    assert!(GAMES.starts_with(both.trim_end()));
    assert!(corpus.text(2).is_err());
}

#[wasm_bindgen_test]
fn names_are_completed_with_their_games() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let names = |field, text| json(&corpus.names(field, text, 3).expect("a field").into());
    assert_eq!(names("player", "alp"), r#"[{"name":"Alpha","games":1}]"#);
    assert_eq!(names("white", ""), r#"[{"name":"Beta","games":1},{"name":"Zeta","games":1}]"#);
    assert_eq!(names("event", "cafe"), r#"[{"name":"Café","games":1}]"#);
    // Nobody is called so, but somebody nearly.
    assert_eq!(names("black", "Gama"), r#"[{"name":"Gamma","games":1}]"#);
    assert!(corpus.names("judge", "", 3).is_err());
}

#[wasm_bindgen_test]
fn plain_words_are_read_by_the_names_of_the_corpus() {
    let game = |white: &str, black: &str| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n\n")
    };
    let pgn = [
        game("Müller, Jan", "Carlsen, Magnus"),
        game("Carlsen, Magnus", "Carlsen, Henrik"),
        game("Carlsen, Magnus", "Carlsen, Ingrid"),
    ];
    let corpus = open(&import(pgn.concat().as_bytes()).1);
    let read = |text| json(&corpus.read_phrase(text, "").expect("a sound corpus").into());
    // A name of three players is all of them, or one; the page counts their games. Places are in units of JavaScript.
    assert_eq!(
        read("😀 Carlsen lost"),
        r#"{"query":"loser \"Carlsen*\"","understood":[{"from":3,"to":15,"meaning":"loser \"Carlsen*\"","notes":["Carlsen, Magnus (3 games), Carlsen, Henrik (1 game) and one more name"]}],"unknown":[{"from":0,"to":2}],"others":["loser \"Carlsen, Magnus\"","loser \"Carlsen, Henrik\"","loser \"Carlsen, Ingrid\""]}"#
    );
    let only = |query: &str| format!(r#"{{"query":"{query}","understood":[],"unknown":[],"others":[]}}"#);
    // A query stays one, and so does what has its signs.
    assert_eq!(read(" queens_off "), only("queens_off"));
    assert_eq!(read("{ Carlsen"), only("{ Carlsen"));
    assert_eq!(read("qwerty"), only("").replace(r#""unknown":[]"#, r#""unknown":[{"from":0,"to":6}]"#));
}

#[wasm_bindgen_test]
fn each_condition_can_be_left_out() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let question = |query: &str| {
        let parts = Array::new();
        object(&[("query", &query.into()), ("within", &"".into()), ("parts", &parts)]).unchecked_into()
    };
    let without = json(&corpus.without(&question("white \"Zeta\" and white pawn on d6")).expect("a query").into());
    let expected = r#"[{"condition":"white \"Zeta\"","query":"white pawn on d6","games":1},{"condition":"white pawn on d6","query":"white \"Zeta\"","games":1}]"#;
    assert_eq!(without, expected);
    assert_eq!(json(&corpus.without(&question("check")).expect("a query").into()), "[]");
}

#[wasm_bindgen_test]
fn positions_can_be_one_of_each_game_and_have_their_move() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let hits = |one_per_game| {
        let hits = get(&ask(&corpus, "white pawn", &Outputs { positions: 20, one_per_game, ..NOTHING_MORE }), "hits");
        let of = |hit: JsValue| {
            format!("{}/{} {}. {}", text(&hit, "game"), text(&hit, "ply"), text(&hit, "move_number"), text(&hit, "san"))
        };
        Array::from(&hits).iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(hits(true), ["0/1 1. e4", "1/1 40. exd6"]);
    let all = hits(false);
    assert_eq!((all.len(), &*all[1], &*all[7], &*all[9]), (10, "0/2 1. e5", "0/8 4. Nf6", "1/2 40. Kd7"));
}

#[wasm_bindgen_test]
fn a_refusal_says_where() {
    let (import, _) = import(GAMES.as_bytes());
    let refusal = item(&import.refusals().into(), 0);
    let byte = GAMES.find("Ke3").expect("it is there").to_string();
    let said = ["file", "game", "byte", "ply"].map(|key| text(&refusal, key));
    assert_eq!(said, ["games.pgn", "3", &byte, "1"]);
    assert!(text(&refusal, "reason").contains("Ke3"));
}

#[wasm_bindgen_test]
fn rows_and_their_order() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let row = item(&corpus.rows(&[0]).expect("rows").into(), 0);
    let said = ["white", "white_elo", "black_elo", "result", "event", "plies", "date"].map(|key| text(&row, key));
    assert_eq!(said, ["Zeta", "2500", "0", "1-0", "Café", "8", ""]);
    assert_eq!(corpus.sort(vec![0, 1], "white", false).expect("a column"), [1, 0]);
    assert_eq!(corpus.sort(vec![0, 1], "white_elo", true).expect("a column"), [0, 1]);
    assert_eq!(corpus.sort(vec![0, 1], "number", true).expect("a column"), [1, 0]);
    assert!(corpus.sort(vec![0], "colour", false).is_err());
    assert!(corpus.sort(vec![7], "white", false).is_err());
}

#[wasm_bindgen_test]
fn a_game_steps_through() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let letters = |id| {
        let game = JsValue::from(corpus.replay(id).expect("a game"));
        let plies = Array::from(&Reflect::get(&game, &"plies".into()).expect("plies"));
        plies.iter().map(|ply| text(&ply, "san") + " " + &text(&ply, "uci")).collect::<Vec<_>>()
    };
    assert_eq!(letters(0)[4..7], ["Bb5 f1b5", "a6 a7a6", "O-O e1g1"]);
    assert_eq!(letters(1), ["exd6 e5d6", "Kd7 e8d7"]);
    let game = JsValue::from(corpus.replay(1).expect("a game"));
    assert_eq!(text(&game, "start_fen"), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40");
}

#[wasm_bindgen_test]
fn a_run_finds_all_that_is_wanted() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let results = ask(&corpus, "queens_off", &everything());
    assert_eq!([text(&results, "games"), text(&results, "positions")], ["1", "2"]);
    assert_eq!([text(&results, "games_total"), text(&results, "plies_total")], ["2", "10"]);
    assert_eq!(get(&results, "ids").unchecked_into::<Uint32Array>().to_vec(), [1]);
    let hit = r#"[{"game":1,"ply":1,"fen":"4k3/8/3P4/8/8/8/8/4K3 b - - 0 40","san":"exd6","move_number":40}]"#;
    assert_eq!(json(&get(&results, "hits")), hit);
    let heatmap = get(&results, "heatmap").unchecked_into::<Float64Array>().to_vec();
    assert_eq!(heatmap.len(), 768);
    assert_eq!((heatmap[43], heatmap[5 * 64 + 4], heatmap[11 * 64 + 51]), (2.0, 2.0, 1.0));
    let structure = r#"{"white":"0000080000000000","black":"0000000000000000","count":2,"condition":"structure \"8/8/3P4/8/8/8/8/8\""}"#;
    assert_eq!(json(&get(&results, "structures")), format!("[{structure}]"));
    assert_eq!(text(&results, "structures_total"), "1");
    assert_eq!(text(&get(&results, "next"), "games"), "1");
    assert_eq!(text(&get(&results, "groups"), "key"), "result");
    assert_eq!(corpus.matches(0, "white knight on f3", false).expect("plies"), [3, 4, 5, 6, 7, 8]);
    // Windows apply to positions unless they are wanted everywhere.
    let gated = "white knight on f3 for 6 and white knight on f3 before ply 5";
    assert_eq!(corpus.matches(0, gated, true).expect("plies"), [3, 4, 5, 6, 7, 8]);
    assert_eq!(corpus.matches(0, "became white knight on f3", false).expect("plies"), [3]);
    assert!(corpus.matches(0, "white knight on f3 for 9", false).expect("plies").is_empty());
    let results = ask(&corpus, "queens_off", &NOTHING_MORE);
    assert!(["heatmap", "next", "groups"].iter().all(|key| get(&results, key).is_null()));
}

#[wasm_bindgen_test]
fn a_question_is_read_from_an_object() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let parsed = |json: &str| js_sys::JSON::parse(json).expect("JSON");
    let ids_of = |json: &str| {
        let question = corpus.prepare(parsed(json).unchecked_ref()).expect("a question");
        let outputs = parsed(r#"{"heatmap":false,"structures":0,"positions":9,"next":false,"key":""}"#);
        let results = corpus.results(corpus.run(&question, outputs.unchecked_ref()).expect("nobody cancels"));
        let results = JsValue::from(results.expect("a run on this corpus"));
        (get(&results, "ids").unchecked_into::<Uint32Array>().to_vec(), Array::from(&get(&results, "hits")).length())
    };
    assert_eq!(ids_of(r#"{"query":"queens_off","within":"","parts":[]}"#), (vec![1], 2));
    let part = r#"{"by":"value","key":"result","value":"1-0"}"#;
    assert_eq!(ids_of(&format!(r#"{{"query":"","within":"","parts":[{part}]}}"#)), (vec![0], 8));
    let part = r#"{"by":"next","code":796,"san":"e4","position":"ply = 2"}"#;
    assert_eq!(ids_of(&format!(r#"{{"query":"","within":"","parts":[{part}]}}"#)), (vec![], 0));
}

/// Returns the properties that the TypeScript type of `T` declares itself, without those of the types that it extends.
fn declared<T: Tsify>() -> Vec<String> {
    let lines = T::DECL.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": "));
    // A comment may contain a colon too.
    lines.map(|(name, _)| name).filter(|name| !name.contains(' ')).map(Into::into).collect()
}

#[wasm_bindgen_test]
fn objects_have_the_properties_of_their_types() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    let results = ask(&corpus, "queens_off", &everything());
    let [next, groups, table] = ["next", "groups", "table"].map(|name| get(&results, name));
    let keys = |object: &JsValue| {
        Object::keys(object.unchecked_ref::<Object>()).iter().filter_map(|key| key.as_string()).collect()
    };
    let extended = |own: Vec<String>| [own, declared::<OutcomeCounts>()].concat();
    for (object, expected) in [
        (&results, declared::<SearchResults>()),
        (&next, extended(declared::<NextMoves>())),
        (&item(&get(&next, "moves"), 0), extended(declared::<NextMove>())),
        (&groups, declared::<Groups>()),
        (&table, declared::<ResultTable>()),
        (&item(&get(&groups, "groups"), 0), extended(declared::<Group>())),
        (&item(&corpus.rows(&[0]).expect("rows").into(), 0), declared::<GameRow>()),
    ] {
        let found: Vec<String> = keys(object);
        assert!(found.len() > 3);
        assert_eq!(found, expected);
    }
}

#[wasm_bindgen_test]
fn a_table_that_cannot_be_used_is_said() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    assert!(get(&ask(&corpus, "check", &NOTHING_MORE), "unknown").is_null());
    let mut files = TableFiles::new();
    files.add("KRvK", b"no table".to_vec());
    files.bind();
    let unknown = get(&ask(&corpus, "tb win", &NOTHING_MORE), "unknown");
    let keys = Object::keys(unknown.unchecked_ref::<Object>());
    let keys: Vec<String> = keys.iter().filter_map(|key| key.as_string()).collect();
    assert_eq!(keys, declared::<UnknownPositions>());
    assert_eq!([text(&unknown, "tables"), text(&unknown, "positions")], ["0", "2"]);
    assert!(text(&unknown, "trouble").starts_with("KRvK.egp: not a packed table"));
}

#[wasm_bindgen_test]
fn a_query_says_what_it_looked_at() {
    let corpus = open(&import(GAMES.as_bytes()).1);
    for (query, skipped, replayed, plies_replayed, plies_filtered) in [
        ("fork", 0, 2, 10, 0),
        ("check", 0, 0, 0, 10),
        ("white knight on f3", 0, 0, 0, 10),
        ("count(white pawn) <= 1", 1, 0, 0, 0),
    ] {
        let run = run(&corpus, &question(&corpus, query), &NOTHING_MORE);
        let work = run.statistics();
        assert_eq!((work.games_rejected_early, work.games_replayed), (skipped, replayed), "{query}");
        assert_eq!((work.plies_replayed, work.plies_read_without_board), (plies_replayed, plies_filtered), "{query}");
    }
    assert!(run(&corpus, &question(&corpus, "isolated_pawn"), &NOTHING_MORE).statistics().events_read > 0);
}

#[wasm_bindgen_test]
fn a_query_problem_counts_as_javascript_does() {
    assert!(check("queens_off").is_none());
    let problem = JsValue::from(check("white bishop_piar").expect("a typo"));
    assert_eq!(["from", "to", "nearest"].map(|key| text(&problem, key)), ["6", "17", "bishop_pair"]);
    let problem = JsValue::from(check("😀 😀").expect("nonsense"));
    assert_eq!(["from", "to"].map(|key| text(&problem, key)), ["0", "2"]);
}

#[wasm_bindgen_test]
fn broken_bytes_are_errors_with_a_code() {
    let (_, bytes) = import(GAMES.as_bytes());
    for broken in [&[][..], b"PK\x03\x04", &bytes[..40], &bytes[..100], &bytes[..bytes.len() - 8]] {
        let failure = Corpus::open(source(broken), None).map(drop).expect_err("broken");
        assert_eq!(text(&failure.into(), "code"), "bad-corpus");
    }
    let failure = JsValue::from(question_within(&open(&bytes), "nonsense", "").map(drop).expect_err("no query"));
    assert_eq!(text(&failure, "code"), "bad-query");
}

/// Four games in the format of version 0.1, without signatures and event streams.
const OLDER: &[u8] = include_bytes!("../../../cli/tests/commands/sample-0.1.plyfold");

#[wasm_bindgen_test]
fn an_older_corpus_is_upgraded_in_memory() {
    let corpus = open(OLDER);
    // The texts stay where they were in the file.
    let texts: Vec<Vec<u8>> = (0..4).map(|id| corpus.text(id).expect("a text")).collect();
    let begins = ["[Event \"Caf", "[Event \"Trade", "[Event \"Ending", "[Event \"960"];
    assert!(texts.iter().zip(begins).all(|(text, begin)| text.starts_with(begin.as_bytes())));
    let results = ask(&corpus, "queens_off", &everything());
    // The result is the same as that of importing the texts now.
    let fresh = open(&import(&texts.join(&b"\n\n"[..])).1);
    let expected = ask(&fresh, "queens_off", &everything());
    assert_eq!([text(&results, "games"), text(&results, "positions")], ["2", "7"]);
    for output in ["ids", "hits", "heatmap", "structures"] {
        assert_eq!(json(&get(&results, output)), json(&get(&expected, output)), "{output}");
    }
    // A damaged text is found at its place in the file.
    let mut damaged = OLDER.to_vec();
    let at = damaged.len() - 40;
    damaged[at] ^= 1;
    let failure = JsValue::from(open(&damaged).text(0).expect_err("damaged"));
    // The shard begins at byte 64, and its header says where its text begins.
    let begin = 64 + u32::from_le_bytes([OLDER[88], OLDER[89], OLDER[90], OLDER[91]]);
    assert!(
        text(&failure, "message").contains(&format!("corrupt text at byte {begin}:")),
        "{}",
        text(&failure, "message")
    );
}

#[wasm_bindgen_test]
fn one_thread_without_a_pool() {
    assert_eq!(plyfold_web::threads(), 1);
}

#[wasm_bindgen_test]
fn words_are_offered_and_painted_in_units_of_javascript() {
    let found: JsValue = complete("white bishop pa and check", 15).into();
    let option = item(&Reflect::get(&found, &"options".into()).expect("an object"), 0);
    assert_eq!([text(&found, "from"), text(&found, "to"), text(&option, "from")], ["13", "15", "6"]);
    assert_eq!([text(&option, "text"), text(&option, "kind")], ["bishop_pair", "predicate"]);
    assert!(!text(&option, "detail").is_empty());
    let painted = Array::from(&paint("\"𝄞\" or blub"))
        .into_iter()
        .map(|piece| [text(&piece, "from"), text(&piece, "to"), text(&piece, "class")].join(" "));
    assert_eq!(painted.collect::<Vec<_>>(), ["0 4 text", "5 7 keyword", "8 12 unknown"]);
    let known = Array::from(&predicates());
    let isolani = known.iter().find(|one| text(one, "name") == "isolated_queens_pawn").expect("a predicate");
    assert_eq!(item(&get(&isolani, "aliases"), 0), JsValue::from("iqp"));
    let captures = known.iter().find(|one| text(one, "name") == "captures").expect("a move");
    assert_eq!(item(&get(&captures, "aliases"), 0), JsValue::from("takes"));
    assert!(known.iter().all(|one| !text(&one, "summary").is_empty()), "everything has a summary");
}

#[wasm_bindgen_test]
fn games_go_on_and_stand_in_groups_and_sets() {
    let (_, bytes) = import(GAMES.as_bytes());
    let mut corpus = open(&bytes);
    let fen = "fen \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\"";
    let next = JsValue::from(corpus.next_moves(&question(&corpus, fen)).expect("nobody cancels"));
    let moves = Array::from(&get(&next, "moves"));
    assert_eq!((text(&next, "games"), moves.length()), ("1".into(), 1));
    let first = moves.get(0);
    assert_eq!(["san", "white", "last_played"].map(|key| text(&first, key)), ["e4", "1", ""]);
    assert_eq!(text(&first, "fen"), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(json(&get(&ask(&corpus, fen, &everything()), "next")), json(&next));

    // The selection can be narrowed by a next move and by the value of a key.
    let code = get(&first, "code").as_f64().expect("a number") as u32;
    let played = |position: &str| Part::Next { code, san: "e4".into(), position: position.into() };
    let having = |key: &str| Part::Value { key: key.into(), value: "1-0".into() };
    assert_eq!(ids(&corpus, &part_of(&corpus, "", played(fen)).expect("a query")), [0]);
    assert_eq!(ids(&corpus, &part_of(&corpus, fen, played("")).expect("a query")), [0; 0]);
    assert_eq!(ids(&corpus, &part_of(&corpus, "", having("result")).expect("a key")), [0]);
    assert!(part_of(&corpus, "", having("rezult")).is_err());

    let groups = get(&ask(&corpus, "", &everything()), "groups");
    assert_eq!([text(&groups, "key"), text(&groups, "distinct")], ["result", "2"]);
    let group = item(&get(&groups, "groups"), 0);
    assert!(get(&group, "condition").is_null());
    let by_move = Outputs { key: "move".into(), ..NOTHING_MORE };
    let group = item(&get(&get(&ask(&corpus, "ply = 3", &by_move), "groups"), "groups"), 0);
    assert_eq!([text(&group, "name"), text(&group, "condition")], ["2", "move = 2"]);
    let parts = Array::from(&corpus.parts(&question(&corpus, ""), "result", "final", 1).expect("a key"));
    assert_eq!((parts.length(), text(&parts.get(0), "games")), (1, "1".into()));

    let file = JsValue::from(corpus.set_of(&question(&corpus, "white \"Zeta\"")).expect("a set"));
    let set = get(&file, "bytes").unchecked_into::<Uint8Array>().to_vec();
    corpus.put_set("zeta".into(), &set).expect("its own");
    assert_eq!(corpus.set_size("zeta").expect("a set"), 1.0);
    assert_eq!(ids(&corpus, &question_within(&corpus, "", "~@zeta").expect("a set")), [1]);
    assert_eq!(text(&JsValue::from(corpus.combine("@zeta | zeta").expect("a set")), "games"), "1");
    assert_eq!(ids(&corpus, &question(&corpus, "not in @zeta")), [1]);
    assert!(question_within(&corpus, "in @other", "").is_err());
    let unknown = JsValue::from(corpus.unknown("check and in @zetta").expect("no such set"));
    let said = ["from", "to", "message"].map(|key| text(&unknown, key));
    assert_eq!(said, ["13", "19", "this corpus has no set @zetta"]);
    for wrong in ["@other", "@zeta &", ""] {
        assert!(corpus.combine(wrong).is_err(), "{wrong}");
    }
    let damaged = [&set[..set.len() - 1], &[1]].concat();
    assert!(corpus.put_set("zeta".into(), &damaged).is_err());
    let (_, other) = import(GAMES.replace("Zeta", "Theta").as_bytes());
    assert!(open(&other).put_set("zeta".into(), &set).is_err());
    corpus.drop_set("zeta");
    assert!(corpus.combine("@zeta").is_err());

    let lines = corpus.lines(&[1], "not check", false, true).expect("games");
    assert_eq!(
        String::from_utf8(lines).expect("text").lines().last(),
        Some("8/3k4/3P4/8/8/8/8/4K3 w - - hmvc 1; fmvn 41; id \"Beta - Gamma\"; c0 \"game 2 ply 2\";")
    );
    assert_eq!(corpus.lines(&[1], "not check", false, false).expect("games").split(|&byte| byte == b'\n').count(), 3);
}

#[wasm_bindgen_test]
fn boards_are_turned_and_what_is_wrong_says_where() {
    const BOARD: &str = "8/2k5/3p4/4P3/8/1N6/2K5/8 w - - 0 1";

    let found = JsValue::from(images("8/2k5/3p4/4P3/8/1N6/2K5/8"));
    assert_eq!(text(&found, "fen"), BOARD);
    let all = get(&found, "images");
    assert_eq!(Array::from(&all).length(), 10);
    assert_eq!((text(&item(&all, 0), "name"), text(&item(&all, 0), "fen")), ("identity".into(), BOARD.into()));
    assert_eq!(text(&item(&all, 5), "fen"), "8/8/8/3P4/2p5/1k4K1/5N2/8 w - - 0 1");
    let found = JsValue::from(images("é8/8"));
    assert_eq!(Array::from(&get(&found, "images")).length(), 0);
    assert_eq!((text(&get(&found, "fault"), "from"), text(&get(&found, "fault"), "to")), ("0".into(), "1".into()));

    let made = JsValue::from(twins(BOARD, "Remove b3\u{2003}rotate 90 move a8 b8", "").expect("a position"));
    let way = item(&get(&made, "twins"), 1);
    assert_eq!(text(&way, "label"), "b");
    let turned = item(&get(&way, "done"), 1);
    assert_eq!([text(&turned, "told"), text(&turned, "from"), text(&turned, "to")], ["rotate 90", "10", "19"]);
    assert_eq!(text(&turned, "fen"), "8/8/8/3P4/2p5/1k4K1/8/8 w - - 0 1");
    assert_eq!(text(&get(&made, "fault"), "from"), "20");
    for (leaving, fault) in [("", true), ("refused", true), ("dropped", false)] {
        let made = JsValue::from(twins(BOARD, "Shift c1 a1", leaving).expect("a position"));
        assert_eq!(get(&made, "fault").is_object(), fault, "{leaving}");
    }
    assert!(get(&JsValue::from(twins(BOARD, "shift:-2,0", "").expect("a position")), "fault").is_null());
    assert!(twins("8/8", "flipH", "").is_err());

    let names = |image: &str, original: &str| {
        let found = JsValue::from(between(image, original));
        Array::from(&get(&found, "transforms")).join("; ").as_string()
    };
    assert_eq!(names("8/8/8/8/8/8/8/7K", "8/8/8/8/8/8/8/7K").expect("text"), "identity; flipAD");
    assert_eq!(names("8/8/8/8/8/8/8/8", "8/8/8/8/8/8/8/K6k").map(|names| names.contains("shift")), Some(true));
    assert_eq!(names(BOARD, "8/8/8/8/8/8/8/8").as_deref(), Some(""));
    assert!(get(&JsValue::from(between("x", BOARD)), "image").is_object());
}

#[wasm_bindgen_test]
fn a_match_says_as_which_image() {
    let (_, bytes) = import(GAMES.as_bytes());
    let corpus = open(&bytes);
    let names = |list: JsValue| -> Vec<String> {
        let names = |names| Array::from(&names).join("; ").as_string();
        Array::from(&list).iter().filter_map(names).collect()
    };
    let query =
        "board \"????????/????????/????????/????????/???P????/????????/????????/????????\" under mirror, colour flip";
    assert_eq!(names(images_asked(query)), ["identity; flipH; flipcolor; flipH flipcolor"]);
    assert_eq!(names(images_asked("check")), [""; 0]);
    let plies = corpus.matches(0, query, false).expect("a query");
    assert_eq!(plies, [1, 2, 3, 4, 5, 6, 7, 8]);
    let found = names(corpus.images_at(0, &[1, 2], query).expect("a query"));
    assert_eq!(found, ["flipH", "flipH; flipH flipcolor"]);
    assert_eq!(Array::from(&corpus.images_at(0, &[1], "check").expect("a query")).length(), 0);
    assert!(corpus.images_at(9, &[1], query).is_err());
}

#[wasm_bindgen_test]
fn a_query_and_a_condition_are_composed() {
    let found = JsValue::from(composed("queens_off or check", "move = 9"));
    let expected =
        r#"{"together":"{ (queens_off or check) and move = 9 }","apart":"(queens_off or check) and move = 9"}"#;
    assert_eq!(json(&found), expected);
    assert!(get(&JsValue::from(composed("check for 2", "move = 9")), "together").is_null());
}
