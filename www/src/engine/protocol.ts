// The words that the page and the engine worker exchange. One request gets exactly one `done` or
// `failed` reply with its number; `progress` may come any number of times before it. Everything is
// plain data, so that it survives structured cloning; big arrays are transferred, not copied.

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

/** One game that could not be read. `byte` counts from the start of the decompressed file. */
export interface Refusal {
  file: string;
  byte: number;
  /** Number of the game in its file, from 1. */
  game: number;
  /** The ply that could not be played, from 1; 0 where no move is at fault. */
  ply: number;
  reason: string;
}

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

/** Where a query is wrong. `from` and `to` are offsets into the text in UTF-16 units. */
export interface QueryProblem {
  message: string;
  from: number;
  to: number;
  expected: string[];
  /** A known name that is close to what was typed, or empty. */
  nearest: string;
}

/** What is wrong with a text that is no query; `from` and `to` in UTF-16 units. */
export interface Fault {
  message: string;
  from: number;
  to: number;
}

/** A position and all that it turns into by one transform, itself first; none where the text is no position. */
export interface Images {
  fen: string;
  images: { name: string; fen: string }[];
  fault: Fault | null;
}

/** A step that was done: as Popeye prints it, its place in the text in UTF-16 units, the position after it. */
export interface Done {
  told: string;
  from: number;
  to: number;
  fen: string;
}

/** Twins with the steps to each, as far as they could be made. The diagram itself has none. */
export interface Twins {
  twins: { label: string; from: string; done: Done[] }[];
  fault: Fault | null;
}

/** What becomes of men that a shift takes off the board; `written`: as each command has it. */
export type Leaving = 'written' | 'refused' | 'dropped';

/** What makes `image` of `original`: names of single transforms, or of several in a row. */
export interface Between {
  transforms: string[];
  image: Fault | null;
  original: Fault | null;
}

/** Something that may stand at a place of a query. */
export interface Completion {
  /** Where that begins which it replaces: the word that is being written, or words before it that are one name with it. */
  from: number;
  text: string;
  /** What it means, in some words; may be empty. */
  detail: string;
  kind: 'keyword' | 'side' | 'predicate' | 'region' | 'text' | 'operator';
}

/** What may stand at a place, best first. The word that is being written there is between `from` and `to` (in UTF-16 units). */
export interface Completions {
  from: number;
  to: number;
  options: Completion[];
}

/** A piece of a query's text; `from` and `to` in UTF-16 units. */
export interface Painted {
  from: number;
  to: number;
  class: 'keyword' | 'side' | 'predicate' | 'number' | 'text' | 'region' | 'operator' | 'bracket' | 'unknown';
}

/** Something that a query can ask of a position. */
export interface Predicate {
  name: string;
  /** Other names that mean the same. */
  aliases: string[];
  /** One line. */
  summary: string;
  /** Whether a side may stand before it. */
  sided: boolean;
  /** Whether it is a number, to be compared. */
  number: boolean;
}

export interface Structure {
  /** Squares of the white pawns as sixteen hex digits, lowest bit a1. */
  white: string;
  black: string;
  /** Matching positions with exactly these pawns. */
  count: number;
}

export interface PositionHit {
  game: number;
  /** Position after this ply; from 1. */
  ply: number;
  fen: string;
}

/**
 * Some of the games that match: those that have a matching position where a key has a value, or those
 * that went on with a move, from a matching position or from where another query holds.
 */
export type Part =
  | { by: 'value'; key: string; value: string }
  | { by: 'next'; move: number; san: string; position: string };

/** What is asked, of which games: of all, or of what an expression over named sets comes to; and of those the parts, one after the other. */
export interface Question {
  query: string;
  within: string;
  parts: readonly Part[];
}

/** Which answers a run collects; all of them come out of one pass. */
export interface Outputs {
  heatmap: boolean;
  /** How many structures to return, 0 for none. */
  structures: number;
  /** How many positions to return, 0 for none. */
  positions: number;
  /** How games went on. */
  next: boolean;
  /** What groups are by, empty for none. */
  key: string;
}

/** Something by which matches are grouped. */
export interface Key {
  name: string;
  summary: string;
  /** Whether its values are numbers with an order of their own. */
  ordered: boolean;
}

/** Games by result. */
export interface ByOutcome {
  games: number;
  white: number;
  draw: number;
  black: number;
  unknown: number;
}

/** One value of a key: matching positions, and the games that have them. */
export interface Group extends ByOutcome {
  name: string;
  positions: number;
}

/** All values of a key; `distinct` counts those that are not listed, too. */
export interface Groups {
  key: string;
  ordered: boolean;
  distinct: number;
  positions: number;
  groups: Group[];
}

/** A move that games went on with from matching positions. */
export interface NextMove extends ByOutcome {
  /** Names the move, whatever the position. */
  move: number;
  san: string;
  uci: string;
  /** Matching positions after which it was played. */
  times: number;
  /** The position after it, where it was first played. */
  fen: string;
  /** Average rating of those who played it, 0 if none is known. */
  elo: number;
  /** What rating their results are worth; null if none is known. */
  performance: number | null;
  /** As in a game's header; empty if no game has a year. */
  last_played: string;
}

/** How games went on; the results are those of all games that have a matching position, the start included. */
export interface NextMoves extends ByOutcome {
  positions: number;
  moves: NextMove[];
}

/** A set of games that is kept beside the open corpus. */
export interface NamedSet {
  name: string;
  games: number;
  /** Why it cannot be used: one sentence, empty when all is well. */
  trouble: string;
}

/** Which matching position of a game says where it belongs. */
export type Rule = 'final' | 'first' | 'ever';

export interface QueryResult {
  games_total: number;
  plies_total: number;
  games: number;
  positions: number;
  /** Moves that were looked at to find them, at most. */
  plies_looked_at: number;
  elapsed_ms: number;
  /** What the engine's memory has grown to. */
  memory_bytes: number;
  /** Matching games in corpus order. */
  ids: Uint32Array;
  /** [2 colours white black][6 men P N B R Q K][64 squares a1 .. h8], positions in which it stands there. */
  heatmap: Float64Array | null;
  structures: Structure[];
  structures_total: number;
  hits: PositionHit[];
  next: NextMoves | null;
  groups: Groups | null;
}

export type ResultText = '1-0' | '0-1' | '1/2-1/2' | '*';

/** A line of the games table. Empty text and 0 stand for what the game does not say. */
export interface GameRow {
  id: number;
  white: string;
  black: string;
  white_elo: number;
  black_elo: number;
  result: ResultText;
  eco: string;
  date: string;
  event: string;
  site: string;
  plies: number;
  ending: string;
  time_class: string;
}

export const SORT_KEYS = ['number', 'white', 'white_elo', 'black', 'black_elo', 'result', 'eco', 'date', 'plies'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** A game to step through. Index 0 of `plies` is the first move; ply numbers on screen are index + 1. */
export interface GameView {
  row: GameRow;
  start_fen: string;
  plies: { fen: string; uci: string; san: string }[];
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
