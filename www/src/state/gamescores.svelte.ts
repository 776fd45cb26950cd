// The evaluations of all positions of a game by the local engine, and what they say of its moves. They are kept on this device
// by the moves of the game, so that they are there whenever the game is opened, whatever corpus it is in.
import type { Evaluation } from 'chessops/pgn';
import type { Score } from '../analysis/score';
import type { GameView, PositionHit } from '../engine/protocol';
import type { Evaluations, Limit } from './evaluations.svelte';
import { evaluationOf, signOf, tallyOf, type Sign } from './winningchances';
import { positionOf } from './rules';
import { keptScores, keepScores, keyOf, type KeptScores } from './scorememory';
import { turnOf, type Side } from './squares';

/** A quarter of a second for each position: a game of 40 moves takes 20 seconds on one core. */
export const EACH: Limit = { milliseconds: 250 };

/** What the engine says of a move that has a sign. */
export interface Judged {
  sign: Sign;
  /** The move that it would have played, in SAN. */
  best: string;
}

export class GameScores {
  private readonly make: () => Promise<Evaluations>;
  /** The engine's part of the page, loaded when a game is first evaluated. */
  private evaluations = $state.raw<Evaluations | null>(null);
  /** Why the engine's part of the page is not there: whether it could not be loaded. */
  isMissing = $state(false);
  /** The game that is being evaluated; null if none is. */
  private running = $state.raw<string | null>(null);
  /** What is kept of the game on the board. */
  private kept = $state.raw<KeptScores | null>(null);
  private key = $state('');
  private game = $state.raw<GameView | null>(null);

  /** Whether the game on the board is being evaluated. */
  readonly isRunning = $derived.by(() => this.running !== null && this.running === this.key);
  readonly done = $derived.by(() => this.evaluations?.done ?? 0);
  readonly total = $derived.by(() => this.evaluations?.total ?? 0);
  /** Why the last game was not evaluated to its end: one sentence. */
  readonly trouble = $derived.by(() => this.evaluations?.trouble ?? '');

  /** The score of each position of the game on the board, from the start; null where none is known yet. */
  private readonly scores = $derived.by((): KeptScores | null => (this.isRunning ? this.found() : this.kept));
  readonly list = $derived.by((): readonly (Evaluation | null)[] | null => this.scores && this.scores.scores.map((score) => score && evaluationOf(score)));
  /** The moves with a sign, by ply. */
  readonly judged = $derived.by((): ReadonlyMap<number, Judged> => (this.game && this.scores ? judge(this.game, this.scores) : NONE));
  readonly isComplete = $derived.by(() => this.kept !== null && !this.isRunning);
  /** The signs of each side. */
  readonly tallies = $derived.by(() => {
    const of = (side: Side) => tallyOf([...this.judged].flatMap(([ply, { sign }]) => (this.game && moverOf(this.game, ply) === side ? [sign] : [])));
    return { white: of('white'), black: of('black') };
  });

  constructor(make: () => Promise<Evaluations>) {
    this.make = make;
  }

  /** Shows what is kept of a game that has come on the board. */
  follow(game: GameView | null): void {
    this.game = game;
    this.key = game ? keyOf(game) : '';
    this.kept = game ? keptScores(this.key) : null;
  }

  /** Evaluates all positions of the game on the board; what was evaluated of another game is given up. */
  async analyse(): Promise<void> {
    const { game, key } = this;
    if (!game || this.isRunning) return;
    this.running = key;
    this.isMissing = false;
    const evaluations = (this.evaluations ??= await this.make().catch(() => null));
    if (this.running !== key) return;
    this.isMissing = evaluations === null;
    await evaluations?.run({ corpus: '', query: '', fetch: async () => hitsOf(game).map((hit) => ({ hit, row: null })) }, EACH);
    if (this.running !== key) return;
    const whole = evaluations && evaluations.trouble === '' && evaluations.done === evaluations.total ? this.found() : null;
    if (whole) keepScores(key, whole);
    if (this.key === key && whole) this.kept = whole;
    this.running = null;
  }

  cancel(): void {
    this.running = null;
    this.evaluations?.clear();
  }

  /** What the engine has found so far. */
  private found(): KeptScores | null {
    const all = this.evaluations?.all;
    if (!all || all.length === 0) return null;
    return { scores: all.map(({ hit, line, isDone }) => line?.score ?? (isDone ? endScore(hit.fen) : null)), best: all.map(({ line, best }) => (line ? best : '')) };
  }
}

const NONE: ReadonlyMap<number, Judged> = new Map();

/** The positions of a game, from its start. */
function hitsOf(game: GameView): PositionHit[] {
  return fensOf(game).map((fen, ply) => ({ game: game.row.id, ply, fen, san: '', move_number: 0 }));
}

function fensOf(game: GameView): string[] {
  return [game.start_fen, ...game.plies.map(({ fen }) => fen)];
}

function moverOf(game: GameView, ply: number): Side {
  return turnOf(game.plies[ply - 2]?.fen ?? game.start_fen);
}

/** The score of a position in which the game is over; null of one that nobody can play. */
function endScore(fen: string): Score | null {
  const position = positionOf(fen);
  if (!position) return null;
  if (!position.isCheckmate()) return { kind: 'cp', value: 0, bound: 'exact' };
  // Who has given mate has an advantage without end; a mate in no moves has no sign of its own.
  return { kind: 'mate', value: turnOf(fen) === 'white' ? -1 : 1, bound: 'exact' };
}

function judge(game: GameView, { scores, best }: KeptScores): ReadonlyMap<number, Judged> {
  const judged = new Map<number, Judged>();
  for (const [at, { san }] of game.plies.entries()) {
    const [before, after] = [scores[at], scores[at + 1]];
    const sign = before && after ? signOf(before, after, moverOf(game, at + 1)) : null;
    if (sign && best[at] !== san) judged.set(at + 1, { sign, best: best[at] ?? '' });
  }
  return judged;
}
