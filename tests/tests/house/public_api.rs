//! `core/public-api.txt` lists the names that `plyfold-core` offers to other programs, so that every change of them is
//! noticed.
//!
//! The list is derived from the sources. It has the public items that can be reached from the root, with their public fields,
//! variants and methods. Items that a macro defines are listed only if they are re-exported.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Fields, ImplItem, Item, ItemMod, TraitItem, Type, UseTree, Visibility};

/// The items of the crate's sources.
#[derive(Default)]
struct CrateItems {
    /// Paths of items and re-exports that can be reached from the root.
    paths: BTreeSet<String>,
    /// The members of each type and trait, by its name: `.field`, `::Variant`, `::method`.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Error enums that are not `#[non_exhaustive]`.
    closed_errors: Vec<String>,
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Whether an item is compiled only for tests.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test") || path.is_ident("doctest"))
    })
}

fn derives_error(attributes: &[Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        let read = attribute.parse_nested_meta(|derived| {
            found |= derived.path.segments.last().is_some_and(|last| last.ident == "Error");
            Ok(())
        });
        read.expect("a list of derives");
    }
    found
}

fn child(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") }
}

impl CrateItems {
    /// Reads the items of a module. `path` is its path from the root if it can be reached, and `folder` contains the files of
    /// its submodules.
    fn read_module(&mut self, items: &[Item], path: Option<&str>, folder: &Path) {
        for item in items {
            match item {
                Item::Mod(module) if !is_for_tests(&module.attrs) => self.read_submodule(module, path, folder),
                Item::Impl(block) if block.trait_.is_none() => {
                    let Type::Path(of) = &*block.self_ty else { continue };
                    let Some(name) = of.path.segments.last() else { continue };
                    for item in &block.items {
                        match item {
                            ImplItem::Fn(function) if is_public(&function.vis) => {
                                self.add_member(&name.ident, "::", &function.sig.ident);
                            }
                            ImplItem::Const(constant) if is_public(&constant.vis) => {
                                self.add_member(&name.ident, "::", &constant.ident);
                            }
                            _ => {}
                        }
                    }
                }
                Item::Use(import) if is_public(&import.vis) => {
                    if let Some(path) = path {
                        self.add_imports(&import.tree, path);
                    }
                }
                _ => self.read_item(item, path),
            }
        }
    }

    fn read_submodule(&mut self, module: &ItemMod, path: Option<&str>, folder: &Path) {
        let name = module.ident.to_string();
        let path = path.filter(|_| is_public(&module.vis)).map(|path| child(path, &name));
        if let Some(path) = &path {
            self.paths.insert(path.clone());
        }
        let inner = folder.join(&name);
        match &module.content {
            Some((_, items)) => self.read_module(items, path.as_deref(), &inner),
            None => {
                let files = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
                let file = files.iter().find(|file| file.exists()).unwrap_or_else(|| panic!("no file of {name}"));
                self.read_module(&items_of(file), path.as_deref(), &inner);
            }
        }
    }

    /// An item that is neither a module nor an import.
    fn read_item(&mut self, item: &Item, path: Option<&str>) {
        let (visibility, name) = match item {
            Item::Struct(item) => (&item.vis, &item.ident),
            Item::Enum(item) => (&item.vis, &item.ident),
            Item::Trait(item) => (&item.vis, &item.ident),
            Item::Type(item) => (&item.vis, &item.ident),
            Item::Fn(item) => (&item.vis, &item.sig.ident),
            Item::Const(item) => (&item.vis, &item.ident),
            Item::Static(item) => (&item.vis, &item.ident),
            _ => return,
        };
        if !is_public(visibility) {
            return;
        }
        if let Some(path) = path {
            self.paths.insert(child(path, &name.to_string()));
        }
        match item {
            Item::Struct(item) => {
                if let Fields::Named(fields) = &item.fields {
                    for field in fields.named.iter().filter(|field| is_public(&field.vis)) {
                        self.add_member(name, ".", field.ident.as_ref().expect("a name"));
                    }
                }
            }
            Item::Enum(item) => {
                item.variants.iter().for_each(|variant| self.add_member(name, "::", &variant.ident));
                let is_open = item.attrs.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
                if derives_error(&item.attrs) && !is_open {
                    self.closed_errors.push(name.to_string());
                }
            }
            Item::Trait(item) => {
                for item in &item.items {
                    match item {
                        TraitItem::Fn(function) => self.add_member(name, "::", &function.sig.ident),
                        TraitItem::Const(constant) => self.add_member(name, "::", &constant.ident),
                        TraitItem::Type(of) => self.add_member(name, "::", &of.ident),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn add_member(&mut self, name: &syn::Ident, separator: &str, member: &syn::Ident) {
        self.members.entry(name.to_string()).or_default().insert(format!("{separator}{member}"));
    }

    fn add_imports(&mut self, tree: &UseTree, path: &str) {
        match tree {
            // A crate of `core` as a module.
            UseTree::Rename(name) if let Some(krate) = name.ident.to_string().strip_prefix("plyfold_") => {
                let (path, folder) = (child(path, &name.rename.to_string()), core().join(krate).join("src"));
                self.paths.insert(path.clone());
                self.read_module(&items_of(&folder.join("lib.rs")), Some(&path), &folder);
            }
            // Modules or items of a crate of `core`.
            UseTree::Path(step) if let Some(krate) = step.ident.to_string().strip_prefix("plyfold_") => {
                let folder = core().join(krate).join("src");
                for name in names_of(&step.tree) {
                    self.paths.insert(child(path, &name));
                    let files = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
                    if let Some(file) = files.iter().find(|file| file.exists()) {
                        self.read_module(&items_of(file), Some(&child(path, &name)), &folder.join(&name));
                    }
                }
            }
            UseTree::Path(step) => self.add_imports(&step.tree, path),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_imports(tree, path)),
            UseTree::Name(name) => drop(self.paths.insert(child(path, &name.ident.to_string()))),
            UseTree::Rename(name) => drop(self.paths.insert(child(path, &name.rename.to_string()))),
            UseTree::Glob(_) => panic!("{path} re-exports everything of a module: name the items"),
        }
    }

    /// One name a line. The members of a type are listed once, at its longest path, that of the module that defines it.
    fn listing(&self) -> Vec<String> {
        let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
        let mut longest: BTreeMap<String, &String> = BTreeMap::new();
        for path in &self.paths {
            let known = longest.entry(last(path)).or_insert(path);
            if path.matches("::").count() > known.matches("::").count() {
                *known = path;
            }
        }
        let mut lines: Vec<String> = self.paths.iter().cloned().collect();
        for (name, members) in &self.members {
            if let Some(path) = longest.get(name) {
                lines.extend(members.iter().map(|member| format!("{path}{member}")));
            }
        }
        lines.sort();
        lines
    }
}

/// The last names of a tree of names.
fn names_of(tree: &UseTree) -> Vec<String> {
    match tree {
        UseTree::Name(name) => vec![name.ident.to_string()],
        UseTree::Path(step) => names_of(&step.tree),
        UseTree::Group(group) => group.items.iter().flat_map(names_of).collect(),
        _ => panic!("what a crate passes on has its own name there"),
    }
}

fn items_of(file: &Path) -> Vec<Item> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items
}

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies inside the project").join("core")
}

fn items_of_core() -> CrateItems {
    let mut items = CrateItems::default();
    items.read_module(&items_of(&core().join("src/lib.rs")), Some(""), &core().join("src"));
    items
}

#[test]
fn the_public_names_are_those_of_the_list() {
    let listing = items_of_core().listing();
    assert!(listing.len() > 500, "only {} names are seen", listing.len());
    let committed = fs::read_to_string(core().join("public-api.txt")).unwrap_or_default();
    let committed: BTreeSet<&str> = committed.lines().collect();
    let found: BTreeSet<&str> = listing.iter().map(String::as_str).collect();
    if found != committed {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-api.txt");
        fs::write(&file, listing.join("\n") + "\n").expect("the list can be written");
        let changes: Vec<String> = (committed.difference(&found).map(|name| format!("- {name}")))
            .chain(found.difference(&committed).map(|name| format!("+ {name}")))
            .collect();
        panic!(
            "the public names of plyfold-core have changed:\n{}\nif that is meant: cp {} core/public-api.txt",
            changes.join("\n"),
            file.display()
        );
    }
}

#[test]
fn errors_may_get_new_cases() {
    let items = items_of_core();
    assert!(items.members.contains_key("CorpusError"));
    assert!(items.closed_errors.is_empty(), "not `#[non_exhaustive]`: {:?}", items.closed_errors);
}

/// Words of a line of Rust that look like command-line options. Outside of comments, only string literals can contain them.
fn options_in(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with("//") {
        return Vec::new();
    }
    line.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-'))
        .filter(|word| {
            word.strip_prefix("--").is_some_and(|name| name.starts_with(|sign: char| sign.is_ascii_lowercase()))
        })
        .collect()
}

fn find_options(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_options(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a file");
            let options = text.lines().flat_map(options_in);
            found.extend(options.map(|option| format!("{}: {option}", path.display())));
        }
    }
}

#[test]
fn messages_speak_of_no_options() {
    let mut found = Vec::new();
    for folder in [
        "annotations",
        "board",
        "corpus",
        "index",
        "pgn",
        "pmote",
        "query",
        "reduce",
        "scan",
        "src",
        "tables",
        "transform",
    ] {
        find_options(&core().join(folder), &mut found);
    }
    assert!(found.is_empty(), "a library has no command line:\n{}", found.join("\n"));
    assert_eq!(options_in(r#"    #[error("too large: use --memory or `--disk`")]"#), ["--memory", "--disk"]);
    assert_eq!(options_in("    // PERF: `cargo run --release`"), [""; 0]);
    assert_eq!(options_in("let x = 1 - -y; // --"), [""; 0]);
}

#[test]
fn names_are_read_from_modules_reexports_and_methods() {
    let text = "pub mod open { pub struct One { pub a: u8, b: u8 } impl One { pub fn new() {} fn inner() {} } pub(crate) fn no() {} } \
        mod closed { pub enum Two { Case } impl Two { pub const ALL: u8 = 0; } impl Clone for Two { fn clone() {} } pub fn hidden() {} } \
        pub use closed::Two; #[derive(Debug, Error)] pub enum Fault { Io } #[derive(thiserror::Error)] #[non_exhaustive] pub enum Open {} \
        pub trait Reads { fn read(); } #[cfg(test)] mod tests { pub fn test() {} }";
    let mut items = CrateItems::default();
    items.read_module(&syn::parse_file(text).expect("Rust").items, Some(""), Path::new(""));
    let expected = [
        "Fault",
        "Fault::Io",
        "Open",
        "Reads",
        "Reads::read",
        "Two",
        "Two::ALL",
        "Two::Case",
        "open",
        "open::One",
        "open::One.a",
        "open::One::new",
    ];
    assert_eq!(items.listing(), expected);
    assert_eq!(items.closed_errors, ["Fault"]);
}
