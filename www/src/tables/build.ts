// Chooses the wasm build of the tables, as the engine chooses its own.
import { MOST_THREADS, shareMemory, whyNoThreads, withinTime } from '../engine/threads';

/** The exports that both packages have; the package with threads also has `initThreadPool`. */
export type TablesWasm = Omit<typeof import('../wasm/tables-single/plyfold_web_tables.js'), 'default' | 'initSync'>;

export type { Tables } from '../wasm/tables-single/plyfold_web_tables.js';

export interface TablesBuild {
  wasm: TablesWasm;
  memory: WebAssembly.Memory;
  threads: number;
}

const SMALLER_MIB = [512, 256];

/** Loads a build. `wanted` is a number of threads, 0 for the single build, or null to let this function choose. */
export async function loadTables(wanted: number | null): Promise<TablesBuild> {
  if (whyNoThreads(wanted) !== '') return single();
  return threaded(Math.min(MOST_THREADS, wanted ?? navigator.hardwareConcurrency ?? 2)).catch(single);
}

async function threaded(threads: number): Promise<TablesBuild> {
  const wasm = await import('../wasm/tables-threads/plyfold_web_tables.js');
  const memory = await shareMemory(wasm.default, SMALLER_MIB);
  await withinTime(wasm.initThreadPool(threads));
  return { wasm, memory, threads };
}

async function single(): Promise<TablesBuild> {
  const wasm = await import('../wasm/tables-single/plyfold_web_tables.js');
  const { memory } = await wasm.default();
  return { wasm, memory, threads: 1 };
}
