//! What of `egtgen` and of the other crates and folders never imports what.

use super::import_rules::{Called, Depends, DependsOnly, Imports, Names, NamesBut, OnlyNames, Rule, UNSAFE, Word};

pub(super) const RULES_OF_PROGRAMS: &[Rule] = &[
    Rule {
        who: "`core/tables/src/index`, `egtgen/src/retrograde`",
        never: "files, threads, clocks, the order of work (`leapfrog`, `store`, `pawn_slice`)",
        because: "it turns words into words and needs nothing else",
        checks: &[
            Names(
                &["core/tables/src/index", "egtgen/src/retrograde"],
                &["std::fs", "std::io", "std::path", "std::thread", "std::time", "rayon"],
            ),
            OnlyNames("core/tables/src/index", "crate", &["index", "material"]),
            OnlyNames("egtgen/src/retrograde", "crate", &["retrograde", "rows", "Error"]),
        ],
        bad: &[
            ("egtgen/src/retrograde/conversion/mod.rs", "use std::fs::File;"),
            ("egtgen/src/retrograde/black.rs", "use rayon::prelude::*;"),
            ("egtgen/src/retrograde/white.rs", "use crate::store::TileState;"),
            ("core/tables/src/index/mod.rs", "use crate::layout::TableInfo;"),
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
        never: "chess of its own (no shakmaty), files, threads and clocks of `std`, `cli`, JSON",
        because: "an `if` about chess belongs in `core`, where the command line has it too",
        checks: &[
            Names(
                &["web/src"],
                &["shakmaty", "std::fs", "std::net", "std::thread", "std::time", "std::process", "std::env"],
            ),
            Depends("web/Cargo.toml", &["shakmaty", "plyfold", "schemars", "serde_json"]),
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
            Names(&["cli/src"], &["plyfold_web", "plyfold_web_tables", "wasm_bindgen", "js_sys", "web_sys"]),
            Depends("cli/Cargo.toml", &["plyfold-web", "plyfold-web-tables", "wasm-bindgen", "js-sys", "web-sys"]),
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
            (
                "www/src/views/game/Board.svelte",
                "<script>const it = import('../wasm/threads/plyfold_web.js');</script>",
            ),
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
                    "www/src/engine/gametexts.ts",
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
            (
                "www/src/views/library/LibraryPage.svelte",
                "<script>import { directHost } from '../published/host';</script>",
            ),
        ],
    },
    Rule {
        who: "`www`, all but `www/src/package`",
        never: "the npm package (`www/src/package`)",
        because: "it uses the engine and published libraries as the site does, and the site does not depend on it",
        checks: &[Imports("www/src", "/package/", &[])],
        bad: &[
            ("www/src/engine/worker.ts", "import { Session } from '../package/session';"),
            ("www/src/views/game/Board.svelte", "<script>import { lettersOf } from '../package/diagram';</script>"),
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
        who: "everything but `library/src/map.rs`, `core/board/src/board/avx2.rs`, `core/board/src/board/vectors.rs`, `egtgen/src/vectors.rs` and `egtgen/src/cli/arena.rs`",
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
