// The opening's name at the board. The table of names is fetched once, when a board first shows a game.
import type { Explorer } from './explorer.svelte';
import { openingOf, openingsAlong, type OpeningTable } from './openings';
import type { Replay } from './replay.svelte';
import { playMove } from './rules';

export class OpeningName {
  private table = $state.raw<OpeningTable | null>(null);
  private fetched: Promise<void> | null = null;
  private readonly replay: Replay;
  private readonly explorer: Explorer;

  constructor(replay: Replay, explorer: Explorer) {
    this.replay = replay;
    this.explorer = explorer;
  }

  /** The names along the game, by ply. */
  private readonly along = $derived.by(() => {
    const { game } = this.replay;
    return this.table && game ? openingsAlong(this.table, [game.start_fen, ...game.plies.map(({ fen }) => fen)]) : [];
  });

  /** The name at the game's position on the board; empty if it has none. */
  readonly ofGame = $derived.by(() => {
    const { sideline, ply } = this.replay;
    const own = this.table && sideline ? openingOf(this.table, sideline.steps.slice(0, sideline.played).map(({ fen }) => fen)) : '';
    return own || (this.along[ply] ?? '');
  });

  /** The ply at which the game leaves the opening: the last whose position has another name than the one before; 0 if none has a name. */
  get leftAt(): number {
    return Math.max(0, this.along.findLastIndex((name, ply) => name !== '' && name !== this.along[ply - 1]));
  }

  /** The name at the explorer's position. */
  readonly ofExplorer = $derived.by(() => (this.table ? openingOf(this.table, this.explorer.line.map(({ fen }) => fen)) : ''));

  /** The name of the position to which a move leads from that of the explorer; empty if it has none, or none but the present name. */
  afterMove(uci: string): string {
    const { here } = this.explorer;
    const step = this.table && here ? playMove(here.fen, uci) : null;
    const name = this.table && step ? openingOf(this.table, [step.fen]) : '';
    return name === this.ofExplorer ? '' : name;
  }

  /** Fetches the table, once. Without it, there are no names. */
  fetch(): Promise<void> {
    this.fetched ??= (async () => {
      const { fetchOpeningMoves, readOpenings } = await import('./openingtable');
      this.table = await readOpenings(await fetchOpeningMoves());
    })().catch(() => {
      this.fetched = null;
    });
    return this.fetched;
  }
}
