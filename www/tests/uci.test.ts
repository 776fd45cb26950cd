// What Stockfish writes, in recorded lines, and evaluations as the page shows them.
import { describe, expect, it } from 'vitest';
import { rankOf, scoreText, scoreWords, shortText, whiteScore, whiteShare, type Score } from '../src/analysis/score';
import { SIZES } from '../src/analysis/sizes';
import { parseLine, positionCommand } from '../src/analysis/uci';

const cp = (value: number): Score => ({ kind: 'cp', value, bound: 'exact' });
const mate = (value: number): Score => ({ kind: 'mate', value, bound: 'exact' });

describe('a line of the engine', () => {
  it('has an evaluation and moves', () => {
    expect(parseLine('info depth 12 seldepth 14 multipv 2 score cp 31 nodes 45741 nps 326721 hashfull 12 time 140 pv e2e4 e7e6 b1c3')).toEqual({
      kind: 'info',
      info: { depth: 12, multipv: 2, score: cp(31), nodes: 45741, nodesPerSecond: 326721, pv: ['e2e4', 'e7e6', 'b1c3'] },
    });
  });

  it('has a mate, which the side to move may suffer', () => {
    expect(parseLine('info depth 6 seldepth 2 multipv 1 score mate 1 nodes 1575 nps 35795 hashfull 0 time 44 pv d1d8')).toMatchObject({ info: { score: mate(1), pv: ['d1d8'] } });
    expect(parseLine('info depth 9 score mate -3 nodes 10 pv g8h8')).toMatchObject({ info: { multipv: 1, score: mate(-3) } });
  });

  it('has a bound instead of a value', () => {
    expect(parseLine('info depth 20 seldepth 31 multipv 1 score cp 12 lowerbound nodes 9 nps 9 pv e2e4')).toMatchObject({ info: { score: { value: 12, bound: 'lower' }, pv: ['e2e4'] } });
    expect(parseLine('info depth 20 multipv 1 score cp -4 upperbound nodes 9 pv e2e4')).toMatchObject({ info: { score: { value: -4, bound: 'upper' } } });
  });

  it('promotes, and ends the moves at a word that is none', () => {
    expect(parseLine('info depth 1 score cp 900 pv a7a8q g8g7 string of words')).toMatchObject({ info: { pv: ['a7a8q', 'g8g7'] } });
  });

  it('is of no interest', () => {
    for (const line of [
      '', 'Stockfish 19 Lite WASM by the Stockfish developers (see AUTHORS file)', 'id name Stockfish 19 Lite WASM', 'option name Hash type spin default 16 min 1 max 33554432',
      'info string NNUE evaluation using nn-61e7af4bb97d.nnue (1MiB, (768, 1024, 32, 32, 1))', 'info depth 30 currmove e2e4 currmovenumber 1', 'info depth 0 score cp 0', 'info depth 3 score cp x pv e2e4',
      'info string Network replica 1: Local memory. Shared memory not supported by the OS. Local allocation fallback.',
    ]) expect(parseLine(line), line).toBeNull();
  });

  it('is a word of the protocol', () => {
    expect(parseLine('uciok')).toEqual({ kind: 'uciok' });
    expect(parseLine('readyok')).toEqual({ kind: 'readyok' });
    expect(parseLine('bestmove d2d4 ponder d7d5')).toEqual({ kind: 'bestmove', move: 'd2d4' });
    expect(parseLine('bestmove (none)')).toEqual({ kind: 'bestmove', move: null });
  });

  it('tells that the engine is broken', () => {
    for (const line of ['Aborted(OOM)', 'info string Failed to allocate 4096MB for transposition table.', 'RuntimeError: memory access out of bounds']) expect(parseLine(line), line).toMatchObject({ kind: 'broken' });
  });
});

it('a position without counters gets them', () => {
  expect(positionCommand('8/8/8/8/8/8/8/K6k b - -')).toBe('position fen 8/8/8/8/8/8/8/K6k b - - 0 1');
  expect(positionCommand('8/8/8/8/8/8/8/K6k b - - 12 40')).toBe('position fen 8/8/8/8/8/8/8/K6k b - - 12 40');
});

describe('an evaluation', () => {
  it('is from White’s view', () => {
    expect(whiteScore(cp(50), 'black')).toEqual(cp(-50));
    expect(whiteScore({ kind: 'cp', value: 50, bound: 'lower' }, 'black').bound).toBe('upper');
    expect(whiteScore(mate(2), 'white')).toEqual(mate(2));
  });

  it('is a text, short in the bar, and a sentence', () => {
    const said = (score: Score) => [scoreText(score), shortText(score), scoreWords(score)];
    expect(said(cp(70))).toEqual(['+0.7', '0.7', 'White is better by 0.7 pawns']);
    expect(said(cp(-131))).toEqual(['−1.3', '1.3', 'Black is better by 1.3 pawns']);
    expect(said(cp(-2))).toEqual(['0.0', '0.0', 'Equal']);
    expect(said(cp(1234))).toEqual(['+12.3', '12', 'White is better by 12.3 pawns']);
    expect(said(mate(5))).toEqual(['#5', '#5', 'White mates in 5']);
    expect(said(mate(-2))).toEqual(['#−2', '#2', 'Black mates in 2']);
    expect(scoreText(cp(31), 2)).toBe('+0.31');
  });

  it('fills the bar', () => {
    expect(whiteShare(cp(0))).toBe(0.5);
    expect(whiteShare(cp(100))).toBeGreaterThan(0.55);
    expect([whiteShare(mate(3)), whiteShare(mate(-3))]).toEqual([1, 0]);
  });

  it('has an order, in which a quick mate is worth more', () => {
    const all = [mate(-5), cp(30), mate(2), cp(-900), mate(7), mate(-1)];
    expect(all.sort((one, two) => rankOf(two) - rankOf(one)).map((one) => scoreText(one))).toEqual(['#2', '#7', '+0.3', '−9.0', '#−5', '#−1']);
  });
});

it('the page says the size of the download', () => {
  for (const size of Object.values(SIZES)) expect(size).toBeGreaterThan(1e6);
});
