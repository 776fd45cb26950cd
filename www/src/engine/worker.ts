// The engine worker: takes requests one after the other, calls the wasm package, answers. It decides
// nothing about chess and nothing about screens.
import { loadBuild, type Build } from './build';
import { importFiles } from './import';
import { bringOpenings } from './openings';
import type { CorpusInfo, Failure, Method, Methods, Progress, Reply, Request, Structure } from './protocol';
import { Storage, type OpenSource } from './storage';

/** Games whose text is written out between two looks at the cancel flag. */
const EXPORT_BATCH = 500;

declare const self: DedicatedWorkerGlobalScope;

interface Opened {
  info: CorpusInfo;
  corpus: InstanceType<Build['wasm']['Corpus']>;
  source: OpenSource;
}

interface Engine {
  build: Build;
  storage: Storage;
}

let engine: Engine | null = null;
let opened: Opened | null = null;

type Handlers = { [M in Method]: (params: Methods[M]['params'], report: (progress: Progress) => void) => Promise<Methods[M]['result']> };

const handlers: Handlers = {
  async hello({ threads }) {
    const build = await loadBuild(threads);
    const storage = await Storage.open((head) => {
      const [games = 0, plies = 0] = build.wasm.facts(head);
      return { games, plies };
    });
    engine = { build, storage };
    const shared = build.info.build === 'threads' && typeof SharedArrayBuffer === 'function' && build.memory.buffer instanceof SharedArrayBuffer;
    return {
      ...build.info,
      storage: storage.lasting,
      cancel: shared ? new Int32Array(build.memory.buffer, build.wasm.cancelAddress(), 1) : null,
      corpora: await storage.list(),
    };
  },

  async list() {
    return started().storage.list();
  },

  async import({ name, files }, report) {
    const { build, storage } = started();
    return importFiles(build, storage, name, files, report);
  },

  async open({ corpus: id }) {
    const { build, storage } = started();
    if (opened?.info.id === id) return opened.info;
    const info = (await storage.list()).find((corpus) => corpus.id === id);
    const source = await storage.read(id);
    try {
      const corpus = new build.wasm.Corpus(source, source.size_bytes);
      close();
      opened = { corpus, source, info: info ?? { id, name: id, games: corpus.games, plies: corpus.plies, size_bytes: source.size_bytes, created_ms: 0, kept: 'device' } };
      return opened.info;
    } catch (error) {
      source.close();
      throw error;
    }
  },

  async remove({ corpus: id }) {
    const { storage } = started();
    const own = opened?.info.id === id;
    if (own) opened?.source.close();
    try {
      await storage.remove(id);
    } catch (error) {
      // It stays, and so it stays open.
      if (own && opened) {
        opened.corpus.free();
        opened = null;
        await handlers.open({ corpus: id }, () => undefined);
      }
      throw error;
    }
    if (own) {
      opened?.corpus.free();
      opened = null;
    }
    return storage.list();
  },

  async check({ query }) {
    const { wasm } = started().build;
    await bringOpenings(query, wasm.knowOpenings);
    const problem = wasm.check(query) ?? opened?.corpus.unknown(query);
    if (!problem) return null;
    const { message, from, to, expected, nearest } = problem;
    problem.free();
    return { message, from, to, expected, nearest };
  },

  async complete({ query, at }) {
    return started().build.wasm.complete(query, at);
  },

  async paint({ query }) {
    return started().build.wasm.paint(query);
  },

  async predicates() {
    return started().build.wasm.predicates();
  },

  async query({ query, outputs }) {
    const { build } = started();
    const { corpus } = current();
    await bringOpenings(query, build.wasm.knowOpenings);
    const start = performance.now();
    const answers = corpus.query(query, outputs.heatmap, outputs.structures, outputs.positions);
    const elapsed_ms = performance.now() - start;
    const hits = answers.hits();
    const fens = corpus.fens(hits);
    const result: Methods['query']['result'] = {
      games_total: corpus.games,
      plies_total: corpus.plies,
      games: answers.games,
      positions: answers.positions,
      plies_looked_at: Math.min(corpus.plies, answers.pliesReplayed + answers.pliesFiltered),
      elapsed_ms,
      memory_bytes: build.memory.buffer.byteLength,
      ids: answers.ids(),
      heatmap: answers.heatmap() ?? null,
      structures: structures(answers.structures()),
      structures_total: answers.structuresTotal,
      hits: fens.map((fen, at) => ({ game: hits[at * 2] ?? 0, ply: hits[at * 2 + 1] ?? 0, fen })),
    };
    answers.free();
    return result;
  },

  async sort({ ids, key, descending }) {
    return current().corpus.sort(ids, key, descending);
  },

  async rows({ ids }) {
    return current().corpus.rows(Uint32Array.from(ids));
  },

  async game({ id, query }) {
    const { corpus } = current();
    return { ...corpus.replay(id), matches: query === '' ? [] : [...corpus.matches(id, query)] };
  },

  async pgn({ id }) {
    return new TextDecoder().decode(current().corpus.text(id));
  },

  async export({ ids }, report) {
    const { wasm } = started().build;
    const { corpus } = current();
    const parts: Blob[] = [];
    for (let at = 0; at < ids.length; at += EXPORT_BATCH) {
      if (wasm.isCancelled()) throw { code: 'cancelled', message: 'cancelled' } satisfies Failure;
      // Blobs are the browser's to keep, on disk if it likes; only one batch is in our memory.
      parts.push(new Blob([corpus.texts(ids.subarray(at, at + EXPORT_BATCH)) as Uint8Array<ArrayBuffer>]));
      report({ kind: 'export', games_done: Math.min(ids.length, at + EXPORT_BATCH), games_total: ids.length });
    }
    return new Blob(parts, { type: 'application/x-chess-pgn' });
  },
};

function started(): Engine {
  if (!engine) throw { code: 'engine', message: 'the engine has not started; reload the page' } satisfies Failure;
  return engine;
}

function current(): Opened {
  if (!opened) throw { code: 'no-corpus', message: 'no corpus is open; choose one' } satisfies Failure;
  return opened;
}

function close(): void {
  opened?.corpus.free();
  opened?.source.close();
  opened = null;
}

function structures(numbers: BigUint64Array): Structure[] {
  const hex = (bits: bigint | undefined) => (bits ?? 0n).toString(16).padStart(16, '0');
  return Array.from({ length: numbers.length / 3 }, (_, at) => ({
    white: hex(numbers[at * 3]),
    black: hex(numbers[at * 3 + 1]),
    count: Number(numbers[at * 3 + 2] ?? 0n),
  }));
}

const CODES: readonly Failure['code'][] = ['cancelled', 'bad-query', 'no-corpus', 'held', 'storage', 'bad-input', 'bad-corpus', 'engine'];

/** Whatever was thrown, as a code and a sentence. */
function failure(thrown: unknown): Failure {
  if (thrown instanceof WebAssembly.RuntimeError) return { code: 'engine', message: `the engine stopped (${thrown.message}); reload the page` };
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message : String(thrown);
  return { code: CODES.find((known) => known === code) ?? 'engine', message: text };
}

/** The buffers of a result that can be handed over instead of copied. */
function transfers(result: Methods[Method]['result']): Transferable[] {
  const arrays = result instanceof Uint32Array ? [result] : result !== null && typeof result === 'object' && 'heatmap' in result ? [result.ids, result.heatmap] : [];
  return arrays.flatMap((array) => (array && array.buffer instanceof ArrayBuffer ? [array.buffer] : []));
}

async function serve<M extends Method>(request: { number: number; method: M; params: Methods[M]['params'] }): Promise<void> {
  const { number, method, params } = request;
  try {
    engine?.build.wasm.beginRequest(number);
    const result = await handlers[method](params, (progress) => post({ number, state: 'progress', progress }));
    post({ number, state: 'done', result }, transfers(result));
  } catch (thrown) {
    post({ number, state: 'failed', failure: failure(thrown) });
  }
}

function post(reply: Reply, transfer: Transferable[] = []): void {
  self.postMessage(reply, transfer);
}

// One at a time and in order: a request may wait for storage, and the next must not overtake it.
let last: Promise<void> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<Request>) => {
  last = last.then(() => serve(data));
};
