// Chooses the wasm build of the tables, as the engine chooses its own.
import { MOST_THREADS, shareMemory, startPool, whyNoThreads } from '../engine/threads';
import { loadSingleTables, type TablesBuild } from './single';

export type { Tables, TablesBuild, TablesWasm } from './single';

const SMALLER_MIB = [512, 256];

/** Loads a build. `wanted` is a number of threads, 0 for the single build, or null to let this function choose. */
export async function loadTables(wanted: number | null): Promise<TablesBuild> {
  if (whyNoThreads(wanted) !== '') return loadSingleTables();
  return threaded(Math.min(MOST_THREADS, wanted ?? navigator.hardwareConcurrency ?? 2)).catch(() => loadSingleTables());
}

async function threaded(threads: number): Promise<TablesBuild> {
  const wasm = await import('../wasm/tables-threads/plyfold_web_tables.js');
  const memory = await shareMemory(wasm.default, SMALLER_MIB);
  await startPool(() => wasm.initThreadPool(threads));
  return { wasm, memory, threads };
}
