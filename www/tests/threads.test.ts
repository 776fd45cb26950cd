// A pool of threads: a worker asks the page for it, and the page starts it, passes on its messages, and ends it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PageWorker } from '../src/engine/pageworker';
import { withPool } from '../src/engine/pool';
import type { PoolReply, PoolRequest } from '../src/engine/poolmessages';
import { startPool } from '../src/engine/threads';

/** A worker of the page or of the pool; what it is given goes to `given`. */
class FakeWorker extends EventTarget {
  static made: FakeWorker[] = [];
  static refuses = false;
  isEnded = false;
  given: unknown[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;
  readonly address: string;

  constructor(address: string) {
    super();
    if (FakeWorker.refuses) throw new Error('not from this host');
    this.address = address;
    FakeWorker.made.push(this);
  }
  postMessage(message: unknown): void {
    this.given.push(message);
  }
  terminate(): void {
    this.isEnded = true;
  }
  /** The worker says something. */
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

/** Node 20 has none. */
class FakeErrorEvent extends Event {
  readonly message: string;
  constructor(type: string, { message }: { message: string }) {
    super(type);
    this.message = message;
  }
}

const own = FakeWorker as unknown as typeof Worker;

beforeEach(() => {
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('ErrorEvent', FakeErrorEvent);
  FakeWorker.made = [];
  FakeWorker.refuses = false;
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the page', () => {
  const engine = () => {
    const worker = new FakeWorker('engine.js');
    withPool(worker as unknown as Worker);
    return worker;
  };

  it('starts the workers of a pool, and passes messages on both ways', () => {
    const worker = engine();
    worker.say({ pool: 0, address: 'thread.js' } satisfies PoolRequest);
    worker.say({ pool: 1, address: 'thread.js' } satisfies PoolRequest);
    const [, zero, one] = FakeWorker.made;
    expect([zero?.address, one?.address]).toEqual(['thread.js', 'thread.js']);
    worker.say({ pool: 1, message: 'begin' } satisfies PoolRequest);
    expect([zero?.given, one?.given]).toEqual([[], ['begin']]);
    one?.onmessage?.({ data: 'ready' });
    expect(worker.given).toEqual([{ pool: 1, message: 'ready' }]);
  });

  it('ends one of them, or all with their worker', () => {
    const worker = engine();
    for (const pool of [0, 1, 2]) worker.say({ pool, address: 'thread.js' } satisfies PoolRequest);
    worker.say({ pool: 1, end: true } satisfies PoolRequest);
    expect(FakeWorker.made.map(({ isEnded }) => isEnded)).toEqual([false, false, true, false]);
    worker.terminate();
    expect(FakeWorker.made.map(({ isEnded }) => isEnded)).toEqual([true, true, true, true]);
  });

  it('says why one does not run, and later ends the request in which one fails', () => {
    const worker = engine();
    const errors: string[] = [];
    worker.addEventListener('error', (event) => errors.push((event as FakeErrorEvent).message));
    worker.say({ pool: 0, address: 'thread.js' } satisfies PoolRequest);
    FakeWorker.made[1]?.onerror?.({ message: 'no such file' });
    FakeWorker.refuses = true;
    worker.say({ pool: 1, address: 'https://elsewhere.example/thread.js' } satisfies PoolRequest);
    expect(worker.given).toEqual([
      { pool: 0, failure: 'no such file' },
      { pool: 1, failure: 'not from this host' },
    ]);
    FakeWorker.made[1]?.onmessage?.({ data: 'ready' });
    FakeWorker.made[1]?.onerror?.({ message: 'unreachable' });
    expect(errors).toEqual(['unreachable']);
  });

  it('leaves other messages alone', () => {
    const worker = engine();
    const heard: unknown[] = [];
    worker.addEventListener('message', (event) => heard.push((event as MessageEvent).data));
    worker.say({ pool: 0, address: 'thread.js' } satisfies PoolRequest);
    worker.say({ number: 1, state: 'done' });
    worker.say(null);
    expect(heard).toEqual([{ number: 1, state: 'done' }, null]);
  });
});

describe('a worker', () => {
  let asked: PoolRequest[];
  /** The page replies. */
  const reply = (data: PoolReply) => dispatchEvent(new MessageEvent('message', { data }));
  /** As wasm-bindgen-rayon does it: the workers are made at once, then awaited. */
  const pool = async (count: number) => {
    const workers = Array.from({ length: count }, () => new Worker(new URL('https://host.example/thread.js'), { type: 'module' }));
    for (const worker of workers) worker.postMessage('begin');
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.addEventListener('message', resolve))));
  };

  beforeEach(() => {
    asked = [];
    const events = new EventTarget();
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
    vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events));
    vi.stubGlobal('postMessage', (request: PoolRequest) => asked.push(request));
  });

  it('asks the page for its pool, which is ready when all are', async () => {
    let isReady = false;
    const started = startPool(() => pool(2)).then(() => (isReady = true));
    expect(asked).toEqual([
      { pool: 0, address: 'https://host.example/thread.js' },
      { pool: 1, address: 'https://host.example/thread.js' },
      { pool: 0, message: 'begin' },
      { pool: 1, message: 'begin' },
    ]);
    expect(globalThis.Worker).toBe(own);
    expect(FakeWorker.made).toEqual([]);
    reply({ pool: 0, message: 'ready' });
    await Promise.resolve();
    expect(isReady).toBe(false);
    reply({ pool: 1, message: 'ready' });
    await started;
  });

  it('ends a pool that cannot be started, or not in time', async () => {
    const refused = startPool(() => pool(2));
    const [one, other] = asked.map(({ pool }) => pool);
    reply({ pool: other!, failure: 'not from this host' });
    await expect(refused).rejects.toThrow('not from this host');
    expect(asked.slice(-2)).toEqual([{ pool: one, end: true }, { pool: other, end: true }]);

    vi.useFakeTimers();
    const late = expect(startPool(() => pool(1))).rejects.toThrow('the workers did not respond');
    await vi.advanceTimersByTimeAsync(60_000);
    await late;
    expect(asked.at(-1)).toEqual({ pool: asked.at(-2)?.pool, end: true });
  });

  it('has the page start another one, and talks to it over a port', async () => {
    const { port1, port2 } = new MessageChannel();
    const failures: string[] = [];
    new PageWorker('https://host.example/other.js', ({ message }) => failures.push(message), port2);
    const engine = new FakeWorker('engine.js');
    withPool(engine as unknown as Worker);
    engine.say(asked[0]);
    const other = FakeWorker.made.at(-1);
    expect([other?.address, other?.given]).toEqual(['https://host.example/other.js', [port2]]);
    other?.onerror?.({ message: 'no such file' });
    reply(engine.given[0] as PoolReply);
    expect(failures).toEqual(['no such file']);
    port1.close();
  });
});
