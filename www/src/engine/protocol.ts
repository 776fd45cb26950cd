// The words that the page and the engine worker exchange. One request gets exactly one `done` or
// `failed` reply with its number; `progress` may come any number of times before it. Everything is
// plain data, so that it survives structured cloning; big arrays are transferred, not copied.
// What the engine itself takes and gives has its types from Rust; here are those of the page and the worker.
import type {
  Between,
  Completions,
  Composition,
  GameRow,
  Images,
  Key,
  Leaving,
  NextMoves,
  Outputs,
  Painted,
  Predicate,
  QueryProblem,
  Question,
  Refusal,
  Replay,
  Rule,
  SearchResults,
  Twins,
} from './types';

export type * from './types';

/** A corpus as the list shows it. `size_bytes` counts what it occupies on the device. */
export interface CorpusInfo {
  id: string;
  name: string;
  games: number;
  plies: number;
  size_bytes: number;
  /** Milliseconds since 1970. */
  created_ms: number;
  /** `device`: kept in the browser's private files. `memory`: gone when the page closes. */
  kept: 'device' | 'memory';
}

/** Which wasm build answers, and why it is not the threaded one when it is not. */
export interface EngineInfo {
  build: 'threads' | 'single';
  threads: number;
  /** One sentence, empty for the threaded build. */
  reason: string;
  /** False when the browser refuses private files: corpora then live in memory only. */
  storage: boolean;
  /**
   * A place in the engine's shared memory, null without threads. The page writes the number of a
   * request there to cancel it while the engine is too busy to read messages.
   */
  cancel: Int32Array | null;
}

export interface ImportProgress {
  kind: 'import';
  bytes_done: number;
  bytes_total: number;
  games: number;
  refused: number;
  plies: number;
  elapsed_ms: number;
}

/** Games or positions being written out. */
export interface ExportProgress {
  kind: 'export';
  games_done: number;
  games_total: number;
}

export type Progress = ImportProgress | ExportProgress;

export interface ImportReport {
  corpus: CorpusInfo;
  refusals: Refusal[];
  /** Refused games altogether; the list above may stop earlier. */
  refused: number;
  elapsed_ms: number;
  bytes: number;
  /** Set when the corpus could not be kept on the device: one sentence. */
  storage_note: string;
  memory_bytes: number;
}

/** A set of games that is kept beside the open corpus. */
export interface NamedSet {
  name: string;
  games: number;
  /** Why it cannot be used: one sentence, empty when all is well. */
  trouble: string;
}

/** What a query found, and what finding it cost. */
export interface QueryResult extends SearchResults {
  /** How long the scan took. */
  elapsed_ms: number;
  /** What the engine's memory has grown to. */
  memory_bytes: number;
}

export const SORT_KEYS = ['number', 'white', 'white_elo', 'black', 'black_elo', 'result', 'eco', 'date', 'plies'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** A game to step through, and where it matches. Ply numbers on screen are indexes of `plies` + 1. */
export interface GameView extends Replay {
  /** Ply numbers whose positions match the query, ascending. */
  matches: number[];
  /** The images as which each of them matches; empty where the query asks for no images. */
  images: string[][];
}

export interface Methods {
  /** `threads`: how many, 0 for the build without them, null to let the engine decide. */
  hello: { params: { threads: number | null }; result: EngineInfo & { corpora: CorpusInfo[] } };
  list: { params: Record<never, never>; result: CorpusInfo[] };
  import: { params: { name: string; files: File[] }; result: ImportReport };
  open: { params: { corpus: string }; result: CorpusInfo };
  remove: { params: { corpus: string }; result: CorpusInfo[] };
  check: { params: { query: string }; result: QueryProblem | null };
  /** `at` in UTF-16 units. */
  complete: { params: { query: string; at: number }; result: Completions };
  paint: { params: { query: string }; result: Painted[] };
  predicates: { params: Record<never, never>; result: Predicate[] };
  /** A query and another condition as one; `together` is null where the engine cannot ask that. */
  compose: { params: { query: string; condition: string }; result: Composition };
  query: { params: { question: Question; outputs: Outputs }; result: QueryResult };
  /** How games went on from a position, in all games or in those that match. */
  explore: { params: { question: Question; fen: string; among: boolean }; result: NextMoves };
  keys: { params: Record<never, never>; result: Key[] };
  checkKey: { params: { key: string }; result: QueryProblem | null };
  sort: { params: { ids: Uint32Array; key: SortKey; descending: boolean }; result: Uint32Array };
  rows: { params: { ids: number[] }; result: GameRow[] };
  game: { params: { id: number; query: string }; result: GameView };
  pgn: { params: { id: number }; result: string };
  images: { params: { position: string }; result: Images };
  twins: { params: { position: string; text: string; leaving: Leaving }; result: Twins };
  between: { params: { image: string; original: string }; result: Between };
  /** The names of the images that a query asks for, of each of its parts that has some. */
  imagesAsked: { params: { query: string }; result: string[][] };
  export: { params: { ids: Uint32Array }; result: Blob };
  /** The matching positions of these games, a line each. */
  lines: { params: { ids: Uint32Array; query: string; form: 'fen' | 'epd' }; result: Blob };
  /** Keeps games as a corpus of their own. */
  collect: { params: { ids: Uint32Array; name: string }; result: ImportReport };
  sets: { params: Record<never, never>; result: NamedSet[] };
  /** Keeps the games that match. */
  keepSet: { params: { name: string; question: Question }; result: NamedSet[] };
  /** What an expression over sets comes to: how many games. */
  countSet: { params: { expression: string }; result: number };
  /** Keeps what an expression over sets comes to. */
  combineSets: { params: { name: string; expression: string }; result: NamedSet[] };
  /** Keeps the games of each of the largest values of a key, as `prefix-value`; returns how many sets that made, too. */
  keepParts: { params: { prefix: string; question: Question; key: string; rule: Rule; most: number }; result: { made: number; sets: NamedSet[] } };
  addSet: { params: { name: string; file: File }; result: NamedSet[] };
  renameSet: { params: { name: string; to: string }; result: NamedSet[] };
  removeSet: { params: { name: string }; result: NamedSet[] };
  setFile: { params: { name: string }; result: Blob };
  /** The games that match, as the file of a set. */
  setOf: { params: { question: Question }; result: Blob };
}

export type Method = keyof Methods;

/** A request of any method, discriminated by `method`. */
export type Request = { [M in Method]: { number: number; method: M; params: Methods[M]['params'] } }[Method];

/** Why a request failed. The page decides by `code`; `message` is for people. */
export interface Failure {
  code: 'cancelled' | 'bad-query' | 'no-corpus' | 'held' | 'storage' | 'bad-input' | 'bad-corpus' | 'engine';
  message: string;
}

export type Reply =
  | { number: number; state: 'progress'; progress: Progress }
  | { number: number; state: 'done'; result: Methods[Method]['result'] }
  | { number: number; state: 'failed'; failure: Failure };

/** What the client needs of a worker; the mock of the unit tests is another one. */
export interface Port {
  postMessage(message: Request, transfer?: Transferable[]): void;
  onmessage: ((event: { data: Reply }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
  terminate(): void;
}
