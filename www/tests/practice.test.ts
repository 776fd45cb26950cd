// Play against the tables: how moves are judged, when a line has ended, and what is said at the end.
import { describe, expect, it } from 'vitest';
import { endOf, judge, judgementInWords, type Judgement } from '../src/state/judgement';
import { Practice } from '../src/state/practice.svelte';
import { playMove } from '../src/state/rules';
import type { TableMove, TableResult, TableValue } from '../src/tables/protocol';

const ROOK = '8/8/8/8/8/2k5/1R6/K7 w - - 0 1';
const valueOf = (result: TableResult, moves: number | null): TableValue => ({ result, moves });
const win = (moves: number | null) => valueOf('win', moves);
const loss = (moves: number | null) => valueOf('loss', moves);
const draw = valueOf('draw', null);
const move = (uci: string, value: TableValue): TableMove => ({ uci, zeroing: false, value });

/** How the tables judge `uci` where the best move is Rb8. */
function judged(value: TableValue, uci: string, after: TableValue): Judgement | null {
  const step = playMove(ROOK, uci);
  return step && judge(ROOK, step, { fen: ROOK, material: 'KRvK', value, moves: [move('b2b8', value), ...(uci === 'b2b8' ? [] : [move(uci, after)])] });
}

const said = (value: TableValue, uci: string, after: TableValue) => {
  const judgement = judged(value, uci, after);
  return judgement && judgementInWords(judgement);
};

describe('a move is judged', () => {
  it('by what it kept and how much later it mates', () => {
    expect(said(win(16), 'b2b8', win(16))).toBe('Rb8 still wins, and nothing wins faster.');
    expect(said(win(16), 'b2h2', win(18))).toBe('Rh2 still wins, 2 moves later than the best move.');
    expect(said(win(null), 'b2h2', win(null))).toBe('Rh2 still wins.');
    expect(said(win(16), 'b2b3', draw)).toBe('Rb3+ throws the win away.');
    expect(judged(win(16), 'b2b3', draw)).toMatchObject({ best: 'Rb8', before: win(16), thrown: 'win', cost: null });
  });

  it('in draws and lost positions too', () => {
    expect(said(draw, 'b2h2', draw)).toBe('Rh2 keeps the draw.');
    expect(said(draw, 'b2h2', loss(4))).toBe('Rh2 throws the draw away.');
    expect(said(loss(9), 'b2h2', loss(8))).toBe('Rh2 is mated 1 move sooner than it must be.');
    expect(said(loss(9), 'b2b8', loss(9))).toBe('Rb8 resists as long as can be.');
    expect(said(loss(null), 'b2h2', loss(null))).toBe('Rh2 loses, as every move does.');
  });

  it('only if the tables know it', () => {
    const step = playMove(ROOK, 'b2h2');
    expect(step && judge(ROOK, step, { fen: ROOK, material: 'KRvK', value: win(16), moves: [] })).toBeNull();
  });
});

it('a line ends by mate, stalemate, dead material or the third repetition', () => {
  expect(endOf([ROOK])).toBeNull();
  expect(endOf(['k6Q/8/K7/8/8/8/8/8 b - - 0 1'])).toBe('mate');
  expect(endOf(['k7/8/KQ6/8/8/8/8/8 b - - 0 1'])).toBe('stalemate');
  expect(endOf(['8/8/8/8/8/2k5/8/K1N5 b - - 0 1'])).toBe('dead');
  const again = ROOK.replace('0 1', '4 3');
  expect(endOf([ROOK, again])).toBeNull();
  expect(endOf([ROOK, again, ROOK.replace('0 1', '8 5')])).toBe('repetition');
});

describe('a play', () => {
  const kept = { san: 'Rb8', best: 'Rb8', before: win(16), thrown: null, cost: 0 } satisfies Judgement;
  const longer = { ...kept, san: 'Rh2', cost: 2 } satisfies Judgement;

  it('counts the best moves of those on the board, and the moves taken back', () => {
    const play = new Practice('white', 0);
    expect([play.tally(0), play.latest(0)]).toEqual(['', null]);
    play.record(1, kept);
    play.record(3, longer);
    expect(play.tally(4)).toBe('You found the best move in 1 of 2 positions.');
    expect(play.latest(4)).toEqual({ place: 3, judgement: longer });
    // Looking at an earlier position takes nothing back; another move there does.
    expect(play.latest(2)).toEqual({ place: 1, judgement: kept });
    play.record(3, kept);
    expect(play.tally(3)).toBe('You found the best move in 2 of 2 positions. 1 move was taken back.');
    play.record(5, { ...kept, cost: null });
    expect(play.tally(5)).toMatch(/^You kept the result in 3 of 3 positions\./);
  });

  it('has a task, and ends', () => {
    const play = new Practice('black', 0);
    expect(play.task).toBe('You play Black.');
    play.goal = win(5);
    expect(play.task).toBe('You play Black, and can win.');
    expect(play.ending('mate', 'white', 7)).toBe('You mated in 7 moves; the fastest way takes 5.');
    expect(play.ending('dead', 'white', 7)).toBe('A draw: nobody can mate any more. The win is gone.');
    expect([play.isKept('mate', 'white'), play.isKept('repetition', 'white'), play.isKept('mate', 'black')]).toEqual([true, false, false]);
    play.goal = draw;
    expect(play.ending('repetition', 'black', 7)).toBe('A draw: the position has occurred three times. You held it.');
    expect([play.isKept('stalemate', 'white'), play.isKept('mate', 'black')]).toEqual([true, false]);
  });
});
