// A click on an answer adds a condition at the same position.
import { describe, expect, it } from 'vitest';
import { addApart, addCondition, atOnePosition, structureCondition } from '../src/state/compose';

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
    ['{ queens_off or check } for 8', '{ queens_off or check } for 8 and white knight on e5'],
    ['check for 4 moves or castled', '(check for 4 moves or castled) and white knight on e5'],
    ['(check for 2) and castled', '(check for 2) and castled and white knight on e5'],
    ['fen "8/8/8/8/8/8/8/Kk6 w - - or for"', '{ fen "8/8/8/8/8/8/8/Kk6 w - - or for" and white knight on e5 }'],
    ['rook_on_open_file', '{ rook_on_open_file and white knight on e5 }'],
  ])('%s', (before, after) => {
    expect(addCondition(before, 'white knight on e5')).toBe(after);
  });
});

it('one position or none', () => {
  expect(atOnePosition('', 'white king on g1 and black king on g8')).toBe('{ white king on g1 and black king on g8 }');
  expect(atOnePosition('queens_off or check', 'move = 9')).toBe('{ (queens_off or check) and move = 9 }');
  expect(atOnePosition('{ check } for 2', 'move = 9')).toBeNull();
});

it('what speaks of several positions gets a neighbour', () => {
  expect(addApart('', 'check')).toBe('check');
  expect(addApart('never castled', 'check')).toBe('never castled and check');
  expect(addApart('castled or queens_off', 'check')).toBe('(castled or queens_off) and check');
  expect(addApart('castled then queens_off', 'check')).toBe('(castled then queens_off) and check');
});

it('no pawns are a structure too', () => {
  expect(structureCondition({ white: '0000000000000000', black: '0000000000000000', count: 3 })).toBe('structure "8/8/8/8/8/8/8/8"');
});

it('a structure is its pawns and no others', () => {
  expect(structureCondition({ white: '0000000000000100', black: '0081000000000000', count: 3 })).toBe('structure "8/p6p/8/8/8/8/P7/8"');
});
