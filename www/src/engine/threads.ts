// Starting a wasm build with threads: whether the page may share memory, how much of it, and how long its pool of workers
// may take. The page starts the workers (pool.ts). The engine and the tables are started in the same way.

import { PageWorker } from './pageworker';

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
  const pool: PageWorker[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
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
function startedByPage(pool: PageWorker[], fail: (error: Error) => void, start: () => Promise<unknown>): Promise<unknown> {
  const { Worker: own } = globalThis;
  const Made = class extends PageWorker {
    constructor(address: string | URL) {
      super(address, fail);
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
