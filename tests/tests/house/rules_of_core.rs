//! What of `core` never imports what.

use super::import_rules::{Depends, DependsOnly, Names, NamesBut, OnlyNames, Rule, Says};

pub(super) const RULES_OF_CORE: &[Rule] = &[
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
                    // Queries as JSON, a feature of `core/query` that no browser has.
                    "schemars",
                    "serde",
                    "serde_json",
                    "serde_path_to_error",
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
            OnlyNames("core/scan/src/headers", "crate", &["headers", "game", "sorted"]),
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
            OnlyNames("core/query/src", "plyfold_scan", &["headers", "scan", "sorted"]),
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
                &["Date", "Eco", "Ending", "GameOpening", "GameResult", "NamePattern", "TimeClass", "folded_name"],
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
        never: "of `core/scan` anything but `game` and the sort of rows; `core/corpus`, `core/pgn`, `core/query`, nor the first `core/reduce`",
        because: "a file is made from games or results, wherever they come from",
        checks: &[
            OnlyNames("core/index/src", "plyfold_scan", &["game", "sorted"]),
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
];
