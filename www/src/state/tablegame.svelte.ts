// What the tables say of the game on the board: the value of each of its positions of few pieces, and the moves that threw
// a win or a draw away, with the best move of each.
import type { GameView } from '../engine/protocol';
import type { TableValue } from '../tables/protocol';
import { playMove } from './rules';
import type { TableStore } from './tablestore.svelte';
import { forMover, piecesOf, thrownAway, type Thrown } from './tableverdict';

export interface PlyVerdict {
  /** The value for the side to move. */
  value: TableValue;
  /** Set if the move that led here threw something away. */
  thrown: { what: Thrown; best: string; value: TableValue } | null;
}

const NONE: ReadonlyMap<number, PlyVerdict> = new Map();

export class TableGame {
  /** By ply, 0 for the start position; only those that the tables know. */
  private found = $state.raw<{ game: GameView; plies: ReadonlyMap<number, PlyVerdict> } | null>(null);
  private readonly store: TableStore;
  private round = 0;

  constructor(store: TableStore) {
    this.store = store;
  }

  /** The verdicts of a game; none before they are there. */
  of(game: GameView | null): ReadonlyMap<number, PlyVerdict> {
    return this.found && this.found.game.row.id === game?.row.id ? this.found.plies : NONE;
  }

  /** Asks about the positions of a game. */
  async follow(game: GameView | null): Promise<void> {
    const round = ++this.round;
    const fens = game ? endgameOf(game, this.store.mostPieces) : new Map<number, string>();
    if (!game || fens.size === 0) {
      this.found = null;
      return;
    }
    // A game without verdicts is a game all the same; what is wrong with a table is said where it is asked for.
    const found = await this.store.client.call('values', { fens: [...fens.values()] }).catch(() => null);
    if (round !== this.round || !found) return;
    const values = new Map([...fens.keys()].flatMap((ply, nth) => (found.values[nth] ? [[ply, found.values[nth]] as const] : [])));
    const plies = new Map<number, PlyVerdict>();
    for (const [ply, value] of values) plies.set(ply, { value, thrown: await this.thrown(game, ply, values) });
    if (round === this.round) this.found = { game, plies };
  }

  private async thrown(game: GameView, ply: number, values: ReadonlyMap<number, TableValue>): Promise<PlyVerdict['thrown']> {
    const [before, after] = [values.get(ply - 1), values.get(ply)];
    const what = before && after ? thrownAway(before, forMover(after)) : null;
    if (!what || !before) return null;
    const fen = fenAt(game, ply - 1);
    const verdict = await this.store.client.call('verdict', { fen }).catch(() => null);
    const best = verdict?.moves[0] && playMove(fen, verdict.moves[0].uci);
    return best ? { what, best: best.san, value: before } : null;
  }
}

const fenAt = (game: GameView, ply: number) => game.plies[ply - 1]?.fen ?? game.start_fen;

/** The positions of a game that have at most `most` pieces, by ply. Pieces only leave the board, so they are its end. */
export function endgameOf(game: Pick<GameView, 'plies' | 'start_fen'>, most: number): Map<number, string> {
  const fens = [game.start_fen, ...game.plies.map(({ fen }) => fen)];
  const first = fens.findIndex((fen) => piecesOf(fen) <= most);
  return new Map(first < 0 ? [] : fens.slice(first).map((fen, nth) => [first + nth, fen]));
}
