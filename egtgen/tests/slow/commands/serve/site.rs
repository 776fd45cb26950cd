//! Serves the site with its headers, and nothing beside it.

use std::fs;

use super::Served;
use crate::commands::program::EgtgenSandbox;

/// Paths that do not name a file of the site.
const NOT_OF_THE_SITE: [&str; 30] = [
    "/none",
    "/assets",
    "/assets/",
    "/.git/config",
    "/%2egit/config",
    "/link",
    "/config.js",
    "/git/config",
    "/new.js",
    "/new.js.part",
    "/out/secret",
    "/out/",
    "/../secret",
    "/%2e%2e/secret",
    "/%2e%2e%2fsecret",
    "/assets/../../secret",
    "/assets/..%2f..%2fsecret",
    "/..%5csecret",
    "/..\\secret",
    "//secret",
    "/index.html%00",
    "/%00",
    "/%ff",
    "/%",
    "/%zz",
    "/./index.html",
    "/index.html/",
    "/transform/",
    "/health/x",
    "/tablebase/atomic",
];

#[test]
fn the_site_is_served_and_nothing_beside_it() {
    let sandbox = EgtgenSandbox::new();
    for folder in ["s", "s/assets", "s/.git", "other"] {
        fs::create_dir(sandbox.path(folder)).unwrap();
    }
    sandbox.put("s/index.html", "<p>site");
    sandbox.put("s/assets/a b.wasm", "\0asm");
    sandbox.put("s/assets/c.js", "1");
    sandbox.put("s/.git/config", "secret");
    sandbox.put("s/new.js.part", "half");
    sandbox.put("other/secret", "secret");
    sandbox.put("secret", "secret");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("s/link")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("other"), sandbox.path("s/out")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/.git/config"), sandbox.path("s/config.js")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/.git"), sandbox.path("s/git")).unwrap();
        std::os::unix::fs::symlink(sandbox.path("s/new.js.part"), sandbox.path("s/new.js")).unwrap();
    }
    let served = Served::start(&sandbox, &["--site", "s"]);
    let page = served.ask("GET /").with_status(200);
    assert_eq!((page.text().as_str(), page.header("content-type")), ("<p>site", Some("text/html")));
    assert_eq!(served.ask("GET /index.html?v=1").with_status(200).text(), "<p>site");
    let wasm = served.ask("GET /assets/a%20b.wasm").with_status(200);
    assert_eq!(
        (wasm.header("content-type"), wasm.header("cache-control")),
        (Some("application/wasm"), Some("no-cache"))
    );
    assert_eq!(served.ask("GET /assets/c.js").with_status(200).header("content-type"), Some("text/javascript"));
    for path in NOT_OF_THE_SITE {
        served.ask(&format!("GET {path}")).refused(404, "no such file", None);
    }
    let answer = served.ask("POST /index.html").refused(405, "GET, HEAD", None);
    assert_eq!(answer.header("allow"), Some("GET, HEAD"));
}

/// The headers of a part of the file `_headers`.
fn header_lines(text: &str) -> Vec<(&str, &str)> {
    text.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(": ")).collect()
}

#[test]
fn the_site_has_the_headers_with_which_it_is_deployed() {
    let sandbox = EgtgenSandbox::new();
    fs::create_dir(sandbox.path("s")).unwrap();
    sandbox.put("s/index.html", "<p>site");
    sandbox.put("s/a.wasm", "\0asm");
    fs::create_dir(sandbox.path("s/assets")).unwrap();
    sandbox.put("s/assets/tablesworker-1.js", "0");
    sandbox.put("s/assets/hostworker-1.js", "0");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../www/public/_headers");
    let file = fs::read_to_string(file).unwrap();
    sandbox.put("s/_headers", &file);
    let served = Served::start(&sandbox, &["--site", "s"]);
    let page = served.ask("GET /").with_status(200);
    let wasm = served.ask("GET /a.wasm").with_status(200);
    let mut blocks = file.split("\n/assets/");
    let pairs = header_lines(blocks.next().unwrap());
    let exceptions: Vec<_> = blocks.map(|block| block.split_once("*\n").unwrap()).collect();
    assert_eq!(exceptions.len(), 2);
    for (script, exception) in exceptions {
        let answer = served.ask(&format!("GET /assets/{script}1.js")).with_status(200);
        for (name, value) in header_lines(exception) {
            assert_eq!(answer.header(name), Some(value), "{script}, {name}");
        }
        assert_eq!(answer.header("cross-origin-embedder-policy"), Some("require-corp"));
    }
    assert_eq!(pairs.len(), 6, "{pairs:?}");
    assert!(
        pairs
            .iter()
            .any(|(name, value)| *name == "Content-Security-Policy" && value.contains("frame-ancestors 'none'"))
    );
    for (name, value) in pairs {
        assert_eq!(page.header(name), Some(value), "{name}");
        assert_eq!(wasm.header(name), Some(value), "{name}");
    }
}
