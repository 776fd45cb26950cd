// The requests of the package to the engine, which runs in a worker of its own, or in Node in the same thread. Each request gets
// exactly one reply with its number. Everything is plain data that survives structured cloning. Games are numbered from 0 here.
import type { GameRow } from '../engine/types';
import type { Arrival, ErrorCode, LibraryInfo, OpenProgress, OutputKind, Phrase, Position, QueryProblem, Refusal, Replay, ResultTable } from './api';

/** Bytes or a file, with a name for messages; or an address. */
export type Opening = { data: Blob | Uint8Array; name: string } | { address: string };

export interface Opened {
  games: number;
  plies: number;
  refused: number;
  inPart: number;
  refusals: Refusal[];
  threads: number;
  library: LibraryInfo | null;
  arrived: Arrived | null;
  /** As in the page's engine: a place in shared memory for the number of a cancelled request. */
  cancel: Int32Array | null;
}

export interface Arrived extends Arrival {
  /** Why no further part comes: one sentence, empty if all is well. */
  trouble: string;
}

export interface Found {
  games: number;
  positions: number;
  ids: Uint32Array;
  heatmap: Uint32Array | null;
}

export interface Methods {
  open: { params: { from: Opening; corpus: readonly string[] | null; threads: number | null; silence_ms: number }; result: Opened };
  query: { params: { query: string; heatmap: boolean; everywhere: boolean }; result: Found };
  outputs: { params: Record<never, never>; result: OutputKind[] };
  tabulate: { params: { output: string; query: string; key: string; everywhere: boolean }; result: ResultTable };
  check: { params: { query: string }; result: QueryProblem | null };
  readPhrase: { params: { text: string }; result: Phrase };
  rows: { params: { ids: Uint32Array }; result: GameRow[] };
  positions: { params: { ids: Uint32Array; query: string; everywhere: boolean }; result: Position[] };
  replay: { params: { id: number; query: string }; result: Replay };
  pgn: { params: { id: number }; result: string };
}

export type Method = keyof Methods;

/** A request; `aborted` ends the one with this number. */
export type Request = { [M in Method]: { number: number; method: M; params: Methods[M]['params'] } }[Method] | { aborted: number };

export interface Failure {
  code: ErrorCode;
  message: string;
  problem: QueryProblem | null;
}

export type Reply =
  /** The worker reads messages from now on. */
  | { ready: true }
  | { number: number; result: Methods[Method]['result'] }
  | { number: number; failure: Failure }
  | { progress: OpenProgress }
  | { arrived: Arrived };

/** What the engine says by itself. */
export interface Listener {
  progress(progress: OpenProgress): void;
  arrived(arrived: Arrived): void;
}

/** The engine as the package's own side calls it. */
export interface Engine {
  call<M extends Method>(method: M, params: Methods[M]['params'], signal?: AbortSignal): Promise<Methods[M]['result']>;
  close(): void;
}
