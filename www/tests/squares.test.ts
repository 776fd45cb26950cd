// Squares, pieces and words.
import { describe, expect, it } from 'vitest';
import { heatOf } from '../src/state/heat';
import { menOf, pawnPlacement, positionInWords, squareName, squaresOf } from '../src/state/squares';
import { START_FEN } from '../src/state/replay.svelte';

it('names squares from a1 to h8', () => {
  expect([0, 7, 28, 63].map(squareName)).toEqual(['a1', 'h1', 'e4', 'h8']);
  expect(squaresOf('8000000010000001')).toEqual(['a1', 'e4', 'h8']);
});

it('reads the men of a FEN', () => {
  expect(menOf('8/8/8/4k3/8/8/1P6/K7 w - - 0 1')).toEqual([
    { square: 36, side: 'black', man: 'king' },
    { square: 9, side: 'white', man: 'pawn' },
    { square: 0, side: 'white', man: 'king' },
  ]);
  expect(menOf(START_FEN)).toHaveLength(32);
});

it('says a position in words', () => {
  expect(positionInWords('4k3/8/8/8/8/8/1P5P/R3K2R b KQ - 0 1')).toBe(
    'White: king e1, rooks a1 h1, pawns b2 h2. Black: king e8. Black to move.',
  );
});

it('places pawns', () => {
  const placement = pawnPlacement('000000000000ff00', '00ff000000000000');
  expect(menOf(placement)).toHaveLength(16);
  expect(menOf(placement).filter((one) => one.side === 'white').map((one) => one.square >> 3)).toEqual(Array(8).fill(1));
});

describe('heat', () => {
  const heat = Float64Array.from({ length: 768 }, (_, index) => index);
  it('is white pawns first and the black king last', () => {
    expect(heatOf(heat, 'white', 'pawn')[0]).toBe(0);
    expect(heatOf(heat, 'black', 'king')[63]).toBe(767);
    expect(heatOf(heat, 'white', 'knight')[36]).toBe(100);
  });
});
