// The engine worker: it takes one request after the other, calls the wasm package and replies. It decides
// nothing about chess or about what the page shows.
import { loadBuild, type Build, type PreparedQuestion } from './build';
import { importFiles } from './import';
import { bringOpenings, namesOpening } from './openings';
import type { CorpusInfo, Failure, Method, Methods, NamedSet, Progress, Question, Reply, Request } from './protocol';
import { Sets } from './sets';
import { Storage, type OpenSource } from './storage';

/** Games that are exported between two checks of the cancel flag. */
const EXPORT_BATCH = 500;

declare const self: DedicatedWorkerGlobalScope;

interface Opened {
  info: CorpusInfo;
  corpus: InstanceType<Build['wasm']['Corpus']>;
  source: OpenSource;
  sets: Sets;
  /** The latest prepared question, kept for further outputs, and its words. */
  asked: { words: string; question: PreparedQuestion } | null;
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
    const storage = await Storage.open(build.wasm.corpusSize);
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
      const sets = await Sets.open(id, corpus, storage).catch((error: unknown) => {
        corpus.free();
        throw error;
      });
      // The previous corpus is closed only now, so it stays open if the new one cannot be opened.
      close();
      opened = { corpus, source, sets, asked: null, info: info ?? { id, name: id, games: corpus.games, plies: corpus.plies, size_bytes: source.size_bytes, created_ms: 0, kept: 'device' } };
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
      // The corpus could not be deleted, so it is opened again.
      if (own && opened) {
        forget();
        opened.corpus.free();
        opened = null;
        await handlers.open({ corpus: id }, () => undefined);
      }
      throw error;
    }
    if (own) {
      forget();
      opened?.corpus.free();
      opened = null;
    }
    return storage.list();
  },

  async check({ query }) {
    const { wasm } = started().build;
    if (namesOpening(query)) await bringOpenings(wasm.knowOpenings);
    return wasm.check(query) ?? opened?.corpus.unknown(query) ?? null;
  },

  async complete({ query, at }) {
    return started().build.wasm.complete(query, at);
  },

  async paint({ query }) {
    return started().build.wasm.paint(query);
  },

  async notes({ query }) {
    return [...started().build.wasm.notes(query), ...(opened?.corpus.unstored(query) ?? [])];
  },

  async hasWindows({ query }) {
    return started().build.wasm.has_windows(query);
  },

  async predicates() {
    return started().build.wasm.predicates();
  },

  async compose({ query, condition }) {
    const { together, apart } = started().build.wasm.composed(query, condition);
    const isRefused = together === null || (await handlers.check({ query: together }, () => undefined)) !== null;
    return { together: isRefused ? null : together, apart };
  },

  async query({ question, outputs }) {
    const { build } = started();
    const { corpus } = current();
    const start = performance.now();
    const run = corpus.run(await ask(question), outputs);
    const elapsed_ms = performance.now() - start;
    return { ...corpus.results(run), elapsed_ms, memory_bytes: build.memory.buffer.byteLength };
  },

  async without({ question }) {
    return current().corpus.without(question);
  },

  async names({ field, text, most }) {
    const { corpus } = current();
    if (field === 'opening') await bringOpenings(started().build.wasm.knowOpenings);
    return corpus.names(field, text, most);
  },

  async release() {
    opened?.source.release();
    return null;
  },

  async explore({ question, fen, among }) {
    const { corpus } = current();
    const query = `fen "${fen}"`;
    const asked = among ? corpus.among(await ask(question), query) : corpus.prepare({ query, within: '', parts: [], everywhere: false });
    try {
      return corpus.nextMoves(asked);
    } finally {
      asked.free();
    }
  },

  async keys() {
    return started().build.wasm.keys();
  },

  async checkKey({ key }) {
    return started().build.wasm.checkKey(key) ?? null;
  },

  async sort({ ids, key, descending }) {
    return current().corpus.sort(ids, key, descending);
  },

  async rows({ ids }) {
    return current().corpus.rows(Uint32Array.from(ids));
  },

  async game({ id, query, everywhere = false }) {
    const { corpus } = current();
    if (query === '') return { ...corpus.replay(id), matches: [], images: [] };
    const matches = corpus.matches(id, query, everywhere);
    return { ...corpus.replay(id), matches: [...matches], images: corpus.imagesAt(id, matches, query) };
  },

  async images({ position }) {
    return started().build.wasm.images(position);
  },

  async twins({ position, text, leaving }) {
    return started().build.wasm.twins(position, text, leaving);
  },

  async between({ image, original }) {
    return started().build.wasm.between(image, original);
  },

  async imagesAsked({ query }) {
    return started().build.wasm.imagesAsked(query);
  },

  async pgn({ id }) {
    return new TextDecoder().decode(current().corpus.text(id));
  },

  async export({ ids }, report) {
    const { corpus } = current();
    return new Blob(written(ids, report, (batch) => corpus.texts(batch)), { type: 'application/x-chess-pgn' });
  },

  async lines({ ids, query, everywhere, form }, report) {
    const { corpus } = current();
    if (namesOpening(query)) await bringOpenings(started().build.wasm.knowOpenings);
    return new Blob(written(ids, report, (batch) => corpus.lines(batch, query, everywhere, form === 'epd')), { type: 'text/plain' });
  },

  async collect({ ids, name }, report) {
    const { build, storage } = started();
    const { corpus } = current();
    // The import reads the texts of these games, so that the new corpus has everything that the old one has.
    const file = new File(written(ids, report, (batch) => corpus.texts(batch)), `${name}.pgn`);
    return importFiles(build, storage, name, [file], report);
  },

  async sets() {
    return current().sets.list();
  },

  async keepSet({ name, question }) {
    const { corpus, sets } = current();
    sets.mayBeCalled(name);
    return changed(await sets.keep([{ name, ...corpus.setOf(await ask(question)) }]));
  },

  async countSet({ expression }) {
    return current().corpus.combine(expression).games;
  },

  async combineSets({ name, expression }) {
    const { corpus, sets } = current();
    sets.mayBeCalled(name);
    return changed(await sets.keep([{ name, ...corpus.combine(expression) }]));
  },

  async keepParts({ prefix, question, key, rule, most }) {
    const { corpus, sets } = current();
    const parts = corpus.parts(await ask(question), key, rule, most);
    return { made: parts.length, sets: changed(await sets.keep(sets.named(prefix, parts))) };
  },

  async addSet({ name, file }) {
    return changed(await current().sets.add(name, file));
  },

  async renameSet({ name, to }) {
    return changed(await current().sets.rename(name, to));
  },

  async removeSet({ name }) {
    return changed(await current().sets.remove(name));
  },

  async setFile({ name }) {
    return current().sets.file(name);
  },

  async setOf({ question }) {
    return new Blob([current().corpus.setOf(await ask(question)).bytes], { type: 'application/octet-stream' });
  },
};

function started(): Engine {
  if (!engine) throw { code: 'engine', message: 'the engine is not running. Stored games are kept. Reload the page' } satisfies Failure;
  return engine;
}

function current(): Opened {
  if (!opened) throw { code: 'no-corpus', message: 'no corpus is open; choose one' } satisfies Failure;
  return opened;
}

/** The prepared form of a question. It is kept until another question comes, because each part of it costs a scan. */
async function ask(question: Question): Promise<PreparedQuestion> {
  const { corpus } = current();
  if (namesOpening(question.query)) await bringOpenings(started().build.wasm.knowOpenings);
  const words = JSON.stringify([question.query, question.within, question.parts, question.everywhere]);
  const last = current().asked;
  if (last?.words === words) return last.question;
  forget();
  const prepared = corpus.prepare(question);
  current().asked = { words, question: prepared };
  return prepared;
}

function forget(): void {
  opened?.asked?.question.free();
  if (opened) opened.asked = null;
}

/** Forgets the prepared question, because the names of sets may have changed their meaning. */
function changed(sets: NamedSet[]): NamedSet[] {
  forget();
  return sets;
}

/** Exports games in pieces. The browser keeps the Blobs, on disk if it likes, so only one batch is in the worker's memory. */
function written(ids: Uint32Array, report: (progress: Progress) => void, write: (batch: Uint32Array) => Uint8Array): Blob[] {
  const { wasm } = started().build;
  const parts: Blob[] = [];
  for (let at = 0; at < ids.length; at += EXPORT_BATCH) {
    if (wasm.isCancelled()) throw { code: 'cancelled', message: 'cancelled' } satisfies Failure;
    parts.push(new Blob([write(ids.subarray(at, at + EXPORT_BATCH)) as Uint8Array<ArrayBuffer>]));
    report({ kind: 'export', games_done: Math.min(ids.length, at + EXPORT_BATCH), games_total: ids.length });
  }
  return parts;
}

function close(): void {
  forget();
  opened?.corpus.free();
  opened?.source.close();
  opened = null;
}

/** Opens the file of the open corpus again after the page was left. If another tab has deleted it, no corpus is open. */
async function resume(): Promise<void> {
  try {
    await opened?.source.resume();
  } catch {
    forget();
    opened?.corpus.free();
    opened = null;
  }
}

const CODES: readonly Failure['code'][] = ['cancelled', 'bad-query', 'no-corpus', 'held', 'storage', 'bad-input', 'bad-corpus', 'engine'];

/** Anything thrown, as a code and a sentence. */
function failure(thrown: unknown): Failure {
  if (thrown instanceof WebAssembly.RuntimeError) return { code: 'engine', message: `the engine stopped (${thrown.message}). Stored games are kept. Reload the page` };
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message : String(thrown);
  return { code: CODES.find((known) => known === code) ?? 'engine', message: text };
}

/** The buffers of a result that can be transferred instead of copied. */
function transfers(result: Methods[Method]['result']): Transferable[] {
  const arrays = result instanceof Uint32Array ? [result] : result !== null && typeof result === 'object' && 'heatmap' in result ? [result.ids, result.heatmap] : [];
  return arrays.flatMap((array) => (array && array.buffer instanceof ArrayBuffer ? [array.buffer] : []));
}

async function serve<M extends Method>(request: { number: number; method: M; params: Methods[M]['params'] }): Promise<void> {
  const { number, method, params } = request;
  try {
    engine?.build.wasm.beginRequest(number);
    if (method !== 'release') await resume();
    const result = await handlers[method](params, (progress) => post({ number, state: 'progress', progress }));
    post({ number, state: 'done', result }, transfers(result));
  } catch (thrown) {
    post({ number, state: 'failed', failure: failure(thrown) });
  }
}

function post(reply: Reply, transfer: Transferable[] = []): void {
  self.postMessage(reply, transfer);
}

// Requests run one at a time and in order: one may wait for storage, and the next must not overtake it.
let last: Promise<void> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<Request>) => {
  last = last.then(() => serve(data));
};
