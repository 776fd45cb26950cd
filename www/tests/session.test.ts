// A running engine: one search at a time, nothing of an older one, and failures that say what failed.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineFailure, Session, type EnginePort } from '../src/analysis/session';
import type { Info } from '../src/analysis/uci';

const ONE = '6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1';
const TWO = '8/8/8/8/8/8/8/K6k w - - 0 1';

let sent: string[];
let port: EnginePort & { isEnded: boolean };
let session: Session;
let got: Info[];
const says = (line: string) => port.onmessage?.({ data: line });
const search = (fen: string) => session.search({ fen, limit: { depth: 4 }, lines: 2 }, (info) => got.push(info));
/** What was sent since the last call. */
const since = () => sent.splice(0);

beforeEach(async () => {
  sent = [];
  got = [];
  port = { onmessage: null, onerror: null, isEnded: false, postMessage: (line) => void sent.push(line), terminate: () => (port.isEnded = true) };
  session = new Session(port);
  const start = session.start({ Threads: 2, Hash: 32 });
  says('uciok');
  says('readyok');
  await start;
  expect(since()).toEqual(['uci', 'isready']);
});

describe('a search', () => {
  it('sends options, position and limit, and ends with the best move', async () => {
    const ended = search(ONE);
    expect(since()).toEqual(['setoption name Threads value 2', 'setoption name Hash value 32', 'setoption name MultiPV value 2', `position fen ${ONE}`, 'go depth 4']);
    says('info depth 1 multipv 1 score mate 1 nodes 82 nps 3565 pv d1d8');
    says('bestmove d1d8');
    expect(await ended).toBe('done');
    expect(got.map(({ pv }) => pv)).toEqual([['d1d8']]);
  });

  it('sends an option again only if it changes', async () => {
    void search(ONE);
    says('bestmove d1d8');
    since();
    session.setOption('Threads', 2);
    session.setOption('Hash', 64);
    void search(TWO);
    expect(since()).toEqual(['setoption name Hash value 64', `position fen ${TWO}`, 'go depth 4']);
  });

  it('waits until the one before has ended, whose lines are dropped', async () => {
    const first = search(ONE);
    since();
    const second = search(TWO);
    expect(since()).toEqual(['stop']);
    expect(await first).toBe('stopped');
    says('info depth 9 multipv 1 score mate 1 pv d1d8');
    expect(got).toEqual([]);
    says('bestmove d1d8');
    expect(since()).toEqual([`position fen ${TWO}`, 'go depth 4']);
    says('info depth 1 multipv 1 score cp 0 pv a1a2');
    says('bestmove a1a2');
    expect(await second).toBe('done');
    expect(got).toHaveLength(1);
  });

  it('is not begun if a newer one came while it waited', async () => {
    const all = [search(ONE), search(TWO), search(ONE)];
    since();
    says('bestmove d1d8');
    expect(since()).toEqual([`position fen ${ONE}`, 'go depth 4']);
    says('bestmove d1d8');
    expect(await Promise.all(all)).toEqual(['stopped', 'stopped', 'done']);
  });

  it('forgets what earlier ones found, if asked to', () => {
    void session.search({ fen: ONE, limit: { milliseconds: 100 }, lines: 1, isFresh: true }, () => undefined);
    expect(since().slice(-3)).toEqual(['ucinewgame', `position fen ${ONE}`, 'go movetime 100']);
  });
});

describe('an engine that fails', () => {
  it('fails its search, and all later ones', async () => {
    const running = search(ONE);
    port.onerror?.({ message: 'unreachable' });
    await expect(running).rejects.toMatchObject({ code: 'died' });
    await expect(search(TWO)).rejects.toBeInstanceOf(EngineFailure);
    expect(port.isEnded).toBe(true);
  });

  it('says that memory is lacking', async () => {
    const running = search(ONE);
    says('info string Failed to allocate 4096MB for transposition table.');
    await expect(running).rejects.toMatchObject({ code: 'memory' });
  });

  it('is reported if nothing runs', () => {
    const failed = vi.fn();
    session.onfailure = failed;
    port.onerror?.({ message: 'RangeError: WebAssembly.Memory(): could not allocate memory' });
    expect(failed).toHaveBeenCalledWith(expect.objectContaining({ code: 'memory' }));
  });

  it('fails the start, also if it says nothing at all', async () => {
    vi.useFakeTimers();
    const silent = new Session({ ...port, postMessage: () => undefined });
    const start = expect(silent.start({})).rejects.toMatchObject({ code: 'slow' });
    await vi.advanceTimersByTimeAsync(60_000);
    await start;
    vi.useRealTimers();
  });

  it('says nothing after it was closed', async () => {
    const running = search(ONE);
    session.close();
    expect([await running, await search(TWO), port.isEnded]).toEqual(['stopped', 'stopped', true]);
  });
});
