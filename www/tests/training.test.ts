// Lines of a repertoire, and training with them.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EngineClient } from '../src/engine/client';
import { bare } from '../src/state/explorer.svelte';
import { readLines } from '../src/state/lines';
import { START_FEN } from '../src/state/replay.svelte';
import { playLine, readMove } from '../src/state/rules';
import { Training } from '../src/state/training.svelte';
import { FakeBrowser } from './browser';

const LINES = '1. e4 c5 (1... e5 2. Nf3 Nc6 3. Bb5) 2. Nf3 d6 3. d4 *\n\n1. Nf3 Nc6 2. e4 e5 3. Bb5 (3. Bc4) *';

const read = (text: string) => {
  const lines = readLines(text);
  if (typeof lines === 'string') throw new Error(lines);
  return lines;
};
const movesAfter = (moves: readonly string[]) => read(LINES).moves.get(bare(playLine(START_FEN, moves).at(-1)?.fen ?? START_FEN))?.map(({ san }) => san);

describe('lines', () => {
  it('have the moves of all variations, and meet where they transpose', () => {
    expect(movesAfter([])).toEqual(['e4', 'Nf3']);
    expect(movesAfter(['e2e4'])).toEqual(['c5', 'e5']);
    // 1. e4 e5 2. Nf3 Nc6 and 1. Nf3 Nc6 2. e4 e5.
    expect(movesAfter(['e2e4', 'e7e5', 'g1f3', 'b8c6'])).toEqual(['Bb5', 'Bc4']);
    expect(movesAfter(['e2e4', 'c7c5', 'g1f3', 'd7d6', 'd2d4'])).toBeUndefined();
  });

  it('say in a sentence what cannot be read', () => {
    expect(readLines('1. e4 e5 2. Ke3 *')).toBe('Game 1: Ke3 is not possible after e5.');
    expect(readLines('1. e4 *\n\n1. e5 *')).toBe('Game 2: e5 is not possible in the first position.');
    expect(readLines('[FEN "8/8 w"]\n\n1. e4 *')).toBe('Game 1: its first position is none of standard chess.');
    expect(readLines('hello')).toBe('There are no moves in this text.');
  });

  it('begin in a position of their own, and end at a null move', () => {
    const lines = read('[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rb8 Kd4 2. -- *');
    expect(lines.start).toContain('8/8/8/8/8/2k5/1R6/K7 w');
    expect(lines.moves.size).toBe(2);
  });
});

describe('training', () => {
  beforeEach(() => {
    new FakeBrowser().install();
  });

  /** An engine by which 1...e5 was played in 900 of 1,000 games, and 1...c6 in 80. */
  const engine = () => ({ call: vi.fn(() => Promise.resolve({ games: 1000, positions: 1000, moves: [['e7e5', 'e5', 900], ['c7c6', 'c6', 80], ['c7c5', 'c5', 20]].map(([uci, san, games]) => ({ uci, san, games })) })) }) as unknown as EngineClient;
  const move = (training: Training, san: string) => training.play(readMove(training.fen, san) ?? { fen: '', uci: '', san: '' });

  it('answers by frequency, says what is not answered, and rather plays what it has not played', async () => {
    const training = new Training(engine(), () => 0.5);
    await training.take(LINES, 'mine.pgn');
    await move(training, 'e4');
    expect(training.steps.map(({ san }) => san)).toEqual(['e4', 'e5']);
    expect(training.reply).toEqual({ san: 'e5', games: 900, all: 1000, gap: { san: 'c6', games: 80 } });
    for (let nth = 0; nth < 20 && training.steps[1]?.san !== 'c5'; nth++) {
      await training.begin();
      await move(training, 'e4');
    }
    expect(training.steps[1]?.san).toBe('c5');
  });

  it('takes only moves of the lines, and counts what was found at once', async () => {
    const training = new Training(engine(), () => 0);
    await training.take(LINES, 'mine.pgn');
    await move(training, 'd4');
    await move(training, 'c4');
    expect([training.steps.length, training.slip?.san, training.tally]).toEqual([0, 'c4', 'You found 0 of 1 moves.']);
    await move(training, 'e4');
    expect([training.slip, training.steps.length, training.tally]).toEqual([null, 2, 'You found 0 of 1 moves.']);
    await move(training, 'Nf3');
    training.show();
    expect(training.tally).toBe('You found 1 of 3 moves.');
  });

  it('ends with the line, from either side, and without an engine', async () => {
    const training = new Training({ call: () => Promise.reject(new Error('no games')) } as unknown as EngineClient, () => 0);
    await training.take('1. e4 e5 *', '');
    await training.turn('black');
    expect([training.steps.map(({ san }) => san), training.isTurn, training.reply]).toEqual([['e4'], true, null]);
    await move(training, 'e5');
    expect(training.isOver).toBe(true);
  });

  it('is there on the next visit, and a bad text leaves it', async () => {
    await new Training(engine(), () => 0).take(LINES, 'mine.pgn');
    const training = new Training(engine(), () => 0);
    expect([training.name, training.lines?.moves.size]).toEqual(['mine.pgn', read(LINES).moves.size]);
    await training.take('1. e5', 'bad.pgn');
    expect([training.name, training.trouble]).toEqual(['mine.pgn', 'bad.pgn: Game 1: e5 is not possible in the first position.']);
    training.forget();
    expect(new Training(engine()).lines).toBeNull();
  });
});
