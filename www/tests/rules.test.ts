// Moves as players write them.
import { expect, it } from 'vitest';
import { START_FEN } from '../src/state/replay.svelte';
import { readLine, readMove } from '../src/state/rules';

const CASTLING = 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1';
const PAWN = '3n4/2P5/8/8/8/1p6/2B5/K6k w - - 0 1';

it('reads SAN, UCI and what is between them', () => {
  for (const text of ['Nf3', 'g1f3', 'g1-f3', 'Ng1-f3', 'nf3', 'Nf3!?', '♘f3', 'G1F3']) expect(readMove(START_FEN, text)).toMatchObject({ san: 'Nf3', uci: 'g1f3' });
  for (const text of ['e4', 'e2e4', 'e2-e4', 'Pe4']) expect(readMove(START_FEN, text)?.san).toBe('e4');
  for (const text of ['O-O', '0-0', 'o-o', 'e1g1', 'e1h1']) expect(readMove(CASTLING, text)?.san).toBe('O-O');
  expect(readMove(CASTLING, '0-0-0')).toMatchObject({ san: 'O-O-O', uci: 'e1c1' });
  expect(readMove('8/8/8/3pP3/8/8/8/K6k w - d6 0 1', 'exd6e.p.')?.san).toBe('exd6');
});

it('a promotion names its piece', () => {
  for (const text of ['c8=Q', 'c8Q', 'c8(Q)', 'c7c8q', 'c8=Q!']) expect(readMove(PAWN, text)).toMatchObject({ san: 'c8=Q', uci: 'c7c8q' });
  expect(readMove(PAWN, 'cxd8=N')?.san).toBe('cxd8=N');
  expect(readMove(PAWN, 'c8')).toBeNull();
  expect(readMove(PAWN, 'c7c8')).toBeNull();
  expect(readMove(PAWN, 'bxb3')?.san).toBe('Bxb3');
});

it('reads no illegal move, and nothing in a position without kings', () => {
  for (const text of ['Nf4', 'e5', 'hello', '', 'O-O']) expect(readMove(START_FEN, text)).toBeNull();
  expect(readMove('8/8/8/8/8/8/8/8 w - - 0 1', 'e4')).toBeNull();
});

it('reads a line up to the first illegal move', () => {
  const { steps, rest } = readLine(START_FEN, ['e4', 'e5', 'Ke3', 'Nc6']);
  expect([steps.map(({ uci }) => uci), rest]).toEqual([['e2e4', 'e7e5'], ['Ke3', 'Nc6']]);
});
