// The page of tables: a position, the moves played from it, and what the tables say. The user edits the position, plays on
// both sides or against the tables, steps through best play, and looks at the map of a piece.
import type { MaterialStatistics, TableMap, TableVerdict } from '../tables/protocol';
import { endOf, judge, type Judgement } from './judgement';
import { Practice } from './practice.svelte';
import { playLine, playMove, type Step } from './rules';
import { menOf, turnOf, type Side } from './squares';
import { TableAnswer } from './tableanswer.svelte';
import { randomPositions } from './tablepositions';
import { tableSentence, type TableStore } from './tablestore.svelte';

/** King, bishop and knight against king: the longest of the elementary mates. */
export const FIRST_POSITION = '8/8/8/4k3/8/8/8/KBN5 w - - 0 1';

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
  /** Play against the tables; null while the user plays both sides. */
  practice = $state.raw<Practice | null>(null);
  /** The last move, if the user plays both sides and it threw something away. */
  slip = $state.raw<Judgement | null>(null);
  /** The piece whose map is shown, as a square from 0 to 63; null for none. */
  square = $state<number | null>(null);
  map = $state.raw<TableMap | null>(null);
  statistics = $state.raw<MaterialStatistics | null>(null);
  trouble = $state('');

  readonly fen = $derived.by(() => this.steps[this.at - 1]?.fen ?? this.start);
  readonly last = $derived.by(() => this.steps[this.at - 1] ?? null);
  readonly turn = $derived(turnOf(this.fen));
  /** How the line has ended; null while it goes on. */
  readonly end = $derived.by(() => endOf([this.start, ...this.steps.slice(0, this.at).map(({ fen }) => fen)]));
  /** The side that the tables play; null while the user plays both. */
  readonly opponent = $derived.by<Side | null>(() => (this.practice === null ? null : this.practice.side === 'white' ? 'black' : 'white'));
  /** Whether the page keeps to itself what the tables say about the position. */
  readonly isHidden = $derived.by(() => this.practice !== null && !this.practice.isAnswerShown && !this.end);
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
    this.practice = null;
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

  /** Plays a move of the user, which the tables judge. */
  play(step: Step): void {
    const { fen, practice } = this;
    const verdict = this.answer.fen === fen ? this.answer.verdict : null;
    this.add(step);
    const place = this.at;
    if (practice) {
      if (this.turn !== this.opponent) return;
      void this.judged(fen, step, verdict).then((judgement) => judgement && this.steps[place - 1] === step && practice.record(place, judgement));
    } else {
      const judgement = verdict && judge(fen, step, verdict);
      this.slip = judgement?.thrown ? judgement : null;
    }
    void this.ask();
  }

  /** A quick user moves before the tables have said what the position is worth; they are asked again then. */
  private async judged(fen: string, step: Step, verdict: TableVerdict | null): Promise<Judgement | null> {
    const known = verdict ?? (await this.store.client.call('verdict', { fen }).catch(() => null));
    return known && judge(fen, step, known);
  }

  private add(step: Step): void {
    this.reset();
    // A move of the line that is there already keeps the rest of it; against the tables, it is played anew.
    const next = this.steps[this.at];
    this.steps = next?.uci === step.uci && !this.practice ? this.steps : [...this.steps.slice(0, this.at), step];
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
    if (this.practice && this.at === this.practice.from && this.turn === this.practice.side) this.practice.goal = verdict.value;
    if (this.mode === 'map' && square !== null) void this.look(square);
    if (this.opponent === this.turn && this.mode === 'play' && this.at === this.steps.length && !this.end) this.timer = setTimeout(() => this.reply(fen, verdict), PAUSE_MS);
  }

  /** The tables play their best move. */
  private reply(fen: string, verdict: TableVerdict): void {
    if (fen !== this.fen || this.opponent !== this.turn) return;
    const step = verdict.moves[0] && playMove(fen, verdict.moves[0].uci);
    if (!step) return;
    this.add(step);
    void this.ask();
  }

  /** Lets the user play a side against the tables. */
  against(side: Side): void {
    this.mode = 'play';
    this.slip = null;
    this.practice = new Practice(side, this.at);
    if (side === this.turn && this.answer.fen === this.fen) this.practice.goal = this.answer.verdict?.value ?? null;
    this.flipped = side === 'black';
    void this.ask();
  }

  /** The user plays both sides again, and sees what the tables say. */
  stopPlaying(): void {
    this.practice = null;
    void this.ask();
  }

  /** Begins once more where the present play began. */
  playAgain(): void {
    const { practice } = this;
    if (!practice) return;
    this.steps = this.steps.slice(0, practice.from);
    this.at = Math.min(this.at, practice.from);
    this.against(practice.side);
  }

  /** The user's moves of the present play. */
  get played(): number {
    const { practice } = this;
    if (!practice) return 0;
    const line = this.steps.slice(practice.from, this.at);
    return line.filter(({ fen }) => turnOf(fen) !== practice.side).length;
  }

  /** Puts best play behind the position on the board. */
  async follow(): Promise<void> {
    const { fen } = this;
    const line = await this.attempt(() => this.store.client.call('line', { fen }));
    if (!line || fen !== this.fen) return;
    this.practice = null;
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
