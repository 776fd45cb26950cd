//! `plyfold publish`: what it writes, what it keeps, what it refuses, and that `--check` finds every damage.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::program::{CliSandbox, OLDER, SAMPLE};
use crate::published::{digest, files, library, put_site, put_tables, sha256, violation, with_site};

const PUBLISH: [&str; 6] = ["publish", "out", "--corpus", "sample.plyfold", "--site", "site"];

/// Publishes the sample with more arguments.
fn publish(sandbox: &CliSandbox, more: &[&str]) -> Value {
    sandbox.json(&[&PUBLISH[..], more].concat())
}

fn text(sandbox: &CliSandbox, file: &str) -> String {
    String::from_utf8(sandbox.get(file)).unwrap()
}

/// How many files were written, kept and removed.
fn changes(report: &Value) -> [u64; 3] {
    ["written", "kept", "removed"].map(|name| report[name]["files"].as_u64().unwrap())
}

/// The files of the library's folder.
fn named(sandbox: &CliSandbox) -> Vec<String> {
    files(&sandbox.path("out/library")).into_keys().collect()
}

#[test]
fn everything_is_in_the_folder() {
    let sandbox = with_site();
    put_tables(&sandbox);
    sandbox.put("about.md", "# Our *games*\n");
    sandbox.put("questions.txt", "# first\nMates: checkmate\nqueens_off\n");
    sandbox.put("aliases.tsv", "# who is who\nplayer\tAnna\tAnna, A\n");
    let options =
        ["--title", "Chess club X", "--about", "about.md", "--questions", "questions.txt", "--tables", "packed"];
    let report = publish(&sandbox, &[&options[..], &["--aliases", "aliases.tsv", "--check"]].concat());
    for (name, value) in [("games", 4), ("plies", 23), ("shards", 1), ("tables", 2)] {
        assert_eq!(report[name], json!(value), "{name}");
    }
    assert_eq!(report["check"]["problems"], json!([]));
    let (library, out) = (library(&sandbox, "out"), files(&sandbox.path("out")));
    assert_eq!((&library["title"], &library["format"]), (&json!("Chess club X"), &json!("plyfold library")));
    let questions = ["Mates: checkmate", "queens_off: queens_off"].map(|line| {
        let (title, query) = line.split_once(": ").unwrap();
        json!({ "title": title, "query": query, "language": 2 })
    });
    assert_eq!(library["questions"], json!(questions));
    assert_eq!(library["tables"], json!({ "folder": "tables/", "names": ["KQvK", "KRvK"] }));
    assert_eq!(out["tables/KQvK.egp"], sandbox.get("packed/KQvK.egp"));
    assert_eq!(out[library["about"].as_str().unwrap()], b"# Our *games*\n");
    assert_eq!(out[library["aliases"].as_str().unwrap()], b"player\tAnna\tAnna, A\n");
    let corpus = &library["corpora"][0];
    assert_eq!(corpus["name"], "sample");
    assert_eq!(corpus["id"], sandbox.json(&["info", "sample.plyfold"])["id"]);
    let shard = &corpus["shards"][0];
    let (file, offset) = (sandbox.get("sample.plyfold"), shard["text"]["offset"].as_u64().unwrap() as usize);
    assert_eq!(out[shard["text"]["file"].as_str().unwrap()], file[64 + offset..], "the texts byte for byte");
    for (path, bytes) in out.iter().filter(|(path, _)| path.starts_with("library/")) {
        assert!(path.starts_with(&format!("library/{}.", sha256(bytes))), "{path}");
    }
    let schema = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/library.schema.json"));
    let schema: Value = serde_json::from_slice(&schema.unwrap()).unwrap();
    assert_eq!(violation(&schema, &library, "library"), None);
    for host in [".nojekyll", ".htaccess", "netlify.toml", "hosting/nginx.conf", "hosting/README.md"] {
        assert!(out.contains_key(host), "{host}");
    }
    for line in [
        "default-src *",
        "/library/*\n  Cache-Control: public, max-age=31536000, immutable\n",
        "/sw.js\n  Cache-Control: no-cache\n",
    ] {
        assert!(text(&sandbox, "out/_headers").contains(line), "{line}");
    }
}

#[test]
fn the_page_has_the_title_and_the_service_worker_its_digest() {
    let sandbox = with_site();
    publish(&sandbox, &["--title", " <script>alert('x')</script> & \"Co\" "]);
    let (page, worker) = (text(&sandbox, "out/index.html"), text(&sandbox, "out/sw.js"));
    let escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;Co&quot;";
    assert!(page.contains(&format!("<title>{escaped}</title>")), "{page}");
    assert!(page.contains("<html lang=\"en\" data-library=\"library.json\">") && !page.contains("<script>"), "{page}");
    let title = "<script>alert('x')</script> & \"Co\"";
    let manifest: Value = serde_json::from_slice(&sandbox.get("out/manifest.webmanifest")).unwrap();
    assert_eq!((&manifest["name"], &manifest["scope"]), (&json!(title), &json!("./")));
    assert_eq!(library(&sandbox, "out")["title"], title);
    for (listed, file) in
        [("./", "index.html"), ("manifest.webmanifest", "manifest.webmanifest"), ("icon.svg", "icon.svg")]
    {
        let entry = format!("[`{listed}`,`{}`]", digest(&sandbox.get(&format!("out/{file}"))));
        assert!(worker.contains(&entry), "{entry}\n{worker}");
    }
    assert!(!worker.contains("0123456789ab"), "another site is another version: {worker}");
    publish(&sandbox, &["--title", "B"]);
    assert_ne!(text(&sandbox, "out/sw.js"), worker);
    // A published folder is a site too.
    sandbox.run(&["publish", "out2", "--corpus", "sample.plyfold", "--site", "out", "--title", "B"]).succeeded();
    assert!(files(&sandbox.path("out")) == files(&sandbox.path("out2")));
}

#[test]
fn publishing_again_writes_only_what_changed() {
    let sandbox = with_site();
    let first = publish(&sandbox, &[]);
    let before = files(&sandbox.path("out"));
    assert_eq!(changes(&first), [before.len() as u64, 0, 0]);
    assert_eq!(changes(&publish(&sandbox, &["--check"])), [0, before.len() as u64, 0]);
    assert!(files(&sandbox.path("out")) == before);

    sandbox.put("more.pgn", "[White \"New\"]\n\n1. c4 c5 2. Nc3 *\n");
    sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--append"]).succeeded();
    let appended = publish(&sandbox, &["--check"]);
    assert_eq!(changes(&appended), [3, before.len() as u64 - 1, 0], "two files of the new shard, and library.json");
    let after = files(&sandbox.path("out"));
    assert!(before.iter().all(|(path, bytes)| path == "library.json" || after.get(path) == Some(bytes)));
    let counts = library(&sandbox, "out")["corpora"][0]["shards"].as_array().unwrap().len();
    assert_eq!((counts, &appended["games"]), (2, &json!(5)));

    // Other games: what nothing names any longer goes, and what is not ours stays.
    sandbox.put("out/library/mine.txt", "mine");
    sandbox.put("out/library/.0123456789abcdef.scan.aB3dE6gH.plyfold-part", "left by a killed program");
    sandbox.run(&["import", "more.pgn", "-o", "sample.plyfold", "--force"]).succeeded();
    let replaced = publish(&sandbox, &["--check"]);
    assert_eq!(replaced["removed"]["files"], 3, "{replaced}");
    assert_eq!(named(&sandbox).len(), 3, "{:?}", named(&sandbox));
    assert!(named(&sandbox).contains(&"mine.txt".to_owned()));
}

#[test]
fn a_folder_of_the_old_form_is_read_and_written_anew() {
    let sandbox = with_site();
    publish(&sandbox, &[]);
    let today = files(&sandbox.path("out"));
    let mut list = text(&sandbox, "out/library.json").replace("\"version\":2", "\"version\":1");
    for (path, bytes) in today.iter().filter(|(path, _)| path.starts_with("library/")) {
        let old = format!("library/{:016x}.{}", xxh3_64(bytes), path.rsplit('.').next().unwrap());
        fs::rename(sandbox.path(&format!("out/{path}")), sandbox.path(&format!("out/{old}"))).unwrap();
        list = list.replace(path, &old);
    }
    let mut old: Value = serde_json::from_str(&list).unwrap();
    let shard = &mut old["corpora"][0]["shards"][0];
    shard["source"] = json!("0123456789abcdef");
    shard["scan"].as_object_mut().unwrap().remove("unpacked_sha256");
    sandbox.put("out/library.json", old.to_string());

    let check = sandbox.run(&["publish", "--check", "out"]).succeeded().text();
    assert!(check.contains("named in an old way") && check.contains("as they were published"), "{check}");
    assert_eq!(publish(&sandbox, &["--check"])["check"]["is_of_old_form"], json!(false));
    assert!(files(&sandbox.path("out")) == today, "the files of the old form are gone");
    let mut forged = library(&sandbox, "out");
    forged["corpora"][0]["shards"][0]["scan"]["file"] = json!("library/0123456789abcdef.scan");
    sandbox.put("out/library.json", forged.to_string());
    sandbox.run(&["publish", "--check", "out"]).failed(1, &["is not library/, 64 hex digits and .scan"]);
}

#[test]
fn a_new_site_and_fewer_tables_replace_the_old() {
    let sandbox = with_site();
    put_tables(&sandbox);
    publish(&sandbox, &["--tables", "packed"]);
    let again = publish(&sandbox, &["--tables", "packed"]);
    assert_eq!(changes(&again)[0], 0, "{again}");
    put_site(&sandbox, "site", "another");
    fs::remove_file(sandbox.path("packed/KRvK.egp")).unwrap();
    publish(&sandbox, &["--tables", "packed", "--check"]);
    let out = files(&sandbox.path("out"));
    assert!(out.contains_key("assets/index-7.js") && !out.contains_key("assets/index-3.js"));
    assert!(out.contains_key("tables/KQvK.egp") && !out.contains_key("tables/KRvK.egp"));
    publish(&sandbox, &["--check"]);
    assert!(!sandbox.path("out/tables").exists());
}

#[test]
fn an_older_corpus_is_published_as_a_new_one() {
    let sandbox = with_site();
    sandbox.put("older.plyfold", OLDER);
    sandbox.put("sub.plyfold", OLDER);
    sandbox.run(&["upgrade", "sub.plyfold"]).succeeded();
    let mut shards = Vec::new();
    for (out, corpus) in [("out", "older.plyfold"), ("out2", "sub.plyfold")] {
        let arguments = ["publish", out, "--corpus", corpus, "--site", "site", "--title", "x", "--check"];
        sandbox.run(&arguments).succeeded();
        let mut library = library(&sandbox, out);
        let shard = library["corpora"][0]["shards"][0].as_object_mut().unwrap();
        shard.remove("source").unwrap();
        shards.push(shard.clone());
    }
    assert_eq!(shards[0], shards[1]);
}

#[test]
fn wrong_inputs_are_refused_and_nothing_is_written() {
    let sandbox = with_site();
    let mut damaged = sandbox.get("sample.plyfold");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    sandbox.put("damaged.plyfold", damaged);
    sandbox.put("copy.plyfold", sandbox.get("sample.plyfold"));
    sandbox.put("questions.txt", "check\n\nOdd: queens_of\n");
    sandbox.put("about.md", "no aliases");
    sandbox.put("latin.md", b"caf\xe9");
    sandbox.put("long.md", "x".repeat((64 << 10) + 1));
    sandbox.put("empty.plyfold", "");
    put_tables(&sandbox);
    put_site(&sandbox, "changed", "one");
    sandbox.put("changed/icon.svg", "other");
    let long = "x".repeat(201);
    let site = ["--site", "site"];
    for (more, code, says) in [
        (vec!["--corpus", "missing.plyfold"], 1, "missing.plyfold: cannot be opened"),
        (vec!["--corpus", "empty.plyfold"], 1, "empty.plyfold: is empty"),
        (vec!["--corpus", "sample.pgn"], 1, "sample.pgn: is the same corpus as sample.plyfold"),
        (vec!["--corpus", "damaged.plyfold"], 1, "damaged.plyfold: corrupt"),
        (vec!["--corpus", "copy.plyfold"], 1, "copy.plyfold: is the same corpus as sample.plyfold"),
        (vec!["--questions", "questions.txt"], 1, "questions.txt: line 3 has a mistake"),
        (vec!["--about", "latin.md"], 1, "latin.md: is not UTF-8"),
        (vec!["--about", "long.md"], 1, "long.md: has more than 65536 bytes"),
        (vec!["--aliases", "about.md"], 1, "about.md: line 1: write a kind"),
        (vec!["--aliases", "latin.md"], 1, "latin.md: is not UTF-8"),
        (vec!["--title", " "], 2, "--title is empty"),
        (vec!["--title", &long], 2, "--title has more than 200 letters"),
        (vec!["--title", "a\nb"], 2, "--title has control characters"),
        (vec!["--tables", "generated"], 1, "egtgen pack"),
        (vec!["--tables", "site"], 1, "has no packed tables"),
    ] {
        let arguments = [&PUBLISH[..], &more].concat();
        sandbox.run(&arguments).failed(code, &[says]);
        assert!(!sandbox.path("out").exists(), "{says}");
    }
    for (site, says) in
        [("changed", "icon.svg: is not the file that sw.js lists"), ("packed", "sw.js: has no such file")]
    {
        sandbox.run(&["publish", "out", "--corpus", "sample.plyfold", "--site", site]).failed_in_a_line(1, &[says]);
    }
    if !cfg!(feature = "site") {
        sandbox.run(&["publish", "out", "--corpus", "sample.plyfold"]).failed_in_a_line(2, &["--site DIR"]);
    }
    sandbox.run(&["publish", "out"]).failed_in_a_line(2, &["--corpus FILE"]);
    sandbox.run(&[&["publish", "out"], &site[..]].concat()).failed_usage();
    assert!(!sandbox.path("out").exists());
}

#[test]
fn damage_in_a_text_is_found_while_it_is_cut() {
    let sandbox = with_site();
    let mut damaged = sandbox.get("sample.plyfold");
    let last = damaged.len() - 20;
    damaged[last] ^= 1;
    sandbox.put("sample.plyfold", damaged);
    sandbox.run(&PUBLISH).failed_in_a_line(1, &["sample.plyfold: corrupt text at byte"]);
    assert!(!sandbox.path("out/library.json").exists());
    // What was begun is not somebody else's folder.
    sandbox.run(&["import", "sample.pgn", "-o", "sample.plyfold", "--force"]).succeeded();
    publish(&sandbox, &["--check"]);
}

#[test]
fn other_folders_are_left_alone() {
    let sandbox = with_site();
    fs::create_dir_all(sandbox.path("other/library")).unwrap();
    sandbox.put("other/letter.txt", "mine");
    let arguments = ["publish", "other", "--corpus", "sample.plyfold", "--site", "site"];
    sandbox.run(&arguments).failed_in_a_line(1, &["other: has files", "--force"]);
    sandbox.put("other/library.json", "{\"books\": 7}");
    sandbox.run(&arguments).failed_in_a_line(1, &["library.json that is not one of plyfold", "--force"]);
    assert_eq!(sandbox.get("other/library.json"), b"{\"books\": 7}");
    sandbox.run(&[&arguments[..], &["--force"]].concat()).succeeded();
    assert_eq!(sandbox.get("other/letter.txt"), b"mine");
    // What a killed program has begun is ours, and an empty folder may become ours.
    fs::create_dir_all(sandbox.path("begun/library")).unwrap();
    sandbox.put("begun/.library.json.aB3dE6gH.plyfold-part", "");
    sandbox.put(&format!("begun/library/.{}.text.aB3dE6gH.plyfold-part", "0".repeat(64)), "the first part of a text");
    sandbox.run(&["publish", "begun", "--corpus", "sample.plyfold", "--site", "site"]).succeeded();
    for file in ["library.json", "sw.js"] {
        fs::remove_file(sandbox.path("begun").join(file)).unwrap();
    }
    sandbox.run(&["publish", "begun", "--corpus", "sample.plyfold", "--site", "site", "--check"]).succeeded();
    sandbox.run(&arguments).succeeded();
    fs::create_dir(sandbox.path("out")).unwrap();
    publish(&sandbox, &[]);
    sandbox.put("file", "");
    sandbox.run(&["publish", "file", "--corpus", "sample.plyfold", "--site", "site"]).failed_in_a_line(1, &["file: "]);
}

#[test]
fn no_input_becomes_an_output() {
    let sandbox = with_site();
    let before = files(&sandbox.path("site"));
    for out in ["site", "site/out", ".", "site/../site/assets/x/y"] {
        let arguments = ["publish", out, "--corpus", "sample.plyfold", "--site", "site", "--force"];
        sandbox.run(&arguments).failed_in_a_line(2, &["which is written", "choose another folder"]);
    }
    assert!(files(&sandbox.path("site")) == before);
    publish(&sandbox, &[]);
    fs::copy(sandbox.path("sample.plyfold"), sandbox.path("out/inside.plyfold")).unwrap();
    let arguments = ["publish", "out", "--corpus", "out/inside.plyfold", "--site", "site"];
    sandbox.run(&arguments).failed_in_a_line(2, &["the corpus out/inside.plyfold"]);
}

#[test]
#[cfg(unix)]
fn links_in_the_folder_are_not_followed() {
    let sandbox = with_site();
    fs::create_dir_all(sandbox.path("elsewhere")).unwrap();
    publish(&sandbox, &[]);
    fs::remove_dir_all(sandbox.path("out/assets")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), sandbox.path("out/assets")).unwrap();
    sandbox.run(&PUBLISH).failed_in_a_line(1, &["out/assets: is a link"]);
    assert_eq!(fs::read_dir(sandbox.path("elsewhere")).unwrap().count(), 0);
    // Nor is anything removed there.
    fs::remove_file(sandbox.path("out/assets")).unwrap();
    fs::rename(sandbox.path("out/library"), sandbox.path("moved")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("moved"), sandbox.path("out/library")).unwrap();
    sandbox.put("moved/0123456789abcdef.scan", "of another library");
    let before = files(&sandbox.path("moved"));
    assert_eq!(publish(&sandbox, &[])["removed"]["files"], 0);
    assert!(files(&sandbox.path("moved")) == before);
}

/// Publishes everything that a folder can have.
fn with_everything() -> CliSandbox {
    let sandbox = with_site();
    put_tables(&sandbox);
    sandbox.put("about.md", "# Our games\n");
    sandbox.put("questions.txt", "Mates: checkmate\n");
    sandbox.put("aliases.tsv", "player\tAnna\tAnna, A\n");
    let files = ["--about", "about.md", "--questions", "questions.txt", "--aliases", "aliases.tsv"];
    publish(&sandbox, &[&files[..], &["--tables", "packed"]].concat());
    sandbox
}

#[test]
fn a_check_names_every_file_that_is_damaged() {
    let sandbox = with_everything();
    let check = |says: &[&str]| {
        let run = sandbox.run(&["publish", "--check", "out"]).failed_in_a_line(1, &["as"]);
        for part in says {
            assert!(run.text().contains(part), "{:?} does not say {part:?}", run.text());
        }
    };
    let out = files(&sandbox.path("out"));
    let for_hosts = [".nojekyll", ".htaccess", "netlify.toml", "hosting/nginx.conf", "hosting/README.md"];
    let mut checked = 0;
    for (path, bytes) in out.iter().filter(|(path, _)| !for_hosts.contains(&path.as_str()) && *path != "library.json") {
        let file = format!("out/{path}");
        // The service worker speaks for the headers.
        let named = if path == "_headers" { "_headers" } else { &file };
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            sandbox.put(&file, damaged);
            check(&[named]);
        }
        sandbox.put(&file, &bytes[..bytes.len() - 1]);
        check(&[named]);
        fs::remove_file(sandbox.path(&file)).unwrap();
        check(&[&file]);
        sandbox.put(&file, bytes);
        checked += 1;
    }
    assert_eq!(checked, 4 + 2 + 4 + 2, "the site, its lists, the named files, and the tables");
    // One that is damaged hides no other.
    let parts: Vec<String> = out.keys().filter(|path| path.starts_with("library/")).cloned().collect();
    parts.iter().for_each(|path| sandbox.put(&format!("out/{path}"), "damaged"));
    check(&parts.iter().map(String::as_str).collect::<Vec<_>>());
    parts.iter().for_each(|path| sandbox.put(&format!("out/{path}"), &out[path]));
    let check = sandbox.json(&["publish", "out", "--check"]);
    assert_eq!((&check["files"], &check["games"]), (&json!(out.len() - for_hosts.len()), &json!(4)));
    // A flipped file of the right length stays when it is published again, and the check at the end says so.
    let scan = library(&sandbox, "out")["corpora"][0]["shards"][0]["scan"]["file"].as_str().unwrap().to_owned();
    let mut damaged = out[&scan].clone();
    *damaged.last_mut().unwrap() ^= 1;
    sandbox.put(&format!("out/{scan}"), damaged);
    let run = sandbox.run(&[&PUBLISH[..], &["--check"]].concat()).failed_in_a_line(1, &["out: a file is not as"]);
    assert!(run.text().contains("remove it and publish again"), "{}", run.text());
    fs::remove_file(sandbox.path(&format!("out/{scan}"))).unwrap();
    publish(&sandbox, &["--check"]);
}

/// Places of a `library.json` and values that have not the form of the schema.
fn wrong_values() -> Vec<(&'static str, Value)> {
    vec![
        ("/format", json!("x")),
        ("/version", json!(3)),
        ("/title", json!("")),
        ("/title", json!("x".repeat(201))),
        ("/title", json!(7)),
        ("/updated", json!("today")),
        ("/about", json!("../about.md")),
        ("/aliases", json!("../aliases.tsv")),
        ("/questions/0/title", json!("")),
        ("/questions/0/query", json!("x".repeat(4097))),
        ("/questions", json!(vec![json!({ "title": "a", "query": "check" }); 101])),
        ("/corpora", json!({})),
        ("/corpora/0/id", json!("0123456789ABCDEF")),
        ("/corpora/0/games", json!(-1)),
        ("/corpora/0/name", json!(null)),
        ("/corpora/0/shards/0/scan/file", json!("https://example.org/0123456789abcdef.scan")),
        ("/corpora/0/shards/0/scan/bytes", json!(1.5)),
        ("/corpora/0/shards/0/scan/unpacked", json!(u64::from(u32::MAX))),
        ("/corpora/0/shards/0/scan/unpacked", json!(56)),
        ("/corpora/0/shards/0/scan/unpacked_sha256", json!("0123456789abcdef")),
        ("/corpora/0/shards/0/scan/bytes", json!(0)),
        ("/corpora/0/shards/0/text/file", json!("library/0123456789abcdef.scan")),
        ("/corpora/0/shards/0/text/bytes", json!(1u64 << 31)),
        ("/corpora/0/shards/0/source", json!("x")),
        ("/tables/folder", json!("/tables/")),
        ("/tables/folder", json!("tables")),
        ("/tables/folder", json!("a/../")),
        ("/tables/names/0", json!("../KQvK")),
        ("/tables/names/0", json!("KQK")),
    ]
}

#[test]
fn a_check_reads_nothing_into_a_wrong_library() {
    let sandbox = with_everything();
    let schema = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/library.schema.json"));
    let schema: Value = serde_json::from_slice(&schema.unwrap()).unwrap();
    let right = library(&sandbox, "out");
    let text = right.to_string();
    assert_eq!(violation(&schema, &right, "library"), None);
    let other = |place: &str, value: Value| {
        let mut other = right.clone();
        *other.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = value;
        other
    };
    let shard = "/corpora/0/shards/0";
    for (place, value) in wrong_values() {
        let library = other(place, value);
        assert!(violation(&schema, &library, "library").is_some(), "{place}");
        sandbox.put("out/library.json", library.to_string());
        sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["out/library.json: ", "publish again"]);
    }
    // What a schema cannot say.
    let number = |place: &str| right.pointer(place).and_then(Value::as_u64).unwrap();
    for (place, value) in [
        ("/questions/0/query", json!("chekc")),
        ("/title", json!("a\u{7}b")),
        ("/corpora/0/games", json!(number("/corpora/0/games") + 1)),
        ("/corpora/0/shards/0/bytes", json!(number(&format!("{shard}/bytes")) + 8)),
        ("/corpora/0/shards/0/text/offset", json!(number(&format!("{shard}/text/offset")) + 8)),
    ] {
        sandbox.put("out/library.json", other(place, value).to_string());
        sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["out/library.json: ", "publish again"]);
    }
    let mut twice = right.clone();
    let corpus = right["corpora"][0].clone();
    twice["corpora"].as_array_mut().unwrap().push(corpus);
    sandbox.put("out/library.json", twice.to_string());
    sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["two corpora have the id"]);
    // Counts that agree with each other and not with the games.
    let mut games = other("/corpora/0/games", json!(5));
    games["corpora"][0]["shards"][0]["games"] = json!(5);
    sandbox.put("out/library.json", games.to_string());
    let run =
        sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["out: a file is not as it was published"]);
    assert!(run.text().contains("out/library.json: library/"), "{}", run.text());
    for wrong in [&b""[..], b"[]", &text.as_bytes()[..text.len() / 2], b"\xff"] {
        sandbox.put("out/library.json", wrong);
        sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["out/library.json: "]);
    }
    fs::remove_file(sandbox.path("out/library.json")).unwrap();
    sandbox.run(&["publish", "out", "--check"]).failed_in_a_line(1, &["out: has no library.json"]);
}

#[test]
#[cfg(unix)]
fn a_killed_program_leaves_the_old_library() {
    use std::process::Stdio;

    let sandbox = with_site();
    publish(&sandbox, &[]);
    let before = sandbox.get("out/library.json");
    sandbox.put("many.pgn", SAMPLE.repeat(30_000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    let both = [&PUBLISH[..], &["--corpus", "many.plyfold"]].concat();
    let mut child = sandbox.command(&both).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // One file of the new games is there, or begun.
    while named(&sandbox).len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(sandbox.get("out/library.json"), before);
    sandbox.run(&["publish", "out", "--check"]).succeeded();
    sandbox.run(&[&both[..], &["--check"]].concat()).succeeded();
    let left = files(&sandbox.path("out")).into_keys().filter(|path| path.ends_with(".plyfold-part")).count();
    assert_eq!(left, 0);
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_the_old_library() {
    use std::process::{Command, Stdio};

    let sandbox = with_site();
    publish(&sandbox, &[]);
    let before = sandbox.get("out/library.json");
    sandbox.put("many.pgn", SAMPLE.repeat(30_000));
    sandbox.run(&["import", "many.pgn", "-o", "many.plyfold"]).succeeded();
    let mut command = sandbox.command(&[&PUBLISH[..], &["--corpus", "many.plyfold"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // A file of the new games is begun after the folder has been locked; the new library.json is there before.
    while named(&sandbox).len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::yield_now();
    }
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    signal("-STOP");
    // Nobody else may write the folder meanwhile.
    sandbox.run(&PUBLISH).failed(1, &["another program is writing it"]);
    signal("-INT");
    signal("-CONT");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted; out/library.json is as it was"), "{said}");
    assert_eq!(sandbox.get("out/library.json"), before);
    assert!(sandbox.partial("out/library.json").is_none());
    sandbox.run(&["publish", "out", "--check"]).succeeded();
    // What had come of the new games goes when they are not wanted.
    publish(&sandbox, &["--check"]);
    assert_eq!(named(&sandbox).len(), 2);
}
