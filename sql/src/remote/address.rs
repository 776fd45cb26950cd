//! What an address means: the store that it names, and the files there.

use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::aws::AmazonS3Builder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use url::Url;

use super::failure::RemoteFailure;
use super::file::RemotePlace;

/// How the files of corpora end.
const ENDING: &str = ".plyfold";
/// What makes a path in a bucket a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Whether a library is named by addresses of object storage, and not by a path.
#[must_use]
pub fn is_address(library: &str) -> bool {
    plyfold_library::is_address(library.trim_start())
}

/// The files that addresses mean, which are separated by blanks: one file each, or in a bucket those of a pattern or of a folder.
///
/// # Errors
///
/// An address is none; a bucket cannot be listed; a pattern matches nothing.
pub(crate) async fn corpora_at(addresses: &str) -> Result<Vec<RemotePlace>, RemoteFailure> {
    let mut places = Vec::new();
    for address in addresses.split_whitespace() {
        match address.split_once("://") {
            Some((scheme @ ("s3" | "gs"), rest)) => {
                let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
                if bucket.is_empty() {
                    return Err(RemoteFailure::storage(address, "names no bucket: write s3://BUCKET/FILE.plyfold"));
                }
                let store = bucket_store(scheme, bucket).map_err(RemoteFailure::request(address))?;
                let files = files_in_bucket(&*store, key).await.map_err(RemoteFailure::request(address))?;
                if files.is_empty() {
                    return Err(RemoteFailure::storage(address, "matches no file: name files that end with .plyfold"));
                }
                places.extend(files.into_iter().map(|path| {
                    let address = format!("{scheme}://{bucket}/{path}");
                    RemotePlace { store: store.clone(), path, address }
                }));
            }
            Some(("http" | "https", _)) => places.push(web_file(address)?),
            _ => return Err(RemoteFailure::storage(address, "is no address: begin it with s3://, gs:// or https://")),
        }
    }
    Ok(places)
}

fn retries() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(2), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 4, retry_timeout: Duration::from_secs(60) }
}

/// The store of a bucket, by the variables of the environment.
fn bucket_store(scheme: &str, bucket: &str) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    Ok(match scheme {
        "s3" => Arc::new(AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retries()).build()?),
        _ => Arc::new(GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retries()).build()?),
    })
}

/// The files of a bucket that a key means: itself, or those of a folder or a pattern, by their names.
async fn files_in_bucket(store: &dyn ObjectStore, key: &str) -> Result<Vec<Path>, object_store::Error> {
    let wildcard = key.find(WILDCARDS);
    if wildcard.is_none() && !key.is_empty() && !key.ends_with('/') {
        return Ok(vec![Path::parse(key)?]);
    }
    let folder_end = key[..wildcard.unwrap_or(key.len())].rfind('/').map_or(0, |slash| slash + 1);
    let folder = Some(Path::parse(&key[..folder_end])?).filter(|folder| !folder.as_ref().is_empty());
    let pattern = if wildcard.is_some() { key.to_owned() } else { format!("{}*{ENDING}", Pattern::escape(key)) };
    let Ok(pattern) = Pattern::new(&pattern) else { return Ok(Vec::new()) };
    let is_flat = !key[folder_end..].contains('/');
    let listed = if is_flat {
        store.list_with_delimiter(folder.as_ref()).await?.objects
    } else {
        store.list(folder.as_ref()).try_collect().await?
    };
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    let matches = |path: &Path| pattern.matches_with(path.as_ref(), options);
    let mut files: Vec<Path> = listed.into_iter().map(|file| file.location).filter(matches).collect();
    files.sort_unstable();
    Ok(files)
}

/// A file on a web server. Its address may have a query, such as that of a signed address.
fn web_file(address: &str) -> Result<RemotePlace, RemoteFailure> {
    let wrong = |what: String| RemoteFailure::storage(address, what);
    let url = Url::parse(address).map_err(|error| wrong(format!("is no address: {error}")))?;
    let path = Path::from_url_path(url.path()).map_err(|error| wrong(format!("is no address of a file: {error}")))?;
    if path.as_ref().is_empty() || url.path().ends_with('/') || url.path().contains('*') {
        return Err(wrong("names no file: a web server has no lists of files, so name each file".into()));
    }
    let mut server = url.clone();
    server.set_path("/");
    server.set_fragment(None);
    let options = ClientOptions::new().with_allow_http(true);
    let builder = HttpBuilder::new().with_url(server).with_client_options(options).with_retry(retries());
    let store = builder.build().map_err(RemoteFailure::request(address))?;
    let shown = url[..url::Position::AfterPath].to_owned();
    Ok(RemotePlace { store: Arc::new(store), path, address: shown })
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for address in ["s3://bucket/a.plyfold", "gs://b/*.plyfold", " https://host/a.plyfold", "http://host/a"] {
            assert!(is_address(address), "{address}");
        }
        for path in ["games.plyfold", "s3/games.plyfold", "s3:/games", "/https://", "file:///a.plyfold"] {
            assert!(!is_address(path), "{path}");
        }
    }

    #[tokio::test]
    async fn a_key_means_a_file_a_folder_or_a_pattern() {
        let store = InMemory::new();
        for key in ["top.plyfold", "g/2.plyfold", "g/1.plyfold", "g/notes.txt", "g/deep/3.plyfold", "h/[x]/4.plyfold"] {
            let path = Path::parse(key).expect("a key");
            store.put(&path, PutPayload::from_static(b"x")).await.expect("memory");
        }
        for (key, expected) in [
            ("g/1.plyfold", &["g/1.plyfold"][..]),
            ("g/gone.plyfold", &["g/gone.plyfold"]),
            ("", &["top.plyfold"]),
            ("g/", &["g/1.plyfold", "g/2.plyfold"]),
            ("g/*", &["g/1.plyfold", "g/2.plyfold", "g/notes.txt"]),
            ("g/*.plyfold", &["g/1.plyfold", "g/2.plyfold"]),
            ("g/?.plyfold", &["g/1.plyfold", "g/2.plyfold"]),
            ("g/*/*.plyfold", &["g/deep/3.plyfold"]),
            ("*/[1].plyfold", &["g/1.plyfold"]),
            ("h/[[]x]/", &[]),
            ("nowhere/*", &[]),
        ] {
            let found = files_in_bucket(&store, key).await.expect(key);
            let found: Vec<&str> = found.iter().map(Path::as_ref).collect();
            assert_eq!(found, expected, "{key}");
        }
    }

    #[test]
    fn an_address_of_the_web_names_one_file() {
        let place = web_file("https://host:8080/a%20b/c.plyfold?key=1&sign=2").expect("a file");
        assert_eq!(
            (place.address.as_str(), place.path.as_ref()),
            ("https://host:8080/a%20b/c.plyfold", "a b/c.plyfold")
        );
        for wrong in ["https://", "https://host", "https://host/folder/", "https://host/*.plyfold"] {
            assert!(web_file(wrong).is_err(), "{wrong}");
        }
    }
}
