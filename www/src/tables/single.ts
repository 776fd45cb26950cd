// The single build of the tables: for a page without threads, and for the npm package, which only asks tables that are there.
import { fetchOwn, imported, PATIENCE_MS } from '../engine/patience';
import singleAddress from '../wasm/tables-single/plyfold_web_tables_bg.wasm?url';

/** The exports that both packages have; the package with threads also has `initThreadPool`. */
export type TablesWasm = Omit<typeof import('../wasm/tables-single/plyfold_web_tables.js'), 'default' | 'initSync'>;

export type { Tables } from '../wasm/tables-single/plyfold_web_tables.js';

export interface TablesBuild {
  wasm: TablesWasm;
  memory: WebAssembly.Memory;
  threads: number;
}

/** The address of its wasm file. */
export const SINGLE_TABLES_ADDRESS = singleAddress;

/** Loads it from a host that may be silent for so long; without a page, a program must give the bytes of its wasm file. */
export async function loadSingleTables(silence_ms = PATIENCE_MS, bytes?: BufferSource): Promise<TablesBuild> {
  const wasm = await imported(import('../wasm/tables-single/plyfold_web_tables.js'), silence_ms);
  const { memory } = await wasm.default({ module_or_path: bytes ?? fetchOwn(SINGLE_TABLES_ADDRESS, silence_ms) });
  return { wasm, memory, threads: 1 };
}
