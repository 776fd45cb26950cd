// The local engine at the board: it searches the position that is shown while it is switched on. Lines of an older
// position are dropped, and the engine waits until the user stops stepping.
import { rankOf, scoreText, scoreWords, shortText, whiteScore, whiteShare, type Score } from '../analysis/score';
import type { Ending, SearchRequest } from '../analysis/session';
import type { Info } from '../analysis/uci';
import { keepValue, keptValue } from './kept';
import { positionOf } from './rules';
import { say } from './say';
import type { Shape } from './shapes';
import { turnOf, type Side } from './squares';

/** A line of moves with its evaluation from White's view. */
export interface Line {
  score: Score;
  depth: number;
  /** In UCI notation. */
  moves: readonly string[];
}

/** A running engine, as `Session` is one. */
export interface Engine {
  onfailure: ((error: unknown) => void) | null;
  search(request: SearchRequest, oninfo: (info: Info) => void): Promise<Ending>;
  stop(): void;
  setOption(name: string, value: number): void;
  close(): void;
}

/** What this module needs of its surroundings. The tests implement it too. */
export interface Surroundings {
  start(options: Readonly<Record<string, number>>, progress: (part: number) => void): Promise<Engine>;
  /** One sentence about a failure. */
  sentence(error: unknown): string;
  /** The most threads that an engine can have; 1 if the page has no shared memory. */
  threads: number;
}

export interface Options {
  lines: number;
  threads: number;
  /** Of the hash table, in megabytes. */
  hash: number;
}

export const MOST_LINES = 5;
export const HASH_SIZES = [16, 32, 64, 128, 256] as const;
/** While the user steps faster than this, the engine rests. */
const PAUSE_MS = 150;
/** How long the engine searches a position unless it is told to go on. */
const SEARCH_MS = 20_000;
const SHOW_EVERY_MS = 100;
/** Positions whose lines are remembered, so that stepping back shows them at once. */
const MOST_KNOWN = 300;
const STORED = 'plyfold.engine';

interface Known {
  lines: readonly Line[];
  /** Whether the search came to its end. */
  isComplete: boolean;
}

export class Analysis {
  state = $state<'off' | 'loading' | 'ready' | 'thinking' | 'failed'>('off');
  /** The part of the engine's download that is there. */
  loaded = $state(0);
  /** Why the engine does not run: one sentence. */
  trouble = $state('');
  /** The position that the lines are about; empty if the board shows none. */
  fen = $state('');
  lines = $state.raw<readonly Line[]>([]);
  nodesPerSecond = $state(0);
  options = $state.raw<Options>({ lines: 3, threads: 1, hash: 32 });

  readonly isOn = $derived(this.state !== 'off' && this.state !== 'failed');
  readonly depth = $derived(this.lines[0]?.depth ?? 0);
  /** Why there is nothing to search in this position; empty if there is. */
  readonly ending = $derived(endingOf(this.fen));
  /** The evaluation as the bar shows it; null as long as there is none. */
  readonly bar = $derived.by(() => {
    const score = this.lines[0]?.score;
    return score ? { share: whiteShare(score), text: scoreText(score), short: shortText(score), words: scoreWords(score) } : null;
  });
  /** Arrows of the first moves of the lines, the best one in another colour. */
  readonly shapes = $derived(arrows(this.isOn ? this.lines : []));

  readonly mostThreads: number;
  private readonly surroundings: Surroundings;
  private engine: Engine | null = null;
  private round = 0;
  private isHidden = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly known = new Map<string, Known>();

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.mostThreads = surroundings.threads;
    this.options = storedOptions(surroundings.threads);
  }

  async switchOn(): Promise<void> {
    if (this.isOn) return;
    const round = ++this.round;
    this.state = 'loading';
    this.loaded = 0;
    this.trouble = '';
    try {
      const { threads, hash } = this.options;
      const engine = await this.surroundings.start({ Threads: threads, Hash: hash }, (part) => round === this.round && (this.loaded = part));
      if (round !== this.round) return engine.close();
      this.engine = engine;
      engine.onfailure = (error) => this.fail(error);
      this.state = 'ready';
      storeOptions(this.options);
      void this.search();
    } catch (error) {
      if (round === this.round) this.fail(error);
    }
  }

  switchOff(): void {
    this.end();
    this.state = 'off';
    this.trouble = '';
    this.lines = [];
  }

  /** Follows the board. The engine begins when the position has stayed for a moment. */
  show(fen: string): void {
    if (fen === this.fen) return;
    this.fen = fen;
    this.lines = this.known.get(fen)?.lines ?? [];
    this.rest();
    this.timer = setTimeout(() => void this.search(), PAUSE_MS);
  }

  /** Stops while nobody looks at the page, and goes on afterwards. */
  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    if (isHidden) this.rest();
    else void this.search();
  }

  /** Searches the present position without an end. */
  async goOn(): Promise<void> {
    await this.search('none');
  }

  /** Stops the search of the present position. */
  stop(): void {
    this.rest();
  }

  set(change: Partial<Options>): void {
    this.options = limited({ ...this.options, ...change }, this.mostThreads);
    storeOptions(this.options);
    this.known.clear();
    this.engine?.setOption('Threads', this.options.threads);
    this.engine?.setOption('Hash', this.options.hash);
    this.rest();
    void this.search();
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.engine?.stop();
    if (this.state === 'thinking') this.state = 'ready';
  }

  private async search(limit: SearchRequest['limit'] = { milliseconds: SEARCH_MS }): Promise<void> {
    clearTimeout(this.timer);
    const { engine, fen, isHidden, ending } = this;
    if (!engine || fen === '' || isHidden || ending !== '') return;
    if (limit !== 'none' && this.known.get(fen)?.isComplete) return;
    this.state = 'thinking';
    const found = new Collector(fen, this.options.lines, (lines, info) => {
      this.keep(fen, { lines, isComplete: false });
      if (fen !== this.fen) return;
      this.lines = lines;
      this.nodesPerSecond = info.nodesPerSecond;
    });
    try {
      const ended = await engine.search({ fen, limit, lines: this.options.lines }, (info) => found.add(info));
      found.finish(ended === 'done');
      if (ended === 'stopped') return;
      const lines = this.known.get(fen)?.lines;
      if (lines) this.keep(fen, { lines, isComplete: true });
      if (fen === this.fen && this.state === 'thinking') this.state = 'ready';
    } catch (error) {
      found.finish(false);
      if (engine === this.engine) this.fail(error);
    }
  }

  private keep(fen: string, known: Known): void {
    const before = this.known.get(fen)?.lines ?? [];
    // A search that begins again is at first less deep than what is known.
    const isDeeper = (known.lines[0]?.depth ?? 0) >= (before[0]?.depth ?? 0);
    this.known.delete(fen);
    this.known.set(fen, isDeeper ? known : { ...known, lines: before });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  private end(): void {
    this.round++;
    clearTimeout(this.timer);
    this.engine?.close();
    this.engine = null;
  }

  private fail(error: unknown): void {
    this.end();
    this.state = 'failed';
    this.lines = [];
    this.trouble = this.surroundings.sentence(error);
  }
}

/** Collects the lines of a search, and passes them on when all lines of a depth are there, but not too often. */
class Collector {
  private readonly turn: Side;
  private depth = 0;
  private lines: Line[] = [];
  private last: Info | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private complete: readonly Line[] = [];
  private readonly most: number;
  private readonly publish: (lines: readonly Line[], info: Info) => void;

  constructor(fen: string, most: number, publish: (lines: readonly Line[], info: Info) => void) {
    this.turn = turnOf(fen);
    this.most = Math.min(most, legalMoves(fen));
    this.publish = publish;
  }

  add(info: Info): void {
    // A bound is no evaluation yet, and an exact one follows.
    if (info.score.bound !== 'exact' || info.pv.length === 0) return;
    if (info.depth !== this.depth) this.lines = [];
    this.depth = info.depth;
    this.lines[info.multipv - 1] = { score: whiteScore(info.score, this.turn), depth: info.depth, moves: info.pv };
    this.last = info;
    if (Object.keys(this.lines).length < this.most) return;
    this.complete = this.lines.slice(0, this.most);
    this.timer ??= setTimeout(() => this.pass(), SHOW_EVERY_MS);
  }

  /** Ends the collection; `isWanted` says whether what was not yet passed on still matters. */
  finish(isWanted: boolean): void {
    if (isWanted) this.pass();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private pass(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.last && this.complete.length > 0) this.publish(this.complete, this.last);
  }
}

function legalMoves(fen: string): number {
  let moves = 0;
  for (const squares of positionOf(fen)?.allDests().values() ?? []) moves += squares.size();
  return moves;
}

/** Why an engine has nothing to search in a position: one or two words or a sentence; empty if it has. */
export function endingOf(fen: string): string {
  if (fen === '') return '';
  const position = positionOf(fen);
  if (!position) return 'The engine takes only positions that can be played on.';
  if (position.isCheckmate()) return say('Checkmate.');
  return position.isStalemate() ? say('Stalemate.') : '';
}

function arrows(lines: readonly Line[]): Shape[] {
  const best = lines[0];
  const [bestMove] = best?.moves ?? [];
  if (!best || !bestMove) return [];
  // A move that loses more than a pawn against the best one gets no arrow.
  const isClose = ({ score }: Line) => Math.abs(rankOf(score) - rankOf(best.score)) <= 100;
  const others = lines.slice(1).filter(isClose).map(({ moves }) => shape(moves[0] ?? '', 'paleGrey'));
  return [...others, shape(bestMove, 'paleBlue')].filter(({ dest }) => dest !== '');
}

const shape = (uci: string, brush: string): Shape => ({ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush });

function limited(options: Options, mostThreads: number): Options {
  const within = (value: number, most: number) => Math.max(1, Math.min(most, Math.round(value) || 1));
  const hash = HASH_SIZES.findLast((size) => size <= options.hash) ?? HASH_SIZES[0];
  return { lines: within(options.lines, MOST_LINES), threads: within(options.threads, mostThreads), hash };
}

function storedOptions(mostThreads: number): Options {
  // Half of the cores, since the search of games needs some too.
  const first: Options = { lines: 3, threads: Math.ceil(mostThreads / 2), hash: 32 };
  const stored = keptValue(STORED) as Partial<Record<string, unknown>> | null;
  const number = (name: keyof Options) => {
    const value: unknown = stored?.[name];
    return typeof value === 'number' ? value : first[name];
  };
  return limited({ lines: number('lines'), threads: number('threads'), hash: number('hash') }, mostThreads);
}

function storeOptions(options: Options): void {
  keepValue(STORED, options);
}
