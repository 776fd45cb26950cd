// Starting a wasm build with threads: whether the page may share memory, how much of it, and how long its pool of workers
// may take. The page starts the workers (pool.ts). The engine and the tables are started in the same way.

import { isOfPool, type PoolReply, type PoolRequest } from './poolmessages';

const PAGE_BYTES = 65_536;
const POOL_PATIENCE_MS = 15_000;
export const MOST_THREADS = 16;

/** Why there are no threads, in one sentence; empty if there can be some. `wanted` is as for the builds. */
export function whyNoThreads(wanted: number | null): string {
  if (wanted === 0) return 'the address selects the build without threads';
  if (!globalThis.crossOriginIsolated) return 'this host sends no isolation headers, so searching is slower';
  if (typeof SharedArrayBuffer !== 'function') return 'this browser cannot share memory between threads, so searching is slower';
  return '';
}

/** What `wasm-bindgen` makes of a package with threads. */
type Init = (options?: { memory: WebAssembly.Memory }) => Promise<{ memory: WebAssembly.Memory }>;

/** Loads a package with shared memory. Some phones refuse to reserve as much as the package asks for; then these sizes are tried. */
export async function shareMemory(init: Init, smallerMib: readonly number[]): Promise<WebAssembly.Memory> {
  try {
    return (await init()).memory;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    for (const mib of smallerMib) {
      try {
        const memory = new WebAssembly.Memory({ initial: 1024, maximum: (mib * 2 ** 20) / PAGE_BYTES, shared: true });
        return (await init({ memory })).memory;
      } catch (again) {
        if (!(again instanceof RangeError)) throw again;
      }
    }
    throw error;
  }
}

/** Starts a pool. If its workers do not report in time this fails, and the single build replaces the build with threads. */
export async function startPool(start: () => Promise<unknown>): Promise<void> {
  const pool: PoolWorker[] = [];
  const listen = (event: MessageEvent<unknown>) => {
    if (!isOfPool<PoolReply>(event.data)) return;
    event.stopImmediatePropagation();
    pool[event.data.pool]?.receive(event.data);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  // It hears before the worker's own listener, which knows nothing of pools, and stays: a reply may be late.
  globalThis.addEventListener('message', listen, { capture: true });
  try {
    await new Promise<unknown>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the workers did not respond')), POOL_PATIENCE_MS);
      startedByPage(pool, reject, start).then(resolve, reject);
    });
  } catch (error) {
    for (const worker of pool) worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Lets `start` begin, which makes its workers before it first waits: those that the page starts. */
function startedByPage(pool: PoolWorker[], fail: (error: Error) => void, start: () => Promise<unknown>): Promise<unknown> {
  const { Worker: own } = globalThis;
  const Made = class extends PoolWorker {
    constructor(address: string | URL) {
      super(pool.length, address, fail);
      pool.push(this);
    }
  };
  // Of a worker, wasm-bindgen-rayon uses what a worker of the pool has.
  globalThis.Worker = Made as unknown as typeof Worker;
  try {
    return start();
  } finally {
    globalThis.Worker = own;
  }
}

/** A worker of the pool, which the page has started. */
class PoolWorker extends EventTarget {
  private readonly number: number;
  private readonly fail: (error: Error) => void;

  constructor(number: number, address: string | URL, fail: (error: Error) => void) {
    super();
    this.number = number;
    this.fail = fail;
    ask({ pool: number, address: String(address) });
  }

  postMessage(message: unknown): void {
    ask({ pool: this.number, message });
  }

  terminate(): void {
    ask({ pool: this.number, end: true });
  }

  receive(reply: PoolReply): void {
    if ('failure' in reply) this.fail(new Error(reply.failure));
    else this.dispatchEvent(new MessageEvent('message', { data: reply.message }));
  }
}

/** Through the worker's own messages, since Safari passes no shared memory through other ports. */
function ask(request: PoolRequest): void {
  (globalThis as unknown as { postMessage(message: PoolRequest): void }).postMessage(request);
}
