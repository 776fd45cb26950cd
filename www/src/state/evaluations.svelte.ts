// Evaluations of the first positions of a result, by several engines side by side. Each position is searched with an
// empty memory, so that its evaluation does not depend on those before it.
import { rankOf, scoreText, whiteScore } from '../analysis/score';
import type { GameRow, PositionHit } from '../engine/protocol';
import { endingOf, type Engine, type Line, type Surroundings } from './analysis.svelte';
import { START_FEN } from './replay.svelte';
import { playLine } from './rules';
import { turnOf } from './squares';
import type { Table } from './tables';
import { moveNumber } from './words';

export type Limit = { depth: number } | { milliseconds: number };

/** A position that is evaluated, and what is known of it. */
export interface Evaluated {
  hit: PositionHit;
  row: GameRow | null;
  /** The move that led to the position. */
  move: string;
  line: Line | null;
  /** The best move in SAN; why there is none, if the game ends here. */
  best: string;
  isDone: boolean;
}

/** What this module needs of its surroundings. The tests implement it too. */
export interface Means extends Pick<Surroundings, 'start' | 'sentence'> {
  /** How many engines run side by side. */
  lanes: number;
  now(): number;
}

export type Order = 'found' | 'highest' | 'lowest';

export class Evaluations {
  all = $state.raw<readonly Evaluated[]>([]);
  running = $state(false);
  /** Why not all positions have an evaluation: one sentence. */
  trouble = $state('');
  order = $state<Order>('found');
  /** The corpus and the query of the positions. */
  corpus = $state('');
  query = $state('');
  /** Positions a second. */
  rate = $state(0);

  readonly total = $derived(this.all.length);
  readonly done = $derived(this.all.filter((one) => one.isDone).length);
  /** Milliseconds that the rest will take; null as long as nobody can say. */
  readonly left = $derived(this.running && this.rate > 0 ? (1000 * (this.total - this.done)) / this.rate : null);
  readonly sorted = $derived(sorted(this.all, this.order));

  private readonly means: Means;
  private round = 0;
  private readonly engines = new Set<Engine>();

  constructor(means: Means) {
    this.means = means;
  }

  /** Fetches positions and evaluates them. */
  async run(source: { corpus: string; query: string; fetch: () => Promise<readonly { hit: PositionHit; row: GameRow | null }[]> }, limit: Limit): Promise<void> {
    this.clear();
    const round = this.round;
    this.corpus = source.corpus;
    this.query = source.query;
    this.running = true;
    try {
      const found = await source.fetch();
      if (round !== this.round) return;
      this.all = found.map(({ hit, row }) => prepared(hit, row));
      const queue = this.all.flatMap((one, nth) => (one.isDone ? [] : [nth]));
      await this.evaluate(queue, limit, round);
    } catch (error) {
      if (round === this.round) this.trouble = this.means.sentence(error);
    } finally {
      if (round === this.round) this.running = false;
    }
  }

  /** Stops; what is evaluated stays. */
  cancel(): void {
    this.round++;
    this.running = false;
    for (const engine of this.engines) engine.close();
    this.engines.clear();
  }

  clear(): void {
    this.cancel();
    this.all = [];
    this.trouble = '';
    this.rate = 0;
  }

  /** The evaluations as a table, in the order shown. */
  table(): Table {
    return {
      columns: ['number', 'white', 'black', 'date', 'ply', 'move', 'fen', 'evaluation', 'depth', 'best', 'line'],
      rows: this.sorted.map(({ hit, row, move, line, best }) => [
        hit.game + 1, row?.white ?? '', row?.black ?? '', row?.date ?? '', hit.ply, move, hit.fen,
        line ? scoreText(line.score, 2).replace('−', '-') : null, line?.depth ?? null, best,
        line ? playLine(hit.fen, line.moves).map(({ san }) => san).join(' ') : '',
      ]),
    };
  }

  private async evaluate(queue: number[], limit: Limit, round: number): Promise<void> {
    const lanes = Math.min(this.means.lanes, queue.length);
    const began = { at: this.means.now(), of: this.done };
    const ended = await Promise.allSettled(Array.from({ length: lanes }, () => this.lane(queue, limit, round, began)));
    if (round !== this.round || queue.length === 0) return;
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** One engine, which takes positions until none is left. A position that it could not finish goes to another one. */
  private async lane(queue: number[], limit: Limit, round: number, began: { at: number; of: number }): Promise<void> {
    const engine = await this.means.start({ Threads: 1, Hash: 16 }, () => undefined);
    if (round !== this.round) return engine.close();
    this.engines.add(engine);
    try {
      for (let nth = queue.shift(); nth !== undefined; nth = queue.shift()) {
        const line = await this.searched(engine, nth, limit).catch((error: unknown) => {
          queue.push(nth as number);
          throw error;
        });
        if (round !== this.round) return;
        this.put(nth, line);
        this.rate = (1000 * (this.done - began.of)) / Math.max(1, this.means.now() - began.at);
      }
    } finally {
      this.engines.delete(engine);
      engine.close();
    }
  }

  private async searched(engine: Engine, nth: number, limit: Limit): Promise<Line | null> {
    const fen = this.all[nth]?.hit.fen ?? '';
    let line: Line | null = null;
    await engine.search({ fen, limit, lines: 1, isFresh: true }, ({ score, depth, pv }) => {
      if (score.bound === 'exact') line = { score: whiteScore(score, turnOf(fen)), depth, moves: pv };
    });
    return line;
  }

  private put(nth: number, line: Line | null): void {
    const one = this.all[nth];
    if (!one) return;
    const best = line ? playLine(one.hit.fen, line.moves.slice(0, 1))[0]?.san ?? '' : '';
    this.all = this.all.with(nth, { ...one, line, best, isDone: true });
  }
}

/** A position before its evaluation. One in which the game is over needs none. */
function prepared(hit: PositionHit, row: GameRow | null): Evaluated {
  const ending = endingOf(hit.fen);
  return { hit, row, move: moveOf(hit), line: null, best: ending.replace(/\.$/, ''), isDone: ending !== '' };
}

/** `29. Rxc1`, `29… Kg7`; only the number at the start of a game. */
function moveOf({ fen, ply, san, move_number }: PositionHit): string {
  const number = move_number > 0 ? `${move_number}${turnOf(fen) === 'black' ? '.' : '…'}` : moveNumber(START_FEN, ply);
  return `${number} ${san}`.trim();
}

/** Positions without an evaluation come last. */
function sorted(all: readonly Evaluated[], order: Order): readonly Evaluated[] {
  if (order === 'found') return all;
  const sign = order === 'highest' ? -1 : 1;
  const rank = ({ line }: Evaluated) => (line ? sign * rankOf(line.score) : Infinity);
  return [...all].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
}
