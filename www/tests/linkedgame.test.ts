// A game in a link comes back as it was, whatever moves it has; what is no game is refused.
import { expect, it } from 'vitest';
import type { GameView } from '../src/engine/protocol';
import { packGame, unpackGame } from '../src/state/linkedgame';
import { START_FEN } from '../src/state/replay.svelte';
import { playLine } from '../src/state/rules';
import { game as plain } from './results';

const PROMOTION = '8/P6k/8/8/8/8/8/K7 w - - 0 1';

function game(moves: string[], start = START_FEN, headers: Partial<GameView['row']> = {}): GameView {
  const { row, ...rest } = plain(0);
  return { ...rest, row: { ...row, white: 'Müller, Änne', black: 'Boris "B" O’Neil', result: '1-0', date: '2024.05.01', event: '', ...headers }, start_fen: start, plies: playLine(start, moves) };
}

it('comes back with its moves and names', () => {
  const packed = packGame(game(['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1b5', 'a7a6', 'e1g1']));
  expect(packed).toMatch(/^[\w.-]+$/);
  const { name, pgn } = unpackGame(packed)!;
  expect(name).toBe('Müller, Änne - Boris "B" O’Neil');
  expect(pgn).toContain('[White "Müller, Änne"]');
  expect(pgn).toContain('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O 1-0');
});

it('keeps promotions and another start', () => {
  for (const [piece, san] of [['q', 'a8=Q'], ['r', 'a8=R'], ['b', 'a8=B'], ['n', 'a8=N']]) {
    const { pgn } = unpackGame(packGame(game([`a7a8${piece}`], PROMOTION)))!;
    expect(pgn).toContain(`[FEN "${PROMOTION}"]`);
    expect(pgn).toContain(`1. ${san}`);
  }
});

it('takes about three letters for a move', () => {
  const line = Array.from({ length: 50 }, () => ['g1f3', 'g8f6', 'f3g1', 'f6g8']).flat();
  expect(packGame(game(line)).length).toBeLessThan(700);
});

it.each(['', '.', 'x.y', 'AAAA.W10', `${packGame(game(['e2e4'])).split('.')[0]}.WyIiXQ`, `AAAA.${packGame(game(['e2e4'])).split('.')[1]}`, '%%%.%%%'])('refuses what is no game: %s', (text) => {
  expect(unpackGame(text)).toBeNull();
});

it('cannot carry a null move', () => {
  const one = game(['e2e4']);
  expect(packGame({ ...one, plies: [...one.plies, { ...one.plies[0]!, uci: '0000' }] })).toBe('');
});
