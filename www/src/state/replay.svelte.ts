// The game on the board: which game, at which ply, and its matching positions.
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
  /** The images that match the position on the board; null if the query has no images. */
  readonly images = $derived.by(() => {
    if (!this.game || this.game.images.length === 0) return null;
    return this.game.images[this.game.matches.indexOf(this.ply)] ?? [];
  });

  private readonly client: EngineClient;
  private round = 0;
  /** The game that is being fetched, or null. */
  private awaited: number | null = null;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Whether a game other than the one on the board has been requested. */
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

  /** Shows a game at `ply`; if `ply` is null, at its first matching position. */
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
      // Each corpus numbers its games from 0, so the number alone does not identify the game.
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
