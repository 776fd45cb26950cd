// A click on an answer adds a condition at the same position.
import { describe, expect, it } from 'vitest';
import { addCondition, structureCondition } from '../src/state/compose';

describe('addCondition', () => {
  it.each([
    ['', 'white knight on e5'],
    ['queens_off', '{ queens_off and white knight on e5 }'],
    ['{ queens_off and check }', '{ queens_off and check and white knight on e5 }'],
    ['queens_off or check', '{ (queens_off or check) and white knight on e5 }'],
    ['{ queens_off or check }', '{ (queens_off or check) and white knight on e5 }'],
    ['(queens_off or check) and castled', '{ (queens_off or check) and castled and white knight on e5 }'],
    ['{ queens_off } and { check }', '{ queens_off } and { check } and white knight on e5'],
    ['{ queens_off } or check', '({ queens_off } or check) and white knight on e5'],
    ['rook_on_open_file', '{ rook_on_open_file and white knight on e5 }'],
  ])('%s', (before, after) => {
    expect(addCondition(before, 'white knight on e5')).toBe(after);
  });
});

it('no pawns are a structure too', () => {
  expect(structureCondition({ white: '0000000000000000', black: '0000000000000000', count: 3 })).toBe('count(white pawn) = 0 and count(black pawn) = 0');
});

it('a structure is its pawns and no others', () => {
  expect(structureCondition({ white: '0000000000000100', black: '0081000000000000', count: 3 })).toBe(
    'count(white pawn) = 1 and count(white pawn on a2) = 1 and count(black pawn) = 2 and count(black pawn on a7 h7) = 2',
  );
});
