// The engine's side of the package: it opens games once and answers requests about them, one after the other. It runs in the
// package's worker, and in Node in the program's own thread. All games are in memory.
import { loadBuild, type Build } from '../engine/build';
import { ALL, ALL_GAMES } from '../engine/corpusid';
import { bringOpenings } from '../engine/openings';
import { Arrival } from '../published/arrival';
import { ArrivingCorpus } from '../published/arriving';
import { LibraryDevice } from '../published/device';
import type { Host } from '../published/host';
import { canBeJoined, joined } from '../published/joined';
import { MOST_MANIFEST_BYTES, readManifest, type Manifest, type PublishedCorpus } from '../published/manifest';
import { PublishedTexts } from '../published/texts';
import type { ErrorCode, LibraryInfo, Position, QueryProblem } from './api';
import { fetchBytes, isCorpus, type NamedBytes } from './bytes';
import type { Failure, Listener, Method, Methods, Opened, Opening } from './protocol';

/** What differs between a worker and Node. */
export interface Surroundings {
  loadBuild(threads: number | null, silence_ms: number): Promise<Build>;
  /** What asks hosts, each of which may be silent for so long. */
  host(silence_ms: number): Host;
  /** Reads one of the package's own files; undefined leaves it to the browser. */
  readOwnFile: ((address: string) => Promise<string | null>) | undefined;
  bytesOf(data: Blob | Uint8Array, name: string): Promise<NamedBytes>;
}

export { loadBuild };

interface OpenGames {
  build: Build;
  corpus: InstanceType<Build['wasm']['Corpus']>;
  arriving: ArrivingCorpus | null;
}

const MOST_REFUSALS = 100;
const EPD = /^(.*) hmvc (\d+); fmvn (\d+);.* c0 "game (\d+) ply (\d+)";$/;

type Handlers = { [M in Method]: (params: Methods[M]['params'], signal: AbortSignal) => Promise<Methods[M]['result']> };

export class Session {
  private readonly around: Surroundings;
  private readonly listener: Listener;
  private opened: OpenGames | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private readonly ended = new AbortController();

  constructor(around: Surroundings, listener: Listener) {
    this.around = around;
    this.listener = listener;
  }

  /** Requests run one at a time and in order. What is thrown is a `Failure`, or the reason of the signal. */
  run<M extends Method>(number: number, method: M, params: Methods[M]['params'], signal: AbortSignal): Promise<Methods[M]['result']> {
    const both = AbortSignal.any([signal, this.ended.signal]);
    const task = async () => {
      both.throwIfAborted();
      this.opened?.build.wasm.beginRequest(number);
      try {
        const result = await this.handlers[method](params, both);
        both.throwIfAborted();
        return result;
      } catch (thrown) {
        throw both.aborted ? both.reason : failureOf(thrown);
      }
    };
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }

  close(): void {
    this.ended.abort();
    this.opened?.arriving?.close();
    // A request that still runs uses the corpus, or opens it.
    void this.last.then(() => {
      this.opened?.arriving?.close();
      this.opened?.corpus.free();
      this.opened = null;
    });
  }

  private readonly handlers: Handlers = {
    open: async ({ from, corpus, threads, silence_ms }, signal) => {
      const build = await this.around.loadBuild(threads, silence_ms);
      if ('address' in from && new URL(from.address).pathname.endsWith('.json')) return this.openLibrary(build, this.around.host(silence_ms), { address: from.address, corpus }, signal);
      return this.openFile(build, await this.bytes(from, silence_ms, signal), signal);
    },

    outputs: async () => this.current().build.wasm.outputs().map(({ name, summary, takes_key }) => ({ name, summary, takesKey: takes_key })),

    tabulate: async ({ output, query, key, everywhere }) => {
      const question = await this.prepared(query, everywhere);
      try {
        const { columns, rows } = this.current().corpus.resultTable(question, output, key);
        return { columns, rows };
      } finally {
        question.free();
      }
    },

    query: async ({ query, heatmap, everywhere }) => {
      const found = await this.found(query, heatmap, everywhere);
      return { games: found.games, positions: found.positions, ids: found.ids, heatmap: found.heatmap && Uint32Array.from(found.heatmap) };
    },

    check: ({ query }) => this.problem(query),

    readPhrase: async ({ text }) => {
      const { build, corpus } = this.current();
      await bringOpenings(build.wasm.knowOpenings, this.around.readOwnFile);
      const { query, understood, unknown, others } = corpus.readPhrase(text, '');
      const counted = [];
      for (const other of others) counted.push({ query: other, games: await this.count(other) });
      return { query, understood, unknown, others: counted.filter(({ games }) => games > 0) };
    },

    rows: async ({ ids }) => this.current().corpus.rows(ids),

    positions: async ({ ids, query, everywhere }) => {
      const lines = new TextDecoder().decode(this.current().corpus.lines(ids, query, everywhere, true)).split('\n');
      return lines.flatMap((line) => positionOf(line) ?? []);
    },

    replay: async ({ id, query }) => {
      const { corpus } = this.current();
      if (query !== '') await this.mustBeValid(query);
      const { start_fen, plies } = corpus.replay(id);
      return { fen: start_fen, moves: plies, matches: query === '' ? [] : [...corpus.matches(id, query, false)] };
    },

    pgn: async ({ id }) => {
      const { corpus, arriving } = this.current();
      await arriving?.bringTexts([id]);
      return new TextDecoder().decode(corpus.text(id));
    },
  };

  private current(): OpenGames {
    if (!this.opened) throw { code: 'closed', message: 'these games are closed', problem: null } satisfies Failure;
    return this.opened;
  }

  private async problem(query: string): Promise<QueryProblem | null> {
    const { wasm } = this.current().build;
    if (wasm.namesOpening(query)) await bringOpenings(wasm.knowOpenings, this.around.readOwnFile);
    const problem = wasm.check(query);
    return problem ? { message: problem.message, from: problem.from, to: problem.to, expected: [...problem.expected] } : null;
  }

  private async found(query: string, heatmap: boolean, everywhere: boolean) {
    const question = await this.prepared(query, everywhere);
    const { corpus } = this.current();
    try {
      return corpus.results(corpus.run(question, { heatmap, structures: 0, positions: 0, one_per_game: false, next: false, key: '', table: '' }));
    } finally {
      question.free();
    }
  }

  private async count(query: string): Promise<number> {
    return (await this.found(query, false, false)).games;
  }

  /** A query, ready to run; whoever asks frees it. */
  private async prepared(query: string, everywhere: boolean) {
    await this.mustBeValid(query);
    return this.current().corpus.prepare({ query, within: '', parts: [], everywhere });
  }

  private async mustBeValid(query: string): Promise<void> {
    const problem = await this.problem(query);
    if (problem) throw { code: 'bad-query', message: `${problem.message} (at ${problem.from + 1} of the query)`, problem } satisfies Failure;
  }

  private bytes(from: Opening, silence_ms: number, signal: AbortSignal): Promise<NamedBytes> {
    if ('data' in from) return this.around.bytesOf(from.data, from.name);
    return fetchBytes(from.address, silence_ms, signal, (progress) => this.listener.progress(progress));
  }

  private async openFile(build: Build, file: NamedBytes, signal: AbortSignal): Promise<Opened> {
    const { Corpus } = build.wasm;
    const { name, size, bytes } = file;
    if (await isCorpus(file)) {
      this.opened = { build, corpus: new Corpus(bytes), arriving: null };
      return this.openedNow({ refused: 0, inPart: 0 }, []);
    }
    await bringOpenings(build.wasm.knowOpenings, this.around.readOwnFile);
    const task = new build.wasm.Import();
    try {
      task.file(name, bytes, (done, games) => {
        this.listener.progress({ bytes: done, totalBytes: size, games });
        // In Node, whoever is told may give up.
        return !signal.aborted;
      });
      this.listener.progress({ bytes: size, totalBytes: size, games: task.games });
      const first = task.refusals().slice(0, MOST_REFUSALS);
      const refusals = first.map(({ byte, ply, reason, kept_in_part: keptInPart }) => ({ byte, ply, reason, keptInPart }));
      if (task.games === 0) throw { code: 'bad-input', message: noGames(name, refusals[0]), problem: null } satisfies Failure;
      // Without a file, all of it is in memory.
      this.opened = { build, corpus: new Corpus(task.finish() ?? []), arriving: null };
      return this.openedNow({ refused: task.refused, inPart: task.in_part }, refusals);
    } finally {
      task.free();
    }
  }

  private openedNow(unread: Pick<Opened, 'refused' | 'inPart'>, refusals: Opened['refusals']): Opened {
    const { build, corpus } = this.current();
    const isShared = typeof SharedArrayBuffer === 'function' && build.memory.buffer instanceof SharedArrayBuffer;
    return {
      games: corpus.games,
      plies: corpus.plies,
      ...unread,
      refusals,
      threads: build.info.threads,
      library: null,
      arrived: null,
      cancel: isShared ? new Int32Array(build.memory.buffer, build.wasm.cancelAddress(), 1) : null,
    };
  }

  private async openLibrary(build: Build, host: Host, { address, corpus: wanted }: { address: string; corpus: readonly string[] | null }, signal: AbortSignal): Promise<Opened> {
    const { bytes } = await host.fetch({ url: address, bytes: MOST_MANIFEST_BYTES, range: null, cache: 'no-cache' }, signal);
    const manifest = manifestOf(new TextDecoder().decode(bytes));
    const published = corpusOf(manifest, wanted, build.wasm.checksumOf);
    const texts = new PublishedTexts(published, host, address);
    const corpus = build.wasm.Corpus.arriving(published.id, texts);
    const arrival = new Arrival(published, { host, address, device: LibraryDevice.none(), unpacking: build.wasm, threads: build.info.threads, most_bytes: Infinity });
    const arriving = new ArrivingCorpus(published.name, corpus, arrival, texts, {
      between: (task) => this.between(task),
      grown: () => undefined,
      notice: ({ games, plies, parts, parts_total, trouble }) => this.listener.arrived({ games, plies, parts, totalParts: parts_total, trouble }),
      storageNote: () => '',
    });
    const close = () => arriving.close();
    signal.addEventListener('abort', close);
    try {
      await arriving.begin(() => false);
      signal.throwIfAborted();
    } catch (thrown) {
      arriving.close();
      corpus.free();
      throw thrown;
    } finally {
      signal.removeEventListener('abort', close);
    }
    this.opened = { build, corpus, arriving };
    arriving.go();
    const arrived = { games: corpus.games, plies: corpus.plies, parts: arrival.taken, totalParts: published.shards.length, trouble: '' };
    return { ...this.openedNow({ refused: 0, inPart: 0 }, []), library: infoOf(manifest), arrived };
  }

  /** Adds parts of a library between two requests. */
  private async between(task: () => void | Promise<void>): Promise<void> {
    // The worker reads its messages meanwhile.
    await new Promise((resolve) => setTimeout(resolve));
    const added = this.last.then(task);
    this.last = added.catch(() => undefined);
    await added;
  }
}

function noGames(name: string, first: Opened['refusals'][number] | undefined): string {
  if (!first) return `${name} has no games: it does not look like PGN`;
  return `${name} has no game that can be read; the first problem is at byte ${first.byte}: ${first.reason}`;
}

function positionOf(line: string): Position | null {
  const [, board = '', halves = '', moves = '', game, ply] = EPD.exec(line) ?? [];
  return game === undefined ? null : { game: Number(game), ply: Number(ply), fen: `${board} ${halves} ${moves}` };
}

function manifestOf(text: string): Manifest {
  try {
    return readManifest(text);
  } catch (error) {
    throw { code: 'bad-corpus', message: error instanceof Error ? error.message : String(error), problem: null } satisfies Failure;
  }
}

/** The first corpus, the wanted one, or several as one. */
function corpusOf({ corpora }: Manifest, wanted: readonly string[] | null, checksumOf: (bytes: Uint8Array) => string): PublishedCorpus {
  const unknown = wanted?.find((name) => name !== ALL && !corpora.some((corpus) => corpus.name === name));
  const named = wanted === null ? corpora.slice(0, 1) : wanted.includes(ALL) ? corpora : corpora.filter(({ name }) => wanted.includes(name));
  if (unknown === undefined && canBeJoined(named)) return joined(named, ALL_GAMES, checksumOf);
  if (unknown === undefined && named.length === 1 && named[0]) return named[0];
  const names = corpora.map(({ name }) => `"${name}"`).join(', ');
  const message = unknown !== undefined && names !== '' ? `this library has no games called "${unknown}", but ${names}` : named.length > 1 ? 'these corpora have more games together than can be numbered' : 'this library has no games';
  throw { code: 'bad-input', message, problem: null } satisfies Failure;
}

function infoOf({ title, updated, questions, corpora }: Manifest): LibraryInfo {
  return { title, updated, questions: questions.map((one) => ({ ...one })), corpora: corpora.map(({ name, games }) => ({ name, games })) };
}

/** The engine's codes that are told as they are; whatever cannot be read is bad input. */
const CODES: Record<string, ErrorCode> = { 'bad-query': 'bad-query', 'bad-input': 'bad-input', storage: 'bad-input', 'bad-corpus': 'bad-corpus', host: 'host', closed: 'closed' };

/** Anything thrown, as a code and a sentence. */
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof WebAssembly.RuntimeError) return { code: 'engine', message: `the engine stopped (${thrown.message}). Open the games again`, problem: null };
  const { code, message, problem = null } = typeof thrown === 'object' && thrown !== null ? (thrown as Partial<Failure>) : {};
  return { code: CODES[String(code)] ?? 'engine', message: message || String(thrown), problem };
}
