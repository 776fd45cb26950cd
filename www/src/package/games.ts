// Open games as the package shows them: numbers from 1, iterators, and results as objects. It knows neither worker nor wasm.
import { PATIENCE_MS } from '../engine/patience';
import type { GameRow } from '../engine/types';
import { PlyfoldError, type Arrival, type Game, type Games, type OpenOptions, type OutputKind, type Phrase, type Position, type QueryOptions, type QueryProblem, type QueryResult, type Replay, type ResultTable, type TabulateOptions } from './api';
import type { Arrived, Engine, Found, Listener, Opened, Opening } from './protocol';

/** Games, or games with positions, that are fetched from the engine at a time. */
const GAMES_AT_ONCE = 200;
const GAMES_OF_POSITIONS_AT_ONCE = 50;

/** Opens games in an engine that `start` makes. */
export async function openGames(start: (listener: Listener) => Engine, from: Opening, { signal, onProgress, threads, corpus, silenceMs }: OpenOptions): Promise<Games> {
  signal?.throwIfAborted();
  const silence_ms = silenceOf(silenceMs);
  let arrived: ((arrived: Arrived) => void) | null = null;
  const engine = start({ progress: (progress) => onProgress?.(progress), arrived: (news) => arrived?.(news) });
  try {
    const games = new OpenGames(engine, await engine.call('open', { from, corpus: typeof corpus === 'string' ? [corpus] : (corpus ?? null), threads: threads ?? null, silence_ms }, signal));
    arrived = (news) => games.grow(news);
    return games;
  } catch (thrown) {
    engine.close();
    throw thrown;
  }
}

/** How long a host may be silent, as a program says it. */
export function silenceOf(ms = PATIENCE_MS): number {
  if (!(ms > 0)) throw new PlyfoldError('bad-input', `silenceMs is ${String(ms)}, and not a number of milliseconds above 0`);
  return ms;
}

class OpenGames implements Games {
  private readonly engine: Engine;
  private readonly opened: Opened;
  private arrived: Arrived | null;
  private isClosed = false;
  private readonly waiting = new Set<() => void>();

  constructor(engine: Engine, opened: Opened) {
    this.engine = engine;
    this.opened = opened;
    this.arrived = opened.arrived;
  }

  get games(): number {
    return (this.arrived ?? this.opened).games;
  }

  get plies(): number {
    return (this.arrived ?? this.opened).plies;
  }

  get refused() {
    return this.opened.refused;
  }

  get inPart() {
    return this.opened.inPart;
  }

  get refusals() {
    return this.opened.refusals;
  }

  get threads() {
    return this.opened.threads;
  }

  get library() {
    return this.opened.library;
  }

  get isComplete(): boolean {
    return !this.arrived || this.arrived.parts === this.arrived.totalParts;
  }

  grow(arrived: Arrived): void {
    this.arrived = arrived;
    this.tell();
  }

  async *arrivals(): AsyncIterableIterator<Arrival> {
    let parts = -1;
    for (;;) {
      const { games, plies } = this;
      const now = this.arrived ?? { parts: 1, totalParts: 1, trouble: '' };
      if (now.parts > parts) yield { games, plies, parts: now.parts, totalParts: now.totalParts };
      parts = Math.max(parts, now.parts);
      if (this.isClosed) throw new PlyfoldError('closed', 'these games are closed');
      if (this.isComplete && parts === (this.arrived?.parts ?? 1)) return;
      if (this.arrived === now && now.trouble !== '') throw new PlyfoldError('host', now.trouble);
      if (this.arrived === null || this.arrived === now) await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  async query(query: string, { heatmap = false, everywhere = false, signal }: QueryOptions = {}): Promise<QueryResult> {
    return new Result(this.engine, { query, everywhere }, await this.engine.call('query', { query, heatmap, everywhere }, signal));
  }

  outputs(): Promise<OutputKind[]> {
    return this.engine.call('outputs', {});
  }

  tabulate(output: string, query: string, { key = '', everywhere = false, signal }: TabulateOptions = {}): Promise<ResultTable> {
    return this.engine.call('tabulate', { output, query, key, everywhere }, signal);
  }

  check(query: string): Promise<QueryProblem | null> {
    return this.engine.call('check', { query });
  }

  readPhrase(text: string): Promise<Phrase> {
    return this.engine.call('readPhrase', { text });
  }

  async game(number: number): Promise<Game> {
    // The engine may have further games of a library already.
    const isBeyond = this.isComplete && number > this.games;
    if (!Number.isInteger(number) || number < 1 || isBeyond) throw new PlyfoldError('bad-input', `there is no game ${number}; they are numbered from 1 to ${this.games}`);
    const [row] = await this.engine.call('rows', { ids: Uint32Array.of(number - 1) });
    return new GameOf(this.engine, row!);
  }

  close(): void {
    this.isClosed = true;
    this.engine.close();
    this.tell();
  }

  private tell(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const go of waiting) go();
  }
}

class Result implements QueryResult {
  readonly games: number;
  readonly positions: number;
  readonly numbers: Uint32Array;
  readonly heatmap: Uint32Array | null;
  private readonly engine: Engine;
  private readonly asked: { query: string; everywhere: boolean };

  constructor(engine: Engine, asked: Result['asked'], found: Found) {
    this.engine = engine;
    this.asked = asked;
    this.games = found.games;
    this.positions = found.positions;
    this.numbers = found.ids.map((id) => id + 1);
    this.heatmap = found.heatmap;
  }

  async *each(from = 0): AsyncIterableIterator<Game> {
    for (const ids of this.batches(from, GAMES_AT_ONCE)) {
      for (const row of await this.engine.call('rows', { ids })) yield new GameOf(this.engine, row);
    }
  }

  async *eachPosition(): AsyncIterableIterator<Position> {
    for (const ids of this.batches(0, GAMES_OF_POSITIONS_AT_ONCE)) yield* await this.engine.call('positions', { ids, ...this.asked });
  }

  private *batches(from: number, most: number): Iterable<Uint32Array> {
    for (let at = from; at < this.numbers.length; at += most) yield this.numbers.subarray(at, at + most).map((number) => number - 1);
  }
}

class GameOf implements Game {
  readonly number: number;
  readonly white: string;
  readonly black: string;
  readonly whiteElo: number;
  readonly blackElo: number;
  readonly result: Game['result'];
  readonly eco: string;
  readonly opening: string;
  readonly date: string;
  readonly event: string;
  readonly site: string;
  readonly plies: number;
  readonly #engine: Engine;

  constructor(engine: Engine, row: GameRow) {
    this.#engine = engine;
    this.number = row.id + 1;
    this.white = row.white;
    this.black = row.black;
    this.whiteElo = row.white_elo;
    this.blackElo = row.black_elo;
    this.result = row.result;
    this.eco = row.eco;
    this.opening = row.opening;
    this.date = row.date;
    this.event = row.event;
    this.site = row.site;
    this.plies = row.plies;
  }

  pgn(): Promise<string> {
    return this.#engine.call('pgn', { id: this.number - 1 });
  }

  replay(query = ''): Promise<Replay> {
    return this.#engine.call('replay', { id: this.number - 1, query });
  }
}
