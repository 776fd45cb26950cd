//! Turns a source into shards: chunks are imported one after another, or on all threads at once.
//!
//! The calling thread reads and decompresses, hands chunks out, and passes the shards on in the order of the file. The
//! threads of the current rayon pool turn chunks into shards. At most two chunks more than there are threads exist at a
//! time, so memory is bounded by (threads + 2) × (chunk + shard), about 10 MiB a thread.

use std::sync::Arc;

use plyfold_pgn::{KnownGames, OpeningTable, PgnImportReport, ShardPacker};

use crate::chunks::ChunkReader;
use crate::error::InputError;
use crate::source::PgnSource;

/// The options of an import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// Threads that import: 1 for the calling thread alone, 0 for all threads of the current rayon pool.
    pub threads: usize,
    /// Bytes of text in a chunk, and so in a shard.
    pub chunk_bytes: usize,
    /// The most bytes that a single game may have.
    pub max_game_bytes: usize,
    /// Whether the shards keep the texts of the games.
    pub keeps_texts: bool,
    /// Whether games are refused of which a move cannot be played or read, instead of being kept up to there.
    pub is_strict: bool,
    /// Whether games that are known already are left out.
    pub skips_known: bool,
    /// The positions by which games get their openings; without them the shards store none.
    pub openings: Option<Arc<OpeningTable>>,
    /// What an earlier import of the same file has stored already: so many bytes of text are skipped, up to a border between
    /// games, and the report counts them and their games.
    pub begin: ImportProgress,
}

impl Default for ImportOptions {
    /// All threads, chunks of 4 MiB, games up to 256 MiB, with texts, from the start of the file.
    fn default() -> ImportOptions {
        let begin = ImportProgress::default();
        ImportOptions {
            threads: 0,
            chunk_bytes: 4 << 20,
            max_game_bytes: 256 << 20,
            keeps_texts: true,
            is_strict: false,
            skips_known: false,
            openings: None,
            begin,
        }
    }
}

/// The progress of an import.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImportProgress {
    /// Bytes of the file itself that have been read so far.
    pub bytes_in: u64,
    /// Bytes of text whose shards are stored.
    pub bytes: u64,
    /// Games stored, those in part included.
    pub games: u64,
    /// Of these, games of which only the moves before a fault are stored.
    pub in_part: u64,
    /// Games refused.
    pub refused: u64,
    /// Plies stored.
    pub plies: u64,
}

/// The error of a sink of shards.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Imports all games of `source`. Each shard goes to `sink`, in the order of the file; no shard is empty.
///
/// `progress` is called after every chunk, with the report of the chunk alone, and returns whether to continue. Game numbers and offsets in
/// the reports count from the start of the file. The options of threads and chunks change nothing but where one shard ends and the next
/// begins.
///
/// # Errors
///
/// What is wrong with the file, the error of `sink`, or [`InputError::Cancelled`]. The shards passed on before that are
/// incomplete and should be dropped.
pub fn import_games(
    source: &mut PgnSource,
    options: &ImportOptions,
    progress: &mut dyn FnMut(&ImportProgress, &PgnImportReport) -> bool,
    sink: &mut dyn FnMut(Vec<u8>) -> Result<(), SinkError>,
) -> Result<PgnImportReport, InputError> {
    import_games_beside(&Arc::default(), source, options, progress, sink)
}

/// Imports as [`import_games`] does. Games that are known already are counted, and left out if the options say so.
///
/// # Errors
///
/// As [`import_games`].
pub fn import_games_beside(
    known: &Arc<KnownGames>,
    source: &mut PgnSource,
    options: &ImportOptions,
    progress: &mut dyn FnMut(&ImportProgress, &PgnImportReport) -> bool,
    sink: &mut dyn FnMut(Vec<u8>) -> Result<(), SinkError>,
) -> Result<PgnImportReport, InputError> {
    let name = source.name().map(str::to_owned);
    let new_packer = || {
        let packer = ShardPacker::new(name.as_deref());
        let packer = if options.keeps_texts { packer } else { packer.without_texts() };
        let packer = if options.is_strict { packer.strict() } else { packer };
        let packer = match &options.openings {
            Some(table) => packer.with_openings(Arc::clone(table)),
            None => packer,
        };
        packer.beside(Arc::clone(known), options.skips_known)
    };
    let ImportProgress { bytes, games: imported, in_part, refused: rejected, plies, .. } = options.begin;
    let mut chunks = ChunkReader::new(source, options.chunk_bytes, options.max_game_bytes);
    chunks.skip(bytes)?;
    let report = PgnImportReport { imported, in_part, rejected, plies, bytes, ..PgnImportReport::default() };
    let out = ShardOutput { report, progress, sink };
    #[cfg(feature = "rayon")]
    if options.threads != 1 {
        let threads = if options.threads == 0 { rayon::current_num_threads() } else { options.threads };
        return together::import_parallel(chunks, out, threads, &new_packer);
    }
    import_single_threaded(chunks, out, new_packer())
}

fn import_single_threaded(
    mut chunks: ChunkReader<'_>,
    mut out: ShardOutput<'_>,
    mut packer: ShardPacker,
) -> Result<PgnImportReport, InputError> {
    while let Some(chunk) = chunks.next_chunk()? {
        out.accept(packer.pack(&chunk.bytes, chunk.offset), chunks.bytes_in())?;
        chunks.reuse(chunk);
    }
    Ok(out.report)
}

/// Where finished shards go.
struct ShardOutput<'a> {
    report: PgnImportReport,
    progress: &'a mut dyn FnMut(&ImportProgress, &PgnImportReport) -> bool,
    sink: &'a mut dyn FnMut(Vec<u8>) -> Result<(), SinkError>,
}

impl ShardOutput<'_> {
    fn accept(&mut self, (shard, report): (Vec<u8>, PgnImportReport), bytes_in: u64) -> Result<(), InputError> {
        if !shard.is_empty() {
            (self.sink)(shard).map_err(InputError::Store)?;
        }
        let report = report.counted_from(self.report.games());
        // It is short, unless a file is no PGN.
        self.report.append(report.clone());
        let PgnImportReport { imported: games, in_part, rejected: refused, plies, bytes, .. } = self.report;
        let go_on = (self.progress)(&ImportProgress { bytes_in, bytes, games, in_part, refused, plies }, &report);
        if go_on { Ok(()) } else { Err(InputError::Cancelled) }
    }
}

#[cfg(feature = "rayon")]
mod together {
    //! Imports many chunks at once.

    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use super::{ChunkReader, InputError, PgnImportReport, ShardOutput, ShardPacker};
    use crate::chunks::PgnChunk;

    /// The number of the chunk, its shard and report, and the chunk itself, whose buffer is used again.
    type FinishedShard = (u64, (Vec<u8>, PgnImportReport), PgnChunk);

    pub(super) fn import_parallel(
        mut chunks: ChunkReader<'_>,
        mut out: ShardOutput<'_>,
        threads: usize,
        new_packer: &(dyn Fn() -> ShardPacker + Sync),
    ) -> Result<PgnImportReport, InputError> {
        let (send, receive) = channel::<FinishedShard>();
        // At most as many as there are threads.
        let idle: Mutex<Vec<ShardPacker>> = Mutex::default();
        let idle = &idle;
        rayon::in_place_scope(|scope| {
            let (mut sent, mut accepted) = (0, 0);
            let mut waiting = BTreeMap::new();
            let mut more = true;
            loop {
                while more && sent - accepted < threads as u64 + 1 {
                    let Some(chunk) = chunks.next_chunk()? else {
                        more = false;
                        break;
                    };
                    let (send, number) = (send.clone(), sent);
                    scope.spawn(move |_| {
                        let resting = || idle.lock().expect("nobody panics while holding it");
                        let packer = resting().pop();
                        let mut packer = packer.unwrap_or_else(new_packer);
                        let shard = packer.pack(&chunk.bytes, chunk.offset);
                        resting().push(packer);
                        // If the import has failed meanwhile, there is no receiver.
                        let _ = send.send((number, shard, chunk));
                    });
                    sent += 1;
                }
                if sent == accepted {
                    return Ok(out.report);
                }
                let (number, shard, chunk) = receive_shard(&receive);
                chunks.reuse(chunk);
                waiting.insert(number, shard);
                while let Some(shard) = waiting.remove(&accepted) {
                    accepted += 1;
                    out.accept(shard, chunks.bytes_in())?;
                }
            }
        })
    }

    /// Waits for a shard. A thread of the pool does other work of the pool while it waits.
    fn receive_shard(receive: &Receiver<FinishedShard>) -> FinishedShard {
        loop {
            if rayon::current_thread_index().is_none() {
                return receive.recv().expect("a sender is kept by the caller");
            }
            if let Ok(finished) = receive.try_recv() {
                return finished;
            }
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn text() -> String {
        let mut text = String::new();
        for number in 0..500 {
            let moves = ["1. e4 e5 2. Nf3", "1. d4 {a\n\n[b]} d5", "1. Ke3"][number % 3];
            text += &format!("[Event \"E\"]\n[White \"W{number}\"]\n\n{moves} *\n\n");
        }
        text
    }

    type Imported = (PgnImportReport, Vec<Vec<u8>>);

    fn import(text: &str, options: &ImportOptions) -> Result<Imported, InputError> {
        let mut source = PgnSource::new(Cursor::new(text.to_owned()), None)?;
        let mut shards = Vec::new();
        let report = import_games(&mut source, options, &mut |_, _| true, &mut |shard| {
            shards.push(shard);
            Ok(())
        })?;
        Ok((report, shards))
    }

    #[test]
    fn threads_and_chunks_change_nothing() {
        let text = text();
        let (whole, shards) =
            import(&text, &ImportOptions { threads: 1, ..ImportOptions::default() }).expect("good text");
        assert_eq!((whole.imported, whole.rejected, whole.bytes), (334, 166, text.len() as u64));
        assert_eq!(shards.len(), 1);
        for (nth, refusal) in whole.rejections.iter().enumerate() {
            assert_eq!(refusal.game, nth as u64 * 3 + 3);
            assert!(text[refusal.offset as usize..].starts_with("Ke3"));
        }
        for chunk_bytes in [1, 100, 1000, 10_000] {
            let mut in_order = Vec::new();
            for threads in [1, 0, 3] {
                let options = ImportOptions { threads, chunk_bytes, ..ImportOptions::default() };
                let (report, shards) = import(&text, &options).expect("good text");
                assert_eq!(report, whole);
                in_order.push(shards);
            }
            assert!(in_order[0] == in_order[1] && in_order[1] == in_order[2], "{chunk_bytes}");
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn works_inside_a_pool_of_one_thread() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let options = ImportOptions { threads: 0, chunk_bytes: 1000, ..ImportOptions::default() };
        let (report, _) = pool.install(|| import(&text(), &options)).expect("good text");
        assert_eq!(report.imported, 334);
    }

    #[test]
    fn an_import_goes_on_where_another_ended() {
        let text = text();
        let options = ImportOptions { threads: 1, chunk_bytes: 1000, ..ImportOptions::default() };
        let (whole, shards) = import(&text, &options).expect("good text");
        let mut states = vec![ImportProgress::default()];
        let mut source = PgnSource::new(Cursor::new(text.clone()), None).expect("text");
        let mut note = |now: &ImportProgress, _: &PgnImportReport| {
            states.push(*now);
            true
        };
        import_games(&mut source, &options, &mut note, &mut |_| Ok(())).expect("good text");
        for (nth, &begin) in states.iter().enumerate() {
            let (rest, missing) = import(&text, &ImportOptions { begin, ..options.clone() }).expect("good text");
            assert_eq!((rest.imported, rest.rejected), (whole.imported, whole.rejected), "{nth}");
            assert_eq!((rest.plies, rest.bytes), (whole.plies, whole.bytes));
            let later = whole.rejections.iter().filter(|one| one.game > begin.games + begin.refused);
            assert!(rest.rejections.iter().eq(later), "{nth}");
            assert!(missing == shards[nth..], "{nth}");
        }
        let begin = ImportProgress { bytes: text.len() as u64 + 1, ..ImportProgress::default() };
        let error = import(&text, &ImportOptions { begin, ..options.clone() }).expect_err("too short");
        assert!(matches!(error, InputError::Shorter { expected, found } if expected == found + 1), "{error}");
    }

    #[test]
    fn texts_are_left_out_on_request() {
        for threads in [1, 2] {
            let options = ImportOptions { threads, keeps_texts: false, ..ImportOptions::default() };
            let (report, bare) = import(&text(), &options).expect("good text");
            let (same, shards) =
                import(&text(), &ImportOptions { keeps_texts: true, ..options.clone() }).expect("good text");
            assert_eq!(report, same);
            assert!(bare[0].len() < shards[0].len());
        }
    }

    #[test]
    fn cancelling_and_failing_end_it() {
        for threads in [1, 2] {
            let options = ImportOptions { threads, chunk_bytes: 1000, ..ImportOptions::default() };
            let mut source = PgnSource::new(Cursor::new(text()), None).expect("text");
            let mut heard = 0;
            let cancelled = import_games(
                &mut source,
                &options,
                &mut |_, _| {
                    heard += 1;
                    heard < 3
                },
                &mut |_| Ok(()),
            );
            assert!(matches!(cancelled, Err(InputError::Cancelled)) && heard == 3);
            let mut source = PgnSource::new(Cursor::new(text()), None).expect("text");
            let failed = import_games(&mut source, &options, &mut |_, _| true, &mut |_| Err("disk full".into()));
            assert_eq!(failed.expect_err("full").to_string(), "could not be stored: disk full");
        }
    }

    #[test]
    fn a_game_beyond_measure_is_an_error() {
        let text = format!("[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. e4 {{{}}} *", "x".repeat(5000));
        let options = ImportOptions { threads: 1, chunk_bytes: 100, max_game_bytes: 1000, ..ImportOptions::default() };
        assert!(matches!(import(&text, &options), Err(InputError::GameTooLong { at: 22, most: 1000 })));
    }

    #[test]
    fn utf16_is_read() {
        let text: Vec<u8> = std::iter::once(0xfeffu16)
            .chain("[Event \"a\"]\n\n1. e4 *\n\n".repeat(100).encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let mut source = PgnSource::new(Cursor::new(text), None).expect("bytes");
        let options = ImportOptions { threads: 1, chunk_bytes: 100, max_game_bytes: 1000, ..ImportOptions::default() };
        let report = import_games(&mut source, &options, &mut |_, _| true, &mut |_| Ok(())).expect("a report");
        assert_eq!((report.imported, report.rejected), (100, 0));
    }
}
