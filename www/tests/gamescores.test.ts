// The evaluations of a whole game: signs by the loss of winning chances, progress, and what is kept.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Score } from '../src/analysis/score';
import { Evaluations } from '../src/state/evaluations.svelte';
import { GameScores } from '../src/state/gamescores.svelte';
import { signOf, tallyOf, winningChances } from '../src/state/winningchances';
import { keepScores, keptScores, keyOf } from '../src/state/scorememory';
import { playLine } from '../src/state/rules';
import { START_FEN } from '../src/state/replay.svelte';
import type { GameView } from '../src/engine/protocol';
import { FakeBrowser } from './browser';
import { game as plain } from './results';

const cp = (value: number): Score => ({ kind: 'cp', value, bound: 'exact' });
const mate = (value: number): Score => ({ kind: 'mate', value, bound: 'exact' });

/** Fool's mate. */
const MOVES = ['f2f3', 'e7e5', 'g2g4', 'd8h4'];
const game = (moves = MOVES): GameView => ({ ...plain(4), start_fen: START_FEN, plies: playLine(START_FEN, moves) });

beforeEach(() => void new FakeBrowser().install());
afterEach(() => void vi.unstubAllGlobals());

describe('signs', () => {
  it('come from the loss of winning chances', () => {
    expect(winningChances(cp(0))).toBe(0);
    expect(winningChances(cp(100))).toBeCloseTo(0.182, 3);
    expect([winningChances(mate(3)), winningChances(mate(-3))]).toEqual([1, -1]);
    // The chances at +0.00, -0.60, -1.20 and -1.80 are 0, -0.11, -0.22 and -0.32.
    expect([-50, -60, -120, -180].map((value) => signOf(cp(0), cp(value), 'white'))).toEqual([null, 6, 2, 4]);
    expect([50, 60, 120, 180].map((value) => signOf(cp(0), cp(value), 'black'))).toEqual([null, 6, 2, 4]);
  });

  it('are for nobody who gains, nor where all is decided', () => {
    expect(signOf(cp(0), cp(300), 'white')).toBeNull();
    expect(signOf(cp(1500), cp(1100), 'white')).toBeNull();
    expect(signOf(mate(2), cp(1000), 'white')).toBeNull();
    expect(signOf(cp(0), mate(-1), 'white')).toBe(4);
  });

  it('are counted', () => {
    expect(tallyOf([4, 2, 4, 6])).toEqual({ inaccuracies: 1, mistakes: 1, blunders: 2 });
  });
});

describe('memory', () => {
  it('keeps what was found, by the moves', () => {
    const key = keyOf(game());
    expect(keyOf(game(MOVES.slice(0, 3)))).not.toBe(key);
    const found = { scores: [cp(20), cp(-35), null, mate(-1)], best: ['e4', 'e5', '', 'Qh4#'] };
    keepScores(key, found);
    keepScores('other', { scores: [cp(0)], best: ['d4'] });
    expect(keptScores(key)).toEqual(found);
    expect(keptScores('none')).toBeNull();
  });

  it('lets the oldest game give way', () => {
    for (let at = 0; at < 502; at++) keepScores(String(at), { scores: [cp(at)], best: [''] });
    expect([keptScores('1'), keptScores('2')?.scores, keptScores('501')?.scores]).toEqual([null, [cp(2)], [cp(501)]]);
  });
});

describe('a game', () => {
  const SCORES: Record<number, Score> = { 0: cp(20), 1: cp(80), 2: cp(-40), 3: mate(1) };
  let release: (() => void)[] = [];
  let isHeld = false;

  /** An engine that knows the scores of the positions, from the view of the side to move. */
  const start = async () => ({
    onfailure: null,
    async search({ fen }: { fen: string }, oninfo: (info: never) => void) {
      if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
      const ply = [START_FEN, ...game().plies.map((one) => one.fen)].indexOf(fen);
      const best = ['e2e4', 'e7e5', 'd2d4', 'd8h4'][ply] ?? '';
      oninfo({ multipv: 1, depth: 9, score: SCORES[ply], pv: [best], nodes: 0, nps: 0, time: 0, hashfull: 0 } as never);
      return 'done' as const;
    },
    stop: () => undefined,
    setOption: () => undefined,
    close: () => undefined,
  });
  const scores = () => new GameScores(async () => new Evaluations({ start, sentence: String, lanes: 1, now: () => 0 }));
  beforeEach(() => {
    release = [];
    isHeld = false;
  });

  it('gets signs and a graph, and they are there when it is opened again', async () => {
    const one = scores();
    one.follow(game());
    expect([one.list, one.isComplete]).toEqual([null, false]);
    await one.analyse();
    expect(one.list).toEqual([{ pawns: 0.2 }, { pawns: -0.8 }, { pawns: -0.4 }, { mate: -1 }, { mate: -1 }]);
    expect([...one.judged]).toEqual([[1, { sign: 6, best: 'e4' }], [3, { sign: 4, best: 'd4' }]]);
    expect(one.tallies).toEqual({ white: { inaccuracies: 1, mistakes: 0, blunders: 1 }, black: { inaccuracies: 0, mistakes: 0, blunders: 0 } });
    const again = scores();
    again.follow(game());
    expect([again.isComplete, again.judged.size, again.list?.length]).toEqual([true, 2, 5]);
    again.follow(game(MOVES.slice(0, 2)));
    expect([again.isComplete, again.judged.size]).toEqual([false, 0]);
  });

  it('shows progress, and can be cancelled without a trace', async () => {
    isHeld = true;
    const one = scores();
    one.follow(game());
    void one.analyse();
    await vi.waitFor(() => expect(release).toHaveLength(1));
    expect([one.isRunning, one.done, one.total]).toEqual([true, 1, 5]);
    release[0]!();
    await vi.waitFor(() => expect(one.done).toBe(2));
    expect(one.list?.[0]).toEqual({ pawns: 0.2 });
    one.cancel();
    expect([one.isRunning, one.isComplete, keptScores(keyOf(game()))]).toEqual([false, false, null]);
  });

  it('goes on while another game is on the board', async () => {
    isHeld = true;
    const one = scores();
    one.follow(game());
    const run = one.analyse();
    await vi.waitFor(() => expect(release).toHaveLength(1));
    one.follow(game(['e2e4']));
    expect([one.isRunning, one.list]).toEqual([false, null]);
    isHeld = false;
    release[0]!();
    await run;
    expect(one.list).toBeNull();
    one.follow(game());
    expect(one.isComplete).toBe(true);
  });

  it('says that the engine is not there', async () => {
    const one = new GameScores(() => Promise.reject(new Error('offline')));
    one.follow(game());
    await one.analyse();
    expect([one.isMissing, one.isRunning]).toEqual([true, false]);
  });
});
