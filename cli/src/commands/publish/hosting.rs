//! Writes what each kind of host needs beside the site: rules for caches, and the same headers in the form that it reads.

use std::fmt::Write;

use plyfold_serve::{HeaderRule, HeaderRules};

/// Files whose names change with their bytes are kept for a year.
const KEPT: &str = "public, max-age=31536000, immutable";
/// The others are asked for anew; a host answers that they are unchanged.
const ASKED: &str = "no-cache";

/// Paths, the rule for caches, and whether pages of other hosts may read them.
const CACHES: &[(&str, &str, bool)] = &[
    ("/assets/*", KEPT, false),
    ("/library/*", KEPT, true),
    ("/tables/*", ASKED, true),
    ("/library.json", ASKED, true),
    ("/manifest.webmanifest", ASKED, false),
    ("/sw.js", ASKED, false),
    ("/index.html", ASKED, false),
    ("/", ASKED, false),
];

/// Blocks for `_headers`.
pub fn cache_rules() -> String {
    let mut text = String::from(
        "# Files whose names are digests never change; the others are asked for anew. Pages of other hosts may search the library.\n",
    );
    for (pattern, rule, is_open) in CACHES {
        let _ = write!(text, "{pattern}\n  Cache-Control: {rule}\n");
        if *is_open {
            text += "  Access-Control-Allow-Origin: *\n  Access-Control-Expose-Headers: Content-Range\n";
        }
    }
    text
}

/// The files for hosts, by their paths.
pub fn hosting_files(headers: &HeaderRules) -> [(&'static str, String); 5] {
    [
        (".nojekyll", String::new()),
        (".htaccess", apache(headers)),
        ("netlify.toml", NETLIFY.to_owned()),
        ("hosting/nginx.conf", nginx(headers)),
        ("hosting/README.md", README.to_owned()),
    ]
}

const README: &str = include_str!("hosting.md");

const NETLIFY: &str = "\
# Netlify takes the headers from the file _headers. There is nothing to build.
[build]
  publish = \".\"
";

/// Lines for nginx about files that it does not know: what they are, and that they are sent as they are, since parts of them are asked
/// for.
const NGINX_TYPES: &[(&str, &str)] = &[
    ("/library/*", "  default_type application/octet-stream;\n  gzip off;\n"),
    ("/tables/*", "  default_type application/octet-stream;\n  gzip off;\n"),
    ("/manifest.webmanifest", "  default_type application/manifest+json;\n"),
];

/// A block for each pattern, with all headers of its paths, since nginx inherits none where a block has its own.
fn nginx(headers: &HeaderRules) -> String {
    let mut text = String::from(
        "# For a server { } whose root has the folder. If the folder is below it, as in /chess/, write that before each path here.\n",
    );
    let mut patterns: Vec<&str> = Vec::new();
    for rule in headers.rules.iter().filter(|rule| rule.pattern != "/") {
        if patterns.contains(&rule.pattern.as_str()) {
            continue;
        }
        patterns.push(&rule.pattern);
        let place = match rule.pattern.strip_suffix('*') {
            Some(begins) => begins.to_owned(),
            None => format!("= {}", rule.pattern),
        };
        let _ = writeln!(text, "location {place} {{");
        for (_, lines) in NGINX_TYPES.iter().filter(|(pattern, _)| *pattern == rule.pattern) {
            text += lines;
        }
        for (name, value) in headers.of_path(&rule.pattern) {
            let _ = writeln!(text, "  add_header {name} \"{value}\" always;");
        }
        text += "}\n";
    }
    text
}

fn apache(headers: &HeaderRules) -> String {
    let mut text = String::from(
        "# Headers and types for Apache. It needs mod_headers (a2enmod headers) and AllowOverride All for this folder.\n\
         AddType application/wasm .wasm\n\
         AddType application/manifest+json .webmanifest\n\
         AddType application/octet-stream .scan .text .egp\n\
         # Parts of these files are asked for, so they are not compressed on the way.\n\
         SetEnvIfNoCase Request_URI \"\\.(scan|text|egp)$\" no-gzip dont-vary\n\
         <IfModule mod_headers.c>\n",
    );
    for rule in &headers.rules {
        let condition = (rule.pattern != "/*").then(|| format!("<If \"%{{REQUEST_URI}} =~ m#{}#\">", expression(rule)));
        text.extend(condition.iter().map(|line| format!("{line}\n")));
        for name in &rule.removed {
            let _ = writeln!(text, "Header always unset {name}");
        }
        for (name, value) in &rule.set {
            let _ = writeln!(text, "Header always set {name} \"{value}\"");
        }
        text += if condition.is_some() { "</If>\n" } else { "" };
    }
    text + "</IfModule>\n"
}

/// A regular expression for the end of a URL: the folder may lie anywhere on the host.
fn expression(rule: &HeaderRule) -> String {
    let escaped = rule.pattern.replace('.', "\\.");
    match escaped.strip_suffix('*') {
        Some(begins) => format!("{begins}[^/]*$"),
        None => format!("{escaped}$"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> HeaderRules {
        let site = "/*\n  A: 'x'; y\n/assets/w-*\n  ! A\n  A: z\n";
        HeaderRules::read(&format!("{site}{}", cache_rules())).expect("headers")
    }

    #[test]
    fn what_changes_is_asked_for_and_the_rest_is_kept() {
        let cache = |path: &str| {
            let headers = headers().of_path(path);
            headers.into_iter().find(|(name, _)| name == "Cache-Control").map(|(_, value)| value)
        };
        for kept in ["/assets/w-1.js", "/library/0123456789abcdef.scan"] {
            assert_eq!(cache(kept).as_deref(), Some(KEPT), "{kept}");
        }
        for asked in ["/", "/index.html", "/sw.js", "/library.json", "/tables/KQvK.egp"] {
            assert_eq!(cache(asked).as_deref(), Some(ASKED), "{asked}");
        }
        assert_eq!(cache("/icon.svg"), None);
    }

    #[test]
    fn hosts_get_the_same_headers() {
        let files = hosting_files(&headers());
        let text = |name: &str| &files.iter().find(|(path, _)| *path == name).expect(name).1;
        let nginx = text("hosting/nginx.conf");
        assert!(nginx.contains("location / {\n  add_header A \"'x'; y\" always;\n}\n"), "{nginx}");
        assert!(nginx.contains("location /assets/w- {\n  add_header A \"z\" always;\n"), "{nginx}");
        assert!(nginx.contains("location = /sw.js {\n  add_header A \"'x'; y\" always;\n"), "{nginx}");
        assert!(
            nginx.contains("location /library/ {\n  default_type application/octet-stream;\n  gzip off;\n  add"),
            "{nginx}"
        );
        let apache = text(".htaccess");
        let block =
            "<If \"%{REQUEST_URI} =~ m#/assets/w-[^/]*$#\">\nHeader always unset A\nHeader always set A \"z\"\n</If>\n";
        assert!(apache.contains(block) && apache.contains("m#/sw\\.js$#"), "{apache}");
    }
}
