// Starts everything about tables; the page loads this when a table is first needed.
import type { EngineClient } from '../engine/client';
import { startTables } from '../tables/start';
import { TableAnswer } from './tableanswer.svelte';
import { TableBoard } from './tableboard.svelte';
import { TableGame } from './tablegame.svelte';
import { TableStore } from './tablestore.svelte';
import { ThrownSeries } from './thrownseries.svelte';

export interface Tablebase {
  store: TableStore;
  /** The board of the page of tables. */
  board: TableBoard;
  /** The position of the search page. */
  answer: TableAnswer;
  game: TableGame;
  /** The user's own endgames to practise. */
  thrown: ThrownSeries;
}

/** `threads` as for the engine, which is asked for the user's games. */
export function makeTablebase(threads: number | null, engine: EngineClient): Tablebase {
  const store = new TableStore(startTables, threads);
  const board = new TableBoard(store);
  return { store, board, answer: new TableAnswer(store), game: new TableGame(store), thrown: new ThrownSeries(engine, store, board) };
}
