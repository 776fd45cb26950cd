// Starts everything about tables; the page loads this when a table is first needed.
import { startTables } from '../tables/start';
import { TableAnswer } from './tableanswer.svelte';
import { TableBoard } from './tableboard.svelte';
import { TableGame } from './tablegame.svelte';
import { TableStore } from './tablestore.svelte';

export interface Tablebase {
  store: TableStore;
  /** The board of the page of tables. */
  board: TableBoard;
  /** The position of the search page. */
  answer: TableAnswer;
  game: TableGame;
}

/** `threads` as for the engine. */
export function makeTablebase(threads: number | null): Tablebase {
  const store = new TableStore(startTables, threads);
  return { store, board: new TableBoard(store), answer: new TableAnswer(store), game: new TableGame(store) };
}
