//! A library in a folder of a test, and statements on it in one process and on a cluster.

use std::path::{Path, PathBuf};

use datafusion::arrow::array::{Array, RecordBatch};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::{DataFusionError, Result};
use futures::TryStreamExt;
use plyfold_core::corpus::file::CorpusFileHeader;
use plyfold_datafusion::cluster::Cluster;
use plyfold_datafusion::{SessionOptions, SqlFailure, open_session};
use plyfold_input::PgnSource;
use plyfold_input::import::{ImportOptions, import_games};
use tempfile::TempDir;

/// Two corpora with many shards: the demo games, and those of them that the copy of the first file ends with.
pub struct TestLibrary(TempDir);

impl TestLibrary {
    /// Imports the demo games twice, in shards of different sizes, so that names and games lie in other shards the second time.
    pub fn new() -> TestLibrary {
        let library = TestLibrary(tempfile::tempdir().unwrap());
        std::fs::create_dir(library.path("lib")).unwrap();
        library.import("lib/a.plyfold", 60_000);
        library.import("lib/b.plyfold", 150_000);
        library
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The address of the library.
    pub fn address(&self) -> String {
        self.path("lib").to_str().unwrap().to_owned()
    }

    /// Imports the demo games in shards of about so many bytes of text.
    pub fn import(&self, name: &str, shard_bytes: usize) {
        let pgn = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/demo.pgn.zst");
        let mut header = CorpusFileHeader::empty();
        let mut body = vec![0; CorpusFileHeader::BYTES];
        let options = ImportOptions { chunk_bytes: shard_bytes, ..ImportOptions::default() };
        import_games(&mut PgnSource::open(&pgn).unwrap(), &options, &mut |_, _| true, &mut |shard| {
            header.append(&shard)?;
            body.extend_from_slice(&shard);
            Ok(())
        })
        .unwrap();
        body[..CorpusFileHeader::BYTES].copy_from_slice(&header.to_bytes());
        std::fs::write(self.path(name), body).unwrap();
    }
}

/// The rows of a statement as texts, in one process.
pub async fn ask_alone(address: &str, statement: &str) -> Result<Vec<String>> {
    let options = SessionOptions { partitions: Some(2), ..SessionOptions::default() };
    let (context, _) = open_session(address, &options)?;
    Ok(lines(&context.sql(statement).await?.collect().await?))
}

/// The cluster of a scheduler, whose scans have eight parts.
pub fn cluster_at(scheduler: &str) -> Cluster {
    let options = SessionOptions { partitions: Some(8), ..SessionOptions::default() };
    Cluster::new(scheduler, &options).unwrap()
}

/// The rows of a statement as texts, on a cluster.
pub async fn ask_cluster(cluster: &Cluster, address: &str, statement: &str) -> Result<Vec<String>> {
    let (context, _) = cluster.open_session(address)?;
    let plan = context.sql(statement).await?.create_physical_plan().await?;
    Ok(lines(&cluster.execute(&context, plan).await?.try_collect::<Vec<_>>().await?))
}

/// The sentence of an error, and whether the statement is to blame.
pub fn sentence(error: &DataFusionError) -> (String, bool) {
    (SqlFailure::message(error), SqlFailure::is_mistake(error))
}

fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default();
    let cell = |column: &dyn Array, row| ArrayFormatter::try_new(column, &options).unwrap().value(row).to_string();
    let line =
        |batch: &RecordBatch, row| batch.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join("|");
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| line(batch, row))).collect()
}
