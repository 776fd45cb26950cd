// The engine worker: it takes one request after the other, calls the wasm package and replies. It decides
// nothing about chess or about what the page shows.
import { aliasHandlers, StoredAliases } from './aliases';
import { fetchAhead, loadBuild, type Build, type PreparedQuestion } from './build';
import { EndgameTables } from './endgametables';
import { editHandlers, GameEdits } from './gameedits';
import { filesOf, written } from './gametexts';
import { importFiles } from './import';
import { bringOpenings } from './openings';
import { ArrivingCorpus } from '../published/arriving';
import { LibraryDevice } from '../published/device';
import { PublishedLibrary } from '../published/library';
import { fetchFile, sizeOfFile } from '../published/linkedfile';
import type { PublishedCorpus } from '../published/manifest';
import { hostOf } from '../published/otherhost';
import { gamesOfPlayer } from '../published/sites';
import { isOfPool } from './poolmessages';
import { failure, transfers } from './replies';
import type { CorpusInfo, Failure, Method, Methods, NamedSet, Progress, Question, Reply, Request } from './protocol';
import { Sets } from './sets';
import { Storage } from './storage';

declare const self: DedicatedWorkerGlobalScope;

interface Opened {
  info: CorpusInfo;
  corpus: InstanceType<Build['wasm']['Corpus']>;
  sets: Sets;
  edits: GameEdits;
  aliases: StoredAliases;
  /** Set if the corpus is one of a published library. */
  arriving: ArrivingCorpus | null;
  /** The latest prepared question, kept for further outputs, and its words. */
  asked: { words: string; question: PreparedQuestion } | null;
}

interface Engine {
  build: Build;
  storage: Storage;
  /** How much of a published corpus may be in memory. */
  most_bytes: number;
}

fetchAhead();

const tables = new EndgameTables();

/** Whether endgame tables judge an output. */
const judges = (output: string) => output !== '' && started().build.wasm.outputs().some(({ name, asks_tables }) => name === output && asks_tables);

let engine: Engine | null = null;
let opened: Opened | null = null;
let library: PublishedLibrary | null = null;
/** The published corpus whose first part is on its way. */
let beginning: ArrivingCorpus | null = null;
/** The list of a library that was asked for while the engine was loaded. */
let early: { address: string; list: Promise<string> } | null = null;

type Handlers = { [M in Method]: (params: Methods[M]['params'], report: (progress: Progress) => void) => Promise<Methods[M]['result']> };

const handlers: Handlers = {
  async hello({ threads, library: address, most_bytes }) {
    if (address) early = { address, list: PublishedLibrary.fetchList(address) };
    const loading = loadBuild(threads);
    // The corpora are found while the engine is on its way.
    const opening = Storage.open(async (head) => (await loading).wasm.corpusSize(head));
    const [build, storage, corpora] = await Promise.all([loading, opening, opening.then((found) => found.list())]);
    engine = { build, storage, most_bytes };
    const shared = build.info.build === 'threads' && typeof SharedArrayBuffer === 'function' && build.memory.buffer instanceof SharedArrayBuffer;
    return {
      ...build.info,
      storage: storage.lasting,
      cancel: shared ? new Int32Array(build.memory.buffer, build.wasm.cancelAddress(), 1) : null,
      outputs: build.wasm.outputs(),
      corpora,
    };
  },

  async list() {
    return allCorpora();
  },

  async isKept({ address }) {
    return LibraryDevice.hasKept(address, started().build.wasm);
  },

  async library({ address, keep }) {
    const list = early?.address === address ? early.list : PublishedLibrary.fetchList(address);
    early = null;
    library = await PublishedLibrary.open(address, list, started().build.wasm, keep);
    return library.info();
  },

  async keepLibrary() {
    await library?.keep();
    return null;
  },

  async arrive({ go }) {
    if (go) opened?.arriving?.go();
    else opened?.arriving?.stop();
    return null;
  },

  async import({ name, files }, report) {
    const { build, storage } = started();
    return importFiles(build, storage, name, files, report);
  },

  async account({ corpus }) {
    return started().storage.account(corpus);
  },

  async sizeOf({ address }) {
    return { bytes: await sizeOfFile(hostOf(address), address) };
  },

  async importFrom({ address, name }, report) {
    const { build, storage } = started();
    const begun = performance.now();
    const file = await fetchFile(hostOf(address), address, {
      progress: (bytes_done) => report({ kind: 'fetch', bytes_done, elapsed_ms: performance.now() - begun }),
      isCancelled: () => build.wasm.isCancelled(),
    });
    return importFiles(build, storage, name, [file], report);
  },

  async importPlayer({ site, player, name }, report) {
    const { build, storage } = started();
    const files = await gamesOfPlayer(site, player, { report, isCancelled: () => build.wasm.isCancelled() });
    return importFiles(build, storage, name, files, report);
  },

  async join({ corpora, name }, report) {
    const { build, storage } = started();
    return importFiles(build, storage, name, await filesOf(corpora, build.wasm, storage, opened), report);
  },

  async open({ corpus: id }) {
    const { build, storage } = started();
    if (opened?.info.id === id) {
      opened.arriving?.go();
      return opened.info;
    }
    const published = library?.find(id);
    if (library && published) return openPublished(id, library, published);
    const info = await storage.info(id);
    const corpus = new build.wasm.Corpus(await storage.read(id), id);
    const sets = await Sets.open(id, corpus, storage).catch((error: unknown) => {
      corpus.free();
      throw error;
    });
    const edits = await GameEdits.open(id, corpus, storage, () => bringOpenings(build.wasm.knowOpenings));
    const aliases = await StoredAliases.open(id, corpus, storage);
    // The previous corpus is closed only now, so it stays open if the new one cannot be opened.
    close();
    opened = { corpus, sets, edits, aliases, arriving: null, asked: null, info: info ?? { id, name: id, games: corpus.games, plies: corpus.plies, size_bytes: corpus.size_bytes, created_ms: 0, kept: 'device' } };
    return opened.info;
  },

  async remove({ corpus: id }) {
    const { storage } = started();
    const own = opened?.info.id === id;
    const published = library?.find(id);
    if (library && published) {
      if (own) close();
      await library.remove(published);
      return allCorpora();
    }
    // If the corpus cannot be deleted, the next request takes up its file again.
    if (own) opened?.corpus.release();
    await storage.remove(id);
    if (own) close();
    return allCorpora();
  },

  async check({ query, words = false }) {
    const { wasm } = started().build;
    await bringOpeningsFor(query);
    const problem = wasm.check(query) ?? opened?.corpus.unknown(query) ?? null;
    if (!words || !wasm.arePlainWords(query)) return problem;
    return { ...(problem ?? { message: '', from: 0, to: query.length, expected: [], nearest: '', id: '', arguments: [] }), areWords: true };
  },

  async inThisLanguage({ query, language }) {
    return started().build.wasm.inThisLanguage(query, language);
  },

  complete: async ({ query, at }) => started().build.wasm.complete(query, at),
  paint: async ({ query }) => started().build.wasm.paint(query),
  conditions: async ({ query }) => started().build.wasm.conditions(query) ?? null,
  changed: async ({ query, change }) => started().build.wasm.changedQuery(query, change) ?? null,

  async notes({ query }) {
    return [...started().build.wasm.notes(query), ...(opened?.corpus.unstored(query) ?? [])];
  },

  hasWindows: async ({ query }) => started().build.wasm.has_windows(query),
  predicates: async () => started().build.wasm.predicates(),

  async compose({ query, condition }) {
    const { together, apart } = started().build.wasm.composed(query, condition);
    const isRefused = together === null || (await handlers.check({ query: together }, () => undefined)) !== null;
    return { together: isRefused ? null : together, apart };
  },

  async query({ question, outputs }) {
    const { build } = started();
    if (judges(outputs.table) || asksTables(outputs.key)) await bringTables();
    const { corpus } = current();
    const start = performance.now();
    const run = corpus.run(await ask(question), outputs);
    const elapsed_ms = performance.now() - start;
    return { ...corpus.results(run), elapsed_ms, memory_bytes: build.memory.buffer.byteLength };
  },

  async without({ question }) {
    if (asksTables(question.query)) await bringTables();
    return current().corpus.without(question);
  },

  async names({ field, text, most }) {
    const { corpus } = current();
    if (field === 'opening') await bringOpenings(started().build.wasm.knowOpenings);
    return corpus.names(field, text, most);
  },

  async readPhrase({ text, own }) {
    const { corpus } = current();
    await bringOpenings(started().build.wasm.knowOpenings);
    return corpus.readPhrase(text, own);
  },

  async suggest({ text }) {
    const { corpus } = current();
    await bringOpenings(started().build.wasm.knowOpenings);
    return corpus.suggest(text);
  },

  async whyNot({ id, query }) {
    if (asksTables(query)) await bringTables();
    return current().corpus.whyNot(id, query);
  },

  async release() {
    opened?.corpus.release();
    return null;
  },

  async tables({ files }) {
    tables.take(files);
    return null;
  },

  async explore({ question, fen, among }) {
    return inPosition(question, fen, among, (asked) => current().corpus.nextMoves(asked));
  },

  async resultTable({ question, output, key, fen, among }) {
    if (judges(output) || asksTables(key)) await bringTables();
    const table = (asked: PreparedQuestion) => current().corpus.resultTable(asked, output, key);
    return fen === '' ? table(await ask(question)) : inPosition(question, fen, among, table);
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

  async score({ ids, player }) {
    return current().corpus.score(ids, player);
  },

  async rows({ ids }) {
    return current().corpus.rows(Uint32Array.from(ids));
  },

  async game({ id, query, everywhere = false }) {
    const { corpus } = current();
    if (asksTables(query)) await bringTables();
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
    await opened?.arriving?.bringTexts([id]);
    return new TextDecoder().decode(current().corpus.text(id));
  },

  async export({ ids }, report) {
    return new Blob(await texts(ids, report), { type: 'application/x-chess-pgn' });
  },

  async lines({ ids, query, everywhere, form }, report) {
    const { corpus } = current();
    await bringOpeningsFor(query);
    if (asksTables(query)) await bringTables();
    return new Blob(await written(started().build.wasm, ids, report, (batch) => corpus.lines(batch, query, everywhere, form === 'epd')), { type: 'text/plain' });
  },

  async collect({ ids, name }, report) {
    const { build, storage } = started();
    // The import reads the texts of these games, so that the new corpus has everything that the old one has.
    const file = new File(await texts(ids, report), `${name}.pgn`);
    return importFiles(build, storage, name, [file], report);
  },

  ...editHandlers(() => current().edits, forget),
  ...aliasHandlers(() => current().aliases, forget),
  similarNames: async ({ kind }) => current().corpus.similarNames(kind),

  async tags({ ids }) {
    const { corpus, arriving } = current();
    await arriving?.bringTexts(ids);
    return ids.map((id) => corpus.tags(id));
  },

  editedText: async ({ id }) => new TextDecoder().decode(current().corpus.editedText(id)),
  doubles: async () => current().corpus.doubles(),
  sets: async () => current().sets.list(),

  async keepSet({ name, question }) {
    const { corpus, sets } = complete();
    sets.mayBeCalled(name);
    return changed(await sets.keep([{ name, ...corpus.setOf(await ask(question)) }]));
  },

  async countSet({ expression }) {
    return current().corpus.combine(expression).games;
  },

  async combineSets({ name, expression }) {
    const { corpus, sets } = complete();
    sets.mayBeCalled(name);
    return changed(await sets.keep([{ name, ...corpus.combine(expression) }]));
  },

  async keepParts({ prefix, question, key, rule, most }) {
    const { corpus, sets } = complete();
    if (asksTables(key)) await bringTables();
    const parts = corpus.parts(await ask(question), key, rule, most);
    return { made: parts.length, sets: changed(await sets.keep(sets.named(prefix, parts))) };
  },

  async addSet({ name, file }) {
    return changed(await complete().sets.add(name, file));
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

/** The open corpus, which must have all its games: a set belongs to their number. */
function complete(): Opened {
  const open = current();
  if (open.arriving?.isWhole === false) throw { code: 'bad-input', message: 'sets can be saved once all parts of these games are here' } satisfies Failure;
  return open;
}

/** The corpora on this device, and those of the published library. */
async function allCorpora(): Promise<CorpusInfo[]> {
  return [...(await started().storage.list()), ...(library?.list() ?? [])];
}

/** Opens a corpus of the published library as soon as its first part is there. */
async function openPublished(id: string, from: PublishedLibrary, published: PublishedCorpus): Promise<CorpusInfo> {
  const { build, storage, most_bytes } = started();
  const texts = from.texts(published);
  const corpus = build.wasm.Corpus.arriving(published.id, texts);
  const arriving = new ArrivingCorpus(id, corpus, from.arrival(published, build.info.threads, most_bytes), texts, {
    between,
    grown: (isWhole) => {
      forget();
      if (isWhole) opened?.sets.tryAgain();
    },
    notice: (arrived) => post({ state: 'arrived', arrived }),
    storageNote: () => from.storageNote,
  });
  beginning = arriving;
  try {
    await arriving.begin((digest) => from.isHere(digest));
    const sets = await Sets.open(from.setsOf(published), corpus, storage);
    close();
    opened = { corpus, sets, edits: new GameEdits(id, corpus, null), aliases: StoredAliases.published(id, corpus, from.aliases), arriving, asked: null, info: from.describe(published) };
  } catch (thrown) {
    arriving.close();
    corpus.free();
    throw thrown;
  } finally {
    beginning = null;
  }
  arriving.go();
  return opened.info;
}

/** Does something with the games in which a position came, all or those of a question. */
async function inPosition<T>(question: Question, fen: string, among: boolean, use: (asked: PreparedQuestion) => T): Promise<T> {
  const { corpus } = current();
  const query = `fen "${fen}"`;
  const asked = among ? corpus.among(await ask(question), query) : corpus.prepare({ query, within: '', parts: [], everywhere: false });
  try {
    return use(asked);
  } finally {
    asked.free();
  }
}

/** Fetches the names of openings if a query has one. */
async function bringOpeningsFor(query: string): Promise<void> {
  const { wasm } = started().build;
  if (wasm.namesOpening(query)) await bringOpenings(wasm.knowOpenings);
}

/** Whether endgame tables decide one of these queries, or know one of these numbers. */
function asksTables(...texts: string[]): boolean {
  return texts.some((text) => started().build.wasm.asksTables(text));
}

/** The prepared form of a question. It is kept until another question comes, because each part of it costs a scan. */
async function ask(question: Question): Promise<PreparedQuestion> {
  const { corpus } = current();
  await bringOpeningsFor(question.query);
  const words = JSON.stringify([question.query, question.within, question.parts, question.everywhere]);
  if (asksTables(question.query, ...question.parts.flatMap((part) => ('key' in part ? [part.key] : [])))) await bringTables();
  const last = current().asked;
  if (last?.words === words) return last.question;
  forget();
  const prepared = corpus.prepare(question);
  current().asked = { words, question: prepared };
  return prepared;
}

/** Lets queries ask the tables that the page has given. A question that was prepared before asks the old ones. */
async function bringTables(): Promise<void> {
  if (await tables.bring(started().build.wasm.TableFiles)) forget();
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

/** The texts of games, in pieces. */
async function texts(ids: Uint32Array, report: (progress: Progress) => void): Promise<Blob[]> {
  const { corpus, arriving } = current();
  return written(started().build.wasm, ids, report, async (batch) => {
    await arriving?.bringTexts(batch);
    return corpus.texts(batch);
  });
}

function close(): void {
  forget();
  opened?.arriving?.close();
  opened?.corpus.free();
  opened = null;
}

/** Opens the file of the open corpus again after the page was left. If another tab has deleted it, no corpus is open. */
async function resume(): Promise<void> {
  if (!opened?.corpus.is_released) return;
  try {
    opened.corpus.resume(await started().storage.read(opened.info.id));
  } catch {
    close();
  }
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
let waiting = 0;
/** When the last reply was given. */
let replied = 0;
self.onmessage = ({ data }: MessageEvent<Request>) => {
  // The pool of threads listens for its own messages.
  if (isOfPool(data)) return;
  // Whoever chooses another corpus or brings games does not wait for the first part of this one.
  if (data.method === 'import' || data.method === 'importFrom' || data.method === 'importPlayer' || data.method === 'join' || (data.method === 'open' && beginning?.id !== data.params.corpus)) beginning?.close();
  if (data.method === 'pgn' && opened?.arriving) void serveText(data, data.params.id, opened.arriving);
  else enqueue(data);
};

function enqueue(request: Request): void {
  waiting++;
  last = last.then(() => serve(request)).finally(() => {
    waiting--;
    replied = performance.now();
  });
}

/** The text of a game may be long on its way from the host, and other requests do not wait for it. */
async function serveText(request: Request, game: number, arriving: ArrivingCorpus): Promise<void> {
  try {
    await arriving.bringTexts([game]);
  } catch (thrown) {
    post({ number: request.number, state: 'failed', failure: failure(thrown) });
    return;
  }
  enqueue(request);
}

/** The page asks the next request right after the reply to one: so long it has the worker for itself. */
const PAGES_TURN_MS = 25;
/** A page that never stops asking waits after this time. */
const MOST_PATIENCE_MS = 300;

/** Runs a task between two requests. */
async function between(task: () => void | Promise<void>): Promise<void> {
  const until = performance.now() + MOST_PATIENCE_MS;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // The worker reads its messages meanwhile.
  await pause(0);
  while ((waiting > 0 || performance.now() - replied < PAGES_TURN_MS) && performance.now() < until) await pause(PAGES_TURN_MS);
  last = last.then(task).catch((thrown: unknown) => reportError(thrown));
  await last;
}
