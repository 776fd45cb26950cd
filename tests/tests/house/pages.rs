//! Everything that the pages name exists, and what they promise is tested.

use std::collections::BTreeSet;
use std::fs;

use super::project::{File, has_word, is_generated, project, root, rust_files};

/// Pages whose paths must all exist.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "core/README.md",
    "docs/FIGURES.md",
    "docs/cli.md",
    "docs/cluster.md",
    "docs/egtgen.md",
    "docs/hosting.md",
    "docs/npm.md",
    "docs/page.md",
    "docs/publish.md",
    "docs/scan.md",
    "docs/sql.md",
    "docs/tables.md",
    "cli/README.md",
    "files/README.md",
    "input/README.md",
    "library/README.md",
    "openings/README.md",
    "serve/README.md",
    "sql/README.md",
    "terminal/README.md",
    "web/README.md",
    "web-tables/README.md",
];

#[test]
fn every_path_that_the_pages_name_exists() {
    let mut missing = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let paths = paths_named(&text, &|name| root().join(name).exists());
        assert!(paths.len() >= 2, "{page} names only {paths:?}");
        // Links are relative to the folder of their page.
        let place = root().join(page);
        let folder = place.parent().expect("a page lies in a folder");
        let is_there = |path: &str| root().join(path).exists() || folder.join(path).exists();
        let gone = paths.iter().filter(|path| !is_there(path));
        missing.extend(gone.map(|path| format!("{page} names {path}, which does not exist")));
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

/// Where else files are opened than in `files`, which never waits for one, and why that is right.
const OPENED_ELSEWHERE: [(&str, &str); 6] = [
    ("input/src/source.rs", "a file of games that the user names may be a pipe"),
    ("egtgen/src/commands/transform/input.rs", "a list of positions that the user names may be a pipe"),
    ("terminal/src/output.rs", "an output that the user names may be a pipe or a device"),
    ("egtgen/src/cli/peak.rs", "the system's own file"),
    ("egtgen/src/lease.rs", "the system's own file"),
    ("serve/src/site.rs", "looked at first, when the service starts"),
];

#[test]
fn files_are_opened_in_one_way() {
    let files = project();
    let sources =
        ["library/src", "input/src", "terminal/src", "serve/src", "cli/src", "egtgen/src", "sql/src", "sql/python/src"];
    let opens = |file: &&File| {
        let code = file.text.split("mod tests {").next().unwrap_or_default();
        // Not `MappedFile::open`, and the like.
        code.match_indices("File::open(").any(|(at, _)| !code[..at].ends_with(char::is_alphanumeric))
            || ["OpenOptions", "fs::read(", "fs::read_to_string("].iter().any(|call| code.contains(call))
    };
    let found: BTreeSet<&str> = rust_files(&files, &sources).filter(opens).map(|file| file.path.as_str()).collect();
    assert_eq!(found, OPENED_ELSEWHERE.map(|(path, _)| path).into(), "use plyfold_files::open");
}

#[test]
fn only_serve_opens_sockets() {
    let files = project();
    let sources = [
        "core",
        "input/src",
        "openings/src",
        "library/src",
        "serve/src",
        "cli/src",
        "egtgen/src",
        "web/src",
        "web-tables/src",
    ];
    let opens = |file: &&File| {
        let words = ["net", "TcpListener", "TcpStream", "UdpSocket", "UnixListener", "UnixStream"];
        words.iter().any(|word| has_word(&file.text, word))
    };
    let with: Vec<&str> = rust_files(&files, &sources).filter(opens).map(|file| file.path.as_str()).collect();
    assert!(!with.is_empty(), "not even serve does");
    let serves = |path: &str| {
        path.starts_with("serve/src/")
            || path.starts_with("egtgen/src/commands/serve/")
            || path == "cli/src/commands/serve.rs"
    };
    let others: Vec<&&str> = with.iter().filter(|path| !serves(path)).collect();
    assert!(others.is_empty(), "{others:?} name sockets");
}

/// Words in backticks in SECURITY.md that are not tests.
const NO_TESTS: &[&str] = &["unsafe", "egtgen"];

#[test]
fn every_promise_names_a_test_that_is_there() {
    let files = project();
    let page = files.iter().find(|file| file.path == "SECURITY.md").expect("SECURITY.md");
    let kinds =
        files.iter().find(|file| file.path == "tests/bench/src/bin/torture/main.rs").expect("the kinds of attack");
    let tests = |word: &str| {
        kinds.text.contains(&format!("name: \"{word}\""))
            || files.iter().any(|file| file.path == format!("tests/fuzz/fuzz_targets/{word}.rs"))
            || rust_files(&files, &[""]).any(|file| file.text.contains(&format!("fn {word}()")))
    };
    let words: BTreeSet<&str> = page.text.split('`').skip(1).step_by(2).collect();
    let named: Vec<&str> = words
        .into_iter()
        .filter(|word| {
            word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') && !NO_TESTS.contains(word)
        })
        .collect();
    assert!(named.len() > 20, "{named:?}");
    let missing: Vec<&&str> = named.iter().filter(|word| !tests(word)).collect();
    assert!(missing.is_empty(), "SECURITY.md names tests that are not there: {missing:?}");
}

#[test]
fn example_queries_of_the_pages_compile() {
    let openings = plyfold_core::headers::OpeningNames::new(plyfold_openings::LINES);
    for (page, number) in [("README.md", 4), ("docs/cli.md", 20)] {
        let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let section = text.split("## Example queries").nth(1).expect("the section");
        let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let queries: Vec<_> =
            rows.take_while(|line| line.starts_with('|')).filter_map(|row| row.split('`').nth(1)).collect();
        assert_eq!(queries.len(), number, "{page}: {queries:?}");
        for query in queries {
            let compiled = plyfold_core::query::compile_with_openings(query, &openings);
            compiled.unwrap_or_else(|error| panic!("{page}: {query}: {error}"));
        }
    }
}

/// Digits in groups of three, as the pages write them.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let groups = digits.as_bytes()[head..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    Some(digits[..head].to_owned())
        .filter(|head| !head.is_empty())
        .into_iter()
        .chain(groups)
        .collect::<Vec<_>>()
        .join(",")
}

#[test]
fn numbers_of_the_demo_games_agree() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a page");
    let truth: serde_json::Value = serde_json::from_str(&read("demo/truth.json")).expect("JSON");
    let number = |name: &str| grouped(truth[name].as_u64().expect("a number"));
    let demo = read("demo/README.md");
    for name in [
        "games",
        "plies",
        "queens_off_games",
        "queens_off_plies",
        "distinct_epds",
        "distinct_pawn_structures",
        "games_ending_in_checkmate",
        "pgn_bytes",
    ] {
        assert!(demo.contains(&number(name)), "demo/README.md does not say that {name} is {}", number(name));
    }
    let size = format!("The corpus has {} games, {} plies", number("games"), number("plies"));
    for page in ["README.md", "docs/cli.md"] {
        assert!(read(page).contains(&size), "{page} does not say: {size}");
    }
}

#[test]
fn paths_are_told_from_other_words() {
    let text = "See `core/src/gone.rs`, `Gone.md`, `www/`, [here](docs/gone.png) and [there](https://example.org/x.md).\n\
        Not `a or b/c`, `cargo xtask`, `core/*.rs`, `dist/index.html`, `scan::fold`, `std`, `@scope/name`, `<in/out>`.\n\
        ```\nplyfold import core/data/gone.pgn -o target/x.plyfold out/y.md\n```\n\
        After `xtask/gone.rs:12` and [part](ARCHITECTURE.md#part) [self](#part).\n";
    let exists = |name: &str| ["core", "www", "ARCHITECTURE.md"].contains(&name);
    let expected = [
        "ARCHITECTURE.md",
        "Gone.md",
        "core/data/gone.pgn",
        "core/src/gone.rs",
        "docs/gone.png",
        "www",
        "xtask/gone.rs",
    ];
    assert_eq!(paths_named(text, &exists).into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_architecture_names_every_room() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let named = paths_named(&page, &|name| root().join(name).exists());
    let mut rooms = BTreeSet::new();
    for file in project() {
        let parts: Vec<&str> = file.path.split('/').collect();
        match *parts {
            [krate, "Cargo.toml"] if krate != "tests" => rooms.insert(krate.to_owned()),
            ["core", krate, "Cargo.toml"] => rooms.insert(format!("core/{krate}")),
            ["core", "src", room, ..] if room != "lib.rs" => rooms.insert(format!("core/src/{room}")),
            ["egtgen", "src", room, ..] if room != "lib.rs" => rooms.insert(format!("egtgen/src/{room}")),
            ["www", "src", room, _, ..] => rooms.insert(format!("www/src/{room}")),
            _ => false,
        };
    }
    assert!(rooms.len() > 15, "{rooms:?}");
    let unnamed: Vec<_> = rooms.difference(&named).collect();
    assert!(unnamed.is_empty(), "ARCHITECTURE.md does not name {unnamed:?}");
}

/// Files of a folder that `plyfold publish` writes, which the pages name.
const PUBLISHED: &[&str] = &["index.html", "library.json", "netlify.toml", "hosting/nginx.conf"];

/// Paths in Markdown, from the root: code spans and links that look like a path, and words of code blocks that begin with a
/// folder for which `exists` holds. Build outputs are left out.
fn paths_named(markdown: &str, exists: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    const ENDINGS: &[&str] = &[
        "rs", "md", "toml", "lock", "ts", "svelte", "css", "html", "json", "mjs", "py", "txt", "svg", "png", "pgn",
        "zst",
    ];
    let mut found = BTreeSet::new();
    let mut keep = |word: &str| {
        let word = word.split('#').next().unwrap_or("").trim_end_matches('/');
        // Removes a line number after the name.
        let word = word.split_once(".rs:").map_or(word, |(stem, _)| &word[..stem.len() + 3]);
        let ends_so = word.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
        let foreign = word.contains("://") || word.contains("::") || word.starts_with('@');
        let plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "/._-@".contains(c));
        let folder = word.contains('/') || exists(word);
        let is_made = is_generated(word) || PUBLISHED.contains(&word);
        if plain && !foreign && (folder || ends_so) && !is_made {
            found.insert(word.to_owned());
        }
    };
    let mut in_block = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            let words = line.split_whitespace().map(|word| word.trim_matches(|c| "'\"`,;".contains(c)));
            let rooted = words.filter(|word| word.split_once('/').is_some_and(|(first, _)| exists(first)));
            rooted.for_each(&mut keep);
        } else {
            line.split('`').skip(1).step_by(2).for_each(&mut keep);
            line.split("](").skip(1).filter_map(|rest| rest.split(')').next()).for_each(&mut keep);
        }
    }
    found
}
