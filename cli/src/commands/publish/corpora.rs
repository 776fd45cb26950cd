//! Cuts the corpora for the web: each shard becomes a packed scan part and the texts of its games, in files of their own.

use std::collections::HashMap;
use std::path::Path;

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::layout::ShardLayout;
use plyfold_core::corpus::storage::AlignedBytes;
use plyfold_core::corpus::transport::pack_scan_part;
use plyfold_core::pgn::upgrade_shard;
use rayon::prelude::*;

use super::folder::PublishedFolder;
use super::library::{Library, PublishedCorpus, PublishedShard, ScanFile, TextFile, digest_of};
use crate::failure::{CliFailure, Result};
use crate::progress::ScanProgress;
use crate::query_argument::OPENING_TABLE;

/// A corpus to be published.
pub struct CorpusToPublish<'a> {
    pub path: &'a Path,
    pub name: String,
    pub reader: JoinedCorpus<'a>,
}

/// Writes the shards of all corpora, on all threads; those that are in the folder already stay there.
///
/// # Errors
///
/// A corpus is damaged, or a file cannot be written.
pub fn write_corpora(folder: &PublishedFolder, corpora: &[CorpusToPublish<'_>]) -> Result<Vec<PublishedCorpus>> {
    let bar = ScanProgress::for_games(corpora.iter().map(|corpus| corpus.reader.header.games).sum());
    let known = known_shards(folder.previous());
    let write_shard = |path: &Path, offset: u64, bytes: &[u8]| -> Result<PublishedShard> {
        let corrupt = |error: CorpusError| CliFailure::corpus(path)(error.with_offset_base(offset));
        let header = ShardLayout::read_header(bytes).map_err(corrupt)?;
        let source = digest_of(bytes);
        let shard = match known.get(source.as_str()).filter(|shard| folder.keep_shard(shard)) {
            Some(shard) => (*shard).clone(),
            None => write_anew(folder, bytes, source, &corrupt)?,
        };
        bar.add_games(header.games);
        Ok(shard)
    };
    let publish = |CorpusToPublish { path, name, reader }: &CorpusToPublish<'_>| {
        let shards: Vec<(u64, &[u8])> = reader.shard_bytes().collect();
        let shards = shards.into_par_iter().map(|(offset, bytes)| write_shard(path, offset, bytes));
        let header = reader.header;
        Ok(PublishedCorpus {
            name: name.clone(),
            id: format!("{:016x}", header.id),
            games: header.games,
            plies: header.plies,
            shards: shards.collect::<Result<_>>()?,
        })
    };
    corpora.iter().map(publish).collect()
}

/// The shards that the folder has, by the digest of what they were made from.
fn known_shards(library: Option<&Library>) -> HashMap<&str, &PublishedShard> {
    let library = library.filter(|library| !library.is_of_old_form());
    let shards = library.into_iter().flat_map(|library| &library.corpora).flat_map(|corpus| &corpus.shards);
    shards.filter_map(|shard| Some((shard.source.as_deref()?, shard))).collect()
}

fn write_anew(
    folder: &PublishedFolder,
    bytes: &[u8],
    source: String,
    corrupt: &dyn Fn(CorpusError) -> CliFailure,
) -> Result<PublishedShard> {
    // A visitor's browser does not add what older versions lack.
    let upgraded =
        upgrade_shard(bytes, Some(&OPENING_TABLE)).map_err(corrupt)?.map(|shard| AlignedBytes::copy_of(&shard));
    let shard = upgraded.as_ref().map_or(bytes, AsRef::as_ref);
    let layout = ShardLayout::check(shard).map_err(corrupt)?;
    layout.check_text(shard).map_err(corrupt)?;
    let header = layout.header;
    let packed = pack_scan_part(shard).map_err(corrupt)?;
    let text = &shard[header.scan_length as usize..header.length as usize];
    let text = match text.is_empty() {
        true => None,
        false => Some(TextFile {
            file: folder.write_named(text, ".text")?,
            bytes: text.len() as u64,
            offset: header.scan_length,
        }),
    };
    Ok(PublishedShard {
        games: header.games.into(),
        plies: header.plies,
        bytes: header.length,
        scan: ScanFile {
            file: folder.write_named(&packed, ".scan")?,
            bytes: packed.len() as u64,
            unpacked: header.scan_length,
            unpacked_sha256: Some(digest_of(&shard[..header.scan_length as usize])),
        },
        text,
        source: Some(source),
    })
}
