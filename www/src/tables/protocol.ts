// The messages between the page and the worker of tables. Each request gets one `done` or `failed` reply with its number;
// `progress` replies may come before it. A request does not wait for those before it, so a position is answered while
// tables are being made.
import type { TableFile } from '../engine/protocol';
import type { MaterialStatistics, TableLine, TableMap, TableValues, TableVerdict } from './types';

export type * from './types';

/** The tables on this device. */
export interface TablesHere {
  /** Their names, the winner first, such as `KRvK`. */
  names: string[];
  bytes: number;
  /** `device`: kept in the browser's private files. `memory`: lost when the page closes. */
  kept: 'device' | 'memory';
  /** How many of the tables that can be made here are missing. */
  missing: number;
  /** What went wrong while they were kept or taken, one sentence each; the other tables are there. */
  notes: string[];
}

/** Where tables are besides this device. Nothing is requested of a host before the user names it. */
export interface TableHosts {
  /** A folder of packed tables; empty for none. */
  folder: string;
  /** The address of a running `egtgen serve`; empty for none. */
  server: string;
}

export interface MakingProgress {
  done: number;
  total: number;
  /** The table that is being made. */
  name: string;
  /** Milliseconds that the rest will take; null before that can be said. */
  left_ms: number | null;
}

export interface TableMethods {
  /** `threads`: how many threads, 0 for the build without threads, null to let the worker choose. */
  hello: { params: { threads: number | null }; result: { threads: number; stop: Uint8Array | null; here: TablesHere } };
  list: { params: Record<never, never>; result: TablesHere };
  /** Makes all tables of three and four pieces that are not here yet. */
  make: { params: Record<never, never>; result: TablesHere & { memory_bytes: number } };
  /** Stops making tables; those that are complete stay. */
  stop: { params: Record<never, never>; result: null };
  /** Takes packed tables that the user dropped. */
  take: { params: { files: File[] }; result: TablesHere };
  /** The tables on this device, for the engine; also after the module of the tables has stopped. */
  files: { params: Record<never, never>; result: TableFile[] };
  /** Fetches from the folder in use, and keeps here, the tables that positions of these materials need, whoever wins. */
  fetch: { params: { materials: string[] }; result: TablesHere };
  /** Removes all tables from this device. */
  remove: { params: Record<never, never>; result: TablesHere };
  /** Uses these hosts from now on, after trying each of them. */
  use: { params: TableHosts; result: null };
  verdict: { params: { fen: string }; result: TableVerdict };
  line: { params: { fen: string }; result: TableLine };
  /** `square` from 0 for a1 to 63 for h8. */
  map: { params: { fen: string; square: number }; result: TableMap };
  values: { params: { fens: string[] }; result: TableValues };
  statistics: { params: { material: string }; result: MaterialStatistics };
}

export type TableMethod = keyof TableMethods;

export type TableRequest = { [M in TableMethod]: { number: number; method: M; params: TableMethods[M]['params'] } }[TableMethod];

/** Why a request failed. The page decides by `code`; for `missing`, `message` is the name of the material, otherwise a sentence. */
export interface TableFailure {
  code: 'cancelled' | 'missing' | 'damaged' | 'bad-input' | 'host' | 'engine';
  message: string;
}

export type TableReply =
  | { number: number; state: 'progress'; progress: MakingProgress }
  | { number: number; state: 'done'; result: TableMethods[TableMethod]['result'] }
  | { number: number; state: 'failed'; failure: TableFailure };

/** The sentence of a worker that cannot be asked any more. */
export const stoppedBecause = (cause: string) => `the worker of tables stopped${cause ? ` (${cause})` : ''}. Reload the page`;
