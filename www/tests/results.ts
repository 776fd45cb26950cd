// Replies of the engine, as far as tests of the state need them.
import type { CorpusInfo, GameRow, GameView, ImportReport, QueryResult } from '../src/engine/protocol';
import { START_FEN } from '../src/state/replay.svelte';

export const corpus = (id: string): CorpusInfo => ({ id, name: id, games: 3, plies: 30, size_bytes: 100, created_ms: 0, kept: 'device' });

/** The report of an import that became this corpus. */
export const report = (id: string): ImportReport => ({ corpus: corpus(id), refusals: [], refused: 0, in_part: 0, notes: [], skipped: [], elapsed_ms: 1, bytes: 1, storage_note: '', memory_bytes: 0 });

/** A result with these games. */
export const result = (...ids: number[]): QueryResult => ({
  games_total: 10, plies_total: 100, games: ids.length, positions: ids.length, plies_looked_at: 100, elapsed_ms: 1, memory_bytes: 0,
  ids: Uint32Array.from(ids), heatmap: null, structures: [], structures_total: 0, hits: [], next: null, groups: null, table: null, unknown: null,
});

export const row = (id: number, white = ''): GameRow => ({ id, white, black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' });

/** A game of two plies, of which the second matches. */
export const game = (id: number): GameView => ({ row: row(id), start_fen: START_FEN, plies: ['e4', 'e5'].map((san) => ({ fen: `after ${san}`, uci: 'e2e4', san })), matches: [2], images: [] });
