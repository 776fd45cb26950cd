//! A public type name has only one meaning in the workspace, so that a search for it finds its definition.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use syn::{Attribute, Item, Visibility};

/// Names that several modules use for the same role, each with that role.
const SHARED: &[(&str, &str)] = &[
    ("Arguments", "the command line of a command, one to a file of `commands`"),
    ("Result", "the result of a crate, with its error"),
];

/// The bindings, whose type names are those that TypeScript sees.
const BINDINGS: [&str; 2] = ["web/src", "web-tables/src"];

/// Collects the names of a file's public types, including those of inline modules, without those of tests.
fn public_types(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        let (visibility, name, attributes) = match item {
            Item::Struct(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Enum(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Union(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Trait(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Type(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Mod(item) => {
                if let (Some((_, items)), false) = (&item.content, is_for_tests(&item.attrs)) {
                    public_types(items, found);
                }
                continue;
            }
            _ => continue,
        };
        if !matches!(visibility, Visibility::Inherited) && !is_for_tests(attributes) {
            found.push(name.to_string());
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Collects where each name is defined: name → paths from the root.
fn definitions(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<String>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            definitions(&path, root, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut names = Vec::new();
            public_types(&file.items, &mut names);
            let place = path.strip_prefix(root).unwrap_or(&path).display().to_string().replace('\\', "/");
            for name in names {
                found.entry(name).or_default().push(place.clone());
            }
        }
    }
}

/// Names with more than one definition, except for the shared ones.
fn clashes(definitions: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let is_shared = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    definitions
        .iter()
        .map(|(name, places)| {
            (
                name,
                places
                    .iter()
                    .filter(|place| !BINDINGS.iter().any(|folder| place.starts_with(folder)))
                    .collect::<Vec<_>>(),
            )
        })
        .filter(|(name, places)| places.len() > 1 && !is_shared(name))
        .map(|(name, places)| format!("{name}: {places:?}"))
        .collect()
}

#[test]
fn a_public_type_name_means_one_thing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies inside the project");
    let mut found = BTreeMap::new();
    for krate in [
        "core",
        "files",
        "input",
        "json",
        "openings",
        "serve",
        "terminal",
        "cli",
        "egtgen",
        "web",
        "web-tables",
        "tests",
        "tests/bench",
        "xtask",
    ] {
        definitions(&root.join(krate).join("src"), root, &mut found);
    }
    // `core` is a folder of crates.
    for folder in fs::read_dir(root.join("core")).expect("core").flatten() {
        definitions(&folder.path().join("src"), root, &mut found);
    }
    assert!(found.len() > 500, "only {} types are seen", found.len());
    let clashes = clashes(&found);
    assert!(clashes.is_empty(), "\n{}", clashes.join("\n"));
    for (name, role) in SHARED {
        assert!(found.get(*name).is_some_and(|places| places.len() > 1), "{name} is not shared any more: {role}");
    }
}

#[test]
fn a_clash_is_seen() {
    let text = "pub struct One; mod inner { pub(crate) enum Two {} } #[cfg(test)] mod tests { pub struct Three; } struct Four;";
    let mut names = Vec::new();
    public_types(&syn::parse_file(text).expect("Rust").items, &mut names);
    assert_eq!(names, ["One", "Two"]);
    let twice = vec!["core/src/a.rs".to_owned(), "cli/src/b.rs".to_owned()];
    let found = BTreeMap::from([("One".to_owned(), twice.clone()), ("Arguments".to_owned(), twice)]);
    assert_eq!(clashes(&found).len(), 1);
}
