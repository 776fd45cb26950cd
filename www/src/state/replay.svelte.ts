// The game on the board: which game, at which ply, its matching positions, and a sideline beside it.
import type { EngineClient } from '../engine/client';
import type { GameView } from '../engine/protocol';
import { sentence } from './library.svelte';
import { isSameAfter, playLine, type Step } from './rules';

export const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** Moves that are not the game's: played on the board, or a variation of its text. They never change the game. */
export interface Sideline {
  /** The ply of the game after which the sideline begins. */
  root: number;
  /** All its moves. */
  steps: readonly Step[];
  /** How many of them have been played on the board; at least 1. */
  played: number;
}

export class Replay {
  game = $state.raw<GameView | null>(null);
  /** 0 is the start position. */
  ply = $state(0);
  flipped = $state(false);
  pgn = $state('');
  trouble = $state('');

  /** The sideline on the board, or null while the board shows the game itself. */
  sideline = $state.raw<Sideline | null>(null);
  /** The move before the position on the board; null at the start. */
  readonly last = $derived.by((): Step | null => this.sideline?.steps[this.sideline.played - 1] ?? this.game?.plies[this.ply - 1] ?? null);
  readonly fen = $derived.by(() => this.last?.fen ?? this.game?.start_fen ?? START_FEN);
  /** The position at the start, and the moves to the position on the board. */
  readonly line = $derived.by((): readonly Step[] => {
    const { game, sideline } = this;
    if (!game) return [];
    const beside = sideline?.steps.slice(0, sideline.played) ?? [];
    return [{ fen: game.start_fen, uci: '', san: '' }, ...game.plies.slice(0, this.ply), ...beside];
  });
  /** The move that the game, or the sideline on the board, goes on with, in UCI notation; empty at the end. */
  readonly nextMove = $derived.by(() => (this.sideline ? this.sideline.steps[this.sideline.played] : this.game?.plies[this.ply])?.uci ?? '');
  readonly length = $derived(this.game?.plies.length ?? 0);
  readonly matching = $derived(new Set(this.game?.matches ?? []));
  /** The images that match the position on the board; null if the query has no images. */
  readonly images = $derived.by(() => {
    if (!this.game || this.game.images.length === 0) return null;
    return this.game.images[this.game.matches.indexOf(this.ply)] ?? [];
  });

  /** The moves of the sideline that are on the board, in UCI notation, up to the first null move, which UCI lacks. */
  get movesOfSideline(): string[] {
    const moves = this.sideline?.steps.slice(0, this.sideline.played).map(({ uci }) => uci) ?? [];
    const passed = moves.indexOf('');
    return passed < 0 ? moves : moves.slice(0, passed);
  }

  private readonly client: EngineClient;
  private round = 0;
  /** The game that is being fetched, or null. */
  private awaited: number | null = null;
  /** What is to be done once the game that is being fetched is on the board. */
  private waiting: (() => void)[] = [];

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Whether a game other than the one on the board has been requested. */
  get isAwaited(): boolean {
    return this.awaited !== null && this.awaited !== this.game?.row.id;
  }

  /** Does something once the game that is being fetched is on the board; never, if another one is requested before. */
  onceShown(next: () => void): void {
    this.waiting.push(next);
  }

  clear(): void {
    this.round++;
    this.awaited = null;
    this.waiting = [];
    this.game = null;
    this.ply = 0;
    this.sideline = null;
    this.pgn = '';
    this.trouble = '';
  }

  /**
   * Shows a game at `ply`; if `ply` is null, at its first matching position, or at the start without a query. `line` has the moves of a sideline
   * from there, in UCI notation; the first illegal one ends it. `everywhere` is that of the question. If the game is on the board already, and
   * the user moves on before the reply arrives, the board stays where the user went.
   */
  async show(id: number, query: string, ply: number | null, line: readonly string[] = [], everywhere = false): Promise<void> {
    const round = ++this.round;
    const { ply: plyBefore, sideline: sidelineBefore } = this;
    const isOnBoard = this.game?.row.id === id;
    if (this.awaited !== id) this.waiting = [];
    this.awaited = id;
    this.trouble = '';
    try {
      const game = await this.client.call('game', { id, query, everywhere });
      if (round !== this.round) return;
      this.awaited = null;
      if (this.game?.row.id !== id) this.pgn = '';
      this.game = game;
      if (isOnBoard && (this.ply !== plyBefore || this.sideline !== sidelineBefore)) return;
      // An empty query matches every position, so no match is special.
      this.go(ply ?? (query === '' ? 0 : (game.matches[0] ?? 0)));
      const steps = playLine(this.fen, line);
      if (steps.length > 0) this.enter({ root: this.ply, steps, played: steps.length });
      for (const next of this.waiting.splice(0)) next();
    } catch (error) {
      if (round !== this.round) return;
      this.awaited = null;
      this.waiting = [];
      this.trouble = sentence(error);
    }
  }

  /** The original text of the game on the board, fetched once. */
  async fetchPgn(): Promise<void> {
    const game = this.game;
    if (game === null || this.pgn !== '') return;
    if (this.fetching?.game !== game) this.fetching = { game, done: this.fetchPgnOf(game) };
    await this.fetching.done;
  }

  /** The game whose text is being fetched. */
  private fetching: { game: GameView; done: Promise<void> } | null = null;

  private async fetchPgnOf(game: GameView): Promise<void> {
    try {
      const text = await this.client.call('pgn', { id: game.row.id });
      // Each corpus numbers its games from 0, so the number alone does not identify the game.
      if (this.game === game) this.pgn = text;
    } catch (error) {
      if (this.game === game) this.trouble = sentence(error);
    } finally {
      if (this.fetching?.game === game) this.fetching = null;
    }
  }

  /** Goes to a ply of the game, and leaves the sideline. */
  go(ply: number): void {
    this.sideline = null;
    this.ply = Math.max(0, Math.min(ply, this.length));
  }

  /** The next move, of the sideline if the board shows one. */
  forward(): void {
    const { sideline } = this;
    if (!sideline) this.go(this.ply + 1);
    else if (sideline.played < sideline.steps.length) this.sideline = { ...sideline, played: sideline.played + 1 };
  }

  /** The move before; before the first move of a sideline, the game. */
  back(): void {
    const { sideline } = this;
    if (!sideline) this.go(this.ply - 1);
    else if (sideline.played > 1) this.sideline = { ...sideline, played: sideline.played - 1 };
    else this.sideline = null;
  }

  /** The end of the sideline, or of the game. */
  end(): void {
    if (this.sideline) this.sideline = { ...this.sideline, played: this.sideline.steps.length };
    else this.go(this.length);
  }

  /** Shows a sideline. */
  enter(sideline: Sideline): void {
    this.ply = Math.max(0, Math.min(sideline.root, this.length));
    this.sideline = sideline;
  }

  /** Plays a legal move on the board: the game's own next move, the sideline's, or a new one. */
  play(step: Step): void {
    const { sideline } = this;
    const next = sideline ? sideline.steps[sideline.played] : this.game?.plies[this.ply];
    if (next && isSameAfter(next.fen, step.fen)) this.forward();
    else if (sideline) this.sideline = { ...sideline, steps: [...sideline.steps.slice(0, sideline.played), step], played: sideline.played + 1 };
    else this.sideline = { root: this.ply, steps: [step], played: 1 };
  }

  nextMatch(): void {
    const next = this.game?.matches.find((ply) => ply > this.ply);
    if (next !== undefined) this.go(next);
  }

  previousMatch(): void {
    const previous = this.game?.matches.findLast((ply) => ply < this.ply);
    if (previous !== undefined) this.go(previous);
  }
}
