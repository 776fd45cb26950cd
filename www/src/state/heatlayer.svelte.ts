// The heatmap as a layer on the large board: which piece it shows, and how the games of a square ended, which is asked for when
// the user chooses the square.
import type { EngineClient } from '../engine/client';
import { heatOf } from './heat';
import { keep, kept } from './kept';
import { namedPlayer, sideScore, type SideScore } from './score';
import { NO_OUTPUTS, type Search } from './search.svelte';
import { squareName, type Man, type Side } from './squares';

const KEY = 'plyfold.heatlayer';

/** Which piece is shown before the user chooses one: kings stand in every position. */
const FIRST: readonly { side: Side; man: Man }[] = (['knight', 'bishop', 'rook', 'queen', 'pawn', 'king'] as const).flatMap((man) => (['white', 'black'] as const).map((side) => ({ side, man })));

/** What is known of the positions with the piece on a square. */
export interface SquareScore {
  games: number;
  positions: number;
  score: SideScore & { isPlayer: boolean };
  /** Whose score it is; empty for White's. */
  player: string;
}

export class HeatLayer {
  /** The piece that the user chose; null before. */
  private chosen = $state.raw<{ side: Side; man: Man } | null>(null);
  /** The piece that is shown: before the user chooses one, the first that stands anywhere. */
  private readonly piece = $derived.by(() => {
    const heat = this.search.result?.heatmap;
    return this.chosen ?? FIRST.find(({ side, man }) => heat && heatOf(heat, side, man).some((value) => value > 0)) ?? { side: 'white' as const, man: 'knight' as const };
  });
  /** Whether the user wants the layer. It is kept on this device. */
  isOn = $state(kept(KEY) !== 'off');
  /** Whether the heatmap is shown at all. */
  isOpen = $state(false);
  /** The square that the user chose, from a1 = 0. */
  square = $state<number | null>(null);
  found = $state.raw<SquareScore | null>(null);
  /** Whether the score of the square could not be found out. */
  hasFailed = $state(false);

  readonly values = $derived.by(() => {
    const heat = this.search.result?.heatmap;
    return heat ? heatOf(heat, this.side, this.man) : null;
  });
  readonly most = $derived.by(() => Math.max(0, ...(this.values ?? [])));
  /** Whether the board shows the layer. */
  readonly isShown = $derived.by(() => this.isOpen && this.isOn && this.values !== null);

  private readonly client: EngineClient;
  private readonly search: Search;
  private readonly own: () => string;
  private abort: AbortController | null = null;

  constructor(client: EngineClient, search: Search, own: () => string) {
    this.client = client;
    this.search = search;
    this.own = own;
  }

  get side(): Side {
    return this.piece.side;
  }

  get man(): Man {
    return this.piece.man;
  }

  /** The condition that the piece stands on a square. */
  conditionOf(square: number): string {
    return `${this.side} ${this.man} on ${squareName(square)}`;
  }

  show(side: Side, man: Man): void {
    this.chosen = { side, man };
    this.leave();
  }

  toggle(): void {
    this.isOn = !this.isOn;
    keep(KEY, this.isOn ? 'on' : 'off');
  }

  /** Chooses no square. */
  leave(): void {
    this.abort?.abort();
    this.square = null;
    this.found = null;
    this.hasFailed = false;
  }

  /** Chooses a square and asks how its games ended. */
  async choose(square: number): Promise<void> {
    this.leave();
    this.square = square;
    const abort = (this.abort = new AbortController());
    const { signal } = abort;
    const { answered, answeredConditions, question } = this.search;
    try {
      const { together, apart } = await this.client.call('compose', { query: answered, condition: this.conditionOf(square) }, { signal });
      const { ids, positions, games } = await this.client.call('query', { question: { ...question, query: together ?? apart }, outputs: NO_OUTPUTS }, { signal });
      const player = namedPlayer(answeredConditions) || this.own();
      const score = sideScore(await this.client.call('score', { ids, player }, { signal }));
      if (!signal.aborted) this.found = { games, positions, score, player: score.isPlayer ? player : '' };
    } catch {
      if (!signal.aborted) this.hasFailed = true;
    }
  }
}

/** How strong the colour of a number is, from 0 to 1: without steps, and with small numbers still to be seen. */
export function strengthOf(value: number, most: number): number {
  return value <= 0 || most <= 0 ? 0 : 0.08 + 0.84 * Math.sqrt(value / most);
}
