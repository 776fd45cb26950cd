// Replies of the engine, as far as tests of the state need them.
import type { GameView, QueryResult } from '../src/engine/protocol';
import { START_FEN } from '../src/state/replay.svelte';

/** A result with these games. */
export const result = (...ids: number[]): QueryResult => ({
  games_total: 10, plies_total: 100, games: ids.length, positions: ids.length, plies_looked_at: 100, elapsed_ms: 1, memory_bytes: 0,
  ids: Uint32Array.from(ids), heatmap: null, structures: [], structures_total: 0, hits: [], next: null, groups: null, table: null, unknown: null,
});

/** A game of two plies, of which the second matches. */
export const game = (id: number): GameView => ({
  row: { id, white: '', black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', date: '', event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' },
  start_fen: START_FEN, plies: ['e4', 'e5'].map((san) => ({ fen: `after ${san}`, uci: 'e2e4', san })), matches: [2], images: [],
});
