// Chooses the wasm build, once: the build with threads if the page may share memory, otherwise the single
// build, with a sentence that gives the reason. Only this module and the worker know that wasm exists.
import type { EngineInfo } from './protocol';
import singleAddress from '../wasm/single/plyfold_web_bg.wasm?url';
import { MOST_THREADS, shareMemory, startPool, whyNoThreads } from './threads';

/** The exports that both packages have; the package with threads also has `initThreadPool`. */
export type Wasm = Omit<typeof import('../wasm/single/plyfold_web.js'), 'default' | 'initSync'>;

export type { PreparedQuestion } from '../wasm/single/plyfold_web.js';

export interface Build {
  wasm: Wasm;
  memory: WebAssembly.Memory;
  info: Pick<EngineInfo, 'build' | 'threads' | 'reason'>;
}

/** The address of the wasm file of the single build. */
export const SINGLE_ADDRESS = singleAddress;

const SMALLER_MIB = [2048, 1024];

/** Loads a build. `wanted` is a number of threads, 0 for the single build, or null to let this function choose. */
export async function loadBuild(wanted: number | null): Promise<Build> {
  const reason = whyNoThreads(wanted);
  if (reason !== '') return single(reason);
  try {
    return await threaded(Math.min(MOST_THREADS, wanted ?? navigator.hardwareConcurrency ?? 2));
  } catch (error) {
    return single(`threads could not be started (${error instanceof Error ? error.message : String(error)}), so searching is slower`);
  }
}

async function threaded(threads: number): Promise<Build> {
  const wasm = await import('../wasm/threads/plyfold_web.js');
  const memory = await shareMemory(wasm.default, SMALLER_MIB);
  await startPool(() => wasm.initThreadPool(threads));
  return { wasm, memory, info: { build: 'threads', threads: wasm.threads(), reason: '' } };
}

/** The single build; without a page, a program must give the bytes of its wasm file. */
export async function loadSingle(bytes: BufferSource): Promise<Build> {
  return single('', { module_or_path: bytes });
}

async function single(reason: string, from?: { module_or_path: BufferSource }): Promise<Build> {
  const wasm = await import('../wasm/single/plyfold_web.js');
  const { memory } = await wasm.default(from);
  return { wasm, memory, info: { build: 'single', threads: 1, reason } };
}
