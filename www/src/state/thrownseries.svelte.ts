// The user's own endgames in which a win or a draw was thrown away, one after another. The page looks through the user's games of
// few pieces, the latest first, and asks the tables about each position, wherever the tables are; what it has found can be
// played while it looks on.
import { EngineError, type EngineClient } from '../engine/client';
import type { GameRow, GameView } from '../engine/protocol';
import { gamesBySide } from './owngames';
import { turnOf, type Side } from './squares';
import type { TableBoard } from './tableboard.svelte';
import { endgameOf } from './tablegame.svelte';
import { tableSentence, type TableStore } from './tablestore.svelte';
import { forMover, thrownAway, type Thrown } from './tableverdict';

/** Some endgames last for hundreds of moves; the tables are asked about so many positions at a time. */
const POSITIONS_AT_ONCE = 60;

/** A position of the user, who threw something away by the next move. */
export interface ThrownEndgame {
  row: GameRow;
  side: Side;
  /** The position before the move, and the ply of the move. */
  fen: string;
  ply: number;
  san: string;
  thrown: Thrown;
}

export class ThrownSeries {
  items = $state.raw<readonly ThrownEndgame[]>([]);
  /** The item that is played; -1 before the first. */
  at = $state(-1);
  /** Games looked through, and all that have few pieces. */
  done = $state(0);
  total = $state(0);
  isLooking = $state(false);
  trouble = $state('');
  /** The corpus of the games. */
  corpus = $state('');
  /** The items that were kept to the end. */
  kept = $state.raw<ReadonlySet<number>>(new Set());

  private readonly client: EngineClient;
  private readonly store: TableStore;
  private readonly board: TableBoard;
  private abort: AbortController | null = null;
  private readonly chosen = $derived.by(() => this.items[this.at] ?? null);

  constructor(client: EngineClient, store: TableStore, board: TableBoard) {
    this.client = client;
    this.store = store;
    this.board = board;
  }

  /** The item on the board; null if the board shows another position. */
  get current(): ThrownEndgame | null {
    const one = this.chosen;
    return one && one.fen === this.board.start ? one : null;
  }

  /**
   * Looks through the games of a player, as long as their corpus is open. Resolves once the first item is found, or all games were
   * looked through.
   */
  find(name: string, corpus: () => string | undefined): Promise<void> {
    this.stop();
    this.corpus = corpus() ?? '';
    this.abort = new AbortController();
    const { signal } = this.abort;
    Object.assign(this, { items: [], at: -1, done: 0, total: 0, trouble: '', kept: new Set(), isLooking: true });
    return new Promise((resolve) => {
      void this.look(name, signal, () => corpus() === this.corpus, resolve)
        .catch((error: unknown) => {
          if (!signal.aborted) this.trouble = error instanceof EngineError ? error.message : tableSentence(error);
        })
        .finally(() => {
          if (!signal.aborted) this.isLooking = false;
          resolve();
        });
    });
  }

  stop(): void {
    this.abort?.abort();
    this.isLooking = false;
  }

  private async look(name: string, signal: AbortSignal, isOpen: () => boolean, found: () => void): Promise<void> {
    const most = this.store.mostPieces;
    const { sides, order } = await gamesBySide(this.client, name, `count(piece) <= ${most}`, true, signal);
    this.total = order.length;
    for (const id of order) {
      if (!isOpen()) return;
      const game = await this.client.call('game', { id, query: '' }, { signal });
      const item = await this.itemOf(game, sides.get(id) ?? 'white', most);
      if (signal.aborted) return;
      this.done++;
      if (!item) continue;
      this.items = [...this.items, item];
      found();
    }
  }

  /** The first move of a side that threw something away; null if there is none. */
  private async itemOf(game: GameView, side: Side, most: number): Promise<ThrownEndgame | null> {
    const all = [...endgameOf(game, most)];
    // A part begins with the last position of the one before it.
    for (let from = 0; from < all.length; from += POSITIONS_AT_ONCE) {
      const part = all.slice(Math.max(0, from - 1), from + POSITIONS_AT_ONCE);
      const { values } = await this.store.client.call('values', { fens: part.map(([, fen]) => fen) });
      for (const [nth, [ply, fen]] of part.entries()) {
        const [value, next] = [values[nth], values[nth + 1]];
        const thrown = turnOf(fen) === side && value && next ? thrownAway(value, forMover(next)) : null;
        if (thrown) return { row: game.row, side, fen, ply: ply + 1, san: game.plies[ply]?.san ?? '', thrown };
      }
    }
    return null;
  }

  /** Plays an item against the tables. */
  play(nth: number): void {
    const item = this.items[nth];
    if (!item) return;
    this.at = nth;
    this.board.show(item.fen);
    this.board.against(item.side);
  }

  /** The item on the board was kept to the end. */
  keep(): void {
    if (!this.kept.has(this.at)) this.kept = new Set([...this.kept, this.at]);
  }
}
