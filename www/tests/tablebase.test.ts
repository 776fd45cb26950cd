// Tables on the page: verdicts in words, what a move threw away, positions of the editor, and what a server says.
import { describe, expect, it } from 'vitest';
import { positionOf } from '../src/state/rules';
import { START_FEN } from '../src/state/replay.svelte';
import { endgameOf } from '../src/state/tablegame.svelte';
import { fenOf, randomPositions, withMove, withPiece, withTurn } from '../src/state/tablepositions';
import { forMover, groupsOf, outcomeOf, piecesOf, shortVerdict, thrownAway, thrownInWords, verdictInWords } from '../src/state/tableverdict';
import { materialOf, valueOf } from '../src/tables/server';
import type { TableValue } from '../src/tables/protocol';

const win = (moves: number | null): TableValue => ({ result: 'win', moves });
const loss = (moves: number | null): TableValue => ({ result: 'loss', moves });
const draw: TableValue = { result: 'draw', moves: null };
const WHITE = '8/8/8/4k3/8/8/8/KBN5 w - - 0 1';
const BLACK = '8/8/8/4k3/8/8/8/KBN5 b - - 0 1';

describe('verdicts', () => {
  it('say who mates, whoever is to move', () => {
    expect(verdictInWords(WHITE, win(30))).toBe('White mates in 30 moves.');
    expect(verdictInWords(BLACK, loss(1))).toBe('White mates in 1 move.');
    expect(verdictInWords(BLACK, win(null))).toBe('Black wins.');
    expect(verdictInWords(WHITE, draw)).toMatch(/^A draw/);
    expect(verdictInWords('k7/8/KQ6/8/8/8/8/8 b - - 0 1', draw)).toMatch(/^Stalemate/);
    expect(verdictInWords('k6Q/8/K7/8/8/8/8/8 b - - 0 1', loss(0))).toBe('Checkmate: White has won.');
  });

  it('are short in a list of moves', () => {
    expect([shortVerdict(WHITE, win(12)), shortVerdict(WHITE, loss(3)), shortVerdict(BLACK, win(null)), shortVerdict(WHITE, draw)]).toEqual(['#12', '#−3', '#−?', '=']);
    expect(outcomeOf(BLACK, win(2))).toBe('black');
  });

  it('know what a move threw away', () => {
    // The values after a move are those of the other side, so they are turned.
    expect(forMover(loss(4))).toEqual(win(5));
    expect(forMover(win(4))).toEqual(loss(4));
    expect(thrownAway(win(5), forMover(loss(9)))).toBeNull();
    expect(thrownAway(win(5), forMover(draw))).toBe('win');
    expect(thrownAway(win(5), forMover(win(2)))).toBe('win to a loss');
    expect(thrownAway(draw, forMover(win(2)))).toBe('draw');
    expect(thrownAway(loss(3), forMover(win(1)))).toBeNull();
    expect(thrownInWords('Kd4', 'win')).toBe('Kd4 throws the win away');
  });

  it('group the moves as Lichess does, without empty groups', () => {
    const move = (uci: string, value: TableValue) => ({ uci, zeroing: false, value });
    const groups = groupsOf([move('a1a2', win(3)), move('a1b1', win(4)), move('a1b2', loss(2))]);
    expect(groups.map(({ result, moves }) => [result, moves.length])).toEqual([['win', 2], ['loss', 1]]);
  });
});

describe('positions of the editor', () => {
  it('move, put and take pieces', () => {
    expect(withMove(WHITE, 0, 8)).toBe('8/8/8/4k3/8/8/K7/1BN5 w - - 0 1');
    expect(withPiece(WHITE, 36, null)).toBe('8/8/8/8/8/8/8/KBN5 w - - 0 1');
    // A side has one king.
    expect(withPiece(WHITE, 63, { side: 'black', man: 'king' })).toBe('7k/8/8/8/8/8/8/KBN5 w - - 0 1');
    expect(withTurn(WHITE, 'black')).toBe(BLACK);
    expect(fenOf([], 'white')).toBe('8/8/8/8/8/8/8/8 w - - 0 1');
    expect(piecesOf(START_FEN)).toBe(32);
  });

  it('are drawn by lot with the pieces of a material', () => {
    let seed = 1;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    for (const fen of randomPositions('KPPvK', 50, random)) {
      expect((fen.split(' ')[0] ?? '').replace(/[^a-zA-Z]/g, '').split('').sort().join('')).toBe('KPPk');
      expect(fen.split('/')[0]).not.toContain('P');
    }
    expect(randomPositions('KQvK', 60, random).some((fen) => positionOf(fen) !== null)).toBe(true);
  });
});

it('the endgame of a game is its last positions', () => {
  const plies = ['8/8/8/4k3/8/8/8/KBN4R b - - 0 1', '8/8/8/8/4k3/8/8/KBN4R w - - 0 2', '8/8/8/8/4k3/8/8/KBN5 b - - 0 2'].map((fen) => ({ fen, uci: '', san: '' }));
  expect([...endgameOf({ start_fen: START_FEN, plies }, 4)]).toEqual([[3, plies[2]?.fen]]);
  expect([...endgameOf({ start_fen: START_FEN, plies }, 5).keys()]).toEqual([1, 2, 3]);
  expect(endgameOf({ start_fen: START_FEN, plies: [] }, 7).size).toBe(0);
});

describe('a server', () => {
  const standing = (category: string, dtm: number | null, checkmate = false) => ({ category, dtm, checkmate });

  it('counts plies, and the page moves', () => {
    expect(valueOf(standing('win', 59))).toEqual(win(30));
    expect(valueOf(standing('loss', -58))).toEqual(loss(29));
    expect(valueOf(standing('loss', null, true))).toEqual(loss(0));
    expect(valueOf(standing('draw', 0))).toEqual(draw);
    expect(valueOf(standing('cursed-win', null))).toEqual(win(null));
    expect(valueOf(standing('unknown', null))).toBeNull();
  });

  it('has the name of a material, the stronger side first', () => {
    expect(materialOf(WHITE)).toBe('KBNvK');
    expect(materialOf('8/8/8/4k3/8/5n2/1q6/K7 b - - 0 1')).toBe('KQNvK');
  });
});
