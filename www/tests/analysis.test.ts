// The engine at the board and the evaluation of a result, with an engine that the test controls.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ending, SearchRequest } from '../src/analysis/session';
import type { Info, UciScore } from '../src/analysis/uci';
import type { PositionHit } from '../src/engine/protocol';
import { Analysis, type Engine } from '../src/state/analysis.svelte';
import { Evaluations } from '../src/state/evaluations.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { asCsv } from '../src/state/tables';

const MATE_IN_ONE = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1';
const BLACK_MOVES = '3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1';
const MATED = '3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1';

interface Running {
  request: SearchRequest;
  say(multipv: number, depth: number, score: UciScore, ...pv: string[]): void;
  end(): Promise<void>;
  fail(): Promise<void>;
  isStopped: boolean;
}

class FakeEngine implements Engine {
  onfailure: Engine['onfailure'] = null;
  readonly searches: Running[] = [];
  readonly options: [string, number][] = [];
  isClosed = false;
  private stopRunning: (() => void) | null = null;

  search(request: SearchRequest, oninfo: (info: Info) => void): Promise<Ending> {
    this.stop();
    return new Promise((resolve, reject) => {
      const soon = () => vi.advanceTimersByTimeAsync(0).then(() => undefined);
      const running: Running = {
        request,
        isStopped: false,
        say: (multipv, depth, score, ...pv) => oninfo({ depth, multipv, score, nodes: 1, nodesPerSecond: 1000, pv }),
        end: () => (resolve('done'), soon()),
        fail: () => (reject(new Error('died')), soon()),
      };
      this.searches.push(running);
      this.stopRunning = () => {
        running.isStopped = true;
        resolve('stopped');
      };
    });
  }
  stop(): void {
    this.stopRunning?.();
    this.stopRunning = null;
  }
  setOption(name: string, value: number): void {
    this.options.push([name, value]);
  }
  close(): void {
    this.stop();
    this.isClosed = true;
  }
}

const cp = (value: number, bound: UciScore['bound'] = 'exact'): UciScore => ({ kind: 'cp', value, bound });
const mate = (value: number): UciScore => ({ kind: 'mate', value, bound: 'exact' });
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

let engines: FakeEngine[];
let failing: boolean;
const start = async () => {
  if (failing) throw new Error('offline');
  const engine = new FakeEngine();
  engines.push(engine);
  return engine;
};
const sentence = (error: unknown) => `Failed: ${(error as Error).message}.`;

beforeEach(() => {
  vi.useFakeTimers();
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => void stored.set(key, value) });
  engines = [];
  failing = false;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the engine at the board', () => {
  const analysis = () => new Analysis({ start, sentence, threads: 4 });
  async function on(fen: string) {
    const one = analysis();
    one.show(fen);
    await one.switchOn();
    await tick(200);
    const [engine] = engines;
    return { one, engine: engine!, last: () => engine!.searches.at(-1)! };
  }

  it('loads nothing until it is switched on', async () => {
    const one = analysis();
    one.show(START_FEN);
    await tick(1000);
    expect([one.state, engines.length]).toEqual(['off', 0]);
  });

  it('shows lines from White’s view when all of a depth are there', async () => {
    const { one, last } = await on(BLACK_MOVES);
    expect([one.state, last().request.fen, last().request.lines]).toEqual(['thinking', BLACK_MOVES, 3]);
    last().say(1, 5, mate(1), 'd8d1');
    last().say(2, 5, cp(700), 'd8d7');
    await tick(200);
    expect(one.lines).toEqual([]);
    last().say(3, 5, cp(650), 'd8d6');
    await tick(200);
    expect(one.lines.map(({ score, moves }) => [score.kind, score.value, moves[0]])).toEqual([['mate', -1, 'd8d1'], ['cp', -700, 'd8d7'], ['cp', -650, 'd8d6']]);
    expect([one.depth, one.bar?.text, one.bar?.share]).toEqual([5, '#−1', 0]);
    expect(one.shapes).toEqual([{ orig: 'd8', dest: 'd1', brush: 'paleBlue' }]);
  });

  it('skips bounds, and takes fewer lines where there are fewer moves', async () => {
    const { one, last } = await on('7k/8/8/8/8/8/6q1/K7 w - - 0 1');
    last().say(1, 3, cp(-900, 'lower'), 'a1b1');
    await tick(200);
    expect(one.lines).toEqual([]);
    last().say(1, 3, cp(-950), 'a1b1');
    await tick(200);
    expect(one.lines).toHaveLength(1);
  });

  it('drops late lines of an older position', async () => {
    const { one, engine, last } = await on(MATE_IN_ONE);
    const older = last();
    one.show(START_FEN);
    expect(older.isStopped).toBe(true);
    for (const nth of [1, 2, 3]) older.say(nth, 9, cp(1), 'd1d8');
    await tick(400);
    expect([one.fen, one.lines, engine.searches.length]).toEqual([START_FEN, [], 2]);
    expect(last().request.fen).toBe(START_FEN);
  });

  it('rests while the user steps quickly', async () => {
    const { one, engine } = await on(START_FEN);
    const before = engine.searches.length;
    for (let ply = 0; ply < 40; ply++) {
      one.show(`8/8/8/8/8/8/8/K6k w - - 0 ${ply + 1}`);
      await tick(33);
    }
    expect(engine.searches.length).toBe(before);
    await tick(300);
    expect(engine.searches.length).toBe(before + 1);
  });

  it('remembers what it found, and does not search a finished position again', async () => {
    const { one, engine, last } = await on(MATE_IN_ONE);
    for (const nth of [1, 2, 3]) last().say(nth, 9, cp(10 * nth), 'd1d8');
    await last().end();
    expect([one.state, one.lines.length]).toEqual(['ready', 3]);
    one.show(START_FEN);
    await tick(300);
    one.show(MATE_IN_ONE);
    expect(one.lines).toHaveLength(3);
    await tick(300);
    expect(engine.searches).toHaveLength(2);
    void one.goOn();
    expect(last().request.limit).toBe('none');
  });

  it('stops while nobody looks, and when it is switched off', async () => {
    const { one, engine, last } = await on(START_FEN);
    const first = last();
    one.hide(true);
    expect([first.isStopped, one.state]).toEqual([true, 'ready']);
    one.show(MATE_IN_ONE);
    await tick(1000);
    expect(engine.searches).toHaveLength(1);
    one.hide(false);
    expect(last().request.fen).toBe(MATE_IN_ONE);
    one.switchOff();
    expect([engine.isClosed, one.state, one.shapes]).toEqual([true, 'off', []]);
  });

  it('closes an engine that comes after it was switched off', async () => {
    const one = analysis();
    const starting = one.switchOn();
    one.switchOff();
    await starting;
    expect([one.state, engines[0]?.isClosed]).toEqual(['off', true]);
  });

  it('has nothing to search where the game is over', async () => {
    const { one, engine } = await on(MATED);
    expect([one.ending, one.state, engine.searches]).toEqual(['Checkmate.', 'ready', []]);
    one.show('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1');
    expect(one.ending).toBe('Stalemate.');
    one.show('8/8/8/8/8/8/8/8 w - - 0 1');
    expect(one.ending).toMatch(/can be played on/);
  });

  it('says why it does not run, and can be switched on again', async () => {
    failing = true;
    const one = analysis();
    await one.switchOn();
    expect([one.state, one.trouble]).toEqual(['failed', 'Failed: offline.']);
    failing = false;
    one.show(START_FEN);
    await one.switchOn();
    await tick(200);
    expect(one.state).toBe('thinking');
    await engines[0]!.searches.at(-1)!.fail();
    expect([one.state, one.trouble]).toEqual(['failed', 'Failed: died.']);
  });

  it('keeps its options within limits, and remembers them', async () => {
    const { one, engine, last } = await on(START_FEN);
    expect(one.options).toEqual({ lines: 3, threads: 2, hash: 32 });
    one.set({ lines: 9, threads: 99, hash: 100 });
    expect(one.options).toEqual({ lines: 5, threads: 4, hash: 64 });
    expect(engine.options).toEqual([['Threads', 4], ['Hash', 64]]);
    expect(last().request.lines).toBe(5);
    expect(analysis().options).toEqual({ lines: 5, threads: 4, hash: 64 });
  });
});

describe('the positions of a result', () => {
  let clock = 0;
  const hit = (game: number, fen: string): PositionHit => ({ game, ply: 57, fen, san: '', move_number: 0 });
  const hits = [hit(0, MATE_IN_ONE), hit(1, START_FEN), hit(2, BLACK_MOVES), hit(3, MATED)];
  const source = () => ({ corpus: 'one', query: 'check', fetch: async () => hits.map((one) => ({ hit: one, row: null })) });
  const evaluations = (lanes: number) => new Evaluations({ start, sentence, lanes, now: () => clock });
  const running = () => engines.flatMap(({ searches }) => searches);

  it('are evaluated one after another, with progress', async () => {
    clock = 0;
    const all = evaluations(1);
    const run = all.run(source(), { depth: 3 });
    await tick();
    expect([all.total, all.done, all.running]).toEqual([4, 1, true]);
    expect(running()[0]?.request).toEqual({ fen: MATE_IN_ONE, limit: { depth: 3 }, lines: 1, isFresh: true });
    running()[0]?.say(1, 3, mate(1), 'd1d8');
    clock = 500;
    await running()[0]?.end();
    expect([all.done, all.rate, all.left]).toEqual([2, 2, 1000]);
    running()[1]?.say(1, 3, cp(30), 'e2e4');
    await running()[1]?.end();
    running()[2]?.say(1, 3, cp(500), 'd8d7');
    await running()[2]?.end();
    await run;
    expect([all.running, all.done, engines[0]?.isClosed]).toEqual([false, 4, true]);
    expect(all.all.map(({ best }) => best)).toEqual(['Rd8#', 'e4', 'Rd7', 'Checkmate']);
    all.order = 'lowest';
    expect(all.sorted.map(({ best }) => best)).toEqual(['Rd7', 'e4', 'Rd8#', 'Checkmate']);
    all.order = 'highest';
    expect(asCsv(all.table()).split('\r\n')[1]).toBe(`1,,,,57,29.,${MATE_IN_ONE},#1,3,Rd8#,Rd8#`);
    expect(asCsv(all.table()).split('\r\n')[3]).toMatch(/,-5\.00,3,Rd7,Rd7$/);
  });

  it('have the move that led to them', async () => {
    const all = evaluations(1);
    const said = { ...hit(3, MATED), san: 'Rd8#', move_number: 30 };
    await all.run({ ...source(), fetch: async () => [{ hit: said, row: null }] }, { depth: 1 });
    expect(all.all.map(({ move }) => move)).toEqual(['30. Rd8#']);
  });

  it('can be cancelled; what is there stays', async () => {
    const all = evaluations(2);
    void all.run(source(), { milliseconds: 100 });
    await tick();
    expect(running()).toHaveLength(2);
    running()[0]?.say(1, 3, cp(10), 'd1d2');
    await running()[0]?.end();
    all.cancel();
    expect([all.running, all.done, engines.every(({ isClosed }) => isClosed)]).toEqual([false, 2, true]);
    running()[1]?.say(1, 9, cp(1), 'e2e4');
    await tick(100);
    expect([all.done, all.trouble]).toEqual([2, '']);
  });

  it('go to another engine if one dies', async () => {
    const all = evaluations(2);
    void all.run(source(), { depth: 1 });
    await tick();
    await engines[0]?.searches[0]?.fail();
    const other = engines[1]!;
    for (let nth = 0; nth < 3; nth++) {
      other.searches[nth]?.say(1, 1, cp(nth), other.searches[nth]!.request.fen === BLACK_MOVES ? 'd8d7' : 'g1h1');
      await other.searches[nth]?.end();
    }
    expect([all.done, all.running, all.trouble]).toEqual([4, false, '']);
  });

  it('say why there are no evaluations', async () => {
    failing = true;
    const all = evaluations(2);
    await all.run(source(), { depth: 1 });
    expect([all.running, all.done, all.trouble]).toEqual([false, 1, 'Failed: offline.']);
  });
});
