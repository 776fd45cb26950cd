// The texts of games in pieces, for exports and for new corpora.
import { StoredAliases } from './aliases';
import type { Wasm } from './build';
import { GameEdits } from './gameedits';
import type { CorpusInfo, Failure, Progress } from './protocol';
import type { Storage } from './storage';

/** Games that are written between two checks of the cancel flag. */
const BATCH = 500;

type Corpus = InstanceType<Wasm['Corpus']>;

/** Writes games in pieces. The browser keeps the Blobs, on disk if it likes, so only one batch is in the worker's memory. */
export async function written(wasm: Wasm, ids: Uint32Array, report: (progress: Progress) => void, write: (batch: Uint32Array) => Uint8Array | Promise<Uint8Array>): Promise<Blob[]> {
  const parts: Blob[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    if (wasm.isCancelled()) throw { code: 'cancelled', message: 'cancelled' } satisfies Failure;
    parts.push(new Blob([(await write(ids.subarray(at, at + BATCH))) as Uint8Array<ArrayBuffer>]));
    report({ kind: 'export', games_done: Math.min(ids.length, at + BATCH), games_total: ids.length });
  }
  return parts;
}

/** The texts of all games of these corpora with their edits and the names that stand for theirs, a file for each. The corpus that is open stays open. */
export async function filesOf(ids: readonly string[], wasm: Wasm, storage: Storage, opened: { info: CorpusInfo; corpus: Corpus } | null): Promise<File[]> {
  const files: File[] = [];
  for (const id of ids) {
    const isOpen = opened?.info.id === id;
    const corpus = isOpen ? opened.corpus : new wasm.Corpus(await storage.read(id), id);
    try {
      const lists = isOpen ? [] : [{ of: 'edits', ...(await GameEdits.open(id, corpus, storage)).list() }, { of: 'names', ...(await StoredAliases.open(id, corpus, storage)).list() }];
      const damaged = lists.find(({ trouble }) => trouble !== '');
      if (damaged) throw { code: 'bad-input', message: `the ${damaged.of} of "${id}" cannot be read: ${damaged.trouble}` } satisfies Failure;
      const games = Uint32Array.from({ length: corpus.games }, (_, nth) => nth);
      files.push(new File(await written(wasm, games, () => undefined, (batch) => corpus.texts(batch)), `${id}.pgn`));
    } finally {
      if (!isOpen) corpus.free();
    }
  }
  return files;
}
