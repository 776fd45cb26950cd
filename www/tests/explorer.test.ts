// The explorer with an engine that the test controls.
import { expect, it } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { GameRow, GameView, NextMove, NextMoves, QueryResult } from '../src/engine/protocol';
import { ALL_GAMES } from '../src/state/gamefilter';
import { bare, common, Explorer } from '../src/state/explorer.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { Hand } from './hand';

const NEXT: NextMoves = { games: 2, white: 1, draw: 0, black: 1, unknown: 0, positions: 5, moves: [] };
const E4: NextMove = { ...NEXT, code: 796, san: 'e4', uci: 'e2e4', times: 2, fen: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', elo: 0, performance: null, last_played: '' };
const found = (games: number): NextMoves => ({ ...NEXT, games });
const QUESTION = { query: 'check', within: '@a', parts: [], everywhere: false };

function explorer() {
  const port = new Hand();
  return { port, one: new Explorer(new EngineClient(() => port)) };
}

it('plays moves, takes them back, and asks each position once', async () => {
  const { port, one } = explorer();
  await one.ask(QUESTION);
  expect(port.asked).toEqual([]);
  one.begin(START_FEN);
  void one.ask(QUESTION);
  void one.ask(QUESTION);
  await port.answer(0, found(9));
  expect(one.found?.games).toBe(9);
  one.play(E4);
  expect(one.position).toBe('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -');
  one.keep(0);
  expect(one.position).toBe(bare(START_FEN));
  void one.ask({ ...QUESTION, query: 'castled' });
  expect(port.asked.map((request) => request.method === 'explore' && request.params.question)).toEqual([{ query: '', within: '', parts: [], everywhere: false }]);
});

it('asks among the matching games anew for another question', async () => {
  const { port, one } = explorer();
  one.begin(START_FEN);
  one.among = true;
  void one.ask(QUESTION);
  void one.ask({ ...QUESTION, query: 'castled' });
  await port.answer(0, found(1));
  expect(one.found).toBeNull();
  await port.answer(1, found(4));
  expect([one.found?.games, one.running]).toEqual([4, false]);
  expect(port.asked.map((request) => request.method === 'explore' && request.params.question.query)).toEqual(['check', 'castled']);
});

it('goes to a position of an address, by its line where that is known', () => {
  const { one } = explorer();
  const line = [{ fen: START_FEN, uci: '', san: '' }, { fen: E4.fen, uci: 'e2e4', san: 'e4' }];
  one.visit(bare(E4.fen), line);
  expect(one.line).toEqual(line);
  one.visit(bare(START_FEN), []);
  expect(one.line.map((step) => step.san)).toEqual(['']);
  one.visit('', line);
  expect(one.here).toBeNull();
});

const result = (...ids: number[]): QueryResult => ({
  games_total: 10, plies_total: 100, games: ids.length, positions: ids.length, plies_looked_at: 100, elapsed_ms: 1, memory_bytes: 0,
  ids: Uint32Array.from(ids), heatmap: null, structures: [], structures_total: 0, hits: [], next: null, groups: null, table: null, unknown: null,
});
const row = (id: number, elo = 2500, date = '2020.01.01'): GameRow => ({ id, white: 'A', black: 'B', white_elo: elo, black_elo: elo, result: '*', eco: '', opening: '', eco_tag: '', date, event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' });
const game = (id: number, ...matches: number[]): GameView => ({ row: row(id), start_fen: START_FEN, plies: [], matches, images: [] });
const BAND = { ...ALL_GAMES, ratings: [{ from: 2200, to: 2399 }] };

it('joins rating and years to the question', async () => {
  const { port, one } = explorer();
  one.filter = BAND;
  one.begin(START_FEN);
  void one.ask(QUESTION);
  await Promise.resolve();
  expect(port.asked.at(-1)?.params).toEqual({ question: { query: 'average elo 2200..2399', within: '', parts: [], everywhere: false }, fen: bare(START_FEN), among: true });
  one.among = true;
  void one.ask(QUESTION);
  await port.next('compose', { together: '', apart: 'check and average elo 2200..2399' });
  expect(port.asked.at(-1)?.params).toEqual({ question: { ...QUESTION, query: 'check and average elo 2200..2399' }, fen: bare(START_FEN), among: true });
  // From the matching positions, the explorer fetches the moves itself as long as there is a filter.
  one.leave();
  void one.ask(QUESTION);
  await port.next('compose', { together: '', apart: 'check and average elo 2200..2399' });
  await port.next('query', { ...result(1), next: found(1) });
  expect(one.found?.games).toBe(1);
  one.filter = ALL_GAMES;
  await one.ask(QUESTION);
  expect([one.found, one.running]).toEqual([null, false]);
});

it('finds the best and the newest games after the moves', async () => {
  const { port, one } = explorer();
  one.begin(E4.fen);
  one.among = true;
  const asked = one.ask(QUESTION);
  void one.askTop(Uint32Array.of(2, 4, 6));
  expect(port.open('query')).toEqual([]);
  await port.next('explore', found(9));
  await asked;
  const top = one.askTop(Uint32Array.of(2, 4, 6));
  await port.next('query', result(1, 2, 4));
  expect(port.asked.at(-1)?.params).toMatchObject({ ids: Uint32Array.of(2, 4), descending: true });
  await port.next('sort', Uint32Array.of(4, 2));
  await port.next('rows', [row(4), row(2, 0)]);
  await port.next('sort', Uint32Array.of(2, 4));
  await port.next('rows', [row(2), row(4, 2500, '????.??.??')]);
  await port.next('game', game(4, 7, 9));
  await port.next('game', game(2));
  await top;
  expect([one.top?.best.map(({ row, ply }) => [row.id, ply]), one.top?.newest.map(({ row, ply }) => [row.id, ply])]).toEqual([[[4, 7]], [[2, 0]]]);
});

it('drops the games of an older position', async () => {
  const { port, one } = explorer();
  one.begin(E4.fen);
  void one.ask(QUESTION);
  await port.next('explore', found(9));
  void one.askTop(null);
  one.begin(START_FEN);
  void one.ask(QUESTION);
  await port.next('query', result(1));
  expect([one.top, port.open('sort')]).toEqual([null, []]);
  await port.next('explore', found(10));
  void one.askTop(null);
  await Promise.resolve();
  // No query finds the start of a game.
  expect(port.asked.at(-1)?.params).toMatchObject({ question: { query: '' } });
});

it('learns what a corpus can be filtered by, once', async () => {
  const { port, one } = explorer();
  const learned = one.learn();
  void one.learn();
  for (const games of [0, 2, 0, 0, 3, 0]) await port.next('query', { ...result(), games });
  for (const games of [0, 0, 4, 1, 0, 0]) await port.next('query', { ...result(), games });
  await port.next('query', result(5, 6));
  await port.next('sort', Uint32Array.of(6, 5));
  await port.next('rows', [row(6, 2500, '1851.06.21'), row(5, 2500, '2024.01.??')]);
  await learned;
  expect(one.filters).toEqual({ bands: [{ span: { from: 1600, to: 1999 }, games: 2 }, { span: { from: 2400, to: 2599 }, games: 3 }], classes: [{ name: 'blitz', games: 4 }, { name: 'rapid', games: 1 }], years: { from: 1851, to: 2024 } });
  expect(port.open('query')).toEqual([]);
});

it('numbers in common', () => {
  expect([...common(Uint32Array.of(1, 3, 5, 9), Uint32Array.of(0, 3, 4, 9, 12))]).toEqual([3, 9]);
  expect([...common(Uint32Array.of(), Uint32Array.of(1))]).toEqual([]);
});
