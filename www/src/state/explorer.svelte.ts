// The explorer: how games continued from the matching positions, or from a position of its own on which
// the user plays moves; by rating and years; and the best games of the position. It drops late results of an
// older request.
import { EngineError, type EngineClient } from '../engine/client';
import type { GameRow, NextMoves, Question, SortKey } from '../engine/protocol';
import type { TimeClass } from './filters';
import { ALL_GAMES, CLASSES, conditionOf, RATING_BANDS, type GameFilter, type Span } from './gamefilter';
import { sentence } from './library.svelte';
import { START_FEN } from './replay.svelte';
import type { Step } from './rules';
import { NO_OUTPUTS, WHOLE_CORPUS } from './search.svelte';

/** Games listed of each kind under the moves. */
const TOP = 3;

/** A game with the explorer's position, and the ply of this position. */
export interface TopGame {
  row: GameRow;
  ply: number;
}

export interface TopGames {
  best: readonly TopGame[];
  newest: readonly TopGame[];
}

/** What the games of a corpus can be filtered by. */
export interface Filters {
  /** The rating bands that have games. */
  bands: readonly { span: Span; games: number }[];
  /** The time classes that have games. */
  classes: readonly { name: TimeClass; games: number }[];
  /** The first and the last year; null if no game has a year. */
  years: { from: number; to: number } | null;
}

/** What the engine is asked for the next moves. */
interface ExplorerRequest {
  question: Question;
  fen: string;
  among: boolean;
}

export class Explorer {
  /** The line from the first position to the present one; empty for the matching positions. */
  line = $state.raw<readonly Step[]>([]);
  /** Whether the line is that of the board: of the game on it, with the moves that the user played beside it. */
  following = $state(false);
  /** Whether the board has moved on, and its moves are asked for once it rests. */
  waits = $state(false);
  /** Whether only matching games count. */
  among = $state(false);
  /** The games that count. */
  filter = $state.raw<GameFilter>(ALL_GAMES);
  /** How games continued from the explorer's own position, or from the matching positions of the filtered games. */
  found = $state.raw<NextMoves | null>(null);
  /** The best rated and the newest games of the explorer's own position; null until they are known. */
  top = $state.raw<TopGames | null>(null);
  /** What the open corpus can be filtered by; null until it is known. */
  filters = $state.raw<Filters | null>(null);
  /** The move, in UCI notation, that the board shows as an arrow. */
  hint = $state('');
  running = $state(false);
  trouble = $state('');

  readonly here = $derived(this.line.at(-1) ?? null);
  /** The position as a query takes it, without counters; empty for the matching positions. */
  readonly position = $derived(this.here ? bare(this.here.fen) : '');
  /** The arrow of the hinted move, for the board. */
  readonly shapes = $derived(this.hint.length >= 4 ? [{ orig: this.hint.slice(0, 2), dest: this.hint.slice(2, 4), brush: 'green' }] : []);
  /** The filter as a condition of the query language; empty if all games count. */
  readonly condition = $derived(conditionOf(this.filter));

  private readonly client: EngineClient;
  private abort: AbortController | null = null;
  private asked = '';
  /** The line with which the explorer began by itself. */
  private own: readonly Step[] | null = null;
  /** The request whose games are in `top`, or on their way. */
  private askedTop = '';
  /** Counts the corpora; `learned` is the one whose filters are known, or on their way. */
  private corpus = 0;
  private learned = -1;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Forgets results, for another corpus; the position and the filter stay. */
  reset(): void {
    this.forget();
    this.filters = null;
    this.corpus++;
  }

  /** Names mean other players than before: the question is asked anew, even if its words are the same. */
  renew(): void {
    if (this.asked !== '') this.asked += ' ';
  }

  private forget(): void {
    this.abort?.abort();
    this.abort = null;
    this.running = false;
    this.asked = '';
    this.askedTop = '';
    this.found = null;
    this.top = null;
    this.trouble = '';
  }

  /** Changes which games count. */
  narrow(change: Partial<GameFilter>): void {
    this.filter = { ...this.filter, ...change };
  }

  begin(fen: string): void {
    this.following = false;
    this.line = [{ fen, uci: '', san: '' }];
  }

  /**
   * Begins at the start position if all games match, and returns to the matching positions when a query comes, unless
   * the user has played moves meanwhile, or it follows the board. Returns whether the position changed.
   */
  beginFor(everything: boolean): boolean {
    const before = this.line;
    if (this.following) return false;
    if (everything && before.length === 0) this.begin(START_FEN);
    else if (!everything && before.length > 0 && before === this.own) this.leave();
    if (everything && this.line.length === 1 && this.here?.fen === START_FEN) this.own = this.line;
    return this.line !== before;
  }

  /** Returns to the matching positions. */
  leave(): void {
    this.following = false;
    this.line = [];
  }

  /** Follows the board, which shows the last position of this line. */
  follow(line: readonly Step[]): void {
    this.waits = bare(line.at(-1)?.fen ?? '') !== this.position || !this.following;
    this.following = true;
    this.line = line;
  }

  play({ fen, uci, san }: Step): void {
    this.line = [...this.line, { fen, uci, san }];
  }

  /** Takes moves back until `moves` moves remain. */
  keep(moves: number): void {
    this.line = this.line.slice(0, Math.max(1, moves + 1));
  }

  /** Goes to the position of an address, with the line that led there if it is known. */
  visit(position: string, line: readonly Step[]): void {
    if (position === '') this.leave();
    else if (position !== this.position) this.line = bare(line.at(-1)?.fen ?? '') === position ? line : [{ fen: position, uci: '', san: '' }];
  }

  /** Fetches the next moves, unless they are already there or among the results of the search. */
  async ask(question: Question): Promise<void> {
    this.waits = false;
    const { position, among, condition } = this;
    const words = JSON.stringify([position, condition, (among || position === '') && question]);
    if (position === '' && condition === '') {
      if (this.asked !== '') this.forget();
      return;
    }
    if (words === this.asked) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    const wasOwn = this.asked !== '' && !this.asked.startsWith('["",');
    if (wasOwn !== (position !== '')) this.found = null;
    this.asked = words;
    this.top = null;
    this.hint = '';
    this.running = true;
    this.trouble = '';
    try {
      const found = await this.next(question, abort.signal);
      if (!abort.signal.aborted) this.found = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.found = null;
      // A repeated request must reach the engine again.
      this.asked = '';
      if (!(error instanceof EngineError && error.code === 'cancelled')) this.trouble = sentence(error);
    } finally {
      if (this.abort === abort) this.running = false;
    }
  }

  /** Whose next moves are shown beside a question: of a position, or, if it is empty, of the matching positions. Only two conditions take time to join. */
  request(question: Question, signal: AbortSignal): ExplorerRequest | Promise<ExplorerRequest> {
    const { position, among, condition } = this;
    // If all games count, the question plays no part, and an error in it does not matter.
    const selection = among || position === '' ? question : WHOLE_CORPUS;
    const of = (query: string) => ({ question: { ...selection, query }, fen: position, among: among || condition !== '' });
    if (selection.query === '' || condition === '') return of(selection.query || condition);
    return this.client.call('compose', { query: selection.query, condition }, { signal }).then(({ apart }) => of(apart));
  }

  private async next(question: Question, signal: AbortSignal): Promise<NextMoves | null> {
    const asked = this.request(question, signal);
    const request = asked instanceof Promise ? await asked : asked;
    if (request.fen !== '') return this.client.call('explore', request, { signal });
    return (await this.client.call('query', { question: request.question, outputs: { ...NO_OUTPUTS, next: true } }, { signal })).next;
  }

  /**
   * Fetches the best games of the explorer's own position once its moves are there. `matching` has the matching
   * games, ascending, for the explorer among matching games.
   */
  async askTop(matching: Uint32Array | null): Promise<void> {
    const { position, condition, abort, asked } = this;
    if (position === '' || abort === null || this.running || this.found === null || asked === '' || this.askedTop === asked) return;
    this.askedTop = asked;
    try {
      const top = await this.topGames(position, condition, this.among ? matching : null, abort.signal);
      if (!abort.signal.aborted) this.top = top;
    } catch {
      // The moves are there, and only they are essential.
      if (this.askedTop === asked) this.askedTop = '';
    }
  }

  private async topGames(position: string, condition: string, matching: Uint32Array | null, signal: AbortSignal): Promise<TopGames> {
    const fen = `fen "${position}"`;
    // No query finds the start of a game, because a position matches after a ply only; but nearly all games begin there.
    const query = START_FEN.startsWith(position) ? condition : condition === '' ? fen : `${fen} and ${condition}`;
    const found = await this.client.call('query', { question: { ...WHOLE_CORPUS, query }, outputs: NO_OUTPUTS }, { signal });
    const ids = matching ? common(found.ids, matching) : found.ids;
    const first = async (key: SortKey): Promise<GameRow[]> => {
      const order = await this.client.call('sort', { ids, key, descending: true }, { signal });
      return order.length === 0 ? [] : this.client.call('rows', { ids: [...order.subarray(0, TOP)] }, { signal });
    };
    const withPly = (rows: readonly GameRow[]): Promise<TopGame[]> =>
      Promise.all(rows.map(async (row) => ({ row, ply: (await this.client.call('game', { id: row.id, query: fen }, { signal })).matches[0] ?? 0 })));
    const best = (await first('elo')).filter((row) => row.white_elo > 0 || row.black_elo > 0);
    const newest = (await first('date')).filter((row) => /^\d{4}/.test(row.date));
    return { best: await withPly(best), newest: await withPly(newest) };
  }

  /** Finds out once what the games of the open corpus can be filtered by. */
  async learn(): Promise<void> {
    const { corpus } = this;
    if (this.learned === corpus || this.running) return;
    this.learned = corpus;
    try {
      const filters = { bands: await this.bands(), classes: await this.classes(), years: await this.years() };
      if (corpus === this.corpus) this.filters = filters;
    } catch {
      if (this.learned === corpus) this.learned = -1;
    }
  }

  private async bands(): Promise<Filters['bands']> {
    const counted = [];
    for (const span of RATING_BANDS) {
      const { games } = await this.games(conditionOf({ ...ALL_GAMES, ratings: [span] }));
      if (games > 0) counted.push({ span, games });
    }
    return counted;
  }

  private async classes(): Promise<Filters['classes']> {
    const counted = [];
    for (const name of CLASSES) {
      const { games } = await this.games(conditionOf({ ...ALL_GAMES, classes: [name] }));
      if (games > 0) counted.push({ name, games });
    }
    return counted;
  }

  private async years(): Promise<Filters['years']> {
    const { ids } = await this.games('year >= 1');
    const order = await this.client.call('sort', { ids, key: 'date', descending: false });
    const ends = [order[0], order.at(-1)].filter((id) => id !== undefined);
    if (ends.length === 0) return null;
    const [first, last] = (await this.client.call('rows', { ids: ends })).map((row) => Number(row.date.slice(0, 4)));
    return first === undefined ? null : { from: first, to: last ?? first };
  }

  private games(query: string): Promise<{ games: number; ids: Uint32Array }> {
    return this.client.call('query', { question: { ...WHOLE_CORPUS, query }, outputs: NO_OUTPUTS });
  }
}

/** The first four fields of a FEN. */
export function bare(fen: string): string {
  return fen.split(' ').slice(0, 4).join(' ');
}

/** The numbers that two ascending lists have in common. */
export function common(one: Uint32Array, two: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(one.length, two.length));
  let length = 0;
  for (let at = 0, other = 0; at < one.length && other < two.length; ) {
    const [a, b] = [one[at] ?? 0, two[other] ?? 0];
    if (a === b) both[length++] = a;
    if (a <= b) at++;
    if (b <= a) other++;
  }
  return both.slice(0, length);
}
