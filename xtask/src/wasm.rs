//! `cargo xtask wasm`: builds the packages of plyfold-web and plyfold-web-tables, each threaded and single, each a folder
//! that the site imports.
//!
//! A page that only has to run soon, such as that of `cargo xtask run`, has the single flavour alone, compiled as the tests are.
//!
//! The flavours that ship differ in target features, so each has a target folder of its own; in a shared one they would discard
//! each other's work. The threaded flavour also needs a standard library with atomics, which the pinned compiler builds
//! from `rust-src`.
//!
//! PERF: no `wasm-opt`. Binaryen 132 at `-O3` over a scan of 100,000 random games (11.8 M plies, node 20, best of 7, four runs in turn)
//! made queens-off 57 → 72 ms, the heatmap of all plies 61 → 88 ms, and the file 89.7 → 92.3 kB gzipped. `-O2`, `-O4`, `-Os` were no better.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::command::{build_folder, cargo, debug_build, output_of, program, run};
use crate::machine;
use crate::paths::in_project;

/// A crate that becomes packages of the site.
struct Bindings {
    /// The cargo package.
    package: &'static str,
    /// The file stem of everything that wasm-bindgen writes into a package.
    stem: &'static str,
    /// What its folders under `www/src/wasm` begin with; the flavour follows.
    folder: &'static str,
    /// The most bytes of its wasm file, gzipped.
    gzipped_budget_bytes: usize,
    /// How far its shared memory can grow. Browsers reserve all of it at once.
    most_memory_bytes: u64,
}

const ENGINE: Bindings = Bindings {
    package: "plyfold-web",
    stem: "plyfold_web",
    folder: "",
    gzipped_budget_bytes: ENGINE_BUDGET_BYTES,
    most_memory_bytes: 4 << 30,
};

/// The page loads it when it first needs a table.
const TABLES: Bindings = Bindings {
    package: "plyfold-web-tables",
    stem: "plyfold_web_tables",
    folder: "tables-",
    gzipped_budget_bytes: 320 * 1024,
    most_memory_bytes: 1 << 30,
};

const ALL_BINDINGS: [Bindings; 2] = [ENGINE, TABLES];

/// The budget of a page: the size of each wasm file of the engine, gzipped, in bytes.
///
/// It was 350 KiB with a dozen predicates. The whole language with its completion and its headers takes about 85 KiB
/// more; groups, partitions and next moves about 20; their keys, sets of games and the scan of many queries about 30;
/// images of boards in queries about 40; the page that transforms positions, with the commands of solving engines,
/// about 20; how a game was played about 70: moves, sets of squares, evaluations and clocks, evidence, notes; and
/// pieces that are followed, where squares lie, words of comments and further headers about 55; corpora that arrive
/// part by part about 8; the bounds of annotations, with the columns of rounds, time controls and annotators, about 6; packed endgame
/// tables that queries ask, with the rules for few pieces, about 66; PGN as people write it, with archives, encodings and the account
/// of an import, about 31; the tables of results, which scripts of the page made before, about 8; forms of queries, a file each, with queries of
/// any width, about 17; the reading and writing of the browser's files, which scripts of the page did before, about 5; and openings by the
/// moves, about 7; moves as they are written, mates and structures with names, about 24; plain words with their vocabularies, about 38; motifs
/// of moves with numbers in pawns and times, about 16; and versions of the language, names of next moves, and notes on headers that no game has,
/// about 14; and plain words that say whose, in which order and what not, with vocabularies half as long again, and why a game is no match,
/// about 29; suggestions while plain words are written, and scores by player, about 8; and the conditions of a query as cards and forms read
/// and change them, with mistakes that the page says in its own words, about 17; crosstables, novelties, and tags as conditions and keys, about 43; and what
/// pieces attack, found for eight boards at once for all queries of a pass, and predicates with their own access paths, about 13;
/// edits of games: their list, and tags that are changed in texts, about 17; games that a collection has several times, about 26;
/// names that are one, about 14, as much as sorts gave back that share their code now (`core/scan/src/sorted.rs`); and edits that are made in
/// the games in memory, so that searches see them, about 6; and a game of two names of one player that counts once, about 3. A position index,
/// which no page asked, gave back 29; counts of many values by part, about 3; the table of features, about 2; and lists of features, keys and outputs
/// that are statics, so that no crate has their code once more, gave back 12.
const ENGINE_BUDGET_BYTES: usize = 1127 * 1024;

struct Flavour {
    /// The end of the folder's name under `www/src/wasm`, and of the name of the target folder.
    name: &'static str,
    target_features: &'static str,
    link_args: &'static [&'static str],
    /// Whether the flavour uses shared memory and workers, and with them a standard library compiled with atomics.
    has_threads: bool,
}

const THREADS: Flavour = Flavour {
    name: "threads",
    target_features: "+atomics,+bulk-memory,+mutable-globals,+simd128",
    // Without these the module of each worker gets a memory of its own ("Memory could not be cloned").
    link_args: &[
        "--shared-memory",
        "--import-memory",
        "--export=__wasm_init_tls",
        "--export=__tls_size",
        "--export=__tls_align",
        "--export=__tls_base",
        "--export=__heap_base",
    ],
    has_threads: true,
};

const SINGLE: Flavour = Flavour {
    name: "single",
    target_features: "+bulk-memory,+mutable-globals,+simd128",
    link_args: &[],
    has_threads: false,
};

const FLAVOURS: [Flavour; 2] = [THREADS, SINGLE];

/// The openings, which the page loads when it needs them.
const OPENINGS: &str = "www/src/engine/opening-lines.tsv";

#[derive(Args)]
pub struct WasmOptions {
    /// Only what a page needs to run soon: the packages without threads, in a profile that compiles quickly
    #[arg(long)]
    quick: bool,
}

/// Builds the packages that are asked for.
///
/// # Errors
/// Those of [`build`].
pub fn build_requested(options: &WasmOptions) -> Result<()> {
    if options.quick { build_quickly() } else { build() }
}

/// Builds all packages as they ship, prints their sizes, and writes the names of openings.
///
/// # Errors
/// A tool is missing and cannot be installed, a build fails, or a package exceeds its budget.
pub fn build() -> Result<()> {
    machine::ensure_toolchain()?;
    let binder = debug_build("plyfold-bind")?;
    // With one codegen unit, each crate is compiled on one core.
    let built = thread::scope(|scope| {
        let binder = &binder;
        let build = |flavour| move || ALL_BINDINGS.iter().map(|one| build_release(one, flavour, binder)).collect();
        let builds = FLAVOURS.each_ref().map(|flavour| scope.spawn(build(flavour)));
        builds.map(|build| -> Result<Vec<_>> { build.join().unwrap_or_else(|_| bail!("a build panicked")) })
    });
    for (flavour, sizes) in FLAVOURS.iter().zip(built) {
        for (bindings, (raw, gzipped)) in ALL_BINDINGS.iter().zip(sizes?) {
            println!(
                "wasm {:15} {:>8.1} KiB, {:>6.1} KiB gzipped",
                format!("{}{}", bindings.folder, flavour.name),
                raw as f64 / 1024.0,
                gzipped as f64 / 1024.0
            );
            if gzipped > bindings.gzipped_budget_bytes {
                let (name, budget) = (flavour.name, bindings.gzipped_budget_bytes);
                bail!(
                    "the {name} wasm of {} is {gzipped} bytes gzipped, over its budget of {budget}",
                    bindings.package
                );
            }
        }
    }
    write_openings()
}

/// Builds the packages for a page that only has to run soon: without threads, as the tests are built, with which they share the programs
/// that run while Rust is compiled. In the place of the packages with threads, there are some that say so when a page asks for threads.
///
/// # Errors
/// As [`build`], but for budgets.
pub fn build_quickly() -> Result<()> {
    machine::ensure_toolchain()?;
    let binder = debug_build("plyfold-bind")?;
    // One build for both, so that they share the crates that both have.
    run(compile("build", &ALL_BINDINGS, &SINGLE, Profile::Dev).arg("--lib"))?;
    for bindings in &ALL_BINDINGS {
        package(bindings, &SINGLE, Profile::Dev, &binder)?;
        write_stand_in(bindings)?;
    }
    write_openings()
}

/// Writes a package in the place of the one with threads, which passes the single one on, and cannot start threads.
fn write_stand_in(bindings: &Bindings) -> Result<()> {
    let stem = bindings.stem;
    let package = package_folder(bindings, &THREADS);
    let passed_on = format!(
        "export * from '../{}{}/{stem}.js';\nexport {{ default }} from '../{0}{1}/{stem}.js';\n",
        bindings.folder, SINGLE.name
    );
    let (no_pool, no_threads) = ("() { throw new Error('this page was built without them'); }", "() { return 1; }");
    let script = format!("{passed_on}export function initThreadPool{no_pool}\nexport function threads{no_threads}\n");
    let types = format!(
        "{passed_on}export function initThreadPool(threads: number): Promise<unknown>;\nexport function threads(): number;\n"
    );
    // The package with threads is written again when it is next built.
    remove_if_there(&stamp_of(bindings, &THREADS), fs::remove_file)?;
    remove_if_there(&package, fs::remove_dir_all)?;
    fs::create_dir_all(&package)?;
    fs::write(package.join(format!("{stem}.js")), script)?;
    fs::write(package.join(format!("{stem}.d.ts")), types)?;
    Ok(())
}

fn remove_if_there<'a>(path: &'a Path, remove: fn(&'a Path) -> io::Result<()>) -> Result<()> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// Writes the openings as the package that contains them prints them.
fn write_openings() -> Result<()> {
    let text = output_of(cargo().args(["run", "--quiet", "--package", "plyfold-openings"]))?;
    let path = in_project(OPENINGS);
    if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        fs::write(&path, &text).with_context(|| format!("{OPENINGS} cannot be written"))?;
    }
    let gzipped = gzipped_len(text.as_bytes())?;
    println!("{OPENINGS} {:>8.1} KiB, {:>6.1} KiB gzipped", text.len() as f64 / 1024.0, gzipped as f64 / 1024.0);
    Ok(())
}

/// Runs the tests of the bindings under node, compiled like the single flavour.
///
/// # Errors
/// A tool is missing and cannot be installed, or a test fails.
pub fn test_bindings() -> Result<()> {
    let runner = machine::wasm_bindgen_test_runner()?;
    let mut tests = compile("test", &[ENGINE], &SINGLE, Profile::Dev);
    tests.args(["--lib", "--test", "node"]);
    run(tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner))
}

/// Builds one package as it ships; returns the size of its wasm file in bytes, raw and gzipped.
fn build_release(bindings: &Bindings, flavour: &Flavour, binder: &Path) -> Result<(usize, usize)> {
    let mut build = compile("rustc", slice::from_ref(bindings), flavour, Profile::Release);
    build.args(["--release", "--lib"]);
    if flavour.has_threads {
        // Not among the flags of the flavour, which its two crates share: other flags would compile everything anew.
        build.args(["--".to_owned(), format!("-Clink-arg=--max-memory={}", bindings.most_memory_bytes)]);
    }
    run(&mut build)?;
    let bytes = fs::read(package(bindings, flavour, Profile::Release, binder)?)?;
    Ok((bytes.len(), gzipped_len(&bytes)?))
}

/// Makes the package of what was compiled, if it is not there yet; returns the path of its wasm file.
fn package(bindings: &Bindings, flavour: &Flavour, profile: Profile, binder: &Path) -> Result<PathBuf> {
    let stem = bindings.stem;
    let module = profile.target_dir(flavour).join(format!("wasm32-unknown-unknown/{}/{stem}.wasm", profile.folder()));
    let module_bytes = fs::read(&module).with_context(|| format!("{} cannot be read", module.display()))?;
    let package = package_folder(bindings, flavour);
    let bound = package.join(format!("{stem}_bg.wasm"));
    let state = machine::fingerprint(&[&module_bytes, &fs::read(binder)?]);
    let stamp = stamp_of(bindings, flavour);
    if !(bound.exists() && machine::stamp_says(&stamp, &state)) {
        bind(&module, &package, stem, binder)?;
        fs::write(&stamp, state)?;
    }
    Ok(bound)
}

/// How a package is compiled.
#[derive(Clone, Copy)]
enum Profile {
    /// As it ships.
    Release,
    /// As the tests are compiled.
    Dev,
}

impl Profile {
    /// The folder of what Cargo builds.
    const fn folder(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Dev => "debug",
        }
    }

    /// Macros and build scripts of the tests serve here too if both are built in the same place.
    fn target_dir(self, flavour: &Flavour) -> PathBuf {
        match self {
            Profile::Release => in_project(&format!("target/wasm-{}", flavour.name)),
            Profile::Dev => build_folder(),
        }
    }

    /// Settings beside those of Cargo.toml.
    fn settings(self) -> Vec<String> {
        let levels = |profile: &'static str, level: &'static str, packages: &'static [&'static str]| {
            packages.iter().map(move |package| format!("profile.{profile}.package.{package}.opt-level={level}"))
        };
        match self {
            // A smaller file for seconds of compiling. Code that only decompresses files, reads queries or sets up positions may take its
            // time; every page has to load it.
            Profile::Release => std::iter::once("profile.release.lto=\"fat\"".to_owned())
                .chain(levels("release", "\"s\"", &SIZE_OPTIMIZED_CRATES))
                .chain(levels("release", "2", &SPEED_OPTIMIZED_CRATES))
                .collect(),
            // The compiler of rustc 1.95 sometimes crashes on `core` for wasm with vectors, debug assertions and all optimisations
            // together: it unrolls a loop, and never finishes simplifying the result.
            Profile::Dev => {
                levels("dev", "1", &SPEED_OPTIMIZED_CRATES).chain(levels("dev", "1", &["egtgen"])).collect()
            }
        }
    }
}

/// `cargo <task>` of crates for this flavour.
fn compile(task: &str, bindings: &[Bindings], flavour: &Flavour, profile: Profile) -> Command {
    let mut command = cargo();
    command
        .arg(task)
        .args(bindings.iter().flat_map(|one| ["--package", one.package]))
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(profile.target_dir(flavour))
        .env("CARGO_ENCODED_RUSTFLAGS", encoded_rustflags(flavour));
    for setting in profile.settings() {
        command.args(["--config", &setting]);
    }
    if flavour.has_threads {
        // `-Z` is for nightly compilers; this lets the pinned stable compiler accept it.
        command.args(["--features", "threads", "-Z", "build-std=panic_abort,std"]);
        command.args(["-Z", "build-std-features=optimize_for_size"]).env("RUSTC_BOOTSTRAP", "1");
    }
    command
}

/// The crates of `core` on which the speed of imports, scans and tables depends.
const SPEED_OPTIMIZED_CRATES: [&str; 8] = [
    "plyfold-annotations",
    "plyfold-board",
    "plyfold-core",
    "plyfold-corpus",
    "plyfold-pgn",
    "plyfold-reduce",
    "plyfold-scan",
    "plyfold-tables",
];

/// Crates that are compiled for size.
const SIZE_OPTIMIZED_CRATES: [&str; 21] = [
    "bzip2",
    "crc32fast",
    "flate2",
    "hashbrown",
    "libbz2-rs-sys",
    "miniz_oxide",
    "plyfold-index",
    "plyfold-input",
    "plyfold-pmote",
    "plyfold-query",
    "plyfold-transform",
    "plyfold-twinning",
    "plyfold-web",
    "plyfold-web-tables",
    "rayon",
    "rayon-core",
    "ruzstd",
    "serde-wasm-bindgen",
    "shakmaty",
    "wasm-bindgen",
    "xxhash-rust",
];

/// The folder of a package in the site.
fn package_folder(bindings: &Bindings, flavour: &Flavour) -> PathBuf {
    in_project(&format!("www/src/wasm/{}{}", bindings.folder, flavour.name))
}

/// The file that says from which module a package was made.
fn stamp_of(bindings: &Bindings, flavour: &Flavour) -> PathBuf {
    build_folder().join(format!("bound-{}-{}", bindings.stem, flavour.name))
}

/// The flags in the form of cargo's environment variable: joined by the unit separator, so that no space is misread.
fn encoded_rustflags(flavour: &Flavour) -> String {
    // No browser shows where in the source a panic is, and the places take room wherever code can panic. The option is
    // for nightly compilers, like `-Z build-std`.
    let no_places = flavour.has_threads.then(|| "-Zlocation-detail=none".to_owned());
    std::iter::once(format!("-Ctarget-feature={}", flavour.target_features))
        .chain(flavour.link_args.iter().map(|arg| format!("-Clink-arg={arg}")))
        .chain(no_places)
        .collect::<Vec<_>>()
        .join("\x1f")
}

/// Writes the package: JavaScript, types, wasm, and the `package.json` that names them.
fn bind(module: &Path, package: &Path, stem: &str, binder: &Path) -> Result<()> {
    if package.exists() {
        fs::remove_dir_all(package)?;
    }
    run(program(binder).arg(module).arg(package))?;
    // The workers of the pool import the package as a folder (`import('../../..')`), which resolves by `main`.
    let name = package.file_name().unwrap_or_default().display();
    let manifest = format!(
        "{{\n  \"name\": \"plyfold-web-{name}\",\n  \"private\": true,\n  \"type\": \"module\",\n  \
         \"main\": \"{stem}.js\",\n  \"types\": \"{stem}.d.ts\"\n}}\n"
    );
    fs::write(package.join("package.json"), manifest)?;
    Ok(())
}

/// The size after the best gzip compression, as a static host would send it.
fn gzipped_len(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
