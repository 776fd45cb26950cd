// The page of tables: a position, the moves played from it, and what the tables say. The user edits the position, plays on
// both sides or against the tables, steps through best play, and looks at the map of a piece.
import type { MaterialStatistics, TableMap, TableMove, TableValue, TableVerdict } from '../tables/protocol';
import { playLine, playMove, type Step } from './rules';
import { menOf, type Side } from './squares';
import { TableAnswer } from './tableanswer.svelte';
import { randomPositions } from './tablepositions';
import { tableSentence, type TableStore } from './tablestore.svelte';
import { thrownAway, type Thrown } from './tableverdict';

/** King, bishop and knight against king: the longest of the elementary mates. */
export const FIRST_POSITION = '8/8/8/4k3/8/8/8/KBN5 w - - 0 1';

/** A user's move that threw something away, and the best one. */
export interface Slip {
  san: string;
  thrown: Thrown;
  best: string;
  value: TableValue;
}

/** How long the tables seem to think, so that the user sees their move. */
const PAUSE_MS = 350;
/** How many positions are drawn by lot until one of them is won. */
const DRAWN = 60;

export type BoardMode = 'play' | 'edit' | 'map';

export class TableBoard {
  start = $state(FIRST_POSITION);
  steps = $state.raw<readonly Step[]>([]);
  /** How many of the steps are on the board. */
  at = $state(0);
  mode = $state<BoardMode>('play');
  flipped = $state(false);
  /** The side that the tables play; null while the user plays both. */
  opponent = $state<Side | null>(null);
  slip = $state.raw<Slip | null>(null);
  /** The piece whose map is shown, as a square from 0 to 63; null for none. */
  square = $state<number | null>(null);
  map = $state.raw<TableMap | null>(null);
  statistics = $state.raw<MaterialStatistics | null>(null);
  trouble = $state('');

  readonly fen = $derived.by(() => this.steps[this.at - 1]?.fen ?? this.start);
  readonly last = $derived.by(() => this.steps[this.at - 1] ?? null);
  readonly turn = $derived<Side>(this.fen.split(' ')[1] === 'b' ? 'black' : 'white');
  readonly answer: TableAnswer;

  private readonly store: TableStore;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: TableStore) {
    this.store = store;
    this.answer = new TableAnswer(store);
  }

  /** Shows another position, without moves. */
  show(fen: string): void {
    this.reset();
    this.start = fen;
    this.steps = [];
    this.at = 0;
    void this.ask();
  }

  /** Goes to a position of the line: 0 for the first. */
  go(at: number): void {
    const to = Math.max(0, Math.min(this.steps.length, at));
    if (to === this.at) return;
    this.reset();
    this.at = to;
    void this.ask();
  }

  private reset(): void {
    clearTimeout(this.timer);
    this.slip = null;
    this.trouble = '';
  }

  /** Plays a move of the user. */
  play(step: Step): void {
    const verdict = this.answer.fen === this.fen ? this.answer.verdict : null;
    const played = verdict?.moves.find(({ uci }) => uci === step.uci);
    const slip = verdict && played ? this.slipOf(step, verdict, played) : null;
    this.add(step);
    this.slip = slip;
    void this.ask();
  }

  private slipOf(step: Step, { value, moves }: TableVerdict, { value: after }: TableMove): Slip | null {
    const thrown = thrownAway(value, after);
    const best = moves[0] && playMove(this.fen, moves[0].uci);
    return thrown && best ? { san: step.san, thrown, best: best.san, value } : null;
  }

  private add(step: Step): void {
    this.reset();
    // A move of the line that is there already keeps the rest of it.
    const next = this.steps[this.at];
    this.steps = next?.uci === step.uci ? this.steps : [...this.steps.slice(0, this.at), step];
    this.at++;
  }

  /** Takes back the user's last move, and the tables' reply to it. */
  takeBack(): void {
    const isUsers = this.opponent === null || this.turn !== this.opponent;
    this.go(this.at - (isUsers && this.opponent !== null ? 2 : 1));
  }

  /** Asks the tables about the position on the board, then lets them play if it is their turn. */
  async ask(): Promise<void> {
    const { fen, square } = this;
    this.map = null;
    const verdict = await this.answer.ask(fen);
    if (!verdict) return;
    if (this.mode === 'map' && square !== null) void this.look(square);
    if (this.opponent === this.turn && this.mode === 'play') this.timer = setTimeout(() => this.reply(fen, verdict), PAUSE_MS);
  }

  /** The tables play their best move. */
  private reply(fen: string, verdict: TableVerdict): void {
    if (fen !== this.fen || this.opponent !== this.turn) return;
    const step = verdict.moves[0] && playMove(fen, verdict.moves[0].uci);
    if (!step) return;
    const { slip } = this;
    this.add(step);
    // What the user threw away stays on the page until her next move.
    this.slip = slip;
    void this.ask();
  }

  /** Lets the tables play a side, or nobody. */
  against(side: Side | null): void {
    this.opponent = side;
    if (side !== null) {
      this.mode = 'play';
      this.flipped = side === 'white';
    }
    void this.ask();
  }

  /** Puts best play behind the position on the board. */
  async follow(): Promise<void> {
    const { fen } = this;
    const line = await this.attempt(() => this.store.client.call('line', { fen }));
    if (!line || fen !== this.fen) return;
    this.opponent = null;
    this.steps = [...this.steps.slice(0, this.at), ...playLine(fen, line.moves)];
    this.go(this.at + 1);
  }

  /** Shows the map of the piece on a square. */
  async look(square: number): Promise<void> {
    this.square = square;
    const { fen } = this;
    if (!menOf(fen).some((one) => one.square === square)) {
      this.square = this.map = null;
      return;
    }
    const map = await this.attempt(() => this.store.client.call('map', { fen, square }));
    if (fen === this.fen && square === this.square) this.map = map;
  }

  /** Fetches the statistics of a material. */
  async count(material: string): Promise<void> {
    if (this.statistics?.material === material) return;
    const statistics = await this.attempt(() => this.store.client.call('statistics', { material }));
    if (statistics) this.statistics = statistics;
  }

  /** Shows a position of a material, drawn by lot, that the side to move wins; White if it can. */
  async practise(material: string): Promise<void> {
    const fens = randomPositions(material, DRAWN);
    const found = await this.attempt(() => this.store.client.call('values', { fens }));
    const won = found?.values.flatMap((value, nth) => (value?.result === 'win' && (value.moves ?? 0) > 1 ? [fens[nth] ?? ''] : [])) ?? [];
    const fen = won[0] ?? fens[found?.values.findIndex((value) => value !== null) ?? -1];
    if (fen) this.show(fen);
  }

  private async attempt<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      const result = await call();
      this.trouble = '';
      return result;
    } catch (error) {
      this.trouble = tableSentence(error);
      return null;
    }
  }
}
