// PGN of what is on the board.
import { expect, it } from 'vitest';
import { lineAsPgn, withSideline } from '../src/state/pgn';
import { START_FEN } from '../src/state/replay.svelte';

const GAME = `[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 {a remark} e5 2. Nf3 (2. f4 exf4) 2... Nc6 $1 3. Bb5 1-0
`;
const moves = (pgn: string) => pgn.slice(pgn.indexOf('\n\n')).replace(/\s+/g, ' ').trim();

it('a game without a sideline stays byte for byte', () => {
  expect(withSideline(GAME, 2, [])).toBe(GAME);
});

it('a sideline is a variation, and the rest of the game stays', () => {
  const pgn = withSideline(GAME, 3, ['Nf6', 'Nxe5']);
  expect(pgn).toContain('[White "A"]');
  expect(moves(pgn)).toBe('1. e4 { a remark } e5 2. Nf3 ( 2. f4 exf4 ) 2... Nc6 $1 ( 2... Nf6 3. Nxe5 ) 3. Bb5 1-0');
});

it('moves that the text has already are not written twice', () => {
  expect(moves(withSideline(GAME, 2, ['f4', 'd5']))).toContain('( 2. f4 exf4 ( 2... d5 ) )');
  expect(moves(withSideline(GAME, 5, ['a6']))).toContain('3. Bb5 a6 1-0');
});

it('a text that is shorter than the game is left alone', () => {
  expect(withSideline(GAME, 9, ['a6'])).toBe(GAME);
});

it('a line has its own first position', () => {
  expect(moves(lineAsPgn(START_FEN, ['d4', 'd5']))).toBe('1. d4 d5 *');
  const fen = '8/8/8/3k4/8/8/8/K6R b - - 0 1';
  expect(lineAsPgn(fen, ['Kd4'])).toContain(`[FEN "${fen}"]`);
  expect(moves(lineAsPgn(fen, ['Kd4']))).toBe('1... Kd4 *');
});
