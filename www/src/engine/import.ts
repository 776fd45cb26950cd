// Importing: the worker gives the user's files to the engine, which reads them and writes the corpus. The engine is busy all the
// time, so it reports its progress through a callback.
import type { Build } from './build';
import { bringOpenings } from './openings';
import type { Failure, ImportReport, Progress, Refusal, SkippedFile } from './protocol';
import type { Storage, Writer } from './storage';

/** A file with another name than `.pgn` is read once for trial, up to this size. A larger file is no note or README. */
const MOST_TRIAL_BYTES = 16 << 20;
/** The most skipped files that the message of a failed import names. */
const MOST_NAMED = 3;
const PGN_NAME = /\.pgn(\.(gz|zst|bz2))?$/i;

type Import = InstanceType<Build['wasm']['Import']>;

export async function importFiles(build: Build, storage: Storage, name: string, files: readonly File[], report: (progress: Progress) => void): Promise<ImportReport> {
  await bringOpenings(build.wasm.knowOpenings);
  const writer = await storage.create(name);
  try {
    const account = await write(build, writer, files, report);
    // The corpus is complete without it.
    await storage.putAccount(account).catch(() => undefined);
    return account;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function write(build: Build, writer: Writer, files: readonly File[], report: (progress: Progress) => void): Promise<ImportReport> {
  const start = performance.now();
  const bytes_total = files.reduce((sum, file) => sum + file.size, 0);
  const task = new build.wasm.Import(writer.file);
  let before = 0;
  const progress = (bytes_done: number, games: number, refused: number, plies: number) => {
    report({ kind: 'import', bytes_done: before + bytes_done, bytes_total, games, refused, plies, elapsed_ms: performance.now() - start });
  };
  try {
    const skipped: SkippedFile[] = [];
    for (const file of files) {
      const reason = readFile(build, task, file, progress);
      if (reason) skipped.push({ file: file.name, reason });
      before += file.size;
    }
    if (task.games === 0) throw { code: 'bad-input', message: nothing(files, skipped, task.refused, task.refusals()) };
    // A worker that is being ended still finishes its current task. Without this pause it could finish the corpus.
    await new Promise((resolve) => setTimeout(resolve));
    const chunks = task.finish();
    const corpus = await writer.finish({ games: task.games, plies: task.plies, size_bytes: task.size_bytes, chunks });
    return {
      corpus,
      refusals: task.refusals(),
      refused: task.refused,
      in_part: task.in_part,
      notes: task.notes(),
      skipped,
      elapsed_ms: performance.now() - start,
      bytes: task.bytes,
      storage_note: writer.note,
      memory_bytes: build.memory.buffer.byteLength,
    };
  } finally {
    task.free();
  }
}

/**
 * Reads the games of a file. If the file is no PGN or is damaged, returns why in a sentence, and the other files go on.
 * Games before the damage stay. A failure of the storage ends the import.
 */
function readFile(build: Build, task: Import, file: File, progress: Parameters<Import['file']>[2]): string {
  const games = task.games;
  try {
    if (!looksLikePgn(build, file)) return `${file.name} does not look like PGN`;
    task.file(file.name, file, progress);
    return '';
  } catch (error) {
    const { code, message } = error as Partial<Failure>;
    if (code !== 'bad-input' || message === undefined) throw error;
    const kept = task.games - games;
    return kept > 0 ? `${message}; ${kept === 1 ? 'one game' : `${kept} games`} before that place ${kept === 1 ? 'was' : 'were'} imported` : message;
  }
}

/**
 * Whether a file is worth importing. The engine reads movetext wherever it finds any, for instance in the list of a
 * README. A file with another name than `.pgn` must therefore have more games than places that cannot be read.
 */
function looksLikePgn(build: Build, file: File): boolean {
  if (PGN_NAME.test(file.name) || file.size > MOST_TRIAL_BYTES) return true;
  const trial = new build.wasm.Import();
  try {
    trial.file(file.name, file, () => undefined);
    return trial.games > trial.refused && trial.plies > 0;
  } finally {
    trial.free();
  }
}

/** Why the import made no corpus although nothing failed. */
function nothing(files: readonly File[], skipped: readonly SkippedFile[], refused: number, refusals: readonly Refusal[]): string {
  if (files.length === 1 && skipped[0]) return skipped[0].reason;
  const which = files.length === 1 ? (files[0]?.name ?? 'the file') : 'none of the files';
  const first = refusals[0];
  if (refused > 0 && first) {
    return files.length === 1
      ? `${which} has no game that can be read; the first problem is at byte ${first.byte}: ${first.reason}`
      : `${which} has a game that can be read; the first problem is in ${first.file} at byte ${first.byte}: ${first.reason}`;
  }
  if (skipped[0]) return `${which} has games: ${skipped.slice(0, MOST_NAMED).map((one) => one.reason).join('; ')}${skipped.length > MOST_NAMED ? '; and so on' : ''}`;
  return files.length === 1 ? `${which} has no games: it does not look like PGN` : `${which} has games: they do not look like PGN`;
}
