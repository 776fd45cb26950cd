// Counts: where a value leads, how bars stand, in which order rows come.
import { describe, expect, it } from 'vitest';
import type { Group } from '../src/engine/protocol';
import { bars, conditionOf, scoreOf, sorted } from '../src/state/counts';

function group(name: string, positions: number, white = 0, draw = 0, black = 0): Group {
  return { name, positions, games: white + draw + black, white, draw, black, unknown: 0 };
}

describe('conditionOf', () => {
  it.each([
    ['material', false, true, 'KRPPvKRP', 'material white KRPPvKRP'],
    ['white_king', false, true, 'g1', 'white king on g1'],
    ['kings', false, true, 'g1 c8', 'white king on g1 and black king on c8'],
    ['move', true, true, '23', 'move = 23'],
    ['count(white pawn)', true, false, '5', 'count(white pawn) = 5'],
    ['points(white) - points(black)', true, false, '-3', 'points(white) - points(black) = -3'],
    ['structure', false, true, '8/pp3ppp/8/8/8/8/PPP5/8', 'structure "8/pp3ppp/8/8/8/8/PPP5/8"'],
    ['player', false, true, 'Zeta', null],
    ['elo', true, true, '2500', null],
    ['endgame', false, true, 'R v B', null],
  ])('%s', (key, ordered, named, value, condition) => {
    expect(conditionOf(key, ordered, named, value)).toBe(condition);
  });
});

describe('bars', () => {
  const places = (names: string[]) => bars(names.map((name) => group(name, 1)));
  it('leave room for values that do not occur', () => {
    const drawn = places(['2000', '2100', '2400']);
    expect([drawn.places, drawn.bars.map((bar) => bar.at)]).toEqual([5, [0, 1, 4]]);
    expect(places(['-2', '3']).places).toBe(2);
    expect(places(['-2', '-1', '3']).places).toBe(6);
  });
  it('stand side by side where that is too much, or no number', () => {
    expect(places(['0', '1', '9999']).places).toBe(3);
    expect(places(['unknown', '2', '4']).places).toBe(3);
    expect(places(['7']).places).toBe(1);
    expect(places([]).places).toBe(0);
  });
});

it('scores count draws as half, and games without a result not at all', () => {
  expect(scoreOf({ white: 1, draw: 2, black: 1 })).toBe(50);
  expect(scoreOf({ white: 3, draw: 0, black: 1 })).toBe(75);
  expect(scoreOf({ white: 0, draw: 0, black: 0 })).toBeNull();
});

it('rows sort by each column, either way', () => {
  const groups = { key: 'x', ordered: false, distinct: 3, positions: 0, groups: [group('B10', 9, 1), group('B2', 30, 0, 0, 4), group('A', 5, 0, 9)] };
  const names = (column: Parameters<typeof sorted>[1], descending: boolean) => sorted(groups, column, descending).map((one) => one.name);
  expect(names('value', false)).toEqual(['A', 'B2', 'B10']);
  expect(names('positions', true)).toEqual(['B2', 'B10', 'A']);
  expect(names('games', false)).toEqual(['B10', 'B2', 'A']);
  expect(names('score', true)).toEqual(['B10', 'A', 'B2']);
  expect(sorted({ ...groups, ordered: true }, 'value', true).map((one) => one.name)).toEqual(['A', 'B2', 'B10']);
});
