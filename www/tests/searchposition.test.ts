// The queries of the menu at the board.
import { expect, it } from 'vitest';
import { START_FEN } from '../src/state/replay.svelte';
import { waysToSearch } from '../src/state/searchposition';

const query = (fen: string, key: string, ...families: string[]) => waysToSearch(fen, families).find((one) => one.key === key)?.query;
const ROOK = '8/5k2/8/8/3Pp3/8/8/K6R b - d3 12 40';

it('writes each way as a query', () => {
  expect(query(ROOK, 'exact')).toBe('fen "8/5k2/8/8/3Pp3/8/8/K6R b - d3"');
  expect(query(ROOK, 'pawns')).toBe('structure "8/8/8/8/3Pp3/8/8/8"');
  expect(query(ROOK, 'material')).toBe('material white KRPvKP');
  expect(query(ROOK, 'pieces')).toBe('board "????????/?????k??/????????/????????/???Pp???/????????/????????/K??????R"');
  expect(query(START_FEN, 'material')).toBe('material white KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP');
});

it('under transforms, where a query has them', () => {
  expect(query(ROOK, 'exact', 'colour flip', 'mirror')).toBe('fen "8/5k2/8/8/3Pp3/8/8/K6R b" under mirror, colour flip');
  expect(query(ROOK, 'pawns', 'mirror')).toBe('structure "8/8/8/8/3Pp3/8/8/8" under mirror');
  expect(query(ROOK, 'material', 'mirror')).toBe('material white KRPvKP');
  expect(query(ROOK, 'material', 'colour flip')).toBe('material KRPvKP');
});

it('has no material without kings', () => {
  expect(query('8/8/8/8/8/8/8/7R w - - 0 1', 'material')).toBe('');
});
