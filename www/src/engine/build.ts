// Chooses the wasm build, once: the build with threads if the page may share memory, otherwise the single
// build, with a sentence that gives the reason. Only this module and the worker know that wasm exists.
import type { EngineInfo } from './protocol';
import singleAddress from '../wasm/single/plyfold_web_bg.wasm?url';
import { fetchOwn, imported, PATIENCE_MS, Silence } from './patience';
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

/** The address of the wasm file of the build with threads; a page that was built without them has none. */
const [THREADS_ADDRESS] = Object.values(import.meta.glob<string>('../wasm/threads/*_bg.wasm', { query: '?url', import: 'default', eager: true }));

const SMALLER_MIB = [2048, 1024];

/** The wasm file that is on its way already. It is taken once, because a response is read once. */
let ahead: { address: string; response: Promise<Response> } | null = null;

/** Fetches the build that the page will most likely want, before it says which: a worker calls this when it begins. */
export function fetchAhead(): void {
  const isThreaded = whyNoThreads(null) === '' && THREADS_ADDRESS !== undefined;
  const address = isThreaded ? THREADS_ADDRESS : SINGLE_ADDRESS;
  ahead = { address, response: fetchOwn(address, PATIENCE_MS) };
  // A failure is told when the build is loaded.
  const unsaid = () => undefined;
  ahead.response.catch(unsaid);
  (isThreaded ? import('../wasm/threads/plyfold_web.js') : import('../wasm/single/plyfold_web.js')).catch(unsaid);
}

function wasmFile(address: string, silence_ms: number): Promise<Response> {
  const taken = ahead;
  ahead = null;
  return taken?.address === address ? taken.response : fetchOwn(address, silence_ms);
}

/**
 * Loads a build. `wanted` is a number of threads, 0 for the single build, or null to let this function choose. Its host may be
 * silent for so long.
 */
export async function loadBuild(wanted: number | null, silence_ms = PATIENCE_MS): Promise<Build> {
  const reason = whyNoThreads(wanted);
  if (reason !== '') return single(reason, silence_ms);
  try {
    return await threaded(Math.min(MOST_THREADS, wanted ?? navigator.hardwareConcurrency ?? 2), silence_ms);
  } catch (error) {
    // The single build comes from the same host.
    if (error instanceof Silence) throw error;
    return single(`threads could not be started (${error instanceof Error ? error.message : String(error)}), so searching is slower`, silence_ms);
  }
}

async function threaded(threads: number, silence_ms: number): Promise<Build> {
  const wasm = await imported(import('../wasm/threads/plyfold_web.js'), silence_ms);
  const memory = await shareMemory((options) => wasm.default({ ...options, ...(THREADS_ADDRESS && { module_or_path: wasmFile(THREADS_ADDRESS, silence_ms) }) } as Parameters<typeof wasm.default>[0]), SMALLER_MIB);
  await startPool(() => wasm.initThreadPool(threads));
  return { wasm, memory, info: { build: 'threads', threads: wasm.threads(), reason: '' } };
}

/** The single build; without a page, a program must give the bytes of its wasm file. */
export async function loadSingle(bytes: BufferSource): Promise<Build> {
  return single('', PATIENCE_MS, bytes);
}

async function single(reason: string, silence_ms: number, bytes?: BufferSource): Promise<Build> {
  const wasm = await imported(import('../wasm/single/plyfold_web.js'), silence_ms);
  const { memory } = await wasm.default({ module_or_path: bytes ?? wasmFile(SINGLE_ADDRESS, silence_ms) });
  return { wasm, memory, info: { build: 'single', threads: 1, reason } };
}
