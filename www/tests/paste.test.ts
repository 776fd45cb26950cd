// What a pasted text is.
import { expect, it } from 'vitest';
import { isPlainlyChess, movesIn, readPasted } from '../src/state/paste';
import { START_FEN } from '../src/state/replay.svelte';
import { playLine } from '../src/state/rules';

const BOARD = playLine(START_FEN, ['e2e4', 'e7e5']).at(-1)!.fen;
const line = (text: string) => {
  const pasted = readPasted(text, BOARD);
  return pasted.kind === 'moves' ? [pasted.from === START_FEN ? 'start' : 'board', ...pasted.steps.map(({ san }) => san), ...pasted.rest.map((one) => `(${one})`)] : pasted.kind;
};

it('a text with tags is games, with comments before the first one', () => {
  for (const text of ['[Event "?"]\n\n1. e4 *', '\uFEFF[White "A"]\n1. e4', '% file\n; remark\n\n[Event "?"]\n', '{ by hand } [Event "?"]']) {
    expect(readPasted(text, BOARD)).toEqual({ kind: 'games', text });
    expect(isPlainlyChess(text)).toBe(true);
  }
});

it('a FEN is a position, also an EPD, a placement and the words of an address', () => {
  const fen = (text: string) => {
    const pasted = readPasted(text, BOARD);
    return pasted.kind === 'position' ? pasted.fen : pasted.kind;
  };
  expect(fen(START_FEN)).toBe(START_FEN);
  expect(fen(` ${START_FEN.replaceAll(' ', '_')}\n`)).toBe(START_FEN);
  expect(fen('8/8/8/3k4/8/8/8/K6R b - - bm Kd4; id "1";')).toBe('8/8/8/3k4/8/8/8/K6R b - - 0 1');
  expect(fen('8/8/8/3k4/8/8/8/K6R')).toBe('8/8/8/3k4/8/8/8/K6R w - - 0 1');
  expect(fen('8/8/8/3k4/8/8/8/K6RR w - - 0 1')).toBe('unknown');
  expect(isPlainlyChess(START_FEN)).toBe(true);
  // The placement alone may be a part of a query.
  expect(isPlainlyChess('8/8/8/3k4/8/8/8/K6R')).toBe(false);
  expect(isPlainlyChess('white knight on e5')).toBe(false);
});

it('moves are a line, in every usual way of writing', () => {
  expect(line('1. e4 e5 2. Nf3')).toEqual(['start', 'e4', 'e5', 'Nf3']);
  expect(line('1.e4 e5 {best} 2.Nf3 (2.f4 exf4 (2...d5)) 2...Nc6!? $1 1-0')).toEqual(['start', 'e4', 'e5', 'Nf3', 'Nc6']);
  expect(line('e2e4 e7e5 g1f3')).toEqual(['start', 'e4', 'e5', 'Nf3']);
  expect(line('1. ♙e4 e5 2. ♘f3 ♞c6 3. ♗b5 ♞f6 4. 0-0')).toEqual(['start', 'e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'Nf6', 'O-O']);
  expect(line('1. e4 e5 2. Ke3 Nc6')).toEqual(['start', 'e4', 'e5', '(Ke3)', '(Nc6)']);
});

it('moves go on from the board, if their number or the rules say so', () => {
  expect(line('2. Nf3 Nc6')).toEqual(['board', 'Nf3', 'Nc6']);
  expect(line('Ke2 Ke7')).toEqual(['board', 'Ke2', 'Ke7']);
  expect(readPasted('1. Ke4', BOARD)).toMatchObject({ kind: 'unknown', says: expect.stringContaining('Ke4') });
});

it('prose is nothing, even with a move in it', () => {
  for (const text of ['The knight on e4 was strong.', 'queens_off and check', '', '   ', '1/2', 'https://lichess.org/analysis']) {
    expect(readPasted(text, BOARD).kind).toBe('unknown');
    expect(movesIn(text)).toBeNull();
  }
  expect(movesIn('e4 '.repeat(10_000))).toBeNull();
});
