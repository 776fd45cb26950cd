// The explorer with an engine that the test controls.
import { expect, it } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { NextMove, NextMoves } from '../src/engine/protocol';
import { bare, Explorer } from '../src/state/explorer.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { Hand } from './hand';

const NEXT: NextMoves = { games: 2, white: 1, draw: 0, black: 1, unknown: 0, positions: 5, moves: [] };
const E4: NextMove = { ...NEXT, code: 796, san: 'e4', uci: 'e2e4', times: 2, fen: 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1', elo: 0, performance: null, last_played: '' };
const found = (games: number): NextMoves => ({ ...NEXT, games });
const QUESTION = { query: 'check', within: '@a', parts: [] };

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
  expect(port.asked.map((request) => request.method === 'explore' && request.params.question)).toEqual([{ query: '', within: '', parts: [] }]);
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
