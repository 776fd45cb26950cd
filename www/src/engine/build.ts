// Chooses the wasm build, once: the build with threads if the page may share memory, otherwise the single
// build, with a sentence that gives the reason. Only this module and the worker know that wasm exists.
import type { EngineInfo } from './protocol';

/** The exports that both packages have; the package with threads also has `initThreadPool`. */
export type Wasm = Omit<typeof import('../wasm/single/plyfold_web.js'), 'default' | 'initSync'>;

export type { PreparedQuestion } from '../wasm/single/plyfold_web.js';

export interface Build {
  wasm: Wasm;
  memory: WebAssembly.Memory;
  info: Pick<EngineInfo, 'build' | 'threads' | 'reason'>;
}

const PAGE_BYTES = 65_536;
/** Some phones refuse to reserve four gibibytes of shared memory. These smaller sizes are tried next. */
const SMALLER_GIB = [2, 1];
const POOL_PATIENCE_MS = 15_000;
const MOST_THREADS = 16;

/** Loads a build. `wanted` is a number of threads, 0 for the single build, or null to let this function choose. */
export async function loadBuild(wanted: number | null): Promise<Build> {
  const reason = wanted === 0 ? 'the address selects the build without threads' : whyNoThreads();
  if (reason !== '') return single(reason);
  try {
    return await threaded(Math.min(MOST_THREADS, wanted ?? navigator.hardwareConcurrency ?? 2));
  } catch (error) {
    return single(`threads could not be started (${error instanceof Error ? error.message : String(error)}), so searching is slower`);
  }
}

function whyNoThreads(): string {
  if (!globalThis.crossOriginIsolated) return 'this host sends no isolation headers, so searching is slower';
  if (typeof SharedArrayBuffer !== 'function') return 'this browser cannot share memory between threads, so searching is slower';
  return '';
}

async function threaded(threads: number): Promise<Build> {
  const wasm = await import('../wasm/threads/plyfold_web.js');
  const memory = await instantiate(wasm.default);
  await withinTime(wasm.initThreadPool(threads));
  return { wasm, memory, info: { build: 'threads', threads: wasm.threads(), reason: '' } };
}

async function instantiate(init: typeof import('../wasm/threads/plyfold_web.js').default): Promise<WebAssembly.Memory> {
  try {
    return (await init()).memory;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    for (const gib of SMALLER_GIB) {
      try {
        const memory = new WebAssembly.Memory({ initial: 1024, maximum: (gib * 2 ** 30) / PAGE_BYTES, shared: true });
        return (await init({ memory })).memory;
      } catch (again) {
        if (!(again instanceof RangeError)) throw again;
      }
    }
    throw error;
  }
}

async function single(reason: string): Promise<Build> {
  const wasm = await import('../wasm/single/plyfold_web.js');
  const { memory } = await wasm.default();
  return { wasm, memory, info: { build: 'single', threads: 1, reason } };
}

/** Fails if the pool's workers do not report in time; the single build then replaces the build with threads. */
async function withinTime(started: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the workers did not respond')), POOL_PATIENCE_MS);
  });
  try {
    await Promise.race([started, late]);
  } finally {
    clearTimeout(timer);
  }
}
