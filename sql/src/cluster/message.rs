//! What travels between the machines of a cluster: JSON behind eight bytes of magic, with the version of the program that wrote it.
//!
//! A message is read only by the same version of the program in the same format. Any other version refuses it, and says which
//! versions these are and on which machine.

use std::path::PathBuf;

use datafusion::error::Result;
use plyfold_core::corpus::file::CorpusFileHeader;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::sentence;
use crate::session::SessionOptions;

/// The number of the format; it changes whenever messages change their meaning.
pub const FORMAT: u32 = 3;

/// The first bytes of each message.
const MAGIC: &[u8; 8] = b"plyfold\n";

/// A version of the program and the format that it writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramVersion {
    /// As `plyfold-sql --version` prints it.
    pub version: String,
    /// See [`FORMAT`].
    pub format: u32,
}

impl Default for ProgramVersion {
    /// The version of this program.
    fn default() -> ProgramVersion {
        ProgramVersion { version: env!("CARGO_PKG_VERSION").into(), format: FORMAT }
    }
}

impl std::fmt::Display for ProgramVersion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} (plan format {})", self.version, self.format)
    }
}

/// A library as all machines know it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct LibraryAddress {
    /// A path or addresses of object storage that all machines can read.
    pub address: String,
    pub identity: LibraryIdentity,
    /// Folders of endgame tables made by egtgen, and of Syzygy tables.
    pub tables: Vec<PathBuf>,
    pub syzygy: Vec<PathBuf>,
    /// Whether damaged files are left out.
    pub skip_damaged: bool,
}

impl LibraryAddress {
    /// The options of a session that opens it.
    pub fn options(&self) -> SessionOptions {
        let (tables, syzygy) = (self.tables.clone(), self.syzygy.clone());
        SessionOptions { tables, syzygy, skip_damaged: self.skip_damaged, ..SessionOptions::default() }
    }
}

/// What makes two libraries the same: their corpora in order, each by its id, length, games and plies.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct LibraryIdentity {
    pub corpora: u64,
    pub games: u64,
    /// XXH3-64 of those numbers of all corpora, as 16 hexadecimal digits.
    pub digest: String,
}

impl LibraryIdentity {
    /// The identity of corpora with these headers.
    pub fn of_corpora(headers: impl Iterator<Item = CorpusFileHeader>) -> LibraryIdentity {
        let (mut digest, mut corpora, mut games) = (Xxh3::new(), 0, 0);
        for header in headers {
            let numbers = [header.id, header.length, header.games, header.plies, header.shards.into()];
            numbers.iter().for_each(|number| digest.update(&number.to_le_bytes()));
            corpora += 1;
            games += header.games;
        }
        LibraryIdentity { corpora, games, digest: format!("{:016x}", digest.digest()) }
    }
}

/// What an executor makes of the matches in its shards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum ScanOutput {
    /// A row for each game that matches.
    Games,
    /// A row for each position that matches.
    Positions,
    /// The partial state of an output with this name, by this key if it takes one; the states are merged.
    Output { name: String, key: Option<String> },
}

/// A scan of some shards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ScanMessage {
    pub library: LibraryAddress,
    pub query: String,
    pub output: ScanOutput,
    /// The columns that are made, by their places in the schema of the output.
    pub projection: Vec<usize>,
    pub limit: Option<usize>,
}

/// An operator or a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A scan; its input says which shards.
    Scan(ScanMessage),
    /// The partial states of all executors become the table of the output.
    Merge { output: ScanOutput, projection: Vec<usize> },
    /// A function of the session, by its name, which reads this library.
    Function { library: LibraryAddress },
}

#[derive(Serialize, Deserialize)]
struct Envelope<M> {
    program: ProgramVersion,
    message: M,
}

/// Whether bytes are a message of plyfold, and not of Ballista.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The bytes of a message.
///
/// # Errors
///
/// A path is not Unicode.
pub(crate) fn write(message: &Message, program: &ProgramVersion, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(MAGIC);
    let envelope = Envelope { program: program.clone(), message };
    serde_json::to_writer(out, &envelope).map_err(|error| sentence::failure(format!("a plan cannot be sent: {error}")))
}

/// Reads a message on a machine, `node`.
///
/// # Errors
///
/// Another version wrote it, or it is damaged.
pub(crate) fn read(bytes: &[u8], program: &ProgramVersion, node: &str) -> Result<Message> {
    let json = bytes.strip_prefix(MAGIC).unwrap_or_default();
    let damaged = |error| sentence::failure(format!("{node}: a plan arrived damaged: {error}"));
    // The rest is read after the version, because another version may have other messages.
    let Envelope { program: sender, message } =
        serde_json::from_slice::<Envelope<serde_json::Value>>(json).map_err(damaged)?;
    if sender != *program {
        let what = format!("{node} runs plyfold {program}, and the plan is from plyfold {sender}");
        return Err(sentence::failure(format!("{what}: run the same version on all machines")));
    }
    serde_json::from_value(message).map_err(damaged)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn message() -> Message {
        let identity = LibraryIdentity { corpora: 2, games: 5, digest: "00000000000000ff".into() };
        let library = LibraryAddress {
            address: "/games".into(),
            identity,
            tables: vec!["/egt".into()],
            syzygy: vec![],
            skip_damaged: false,
        };
        let query = "queens_off and \"Müller\"\n".to_owned();
        let output = ScanOutput::Output { name: "counts".into(), key: Some("count(white pawn)".into()) };
        Message::Scan(ScanMessage { library, query, output, projection: vec![2, 0], limit: Some(7) })
    }

    #[test]
    fn a_message_is_read_again() {
        let (program, mut bytes) = (ProgramVersion::default(), Vec::new());
        write(&message(), &program, &mut bytes).unwrap();
        assert!(is_message(&bytes));
        assert_eq!(read(&bytes, &program, "here").unwrap(), message());
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let mut bytes = Vec::new();
        let newer = ProgramVersion { version: "9.9.9".into(), format: FORMAT + 1 };
        write(&message(), &newer, &mut bytes).unwrap();
        let refused = read(&bytes, &ProgramVersion::default(), "executor 10.0.0.7:50051").unwrap_err();
        let (own, code) = (env!("CARGO_PKG_VERSION"), sentence::of_text(&refused.to_string()).unwrap());
        assert_eq!(
            code.text,
            format!(
                "executor 10.0.0.7:50051 runs plyfold {own} (plan format 3), and the plan is from plyfold 9.9.9 (plan \
                 format 4): run the same version on all machines"
            )
        );
    }

    #[test]
    fn a_damaged_message_is_refused() {
        let (program, mut bytes) = (ProgramVersion::default(), Vec::new());
        write(&message(), &program, &mut bytes).unwrap();
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], &program, "here").is_err(), "{length}");
        }
    }
}
