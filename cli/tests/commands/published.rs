//! A site and tables for tests of publishing, and what a published folder has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use egtgen::packing::{PackingContext, pack_table};
use egtgen::prober::open_generated;
use egtgen::{GenerationRequest, TableFolder, TableMaterial, generate_tables};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::program::CliSandbox;

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
  <head>
    <title>plyfold</title>
    <meta name=\"description\" content=\"Drop a file.\" />
    <script type=\"module\" src=\"./assets/index-1.js\"></script>
  </head>
</html>
";
const MANIFEST: &str =
    "{ \"name\": \"plyfold\", \"short_name\": \"plyfold\", \"description\": \"x\", \"scope\": \"./\" }";
const HEADERS: &str = "# words
/*
  X-Content-Type-Options: nosniff
  Content-Security-Policy: default-src 'self'
/assets/tablesworker-*
  ! Content-Security-Policy
  Content-Security-Policy: default-src *
";

/// The digest of bytes as a library names its files.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of bytes as a service worker has it.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// A sandbox with `sample.plyfold` and a small site of the real form in `site`.
pub fn with_site() -> CliSandbox {
    let sandbox = CliSandbox::with_sample();
    put_site(&sandbox, "site", "one");
    sandbox
}

/// Writes a site with this script.
pub fn put_site(sandbox: &CliSandbox, folder: &str, script: &str) {
    let script_file = format!("assets/index-{}.js", script.len());
    let page = PAGE.replace("index-1", &format!("index-{}", script.len()));
    let files = [
        ("index.html", "./", page.as_str()),
        ("manifest.webmanifest", "manifest.webmanifest", MANIFEST),
        (&script_file, &script_file, script),
        ("icon.svg", "icon.svg", "<svg/>"),
    ];
    fs::create_dir_all(sandbox.path(folder).join("assets")).unwrap();
    let mut list = String::new();
    for (file, listed, text) in files {
        sandbox.put(&format!("{folder}/{file}"), text);
        list += &format!("[`{listed}`,`{}`],", digest(text.as_bytes()));
    }
    sandbox.put(&format!("{folder}/_headers"), HEADERS);
    let worker = format!("(function(){{var b=`0123456789ab`,f=[{list}],l=[];go(b,f,l)}})();");
    sandbox.put(&format!("{folder}/sw.js"), worker);
}

/// Makes generated tables in `generated` and packed ones in `packed`.
pub fn put_tables(sandbox: &CliSandbox) {
    let (generated, packed) = (sandbox.path("generated"), sandbox.path("packed"));
    fs::create_dir(&packed).unwrap();
    let tables: Vec<TableMaterial> = ["KQvK", "KRvK"].iter().map(|name| name.parse().unwrap()).collect();
    let stop = AtomicBool::new(false);
    generate_tables(&GenerationRequest::with_closure(&tables, generated.clone()), &|_| {}, &stop).unwrap();
    let source = open_generated(TableFolder::new(generated));
    let context = PackingContext { source: &*source, stop: &stop, on_progress: &|_| {} };
    for table in tables {
        pack_table(&context, table, &packed).unwrap();
    }
}

/// The paths of all files below a folder, with their bytes.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below)).unwrap() {
            let path = below.join(entry.unwrap().file_name());
            if folder.join(&path).is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(folder.join(&path)).unwrap();
                found.insert(path.to_str().unwrap().replace('\\', "/"), bytes);
            }
        }
    }
    found
}

/// The `library.json` of a published folder.
pub fn library(sandbox: &CliSandbox, folder: &str) -> Value {
    serde_json::from_slice(&sandbox.get(&format!("{folder}/library.json"))).unwrap()
}

/// Why a value does not have the form of a JSON schema, as far as `docs/library.schema.json` uses the language of schemas.
pub fn violation(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let wrong = |what: &str| Some(format!("{place}: {what}"));
    let number = |name: &str| schema[name].as_u64();
    if schema.get("const").is_some_and(|only| only != value) {
        return wrong("another value");
    }
    let is_type = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        None => true,
        Some(other) => panic!("the schema has the type {other}"),
    };
    if !is_type {
        return wrong("another type");
    }
    if let Some(text) = value.as_str() {
        let letters = text.chars().count() as u64;
        if number("minLength").is_some_and(|least| letters < least)
            || number("maxLength").is_some_and(|most| letters > most)
        {
            return wrong("its length");
        }
        let pattern = schema["pattern"].as_str().map(|pattern| regex_lite::Regex::new(pattern).unwrap());
        if pattern.is_some_and(|pattern| !pattern.is_match(text)) {
            return wrong("the pattern");
        }
    }
    let (least, most) = (number("minimum").unwrap_or(0), number("maximum").unwrap_or(u64::MAX));
    if value.as_u64().is_some_and(|count| !(least..=most).contains(&count)) {
        return wrong("its size");
    }
    if let Some(items) = value.as_array() {
        if number("maxItems").is_some_and(|most| items.len() as u64 > most) {
            return wrong("too many");
        }
        let mut items = items.iter().enumerate();
        return items.find_map(|(at, item)| violation(&schema["items"], item, &format!("{place}[{at}]")));
    }
    let missing =
        schema["required"].as_array().into_iter().flatten().find(|name| value.get(name.as_str().unwrap()).is_none());
    if let Some(missing) = missing {
        return wrong(&format!("no {missing}"));
    }
    let fields = value.as_object().into_iter().flatten();
    let mut known = fields.filter_map(|(name, field)| Some((name, field, schema["properties"].get(name)?)));
    known.find_map(|(name, field, schema)| violation(schema, field, &format!("{place}.{name}")))
}
