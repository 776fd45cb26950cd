//! Why a library on object storage cannot be read: one sentence that names the address.

use std::error::Error as StdError;
use std::io;

use object_store::Error;
use plyfold_core::corpus::error::CorpusError;
use thiserror::Error;

/// Why a library on object storage cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RemoteFailure {
    /// The storage refuses it, or cannot be reached. The sentence says what to do.
    #[error("{address}: {what}")]
    Storage {
        /// The address of the file, or of the library.
        address: String,
        /// What is wrong.
        what: String,
    },
    /// A corpus is damaged, or something else.
    #[error("{address}: {source}")]
    Corpus {
        /// The address of the corpus.
        address: String,
        /// What is wrong with it.
        source: CorpusError,
    },
    /// A thread failed.
    #[error("{0}")]
    Thread(#[from] io::Error),
}

impl RemoteFailure {
    /// Something is wrong with an address.
    pub(super) fn storage(address: &str, what: impl Into<String>) -> RemoteFailure {
        RemoteFailure::Storage { address: address.into(), what: what.into() }
    }

    /// For `map_err`: a corpus that is damaged.
    pub(super) fn corpus(address: &str) -> impl Fn(CorpusError) -> RemoteFailure {
        move |source| RemoteFailure::Corpus { address: address.into(), source }
    }

    /// For `map_err`: what a request for an address failed with.
    pub(super) fn request(address: &str) -> impl Fn(Error) -> RemoteFailure {
        move |error| RemoteFailure::storage(address, sentence(&error))
    }
}

/// What went wrong with a request.
fn sentence(error: &Error) -> String {
    let causes = causes(error);
    let says = |text: &str| causes.iter().any(|cause| cause.contains(text));
    match error {
        _ if says("NoSuchBucket") || says("The specified bucket does not exist") => {
            "there is no such bucket: check its name, and the endpoint and region of the environment".into()
        }
        Error::NotFound { .. } => "there is no such file".into(),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => DENIED.into(),
        // A list of files fails without a kind.
        _ if says("403 Forbidden") || says("401 Unauthorized") => DENIED.into(),
        Error::Precondition { .. } => CHANGED.into(),
        _ if says("Received non-partial response") || says("Range request not supported") => {
            "the server ignores requests for a range of bytes: download the file and open the copy".into()
        }
        _ if says("416 Range Not Satisfiable") => "is empty or shorter than a corpus".into(),
        _ => format!("cannot be read: {}", causes.last().map_or("", String::as_str)),
    }
}

/// The credentials are missing or wrong, or do not allow it.
const DENIED: &str = "access is denied: check the credentials of the environment (AWS_* or GOOGLE_*) and their rights";

/// A file has changed between two requests.
pub(super) const CHANGED: &str = "has changed while it was read: ask again";

/// What the error says, and each error that caused it, in one line each, without the words of the errors below it.
fn causes(error: &Error) -> Vec<String> {
    let first: &(dyn StdError + 'static) = error;
    let all = std::iter::successors(Some(first), |&error| error.source());
    all.map(|error| error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
