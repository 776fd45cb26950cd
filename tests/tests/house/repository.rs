//! Repository checks: everything that the pages name exists, the table "What never imports what" holds row by row, and no
//! committed file names a machine.
//!
//! These tests read Rust as tokens and everything else as text. [`RULES`] is the table. Each rule carries snippets that break
//! it, and a test checks that the rule catches them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

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
    "json/README.md",
    "library/README.md",
    "openings/README.md",
    "serve/README.md",
    "sql/README.md",
    "terminal/README.md",
    "web/README.md",
    "web-tables/README.md",
];

/// The only files that may contain `unsafe`.
const UNSAFE: &[&str] =
    &["library/src/map.rs", "core/board/src/board/avx2.rs", "egtgen/src/vectors.rs", "egtgen/src/cli/arena.rs"];

/// A file of the project: its text, and its path from the root with `/` as separator.
struct File {
    path: String,
    text: String,
}

// ---------------------------------------------------------------------------------------------------------------------
// The table

/// A row of the table in ARCHITECTURE.md.
struct Rule {
    who: &'static str,
    never: &'static str,
    because: &'static str,
    checks: &'static [Check],
    /// Files that break the rule, each alone.
    bad: &'static [(&'static str, &'static str)],
}

/// A check of the files of the project.
enum Check {
    /// Rust files below the first paths name nothing below the second. Unit tests are ignored.
    Names(&'static [&'static str], &'static [&'static str]),
    /// Of the first module tree, Rust files below the first path name only the listed modules.
    OnlyNames(&'static str, &'static str, &'static [&'static str]),
    /// Like `Names`, except for files below the third paths.
    NamesBut(&'static [&'static str], &'static [&'static str], &'static [&'static str]),
    /// The manifest depends on none of these crates. Development dependencies are ignored.
    Depends(&'static str, &'static [&'static str]),
    /// The manifests below the path depend only on these crates. Development dependencies are ignored.
    DependsOnly(&'static str, &'static [&'static str]),
    /// The root of each library below the path contains this text.
    Says(&'static str, &'static str),
    /// Of the TypeScript and Svelte files below the first path, only the third ones import a path that contains the second.
    Imports(&'static str, &'static str, &'static [&'static str]),
    /// No folder or file has one of these names, with any extension.
    Called(&'static [&'static str]),
    /// Only these Rust files contain the word. Comments and literals are ignored.
    Word(&'static str, &'static [&'static str]),
}

use Check::{Called, Depends, DependsOnly, Imports, Names, NamesBut, OnlyNames, Says, Word};

const RULES: &[Rule] = &[
    Rule {
        who: "`core`",
        never: "`std`, I/O, threads of its own, clocks, wasm-bindgen, the other crates",
        because: "the same code runs in a browser, on a server and in a bare-metal check",
        checks: &[
            Says("core", "#![no_std]"),
            NamesBut(&["core"], &["std", "wasm_bindgen", "js_sys", "web_sys", "memmap2"], &["core/examples"]),
            DependsOnly(
                "core",
                &[
                    "plyfold-annotations",
                    "plyfold-board",
                    "plyfold-corpus",
                    "plyfold-index",
                    "plyfold-pgn",
                    "plyfold-pmote",
                    "plyfold-query",
                    "plyfold-reduce",
                    "plyfold-scan",
                    "plyfold-tables",
                    "plyfold-transform",
                    "plyfold-twinning",
                    "shakmaty",
                    "bytemuck",
                    "hashbrown",
                    "thiserror",
                    "xxhash-rust",
                    "lz4_flex",
                    "memchr",
                    "wide",
                    "cpufeatures",
                    "rayon",
                ],
            ),
        ],
        bad: &[
            ("core/src/lib.rs", "//! no_std"),
            ("core/board/src/board/mod.rs", "use std::fs;"),
            ("core/board/src/board/mod.rs", "fn now() { ::std::time::Instant::now(); }"),
            ("core/scan/src/scan/fold.rs", "use {alloc::vec, std::thread as t};"),
            ("core/scan/src/game.rs", "use wasm_bindgen::prelude::*;"),
            ("core/Cargo.toml", "[dependencies]\nmemmap2 = \"0.9\""),
            ("core/Cargo.toml", "[dependencies.plyfold-input]\nworkspace = true"),
        ],
    },
    Rule {
        who: "`core/board/src/moves.rs`, `core/board/src/board`",
        never: "`matsig`, `irreversible`",
        because: "a move and a board are plain values",
        checks: &[
            OnlyNames("core/board/src/moves.rs", "crate", &["moves"]),
            OnlyNames("core/board/src/board", "crate", &["board", "moves"]),
        ],
        bad: &[
            ("core/board/src/board/start.rs", "use crate::matsig::MatSig;"),
            ("core/board/src/board/mod.rs", "use super::{moves::Move, irreversible};"),
            ("core/board/src/moves.rs", "fn of(board: &super::board::Board) {}"),
        ],
    },
    Rule {
        who: "`core/board/src/matsig`, `core/board/src/irreversible`",
        never: "each other",
        because: "reachability depends on chess alone, and the irreversible moves of a game follow from its moves alone",
        checks: &[
            OnlyNames("core/board/src/matsig", "crate", &["matsig", "board", "moves"]),
            OnlyNames("core/board/src/irreversible", "crate", &["irreversible", "board", "moves"]),
        ],
        bad: &[
            ("core/board/src/matsig/tracker.rs", "use super::super::irreversible::EventStreams;"),
            ("core/board/src/irreversible/material.rs", "use crate::matsig::MatSig;"),
        ],
    },
    Rule {
        who: "`core/pgn`",
        never: "`core/scan`, `core/query`, `core/reduce`",
        because: "a reader of text does not care what its games are for",
        checks: &[Depends("core/pgn/Cargo.toml", &["plyfold-scan", "plyfold-query", "plyfold-reduce"])],
        bad: &[("core/pgn/Cargo.toml", "[dependencies]\nplyfold-scan.workspace = true")],
    },
    Rule {
        who: "`core/scan/src/game.rs`, `core/scan/src/headers`, `core/scan/src/notation.rs`",
        never: "`scan`",
        because: "a game is read, and its headers are tested, before a scan looks at any move",
        checks: &[
            OnlyNames("core/scan/src/game.rs", "crate", &["game"]),
            OnlyNames("core/scan/src/headers", "crate", &["headers", "game"]),
            OnlyNames("core/scan/src/notation.rs", "crate", &["game"]),
        ],
        bad: &[
            ("core/scan/src/game.rs", "use crate::scan::Query;"),
            ("core/scan/src/headers/header_test.rs", "use crate::scan::Query;"),
            ("core/scan/src/notation.rs", "use super::scan::Query;"),
        ],
    },
    Rule {
        who: "`core/scan`",
        never: "`core/pgn`; its room `core/scan/src/scan` neither `core/corpus`",
        because: "it sees `game` and the reducer trait, so a file or an output can change without it",
        checks: &[
            Names(&["core/scan/src/scan"], &["plyfold_corpus"]),
            Depends("core/scan/Cargo.toml", &["plyfold-pgn"]),
        ],
        bad: &[
            ("core/scan/src/scan/fold.rs", "use plyfold_corpus::file::CorpusReader;"),
            ("core/scan/Cargo.toml", "[dependencies]\nplyfold-pgn.workspace = true"),
        ],
    },
    Rule {
        who: "`core/scan/src/scan/predicate`",
        never: "the rooms that use it: `plan`, `decide`, `evaluate`, `fold`, `naive`",
        because: "a predicate tests a board and does not know who uses the result",
        checks: &[Names(
            &["core/scan/src/scan/predicate"],
            &[
                "crate::scan::plan",
                "crate::scan::decide",
                "crate::scan::evaluate",
                "crate::scan::fold",
                "crate::scan::naive",
            ],
        )],
        bad: &[
            ("core/scan/src/scan/predicate/pattern.rs", "use crate::scan::plan::AccessPath;"),
            ("core/scan/src/scan/predicate/mod.rs", "use super::fold;"),
        ],
    },
    Rule {
        who: "`core/scan/src/scan/plan`",
        never: "`decide`, `evaluate`, `fold`, `naive`, `reducer`",
        because: "a plan is made before the first game",
        checks: &[Names(
            &["core/scan/src/scan/plan"],
            &[
                "crate::scan::decide",
                "crate::scan::evaluate",
                "crate::scan::fold",
                "crate::scan::naive",
                "crate::scan::reducer",
            ],
        )],
        bad: &[
            ("core/scan/src/scan/plan/prepared_query.rs", "use crate::scan::decide::early_rejection::EarlyRejection;"),
            ("core/scan/src/scan/plan/query_batch.rs", "use crate::scan::evaluate::prepared::PreparedBatch;"),
        ],
    },
    Rule {
        who: "`core/scan/src/scan/decide`",
        never: "`evaluate`, `fold`, `naive`, `reducer`",
        because: "a decision uses truth values, wherever they come from",
        checks: &[Names(
            &["core/scan/src/scan/decide"],
            &["crate::scan::evaluate", "crate::scan::fold", "crate::scan::naive", "crate::scan::reducer"],
        )],
        bad: &[
            ("core/scan/src/scan/decide/track.rs", "use crate::scan::evaluate::game::GameEvaluator;"),
            ("core/scan/src/scan/decide/early_rejection.rs", "use crate::scan::{fold, Query};"),
        ],
    },
    Rule {
        who: "`core/scan/src/scan/evaluate`",
        never: "`fold`, `naive`, `reducer`",
        because: "the evaluation of a game does not depend on the output",
        checks: &[Names(
            &["core/scan/src/scan/evaluate"],
            &["crate::scan::fold", "crate::scan::naive", "crate::scan::reducer"],
        )],
        bad: &[
            ("core/scan/src/scan/evaluate/game.rs", "use crate::scan::reducer::Reducer;"),
            ("core/scan/src/scan/evaluate/candidates.rs", "use crate::scan::fold::ScanObserver;"),
        ],
    },
    Rule {
        who: "`core/scan/src/scan/naive.rs`",
        never: "the rest of `core/scan/src/scan` but queries with their evidence trees, predicates, formulas (`combine`) and the reducer trait",
        because: "a twin that shares the code shares the bug",
        checks: &[OnlyNames(
            "core/scan/src/scan/naive.rs",
            "crate::scan",
            &[
                "Query",
                "ScanCondition",
                "ConditionEdge",
                "Occurrence",
                "GameInSpan",
                "combine",
                "evidence",
                "first_half_move",
                "naive",
                "predicate",
                "reducer",
            ],
        )],
        bad: &[("core/scan/src/scan/naive.rs", "use super::{Query, fold};")],
    },
    Rule {
        who: "`core/query`",
        never: "`core/corpus`, games, `core/pgn`, `core/reduce`",
        because: "a query compiles to the same plan for any corpus",
        checks: &[
            OnlyNames("core/query/src", "plyfold_scan", &["headers", "scan"]),
            Depends("core/query/Cargo.toml", &["plyfold-corpus", "plyfold-pgn", "plyfold-reduce"]),
        ],
        bad: &[
            ("core/query/src/plan/position.rs", "use plyfold_scan::game::Game;"),
            ("core/query/Cargo.toml", "[dependencies]\nplyfold-reduce.workspace = true"),
        ],
    },
    Rule {
        who: "`core/reduce`",
        never: "`core/corpus`, `core/pgn`, `core/query`; of headers it names what a record says and how names are compared",
        because: "a reducer does not know the query that selects it",
        checks: &[
            OnlyNames(
                "core/reduce/src",
                "plyfold_scan::headers",
                &["Date", "Eco", "Ending", "GameResult", "TimeClass", "folded_name"],
            ),
            Depends("core/reduce/Cargo.toml", &["plyfold-corpus", "plyfold-pgn", "plyfold-query"]),
        ],
        bad: &[
            ("core/reduce/Cargo.toml", "[dependencies]\nplyfold-query.workspace = true"),
            ("core/reduce/src/groups.rs", "use plyfold_scan::headers::Headers;"),
        ],
    },
    Rule {
        who: "`core/index`, `core/pmote`",
        never: "of `core/scan` anything but `game`; `core/corpus`, `core/pgn`, `core/query`, nor the first `core/reduce`",
        because: "a file is made from games or results, wherever they come from",
        checks: &[
            OnlyNames("core/index/src", "plyfold_scan", &["game"]),
            OnlyNames("core/pmote/src", "plyfold_scan", &["game"]),
            Depends("core/index/Cargo.toml", &["plyfold-corpus", "plyfold-pgn", "plyfold-query", "plyfold-reduce"]),
            Depends("core/pmote/Cargo.toml", &["plyfold-corpus", "plyfold-pgn", "plyfold-query"]),
        ],
        bad: &[
            ("core/index/src/build.rs", "use plyfold_scan::{game::Game, scan::fold::ScanObserver};"),
            ("core/index/Cargo.toml", "[dependencies]\nplyfold-reduce.workspace = true"),
            ("core/pmote/src/positions.rs", "use plyfold_scan::scan::fold::scan;"),
            ("core/pmote/Cargo.toml", "[dependencies]\nplyfold-corpus.workspace = true"),
        ],
    },
    Rule {
        who: "`core/tables/src/layout`, `core/tables/src/codec`",
        never: "chess (no shakmaty), nor anything of `core/tables/src` but each other",
        because: "a file consists of pawn slices, tiles and bits, whatever they mean",
        checks: &[
            Names(&["core/tables/src/layout", "core/tables/src/codec"], &["shakmaty"]),
            OnlyNames("core/tables/src/layout", "crate", &["layout", "codec"]),
            OnlyNames("core/tables/src/codec", "crate", &["codec"]),
        ],
        bad: &[
            ("core/tables/src/layout/section.rs", "use shakmaty::Role;"),
            ("core/tables/src/layout/header.rs", "use super::super::material::TableMaterial;"),
            ("core/tables/src/codec/gaps.rs", "use crate::{codec::bits, index::TableIndex};"),
        ],
    },
    Rule {
        who: "`core/tables/src/successors.rs`, `core/tables/src/probe.rs`",
        never: "`index`, `codec`, `layout`",
        because: "rules and probe results must not depend on the layout of a table",
        checks: &[
            OnlyNames("core/tables/src/successors.rs", "crate", &["successors", "material"]),
            OnlyNames("core/tables/src/probe.rs", "crate", &["probe", "successors", "material"]),
        ],
        bad: &[
            ("core/tables/src/successors.rs", "use super::index::TableIndex;"),
            ("core/tables/src/probe.rs", "use super::layout::TableReader;"),
        ],
    },
    Rule {
        who: "`core/tables/src/index.rs`, `egtgen/src/retrograde`",
        never: "files, threads, clocks, the order of work (`leapfrog`, `store`, `pawn_slice`)",
        because: "it turns words into words and needs nothing else",
        checks: &[
            Names(
                &["core/tables/src/index.rs", "egtgen/src/retrograde"],
                &["std::fs", "std::io", "std::path", "std::thread", "std::time", "rayon"],
            ),
            OnlyNames("core/tables/src/index.rs", "crate", &["index", "material"]),
            OnlyNames("egtgen/src/retrograde", "crate", &["retrograde", "rows", "Error"]),
        ],
        bad: &[
            ("egtgen/src/retrograde/conversion/mod.rs", "use std::fs::File;"),
            ("egtgen/src/retrograde/black.rs", "use rayon::prelude::*;"),
            ("egtgen/src/retrograde/white.rs", "use crate::store::TileState;"),
            ("core/tables/src/index.rs", "use super::layout::TableInfo;"),
        ],
    },
    Rule {
        who: "`egtgen/src/leapfrog`, `egtgen/src/pawn_slice.rs`, `egtgen/src/memory_tables.rs`",
        never: "files, clocks, `disk`, `folder`, `partial_table`, `generation`",
        because: "they take a store and a sink, which may be in memory or on disk",
        checks: &[Names(
            &["egtgen/src/leapfrog", "egtgen/src/pawn_slice.rs", "egtgen/src/memory_tables.rs"],
            &[
                "std::fs",
                "std::io",
                "std::path",
                "std::time",
                "crate::disk",
                "crate::folder",
                "crate::partial_table",
                "crate::pread",
                "crate::generation",
            ],
        )],
        bad: &[
            ("egtgen/src/leapfrog/streaming.rs", "use crate::disk::DiskStore;"),
            ("egtgen/src/pawn_slice.rs", "use std::path::Path;"),
            ("egtgen/src/memory_tables.rs", "use crate::{Error, folder::TableFolder};"),
        ],
    },
    Rule {
        who: "`egtgen/src/folder.rs`, `egtgen/src/partial_table.rs`, `egtgen/src/lease.rs`, `egtgen/src/pread.rs`, `egtgen/src/disk.rs`",
        never: "chess (of `core/tables/src` they call `layout`, `folder` also names of materials, `disk` also `codec` and the sizes of `index`), generation",
        because: "it handles bytes without knowing chess",
        checks: &[
            Names(
                &[
                    "egtgen/src/folder.rs",
                    "egtgen/src/partial_table.rs",
                    "egtgen/src/lease.rs",
                    "egtgen/src/pread.rs",
                    "egtgen/src/disk.rs",
                ],
                &["shakmaty", "crate::retrograde", "crate::leapfrog", "crate::pawn_slice", "crate::generation"],
            ),
            OnlyNames("egtgen/src/folder.rs", "plyfold_tables", &["layout", "material"]),
            OnlyNames("egtgen/src/partial_table.rs", "plyfold_tables", &["layout"]),
            OnlyNames("egtgen/src/lease.rs", "plyfold_tables", &[]),
            OnlyNames("egtgen/src/pread.rs", "plyfold_tables", &["layout"]),
            OnlyNames("egtgen/src/disk.rs", "plyfold_tables", &["layout", "codec", "index"]),
        ],
        bad: &[
            ("egtgen/src/disk.rs", "use shakmaty::Square;"),
            ("egtgen/src/lease.rs", "use plyfold_tables::material::TableMaterial;"),
            ("egtgen/src/partial_table.rs", "use plyfold_tables::{index::Index, layout::BlockKind};"),
            ("egtgen/src/folder.rs", "fn f() { plyfold_tables::index::TableIndex::new(material); }"),
            ("egtgen/src/disk.rs", "use crate::retrograde::BlackKingRow;"),
        ],
    },
    Rule {
        who: "`egtgen/src/verify`, `egtgen/src/stats.rs`, `egtgen/src/prober`, `egtgen/src/packing.rs`, `egtgen/src/packed_folder.rs`, `egtgen/src/tablebase.rs`, `egtgen/src/syzygy`",
        never: "generation: they read whole tables, and the rules are those of `core/tables/src/successors.rs`",
        because: "a check shares no code with what it checks",
        checks: &[
            OnlyNames("egtgen/src/verify", "crate", &["verify", "prober", "Error"]),
            OnlyNames("egtgen/src/stats.rs", "crate", &["stats", "prober", "Error"]),
            OnlyNames("egtgen/src/prober", "crate", &["prober", "folder", "packed_folder", "Error"]),
            OnlyNames("egtgen/src/packing.rs", "crate", &["packing", "prober", "packed_folder", "Error"]),
            OnlyNames("egtgen/src/packed_folder.rs", "crate", &["packed_folder", "packing", "pread", "Error"]),
            OnlyNames("egtgen/src/tablebase.rs", "crate", &["tablebase", "prober", "folder", "syzygy", "Error"]),
            OnlyNames("egtgen/src/syzygy", "crate", &["syzygy", "pread", "Error"]),
        ],
        bad: &[
            ("egtgen/src/verify/mod.rs", "use crate::retrograde::black;"),
            ("egtgen/src/verify/mod.rs", "use crate::leapfrog::canonical::CanonicalWords;"),
            ("egtgen/src/prober/mod.rs", "use crate::{Error, pawn_slice::pawn_slice_shape};"),
            ("egtgen/src/stats.rs", "fn f() { super::generation::generate_tables() }"),
            ("egtgen/src/packing.rs", "use crate::retrograde::shape::Shape;"),
            ("egtgen/src/tablebase.rs", "use crate::{Error, memory_tables::MemoryLibrary};"),
            ("egtgen/src/syzygy/files.rs", "use crate::generation::generate_tables;"),
        ],
    },
    Rule {
        who: "`egtgen`",
        never: "games (of `core` it calls `tables` and `transform`, and its command line `pgn`), `input`, `cli`, `web`, `web-tables`, wasm-bindgen",
        because: "tables follow from the rules, not from games; `transform` also reads positions from PGN",
        checks: &[
            NamesBut(&["egtgen/src"], &["plyfold_pgn"], &["egtgen/src/commands"]),
            Depends(
                "egtgen/Cargo.toml",
                &["plyfold", "plyfold-core", "plyfold-input", "plyfold-web", "plyfold-web-tables", "wasm-bindgen"],
            ),
        ],
        bad: &[
            ("egtgen/src/generation.rs", "use plyfold_pgn::tags;"),
            ("egtgen/Cargo.toml", "[dependencies]\nplyfold-input.workspace = true"),
        ],
    },
    Rule {
        who: "`egtgen`, all but `egtgen/src/main.rs`, `egtgen/src/commands`, `egtgen/src/cli`",
        never: "the command line (clap, sysinfo, `terminal`), the process and its environment",
        because: "the library is for programs, and builds for wasm without them",
        checks: &[NamesBut(
            &["egtgen/src"],
            &["clap", "plyfold_terminal", "sysinfo", "std::process", "std::env", "std::io::stdout", "std::io::stderr"],
            &["egtgen/src/main.rs", "egtgen/src/commands", "egtgen/src/cli"],
        )],
        bad: &[
            ("egtgen/src/generation.rs", "use plyfold_terminal::progress::ProgressBar;"),
            ("egtgen/src/estimate.rs", "fn f() { sysinfo::System::new(); }"),
            ("egtgen/src/verify/mod.rs", "fn f() { std::process::exit(1) }"),
        ],
    },
    Rule {
        who: "`egtgen`, all but `egtgen/src/commands/serve`",
        never: "HTTP, nor threads that wait for it (axum, hyper, tokio, tower-http)",
        because: "only one room uses the network; everything else is plain calls",
        checks: &[NamesBut(
            &["egtgen/src"],
            &["axum", "hyper", "hyper_util", "tokio", "tokio_io_timeout", "tower_http", "http_body", "std::net"],
            &["egtgen/src/commands/serve"],
        )],
        bad: &[
            ("egtgen/src/prober/mod.rs", "use tokio::task::spawn_blocking;"),
            ("egtgen/src/commands/list.rs", "use axum::Json;"),
            ("egtgen/src/cli/failure.rs", "fn f() { std::net::TcpListener::bind(\"\"); }"),
        ],
    },
    Rule {
        who: "`input`",
        never: "chess (of `core` it calls `pgn` alone), clocks, threads of its own, `cli`, `web`",
        because: "it handles bytes without knowing chess, and the browser's worker has no clocks and threads of `std`",
        checks: &[
            Names(&["input/src"], &["shakmaty", "std::time", "std::thread::spawn", "std::thread::scope"]),
            Depends("input/Cargo.toml", &["shakmaty", "plyfold", "plyfold-core", "plyfold-web", "wasm-bindgen"]),
        ],
        bad: &[
            ("input/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
            ("input/src/import.rs", "let start = std::time::Instant::now();"),
            ("input/src/import.rs", "use std::thread; fn f() { std::thread::spawn(f); }"),
            ("input/Cargo.toml", "[dependencies]\nshakmaty.workspace = true"),
        ],
    },
    Rule {
        who: "`json`",
        never: "chess (no shakmaty), games, I/O, threads, clocks: of `core` it names `query`, `headers` and `scan` alone; `cli`, `web`",
        because: "the JSON form only translates the query tree",
        checks: &[
            OnlyNames("json/src", "plyfold_core", &["query", "headers", "scan"]),
            Names(
                &["json/src"],
                &["shakmaty", "std::fs", "std::io", "std::net", "std::thread", "std::time", "std::process", "std::env"],
            ),
            Depends("json/Cargo.toml", &["shakmaty", "plyfold", "plyfold-input", "plyfold-web", "wasm-bindgen"]),
        ],
        bad: &[
            ("json/src/read.rs", "use plyfold_core::{corpus::file::Corpus, query::tree::Tree};"),
            ("json/src/lib.rs", "use std::fs;"),
            ("json/Cargo.toml", "[dependencies]\nshakmaty.workspace = true"),
        ],
    },
    Rule {
        who: "`files`",
        never: "chess (no shakmaty), the other crates, the command line (clap), the standard streams, the process's environment",
        because: "both programs need the same rules for the user's files",
        checks: &[
            Names(
                &["files/src"],
                &["shakmaty", "clap", "std::env", "std::io::stdout", "std::io::stderr", "std::io::stdin"],
            ),
            DependsOnly("files/Cargo.toml", &["libc", "tempfile"]),
        ],
        bad: &[
            ("files/src/outputs.rs", "use clap::Args;"),
            ("files/src/lock.rs", "fn f() { std::io::stderr(); }"),
            ("files/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
        ],
    },
    Rule {
        who: "`serve`",
        never: "chess (no shakmaty), the other crates, the command line (clap), the process's environment",
        because: "both programs serve files by the same rules",
        checks: &[
            Names(&["serve/src"], &["shakmaty", "clap", "std::env"]),
            Depends("serve/Cargo.toml", &["clap", "egtgen", "plyfold", "plyfold-core", "plyfold-files"]),
        ],
        bad: &[
            ("serve/src/log.rs", "use clap::ValueEnum;"),
            ("serve/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
        ],
    },
    Rule {
        who: "`terminal`",
        never: "chess (no shakmaty), the other crates but `files`, the network",
        because: "both programs meet their users by the same rules, whatever they are about",
        checks: &[
            Names(&["terminal/src"], &["shakmaty", "std::net"]),
            DependsOnly(
                "terminal/Cargo.toml",
                &["clap", "ctrlc", "indicatif", "plyfold-files", "rayon", "serde", "serde_json"],
            ),
        ],
        bad: &[
            ("terminal/src/output.rs", "use std::net::TcpStream;"),
            ("terminal/src/table.rs", "use shakmaty::Square;"),
            ("terminal/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
        ],
    },
    Rule {
        who: "`openings`",
        never: "the other crates, nor does `web` have it compiled in",
        because: "names are data, and a page loads them as a file",
        checks: &[
            DependsOnly("openings/Cargo.toml", &["esca", "serde_json"]),
            Depends("web/Cargo.toml", &["plyfold-openings"]),
        ],
        bad: &[
            ("openings/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
            ("web/Cargo.toml", "[dependencies]\nplyfold-openings.workspace = true"),
        ],
    },
    Rule {
        who: "`web`",
        never: "chess of its own (no shakmaty), files, threads and clocks of `std`, `cli`, `json`",
        because: "an `if` about chess belongs in `core`, where the command line has it too",
        checks: &[
            Names(
                &["web/src"],
                &["shakmaty", "std::fs", "std::net", "std::thread", "std::time", "std::process", "std::env"],
            ),
            Depends("web/Cargo.toml", &["shakmaty", "plyfold", "plyfold-json"]),
        ],
        bad: &[
            ("web/src/replay.rs", "use shakmaty::san::SanPlus;"),
            ("web/src/import.rs", "use std::{fs, io};"),
            ("web/Cargo.toml", "[dependencies]\nshakmaty.workspace = true"),
            ("web/Cargo.toml", "[target.'cfg(target_arch = \"wasm32\")'.dependencies]\nshakmaty = \"0.30\""),
        ],
    },
    Rule {
        who: "`web-tables`",
        never: "games, files, threads and clocks of `std`, `cli`, `input`, `web`",
        because: "tables and games are loaded apart from each other",
        checks: &[
            Names(
                &["web-tables/src"],
                &["std::fs", "std::net", "std::thread", "std::time", "std::process", "std::env"],
            ),
            Depends("web-tables/Cargo.toml", &["plyfold", "plyfold-core", "plyfold-input", "plyfold-web"]),
        ],
        bad: &[
            ("web-tables/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true"),
            ("web-tables/src/memory.rs", "use std::fs::File;"),
            ("web-tables/Cargo.toml", "[dependencies]\nplyfold-web = { path = \"../web\" }"),
        ],
    },
    Rule {
        who: "`library`",
        never: "the command line (clap), the standard streams, `input`, `cli`, the generation of tables (of egtgen it names `tablebase`, and materials and positions)",
        because: "the command line and the SQL engine open the same files with the same messages",
        checks: &[
            OnlyNames("library/src", "egtgen", &["tablebase", "TableMaterial", "TablePosition", "DEFAULT_CACHE_BYTES"]),
            Names(&["library/src"], &["clap", "std::process", "std::env", "std::io::stdout", "std::io::stderr"]),
            DependsOnly(
                "library/Cargo.toml",
                &["plyfold-core", "egtgen", "plyfold-files", "glob", "memmap2", "thiserror"],
            ),
        ],
        bad: &[
            ("library/src/corpora.rs", "use clap::Parser;"),
            ("library/src/table_files.rs", "use egtgen::GenerationRequest;"),
            ("library/Cargo.toml", "[dependencies]\nindicatif = \"0.18\""),
        ],
    },
    Rule {
        who: "`cli`",
        never: "`web`, `web-tables`, wasm-bindgen, the generation of tables (of egtgen it names `packed_folder` and materials)",
        because: "a server has no browser, and a search reads tables that are there",
        checks: &[
            OnlyNames("cli/src", "egtgen", &["packed_folder", "TableMaterial"]),
            Names(&["cli/src"], &["plyfold_web", "plyfold_web_tables", "wasm_bindgen", "js_sys"]),
            Depends("cli/Cargo.toml", &["plyfold-web", "plyfold-web-tables", "wasm-bindgen", "js-sys"]),
        ],
        bad: &[
            ("cli/Cargo.toml", "[dependencies]\nplyfold-web = { path = \"../web\" }"),
            ("cli/src/endgame_tables.rs", "use egtgen::{GenerationRequest, TableMaterial};"),
        ],
    },
    Rule {
        who: "`cli`, all but `cli/src/commands/serve.rs`",
        never: "HTTP, nor threads that wait for it (axum, tokio, tower, tower-http)",
        because: "only one command uses the network; everything else is plain calls",
        checks: &[NamesBut(
            &["cli/src"],
            &["axum", "hyper", "tokio", "tower", "tower_http", "std::net"],
            &["cli/src/commands/serve.rs"],
        )],
        bad: &[
            ("cli/src/commands/publish/site.rs", "use axum::http::HeaderName;"),
            ("cli/src/progress.rs", "fn f() { tokio::spawn(async {}); }"),
            ("cli/src/failure.rs", "use std::net::TcpListener;"),
        ],
    },
    Rule {
        who: "`sql`",
        never: "`cli`, `web`, `input` but in its tests, egtgen but for the tables that `library` opens",
        because: "the scan and the opening of files are those of the other programs, and DataFusion does everything else",
        checks: &[
            Depends("sql/Cargo.toml", &["plyfold", "plyfold-input", "plyfold-web", "egtgen"]),
            Names(&["sql/src"], &["plyfold", "plyfold_input", "plyfold_web", "egtgen"]),
        ],
        bad: &[
            ("sql/Cargo.toml", "[dependencies]\nplyfold-input = { path = \"../input\" }"),
            ("sql/src/session.rs", "use egtgen::tablebase::Tablebase;"),
        ],
    },
    Rule {
        who: "`core`, `input`, `library`, `cli`, `web`, `web-tables`, `egtgen`",
        never: "DataFusion, Arrow, object stores",
        because: "nobody who only needs `plyfold` builds a database",
        checks: &[
            Depends("core/Cargo.toml", &["datafusion", "arrow", "object_store"]),
            Depends("library/Cargo.toml", &["datafusion", "arrow", "object_store"]),
            Depends("cli/Cargo.toml", &["datafusion", "arrow", "object_store", "plyfold-datafusion"]),
        ],
        bad: &[("cli/Cargo.toml", "[dependencies]\ndatafusion = \"55\"")],
    },
    Rule {
        who: "`xtask`",
        never: "the crates that it builds",
        because: "it must build when they do not",
        checks: &[Depends(
            "xtask/Cargo.toml",
            &[
                "plyfold",
                "plyfold-core",
                "plyfold-input",
                "plyfold-json",
                "plyfold-openings",
                "plyfold-web",
                "plyfold-web-tables",
                "egtgen",
            ],
        )],
        bad: &[("xtask/Cargo.toml", "[dependencies]\nplyfold-core.workspace = true")],
    },
    Rule {
        who: "`www`, all but `www/src/engine/build.ts`, `www/src/tables/build.ts` and `www/src/tables/single.ts` and, for types alone, `www/src/engine/types.ts` and `www/src/tables/types.ts`",
        never: "the wasm packages",
        because: "one door to each, and one place that chooses the build",
        checks: &[Imports(
            "www/src",
            "wasm/",
            &[
                "www/src/engine/build.ts",
                "www/src/engine/types.ts",
                "www/src/tables/build.ts",
                "www/src/tables/single.ts",
                "www/src/tables/types.ts",
            ],
        )],
        bad: &[
            ("www/src/tables/client.ts", "import { Tables } from '../wasm/tables-single/plyfold_web_tables.js';"),
            ("www/src/main.ts", "import init from './wasm/single/plyfold_web.js';"),
            ("www/src/views/Board.svelte", "<script>const it = import('../wasm/threads/plyfold_web.js');</script>"),
            ("www/src/state/heat.ts", "import type { Corpus } from \"../wasm/single/plyfold_web.js\";"),
        ],
    },
    Rule {
        who: "`www`, all but `www/src/engine/worker.ts`, `www/src/tables/tablesworker.ts`, `www/src/package` and what only they load",
        never: "the workers' side (`www/src/engine/build.ts`, `www/src/engine/import.ts`, `www/src/tables/build.ts`)",
        because: "the page never blocks",
        checks: &[
            Imports(
                "www/src",
                "/build",
                &[
                    "www/src/engine/worker.ts",
                    "www/src/engine/import.ts",
                    "www/src/tables/tablesworker.ts",
                    "www/src/package/session.ts",
                    "www/src/package/gamesworker.ts",
                    "www/src/package/node.ts",
                ],
            ),
            Imports("www/src", "/import", &["www/src/engine/worker.ts"]),
            Imports("www/src", "/worker", &["www/src/engine/start.ts"]),
            Imports("www/src", "/tablesworker", &["www/src/tables/start.ts"]),
        ],
        bad: &[
            ("www/src/state/tablestore.svelte.ts", "import { loadTables } from '../tables/build';"),
            ("www/src/main.ts", "import { loadBuild } from './engine/build';"),
            ("www/src/state/library.svelte.ts", "import { importFiles } from '../engine/import';"),
            ("www/src/state/app.svelte.ts", "new Worker(new URL('../engine/worker.ts', import.meta.url))"),
        ],
    },
    Rule {
        who: "`www`, all but `www/src/tables/tablesworker.ts`, `www/src/published/otherhost.ts` and `www/src/package`",
        never: "what asks other hosts (`www/src/tables/server.ts`, `www/src/tables/ranges.ts`, `www/src/published/hostworker.ts`)",
        because: "two scripts may, by their own policies, and they have no games",
        checks: &[
            Imports("www/src", "/server", &["www/src/tables/tablesworker.ts"]),
            Imports(
                "www/src",
                "/ranges",
                &["www/src/tables/tablesworker.ts", "www/src/package/browser.ts", "www/src/package/node.ts"],
            ),
            Imports("www/src", "/hostworker", &["www/src/published/otherhost.ts"]),
        ],
        bad: &[
            ("www/src/state/tablestore.svelte.ts", "import { TableServer } from '../tables/server';"),
            ("www/src/state/tablegame.svelte.ts", "import { TableFolder } from '../tables/ranges';"),
            ("www/src/engine/worker.ts", "new Worker(new URL('../published/hostworker.ts', import.meta.url))"),
        ],
    },
    Rule {
        who: "`www`, all but `www/src/engine/worker.ts` and `www/src/package`",
        never: "the published library (`www/src/published`)",
        because: "its files are fetched, unpacked and stored beside the engine; the page knows them by `www/src/engine/protocol.ts`",
        checks: &[Imports(
            "www/src",
            "/published/",
            &[
                "www/src/engine/worker.ts",
                "www/src/package/session.ts",
                "www/src/package/gamesworker.ts",
                "www/src/package/node.ts",
            ],
        )],
        bad: &[
            ("www/src/state/published.svelte.ts", "import { readManifest } from '../published/manifest';"),
            ("www/src/views/LibraryPage.svelte", "<script>import { directHost } from '../published/host';</script>"),
        ],
    },
    Rule {
        who: "`www`, all but `www/src/package`",
        never: "the npm package (`www/src/package`)",
        because: "it uses the engine and published libraries as the site does, and the site does not depend on it",
        checks: &[Imports("www/src", "/package/", &[])],
        bad: &[
            ("www/src/engine/worker.ts", "import { Session } from '../package/session';"),
            ("www/src/views/Board.svelte", "<script>import { lettersOf } from '../package/diagram';</script>"),
        ],
    },
    Rule {
        who: "`www/src/package`",
        never: "the page (`www/src/state`, `www/src/views`, the workers' clients and storage)",
        because: "nothing is written to the storage of somebody else's page, and the package stays small",
        checks: &[
            Imports("www/src/package", "/state/", &[]),
            Imports("www/src/package", "/views/", &[]),
            Imports("www/src/package", "/engine/client", &[]),
            Imports("www/src/package", "/tables/client", &[]),
            Imports("www/src/package", "/storage", &[]),
        ],
        bad: &[
            ("www/src/package/games.ts", "import { EngineClient } from '../engine/client';"),
            ("www/src/package/session.ts", "import { Storage } from '../engine/storage';"),
            ("www/src/package/element.ts", "import { squareName } from '../state/squares';"),
        ],
    },
    Rule {
        who: "everything but `library/src/map.rs`, `core/board/src/board/avx2.rs`, `egtgen/src/vectors.rs` and `egtgen/src/cli/arena.rs`",
        never: "`unsafe`",
        because: "each exception is a file that says why",
        checks: &[Word("unsafe", UNSAFE), Word("unsafe_code", UNSAFE)],
        bad: &[
            ("core/board/src/board/make.rs", "fn f() { unsafe { core::hint::unreachable_unchecked() } }"),
            ("web/src/lib.rs", "#![allow(unsafe_code)]"),
        ],
    },
    Rule {
        who: "anything",
        never: "a folder or file named `utils`",
        because: "a helper lives with its one user until it has a name",
        checks: &[Called(&["utils", "util", "helpers", "misc"])],
        bad: &[("www/src/utils/squares.ts", ""), ("core/src/utils.rs", ""), ("tests/src/helpers/mod.rs", "")],
    },
];

impl Check {
    /// The problems in `files`, one a line.
    fn problems(&self, files: &[File]) -> Vec<String> {
        match *self {
            Names(places, never) => forbidden_names(files, places, never, &[]),
            NamesBut(places, never, but) => forbidden_names(files, places, never, but),
            OnlyNames(place, tree, only) => other_names(files, place, tree, only),
            Depends(path, never) => dependencies_that(files, path, |name| never.contains(&name)),
            DependsOnly(path, only) => dependencies_that(files, path, |name| !only.contains(&name)),
            Says(path, words) => {
                let places = [path];
                let silent = rust_files(files, &places)
                    .filter(|file| file.path.ends_with("src/lib.rs") && !says(&file.text, words));
                silent.map(|file| format!("{} does not say {words}", file.path)).collect()
            }
            Imports(place, what, only) => forbidden_script_imports(files, place, what, only),
            Called(never) => {
                let parts =
                    |path: &str| path.split('/').any(|part| never.contains(&part.split('.').next().unwrap_or(part)));
                files.iter().filter(|file| parts(&file.path)).map(|file| file.path.clone()).collect()
            }
            Word(word, only) => {
                let others = rust_files(files, &[""]).filter(|file| !only.contains(&file.path.as_str()));
                let with = others.filter(|file| has_word(&file.text, word));
                with.map(|file| format!("{} has {word}", file.path)).collect()
            }
        }
    }

    /// The files and folders that the check is about. They must exist, because the check would hold for a missing file.
    fn places(&self) -> Vec<&'static str> {
        match *self {
            Names(places, _) => places.to_vec(),
            NamesBut(places, _, but) => [places, but].concat(),
            OnlyNames(place, ..) | Depends(place, _) | DependsOnly(place, _) | Says(place, _) => vec![place],
            Imports(place, _, only) => [place].into_iter().chain(only.iter().copied()).collect(),
            Word(_, only) => only.to_vec(),
            Called(_) => Vec::new(),
        }
    }
}

/// The places where Rust files below `places`, except those below `but`, name something below `never`.
fn forbidden_names(files: &[File], places: &[&str], never: &[&str], but: &[&str]) -> Vec<String> {
    let is_in = |file: &&File| !but.iter().any(|but| lies_below(&file.path, but, "/"));
    let mut found = Vec::new();
    for file in rust_files(files, places).filter(is_in) {
        for name in names(file) {
            if never.iter().any(|never| lies_below(&name, never, "::")) {
                found.push(format!("{} names {name}", file.path));
            }
        }
    }
    found
}

/// The places where Rust files below `place` name a module of `tree` that is not in `only`.
fn other_names(files: &[File], place: &str, tree: &str, only: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in rust_files(files, &[place]) {
        for name in names(file) {
            let module = name.strip_prefix(tree).and_then(|rest| rest.strip_prefix("::"));
            let module = module.map(|rest| rest.split("::").next().unwrap_or(rest));
            if module.is_some_and(|module| !only.contains(&module)) {
                found.push(format!("{} names {name}", file.path));
            }
        }
    }
    found
}

/// The dependencies of the manifest at `path` that are forbidden.
fn dependencies_that(files: &[File], path: &str, is_forbidden: impl Fn(&str) -> bool) -> Vec<String> {
    let forbidden = all_dependencies(files, path).into_iter().filter(|(_, name)| is_forbidden(name));
    forbidden.map(|(manifest, name)| format!("{manifest} depends on {name}")).collect()
}

/// The places where scripts below `place`, except those in `only`, import `what`.
fn forbidden_script_imports(files: &[File], place: &str, what: &str, only: &[&str]) -> Vec<String> {
    let ours = files.iter().filter(|file| lies_below(&file.path, place, "/"));
    let scripts = ours.filter(|file| file.path.ends_with(".ts") || file.path.ends_with(".svelte"));
    let mut found = Vec::new();
    for file in scripts.filter(|file| !only.contains(&file.path.as_str())) {
        for import in script_imports(&file.text) {
            let stem = import.trim_end_matches(".ts").trim_end_matches(".js");
            if stem.ends_with(what) || what.ends_with('/') && stem.contains(what) {
                found.push(format!("{} imports {import}", file.path));
            }
        }
    }
    found
}

#[test]
fn nothing_imports_what_it_never_imports() {
    let files = project();
    let mut found = Vec::new();
    for rule in RULES {
        for problem in rule.checks.iter().flat_map(|check| check.problems(&files)) {
            found.push(format!("{problem}, but {} never imports {}", rule.who, rule.never));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_rule_can_fail() {
    for rule in RULES {
        assert!(!rule.bad.is_empty());
        for &(path, text) in rule.bad {
            let files = [File { path: path.into(), text: text.into() }];
            let seen = rule.checks.iter().any(|check| !check.problems(&files).is_empty());
            assert!(seen, "{path} with {text:?} passes, but {} never imports {}", rule.who, rule.never);
        }
    }
}

#[test]
fn rules_let_pass_what_they_should() {
    let good = [
        (
            "core/board/src/board/mod.rs",
            "// use std::fs;\n/* use std::io; */ const A: &str = \"std::fs\"; use core::fmt;",
        ),
        ("core/board/src/board/mod.rs", "#[cfg(test)]\nmod tests {\n    use std::fs; fn f() { '{'; \"}\"; }\n}\n"),
        ("core/scan/src/scan/fold.rs", "use super::{Query, reducer::{End, Ply}}; use crate::game::Game;"),
        ("core/src/lib.rs", "#![no_std]\nextern crate alloc;"),
        (
            "core/Cargo.toml",
            "[features]\nstd = []\n[dependencies]\nrayon.workspace = true\n[dev-dependencies]\nlibc = \"1\"",
        ),
        ("input/src/import.rs", "use plyfold_pgn::{Report, into_shard}; use std::thread::yield_now;"),
        ("core/tables/src/layout/section.rs", "use super::number::{Numbers, put}; use crate::layout::Kind;"),
        ("egtgen/src/commands/generate.rs", "use clap::Args; use plyfold_tables::index::TableIndex;"),
        ("egtgen/src/retrograde/conversion/mod.rs", "use plyfold_transform::symmetry::Symmetry; use super::shape;"),
        ("www/src/main.ts", "// from './engine/build'\nimport { startWorker } from './engine/start';"),
        ("xtask/src/dist.rs", "let without = all.replace(\"require-corp\", \"unsafe-none\");"),
    ];
    for (path, text) in good {
        let files = [File { path: path.into(), text: text.into() }];
        for rule in RULES {
            let problems: Vec<_> = rule.checks.iter().flat_map(|check| check.problems(&files)).collect();
            assert!(problems.is_empty(), "{path} with {text:?}: {problems:?}");
        }
    }
}

#[test]
fn rules_speak_of_what_is_there() {
    for place in RULES.iter().flat_map(|rule| rule.checks).flat_map(Check::places) {
        assert!(root().join(place).exists(), "there is a rule about {place}, which is gone");
    }
    for path in UNSAFE {
        let text = fs::read_to_string(root().join(path)).expect("a file of the list");
        assert!(has_word(&text, "unsafe"), "{path} has no unsafe: take it off the list");
    }
}

#[test]
fn the_table_of_the_architecture_is_the_one_that_is_tested() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = page.split("## What never imports what").nth(1).expect("the section");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let told: Vec<String> = rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect();
    let tested: Vec<String> =
        RULES.iter().map(|rule| format!("| {} | {} | {} |", rule.who, rule.never, rule.because)).collect();
    assert_eq!(told, tested, "the table in ARCHITECTURE.md and RULES in tests/tests/house/repository.rs differ");
}

// ---------------------------------------------------------------------------------------------------------------------
// The pages

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
        "json/src",
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
    let openings = plyfold_core::headers::OpeningNames::new(plyfold_openings::NAMES);
    for (page, number) in [("README.md", 4), ("docs/cli.md", 19)] {
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

// ---------------------------------------------------------------------------------------------------------------------
// Tests

/// Files that no test program includes, and unit tests that their manifest leaves out of test runs. Cargo reports neither.
fn unlinked_tests(files: &[File]) -> Vec<String> {
    let programs: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.strip_suffix("/main.rs"))
        .filter(|program| program.rsplit('/').nth(1) == Some("tests"))
        .collect();
    let says = |path: String, line: &str| files.iter().any(|file| file.path == path && has_line(&file.text, line));
    let mut found = Vec::new();
    for file in files {
        let module = file.path.strip_suffix("/mod.rs").or(file.path.strip_suffix(".rs"));
        let Some((folder, name)) = module.and_then(|module| module.rsplit_once('/')) else { continue };
        let is_of_program = programs.iter().any(|program| lies_below(folder, program, "/")) && name != "main";
        let parents = [format!("{folder}/main.rs"), format!("{folder}/mod.rs"), format!("{folder}.rs")];
        if is_of_program && !parents.into_iter().any(|parent| says(parent, &format!("mod {name};"))) {
            found.push(format!("{} belongs to no test program", file.path));
        }
    }
    for manifest in files {
        let Some(package) = manifest.path.strip_suffix("Cargo.toml") else { continue };
        for section in manifest.text.split("\n[").filter(|section| has_line(section, "test = false")) {
            let path = section.lines().find_map(|line| line.strip_prefix("path = ")).unwrap_or("").trim_matches('"');
            let is_left_out = |file: &&File| {
                let of_program = |file: &str| file == "src/main.rs" || file.starts_with("src/bin/");
                file.path.strip_prefix(package).is_some_and(|file| match section.lines().next() {
                    Some("lib]") => file.starts_with("src/") && !of_program(file),
                    _ => file == path,
                })
            };
            let with_tests = files.iter().filter(is_left_out).filter(|file| file.text.contains("#[test]"));
            found.extend(with_tests.map(|file| format!("{} has tests, but {} none", file.path, manifest.path)));
        }
    }
    found
}

fn has_line(text: &str, line: &str) -> bool {
    text.lines().any(|other| other.trim() == line)
}

#[test]
fn every_test_is_linked() {
    let found = unlinked_tests(&project());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn tests_that_are_not_linked_are_seen() {
    let number = |files: &[(&str, &str)]| {
        let file = |&(path, text): &(&str, &str)| File { path: path.into(), text: text.into() };
        unlinked_tests(&files.iter().map(file).collect::<Vec<_>>()).len()
    };
    let main = ("a/tests/b/main.rs", "mod c;\nmod d;\n");
    assert_eq!(number(&[main, ("a/tests/b/c.rs", ""), ("a/tests/b/d/mod.rs", "mod e;"), ("a/tests/b/d/e.rs", "")]), 0);
    assert_eq!(number(&[main, ("a/tests/b/e.rs", ""), ("a/tests/b/d/mod.rs", ""), ("a/tests/b/d/e.rs", "")]), 2);
    let library = ("a/Cargo.toml", "[package]\nname = \"a\"\n\n[lib]\ntest = false\n");
    assert_eq!(number(&[library, ("a/src/main.rs", "#[test]"), ("b/src/lib.rs", "#[test]"), ("a/src/lib.rs", "")]), 0);
    assert_eq!(number(&[library, ("a/src/b.rs", "#[test]")]), 1);
    let program = ("a/Cargo.toml", "[package]\n\n[[bin]]\npath = \"src/main.rs\"\ntest = false\n");
    assert_eq!(number(&[program, ("a/src/lib.rs", "#[test]"), ("a/src/main.rs", "")]), 0);
    assert_eq!(number(&[program, ("a/src/main.rs", "#[test]")]), 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Machines

#[test]
fn nothing_names_a_machine() {
    let found: Vec<String> = project().iter().flat_map(machine_paths).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn machine_paths_are_seen() {
    let lines = |text: &str| machine_paths(&File { path: "a.md".into(), text: text.into() }).len();
    for home in homes() {
        assert_eq!(lines(&format!("one\nin {home}/somebody/x\n")), 1);
        assert_eq!(lines(&format!("https://example.org{home}/x, net{home}/x, {home}s/x")), 0);
    }
}

/// Folders in which people and machines keep a clone. Assembled here, so that this file does not contain their names.
fn homes() -> [String; 4] {
    ["work", "home", "root", "Users"].map(|name| format!("/{name}"))
}

/// Lines of a file that contain a path below one of the [`homes`].
fn machine_paths(file: &File) -> Vec<String> {
    let names = |line: &str| {
        homes().iter().any(|home| {
            let home = format!("{home}/");
            line.match_indices(&home).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.'))
        })
    };
    let lines = (1..).zip(file.text.lines()).filter(|(_, line)| names(line));
    lines.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading the project

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies inside the project").to_owned()
}

/// Whether a path is never committed: `.git`, and everything that `.gitignore` covers.
fn is_generated(path: &str) -> bool {
    static IGNORED: OnceLock<Vec<String>> = OnceLock::new();
    let ignored = IGNORED.get_or_init(|| {
        let list = fs::read_to_string(root().join(".gitignore")).expect(".gitignore");
        list.lines().chain([".git"]).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    });
    ignored.iter().any(|pattern| is_ignored_by(path, pattern))
}

/// Whether a line of `.gitignore` covers a path. Supports `/from/the/root`, `name` and `*.ending`, which are all that ours
/// uses.
fn is_ignored_by(path: &str, pattern: &str) -> bool {
    assert!(!pattern.starts_with(['!', '#']) && !pattern.trim_start_matches('*').contains('*'), "unknown: {pattern}");
    let pattern = pattern.trim_end_matches('/');
    match (pattern.strip_prefix('/'), pattern.strip_prefix('*')) {
        (Some(from_root), _) => lies_below(path, from_root, "/"),
        (_, Some(ending)) => path.split('/').any(|part| part.ends_with(ending)),
        _ => path.split('/').any(|part| part == pattern),
    }
}

#[test]
fn ignored_paths_are_told_from_others() {
    for (path, other, pattern) in [
        ("target/x", "a/target/x", "/target"),
        ("www/a/node_modules/b", "www/node_modules_of/b", "node_modules"),
        ("a/b.swp", "a/b.swp.rs", "*.swp"),
        ("a/seeds/b", "a/seeds.txt", "seeds/"),
    ] {
        assert!(is_ignored_by(path, pattern) && !is_ignored_by(other, pattern), "{pattern}");
    }
    assert!(is_generated(".git/HEAD") && is_generated("target") && !is_generated("tests/tests/house/repository.rs"));
}

/// All text files that can be committed.
fn project() -> Vec<File> {
    let mut files = Vec::new();
    collect(&root(), "", &mut files);
    assert!(files.iter().any(|file| file.path == "tests/tests/house/repository.rs"), "the project was not found");
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    // A file that disappears meanwhile was not to be committed.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if is_generated(&path) {
            continue;
        }
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            files.push(File { path, text });
        }
    }
}

/// Whether `name` is `place` or lies below it. Everything lies below the empty place.
fn lies_below(name: &str, place: &str, separator: &str) -> bool {
    place.is_empty() || name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

fn rust_files<'a>(files: &'a [File], places: &'a [&str]) -> impl Iterator<Item = &'a File> {
    let ours = files.iter().filter(|file| file.path.ends_with(".rs"));
    ours.filter(|file| places.iter().any(|place| lies_below(&file.path, place, "/")))
}

fn all_dependencies(files: &[File], path: &str) -> Vec<(String, String)> {
    let manifests = files.iter().filter(|file| file.path.ends_with("Cargo.toml") && lies_below(&file.path, path, "/"));
    manifests
        .flat_map(|file| dependencies(&file.text).map(|name| (file.path.clone(), name)).collect::<Vec<_>>())
        .collect()
}

/// Names below `[dependencies]` and similar headings of a manifest, without those of development and build scripts.
fn dependencies(manifest: &str) -> impl Iterator<Item = String> {
    let mut inside = false;
    manifest.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let section = section.rsplit_once("'.").map_or(section, |(_, last)| last);
            inside = section == "dependencies";
            return section.strip_prefix("dependencies.").map(str::to_owned);
        }
        let name = line.split(['=', '.']).next().unwrap_or("").trim();
        (inside && !name.is_empty() && !name.starts_with('#')).then(|| name.to_owned())
    })
}

/// The paths that a TypeScript or Svelte file loads: the strings after `from`, `import` and `new URL`.
fn script_imports(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('*'));
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for door in ["from", "import", "import(", "new URL("] {
        for (at, _) in text.match_indices(door) {
            let rest = text[at + door.len()..].trim_start();
            if let Some(quote @ ('\'' | '"' | '`')) = rest.chars().next() {
                found.extend(rest[1..].split(quote).next().map(str::to_owned));
            }
        }
    }
    found
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading Rust

/// The tokens of Rust code without comments, literals and test-only code; `::` is one token.
fn tokens(text: &str) -> Vec<String> {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut found = Vec::new();
    collect_tokens(stream, &mut found);
    found
}

fn collect_tokens(stream: TokenStream, found: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' && trees.peek().is_some_and(is_test_attribute) => {
                // The item after the attribute ends with its braces or a semicolon.
                let is_end = |tree: &TokenTree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    _ => false,
                };
                trees.find(is_end);
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' && mark.spacing() == Spacing::Joint => {
                trees.next();
                found.push("::".into());
            }
            TokenTree::Punct(mark) => found.push(mark.as_char().into()),
            TokenTree::Ident(word) => found.push(word.to_string()),
            TokenTree::Literal(_) => found.push("literal".into()),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.into());
                collect_tokens(group.stream(), found);
                found.push(close.into());
            }
        }
    }
}

/// Whether this token is the `[cfg(test)]` of an attribute.
fn is_test_attribute(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether Rust code contains these tokens in sequence.
fn says(text: &str, words: &str) -> bool {
    let words = tokens(words);
    tokens(text).windows(words.len()).any(|some| some == words)
}

fn has_word(text: &str, word: &str) -> bool {
    tokens(text).iter().any(|token| token == word)
}

/// Every path that a Rust file names, in `use` or in an expression. Paths that begin with `super` or `self` are resolved to
/// `crate`.
fn names(file: &File) -> BTreeSet<String> {
    let tokens = tokens(&file.text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let in_path = at > 0 && tokens[at - 1] == "::" && at > 1 && is_word(&tokens[at - 2]);
        if is_word(&tokens[at]) && !in_path {
            at = path(&tokens, at, "", &mut found);
        } else {
            at += 1;
        }
    }
    found.into_iter().map(|name| rooted(&file.path, &name)).collect()
}

/// Reads a path or a `use` tree at `at`, and returns its end.
fn path(tokens: &[String], mut at: usize, prefix: &str, found: &mut Vec<String>) -> usize {
    let mut name = prefix.to_owned();
    loop {
        let token = tokens.get(at).map_or("", String::as_str);
        if is_word(token) {
            name = if name.is_empty() { token.to_owned() } else { format!("{name}::{token}") };
            at += 1;
            if tokens.get(at).is_some_and(|next| next == "::") {
                at += 1;
                continue;
            }
        } else if token == "{" && !name.is_empty() {
            at += 1;
            while let Some(token) = tokens.get(at).filter(|token| *token != "}") {
                at = if is_word(token) && token != "as" { path(tokens, at, &name, found) } else { at + 1 };
            }
            return at + 1;
        }
        found.push(name);
        return at;
    }
}

/// A path in the file at `place`, resolved from the root of its crate.
fn rooted(place: &str, name: &str) -> String {
    let inside = place.split_once("src/").map_or("", |(_, inside)| inside).trim_end_matches(".rs");
    let inside = inside.trim_end_matches("/mod");
    let mut module: Vec<&str> =
        inside.split('/').filter(|part| !matches!(*part, "" | "lib" | "main" | "mod")).collect();
    let mut parts = name.split("::").peekable();
    let mut relative = false;
    while let Some(&part) = parts.peek().filter(|part| matches!(**part, "super" | "self")) {
        relative = true;
        if part == "super" {
            module.pop();
        }
        parts.next();
    }
    let rest: Vec<&str> = parts.collect();
    match relative {
        true => ["crate"].into_iter().chain(module).chain(rest).collect::<Vec<_>>().join("::"),
        false => rest.join("::"),
    }
}

#[test]
fn names_are_read_from_trees_and_in_passing() {
    let text = "use crate::{board::{self, make::{Bits, Whole as W}}, game};\nuse super::Query;\n\
        fn f<'a>(x: &'a str) -> ::std::io::Result<()> { super::super::reduce::go(\"no::this\", 'x', '\\''); r#\"not::\"#; }\n\
        // not::that\n#[cfg(test)]\n#[allow(x)]\nmod tests { use not::here; }\nfn g() { core::mem::swap() }";
    let file = File { path: "core/scan/src/scan/fold.rs".into(), text: text.into() };
    let names = names(&file);
    for expected in [
        "crate::board::self",
        "crate::board::make::Bits",
        "crate::board::make::Whole",
        "crate::game",
        "crate::scan::Query",
        "std::io::Result",
        "crate::reduce::go",
        "core::mem::swap",
    ] {
        assert!(names.contains(expected), "{expected} is not in {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("not")), "{names:?}");
}
