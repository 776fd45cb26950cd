// The game on the board: which one, at which ply, and where its matching positions are.
import type { EngineClient } from '../engine/client';
import type { GameView } from '../engine/protocol';
import { sentence } from './library.svelte';

export const START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

export class Replay {
  game = $state.raw<GameView | null>(null);
  /** 0 is the start position. */
  ply = $state(0);
  flipped = $state(false);
  pgn = $state('');
  trouble = $state('');

  readonly fen = $derived.by(() => this.fenAt(this.ply));
  readonly last = $derived.by(() => this.game?.plies[this.ply - 1] ?? null);
  readonly length = $derived(this.game?.plies.length ?? 0);
  readonly matching = $derived(new Set(this.game?.matches ?? []));
  /** The images as which the position on the board matches; null where the query asks for none. */
  readonly images = $derived.by(() => {
    if (!this.game || this.game.images.length === 0) return null;
    return this.game.images[this.game.matches.indexOf(this.ply)] ?? [];
  });

  private readonly client: EngineClient;
  private round = 0;
  /** The game that is being fetched, null for none. */
  private awaited: number | null = null;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Whether another game than the one on the board has been asked for. */
  get isAwaited(): boolean {
    return this.awaited !== null && this.awaited !== this.game?.row.id;
  }

  clear(): void {
    this.round++;
    this.awaited = null;
    this.game = null;
    this.ply = 0;
    this.pgn = '';
    this.trouble = '';
  }

  /** Shows a game; without a ply, at its first matching position. */
  async show(id: number, query: string, ply: number | null): Promise<void> {
    const round = ++this.round;
    this.awaited = id;
    this.trouble = '';
    try {
      const game = await this.client.call('game', { id, query });
      if (round !== this.round) return;
      this.awaited = null;
      if (this.game?.row.id !== id) this.pgn = '';
      this.game = game;
      this.go(ply ?? game.matches[0] ?? 0);
    } catch (error) {
      if (round !== this.round) return;
      this.awaited = null;
      this.trouble = sentence(error);
    }
  }

  /** The original text of the game on the board, fetched once. */
  async fetchPgn(): Promise<void> {
    const game = this.game;
    if (game === null || this.pgn !== '') return;
    try {
      const text = await this.client.call('pgn', { id: game.row.id });
      // Numbers of games begin anew in each corpus, so that the number alone does not say which game it is.
      if (this.game === game) this.pgn = text;
    } catch (error) {
      if (this.game === game) this.trouble = sentence(error);
    }
  }

  go(ply: number): void {
    this.ply = Math.max(0, Math.min(ply, this.length));
  }

  nextMatch(): void {
    const next = this.game?.matches.find((ply) => ply > this.ply);
    if (next !== undefined) this.go(next);
  }

  previousMatch(): void {
    const previous = this.game?.matches.findLast((ply) => ply < this.ply);
    if (previous !== undefined) this.go(previous);
  }

  private fenAt(ply: number): string {
    if (!this.game) return START_FEN;
    return ply === 0 ? this.game.start_fen : (this.game.plies[ply - 1]?.fen ?? this.game.start_fen);
  }
}
