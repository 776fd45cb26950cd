// Which views stand beside the board. A window of a laptop has two panels: one for the position on the board (its moves, the
// explorer, the engine, the tablebase) and one for the results. Other windows show one view at a time.
import type { Tab } from './address';
import { keepValue, keptValue } from './kept';

/** The views of the position on the board. The moves are no tab of the address: they are what is there without one. */
export const BOARD_VIEWS = ['moves', 'explorer', 'engine', 'tablebase'] as const;
export type BoardView = (typeof BOARD_VIEWS)[number];

/** The windows with two panels; `workspace.css` says the same. Rows that a finger can hit are too high for both. */
const TWO_PANELS = '(min-width: 68.76rem) and (max-width: 99.99rem) and (min-height: 34.01rem) and (pointer: fine)';

/** How much of the height of both panels the upper one has at first: the moves that games went on with need more than the others. */
export const FIRST_SHARES: Readonly<Record<BoardView, number>> = { moves: 0.38, explorer: 0.56, engine: 0.35, tablebase: 0.35 };
/** What each panel has at least. */
export const LEAST_SHARE = 0.25;
const SHARE_KEY = 'plyfold.panels';

export function isOfBoard(tab: Tab): tab is BoardView {
  return BOARD_VIEWS.some((view) => view === tab);
}

export class Panels {
  areTwo = $state(false);
  /** The view that was chosen last. */
  tab = $state<Tab>('games');
  /** The view in the other panel; empty for the first one there, which is the moves or the games. */
  other = $state<Tab>('');
  /** How much of the height the panel of the board has, with each of its views. It is kept on this device. */
  private shares = $state.raw(keptShares());
  readonly ofBoard = $derived<BoardView>(isOfBoard(this.tab) ? this.tab : isOfBoard(this.other) ? this.other : 'moves');
  readonly ofResults = $derived<Tab>(!isOfBoard(this.tab) ? this.tab : this.other === '' || isOfBoard(this.other) ? 'games' : this.other);

  readonly share = $derived(this.shares[this.ofBoard]);

  /** Follows the size of the window. */
  follow(): void {
    const window = globalThis.matchMedia?.(TWO_PANELS);
    if (!window) return;
    this.areTwo = window.matches;
    window.addEventListener('change', () => (this.areTwo = window.matches));
  }

  /** Whether a view is on the page. */
  isShown(tab: Tab): boolean {
    return this.areTwo ? tab === this.ofBoard || tab === this.ofResults : tab === this.tab;
  }

  /** Gives the panel of the board another share of the height; without one, the usual share. */
  divide(share = FIRST_SHARES[this.ofBoard]): void {
    this.shares = { ...this.shares, [this.ofBoard]: within(share) };
    keepValue(SHARE_KEY, this.shares);
  }

  /** Whether the board may show the explorer's own position: beside the explorer, and beside what the engine and the tables say of it. */
  get hasExplorer(): boolean {
    return this.isShown('explorer') || (this.areTwo && this.ofBoard !== 'moves');
  }

  /** Shows a view; what stands in the other panel stays there. */
  choose(tab: Tab): void {
    const { ofBoard, ofResults } = this;
    if (tab === 'moves') [this.tab, this.other] = [ofResults, ''];
    else [this.tab, this.other] = [tab, this.areTwo ? bare(isOfBoard(tab) ? ofResults : ofBoard) : ''];
  }
}

function within(share: number): number {
  return Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share));
}

function keptShares(): Readonly<Record<BoardView, number>> {
  const last = keptValue(SHARE_KEY) as Partial<Record<BoardView, unknown>> | null;
  const of = (view: BoardView) => (typeof last?.[view] === 'number' ? within(last[view]) : FIRST_SHARES[view]);
  return { moves: of('moves'), explorer: of('explorer'), engine: of('engine'), tablebase: of('tablebase') };
}

/** The first view of a panel has no name. */
function bare(tab: Tab): Tab {
  return tab === 'moves' || tab === 'games' ? '' : tab;
}
