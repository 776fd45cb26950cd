// What the text of the game on the board says: fetched after the game is on the board, so that stepping never waits
// for it. The parser is a chunk of its own. Late results of another game are dropped.
import { untrack } from 'svelte';
import type { GameView } from '../engine/protocol';
import { clockTime, clocksOf } from './gamegraph';
import type { GameText, Remarks, VariationMove } from './gametext';
import { keep, kept } from './kept';
import type { Replay } from './replay.svelte';
import type { Shape } from './shapes';

type Reader = typeof import('./gametext');

const KEY = 'plyfold.comments';

export class Annotations {
  private readonly replay: Replay;
  private reader = $state.raw<Reader | null>(null);
  /** The text that was read last, the game that it belongs to, and its PGN. */
  private found = $state.raw<{ text: GameText; game: GameView; pgn: string } | null>(null);
  private round = 0;

  /** The text of the game on the board; null until it is read. */
  readonly text = $derived.by(() => (this.found && this.found.game.row.id === this.replay.game?.row.id ? this.found.text : null));
  /** Whether the list of moves has comments and variations. */
  areShown = $state(kept(KEY) !== 'hidden');

  /** The move of a variation that is on the board. */
  readonly present = $derived.by((): VariationMove | null => {
    const { sideline } = this.replay;
    if (!this.text || !this.reader || !sideline) return null;
    return this.reader.findMove(this.text, sideline.root, sideline.steps.slice(0, sideline.played));
  });
  /** What the text says about the position on the board. */
  readonly here = $derived.by((): Remarks | null => {
    const { sideline, ply } = this.replay;
    if (sideline || !this.text) return this.present;
    return ply === 0 ? this.text.start : (this.text.plies[ply - 1] ?? null);
  });
  /** Circles and arrows for the board. */
  readonly shapes = $derived.by((): readonly Shape[] => this.here?.shapes ?? NO_SHAPES);
  /** Clock times of the whole game. */
  readonly times = $derived.by(() => (this.text && this.found ? clocksOf(this.text, this.found.game.start_fen) : null));
  /** What each player's clock shows; empty if the text has no times. */
  readonly clocks = $derived.by(() => {
    const { times, replay } = this;
    const written = (side: 'white' | 'black') => {
      const seconds = times?.kind === 'left' ? times[side][replay.ply] : null;
      return typeof seconds === 'number' ? clockTime(seconds) : '';
    };
    return { white: written('white'), black: written('black') };
  });

  constructor(replay: Replay) {
    this.replay = replay;
  }

  /** Reads the text of a game that has come on the board. */
  follow(game: GameView | null): void {
    untrack(() => void this.read(game));
  }

  private async read(game: GameView | null): Promise<void> {
    const round = ++this.round;
    const isWanted = () => round === this.round && this.replay.game === game;
    // Each corpus numbers its games from 0. Between two corpora there is no game.
    if (!game) {
      this.found = null;
      return;
    }
    await idle();
    if (!isWanted()) return;
    await this.replay.fetchPgn();
    const { pgn } = this.replay;
    if (!isWanted() || pgn === '' || (this.text && pgn === this.found?.pgn)) return;
    // If the text cannot be read, the game is there without it.
    const text = await this.parse(pgn, game, isWanted).catch(() => null);
    if (!text || !isWanted()) return;
    this.found = { text, game, pgn };
    this.completeLine();
  }

  private async parse(pgn: string, game: GameView, isWanted: () => boolean): Promise<GameText | null> {
    const reader = await import('./gametext');
    this.reader = reader;
    return reader.readGameTextInSlices(pgn, game, isWanted);
  }

  /** A sideline that came from an address ends at its present move. If it is a variation, it goes on as that does. */
  private completeLine(): void {
    const { present, replay } = this;
    const { sideline } = replay;
    if (!present || !sideline || !this.reader || sideline.played < sideline.steps.length) return;
    replay.sideline = this.reader.lineTo(present);
  }

  /** Shows a move of a variation on the board. */
  enter(move: VariationMove): void {
    if (this.reader && move.step) this.replay.enter(this.reader.lineTo(move));
  }

  /** Shows or hides comments and variations, now and on the next visits. */
  toggle(): void {
    this.areShown = !this.areShown;
    keep(KEY, this.areShown ? 'shown' : 'hidden');
  }
}

const NO_SHAPES: readonly Shape[] = [];

/** Resolves when the page has nothing else to do, or soon. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: 300 });
    else setTimeout(resolve, 50);
  });
}
