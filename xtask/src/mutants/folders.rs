//! The folders that have mutants, and the tests that should notice them.

/// A folder, and the test binaries that belong to it, each by its package and its name.
pub type FolderTests = (&'static str, &'static [(&'static str, &'static str)]);

/// The slow twin of the scan. It is a test that lies beside the code it tests, so it has no mutants.
pub const NAIVE_SCAN_FILE: &str = "core/src/scan/naive.rs";

/// The folders that have mutants.
pub const FOLDERS: [FolderTests; 9] = [
    (
        "core/src/scan",
        &[
            ("core", "lib"),
            ("tests", "within"),
            ("tests", "under"),
            ("tests", "together"),
            ("tests", "fold"),
            ("tests", "implied"),
            ("tests", "batches"),
            ("tests", "long_games"),
            ("tests", "features"),
            ("tests", "query_truth"),
            ("tests", "truth"),
        ],
    ),
    (
        "core/src/reduce",
        &[
            ("core", "lib"),
            ("tests", "reduce"),
            ("tests", "merges"),
            ("tests", "batches"),
            ("tests", "pmote"),
            ("tests", "fold"),
            ("tests", "truth"),
        ],
    ),
    (
        "core/src/pgn",
        &[
            ("core", "lib"),
            ("tests", "pgn_twin"),
            ("tests", "pgn_borders"),
            ("tests", "pgn_nasty"),
            ("tests", "corpus"),
        ],
    ),
    (
        "core/src/corpus",
        &[("core", "lib"), ("tests", "corpus"), ("tests", "corpus_fields"), ("tests", "headers"), ("tests", "pmote")],
    ),
    ("core/src/matsig", &[("core", "lib"), ("tests", "matsig"), ("tests", "index"), ("tests", "query_truth")]),
    ("core/src/index", &[("core", "lib"), ("tests", "index")]),
    (
        "core/src/table",
        &[("core", "lib"), ("egtgen", "lib"), ("egtgen", "twins"), ("egtgen", "truth"), ("egtgen", "bounds")],
    ),
    ("egtgen/src/retrograde", STEP_TESTS),
    ("egtgen/src/leapfrog", STEP_TESTS),
];

const STEP_TESTS: &[(&str, &str)] = &[
    ("egtgen", "lib"),
    ("egtgen", "resume"),
    ("egtgen", "twins"),
    ("egtgen", "truth"),
    ("egtgen", "bounds"),
    ("egtgen", "crash"),
];

/// The entry of the folder that contains the file or folder `file`.
pub fn folder_of(file: &str) -> Option<&'static FolderTests> {
    FOLDERS
        .iter()
        .find(|(folder, _)| file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}
