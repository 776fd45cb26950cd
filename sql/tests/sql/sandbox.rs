//! Corpora in a folder of a test, and statements on them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::DataFusionError;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_core::pgn::read_opening_lines;
use plyfold_datafusion::{NamedFile, SessionOptions, SqlFailure, open_session, register_files, run_statements};
use plyfold_input::PgnSource;
use plyfold_input::import::{ImportOptions, import_games};
use tempfile::TempDir;

/// Games whose headers have everything that SQL can ask: unknown and partial dates, ratings, titles, quotes in names.
const HEADERS: &str = r#"[White "Carlsen, Magnus"]
[Black "O'Kelly de Galway"]
[WhiteElo "2850"]
[BlackElo "2400"]
[Date "2019.02.28"]
[Event "Cup, \"the\" 1st"]
[ECO "B90"]
[Result "1-0"]
[WhiteTitle "GM"]
[Round "3.1"]
[TimeControl "300+3"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[White "carlsen magnus"]
[Black "Müller, Karsten"]
[WhiteElo "2500"]
[Date "2019.??.??"]
[Result "0-1"]
[ECO "B12"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Müller, Karsten"]
[Black "Carlsen, Magnus"]
[BlackElo "2851"]
[Date "1999.12.31"]
[ECO "C42"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 Nf6 1/2-1/2

[White "?"]
[Black "Anna*"]
[Date "????.??.??"]
[Result "*"]

1. d4 d5 2. c4 *
"#;

/// A folder of corpora.
pub struct Sandbox(TempDir);

impl Sandbox {
    /// A folder with `headers.plyfold`, and with the same games and the first of them again as the library `lib`.
    pub fn new() -> Sandbox {
        let sandbox = Sandbox(tempfile::tempdir().unwrap());
        std::fs::create_dir(sandbox.path("lib")).unwrap();
        let games: Vec<String> = HEADERS.split("\n\n[").map(str::to_owned).collect();
        sandbox.import("headers.plyfold", HEADERS.as_bytes());
        sandbox.import("lib/a.plyfold", HEADERS.as_bytes());
        sandbox.import("lib/b.plyfold", games[0].as_bytes());
        sandbox
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn address(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn import(&self, name: &str, pgn: &[u8]) {
        let pgn_path = self.path("games.pgn");
        std::fs::write(&pgn_path, pgn).unwrap();
        std::fs::write(self.path(name), imported(&pgn_path)).unwrap();
    }
}

/// The demo games as a PGN file.
fn demo_pgn() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../demo/demo.pgn.zst")
}

/// The bytes of the corpus of a PGN file, in small shards, so that every statement crosses their borders.
fn imported(path: &Path) -> Vec<u8> {
    imported_in_shards(&[path], 200_000)
}

/// The bytes of a corpus of two shards: the demo games, in a shard as large as those of an import by the program, and a few games of
/// other years.
pub fn large_shards() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let few = folder.path().join("few.pgn");
    std::fs::write(&few, HEADERS).unwrap();
    imported_in_shards(&[&demo_pgn(), &few], ImportOptions::default().chunk_bytes)
}

/// The bytes of the corpus of PGN files, whose shards have about so many bytes of text.
pub fn imported_in_shards(paths: &[&Path], chunk_bytes: usize) -> Vec<u8> {
    let mut header = CorpusFileHeader::empty();
    let mut body = vec![0; CorpusFileHeader::BYTES];
    let openings = Some(Arc::new(read_opening_lines(plyfold_openings::LINES)));
    let options = ImportOptions { chunk_bytes, openings, ..ImportOptions::default() };
    for path in paths {
        import_games(&mut PgnSource::open(path).unwrap(), &options, &mut |_, _| true, &mut |shard| {
            header.append(&shard)?;
            body.extend_from_slice(&shard);
            Ok(())
        })
        .unwrap();
    }
    body[..CorpusFileHeader::BYTES].copy_from_slice(&header.to_bytes());
    body
}

/// The corpus of the demo games.
pub fn demo() -> &'static str {
    static DEMO: OnceLock<(TempDir, String)> = OnceLock::new();
    let (_, address) = DEMO.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("demo.plyfold");
        std::fs::write(&path, imported(&demo_pgn())).unwrap();
        let address = path.to_str().unwrap().to_owned();
        (folder, address)
    });
    address
}

/// The rows of a statement as texts, NULL as an empty text.
pub fn rows(address: &str, statement: &str) -> Vec<Vec<String>> {
    ask(address, statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
}

/// As [`rows`], joined by `|`.
pub fn lines(address: &str, statement: &str) -> Vec<String> {
    rows(address, statement).into_iter().map(|row| row.join("|")).collect()
}

/// The rows of a statement, or the message of its failure.
pub fn ask(address: &str, statement: &str) -> Result<Vec<Vec<String>>, String> {
    let batches = collect(address, statement).map_err(|error| SqlFailure::message(&error))?;
    Ok(batches.iter().flat_map(texts).collect())
}

/// As [`ask`], of a statement that may read the library `other`.
pub fn ask_with(address: &str, other: &str, statement: &str) -> Result<Vec<Vec<String>>, String> {
    let files = vec![NamedFile::new("other", other).expect("a name")];
    let batches = collect_with(address, files, statement).map_err(|error| SqlFailure::message(&error))?;
    Ok(batches.iter().flat_map(texts).collect())
}

/// The record batches of a statement, or of the last of several, in three partitions.
pub fn collect(address: &str, statement: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    collect_with(address, vec![], statement)
}

fn collect_with(address: &str, files: Vec<NamedFile>, statement: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let options = SessionOptions { partitions: Some(3), files, ..SessionOptions::default() };
        let (context, _) = open_session(address, &options)?;
        register_files(&context, &options.files).await?;
        run_statements(&context, statement).await?.collect().await
    })
}

/// The cells of a record batch as texts, NULL as an empty text.
pub fn texts(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = FormatOptions::default();
    let cell = |column: &dyn Array, row| ArrayFormatter::try_new(column, &options).unwrap().value(row).to_string();
    (0..batch.num_rows()).map(|row| batch.columns().iter().map(|column| cell(column, row)).collect()).collect()
}
