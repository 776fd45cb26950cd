// What the npm package `plyfold` gives to other people's pages and programs: every name of it, and nothing else. This file is
// published as its types.

/**
 * Where games come from: a file, its bytes, or an address. A file is PGN (plain, gzip, zstd, bzip2, zip or tar) or a corpus (`.plyfold`);
 * an address may also be that of a published library, which ends with `.json`. In Node, a text that is no address is a path.
 */
export type GameSource = Blob | Uint8Array | URL | string;

/** How far the opening of games has come. */
export interface OpenProgress {
  /** Bytes that have come from the host or were read. */
  bytes: number;
  /** All of them; 0 if that is not known. */
  totalBytes: number;
  /** Games that were read so far. */
  games: number;
}

export interface OpenOptions {
  /** Ends the opening; the promise is then rejected with the signal's reason, an `AbortError` by default. */
  signal?: AbortSignal;
  onProgress?: (progress: OpenProgress) => void;
  /** How many threads; 0 for the build without threads. By default one for each core, if the page is cross-origin isolated. Node has one. */
  threads?: number;
  /**
   * How long a host may send nothing before its request fails with the code `host`, in milliseconds: 30 000 by default, `Infinity`
   * for no limit. It holds for the games, and for the package's own files.
   */
  silenceMs?: number;
  /** Of a published library: the name of a corpus, the names of several that are asked together, or `*` for all. By default its first. */
  corpus?: string | readonly string[];
}

/** A published library, as it says about itself. All texts are its publisher's. */
export interface LibraryInfo {
  title: string;
  /** Such as `2026-11-24`. */
  updated: string;
  questions: { title: string; query: string }[];
  corpora: { name: string; games: number }[];
}

/** How much of a published library has arrived. */
export interface Arrival {
  games: number;
  plies: number;
  /** The number of its parts that can be searched, and of all. */
  parts: number;
  totalParts: number;
}

/** A game that could not be read, or only in part. */
export interface Refusal {
  /** Where the move at fault stands, or where the game begins, in bytes of the decompressed file. */
  byte: number;
  /** The ply that could not be played, from 1; 0 if no move is at fault. */
  ply: number;
  reason: string;
  /** Whether the moves before are kept as a game. */
  keptInPart: boolean;
}

export interface QueryOptions {
  /** Whether to count where the pieces stand in the matching positions. */
  heatmap?: boolean;
  /** Whether positions match wherever the conditions hold, also if the query has windows, such as `for 8`. */
  everywhere?: boolean;
  signal?: AbortSignal;
}

export interface TabulateOptions {
  /** The key, if the output takes one: `material`, `year`, or a number of the query language such as `count(pawn)`. */
  key?: string;
  /** As for a query. */
  everywhere?: boolean;
  signal?: AbortSignal;
}

/** What plain words mean. Places count as the indexes of a JavaScript string do. */
export interface Phrase {
  /** The query, empty if nothing was understood. A text that is a query, or has signs of one such as quotes, is its own query. */
  query: string;
  /** The words that were understood, in their order, each with its piece of the query, and whom names among them mean. */
  understood: { from: number; to: number; meaning: string; notes: string[] }[];
  /** The places of the words that were not. */
  unknown: { from: number; to: number }[];
  /** What else the text may mean, the likelier first, and how many games that matches. */
  others: { query: string; games: number }[];
}

/** What an output is. */
export interface OutputKind {
  name: string;
  /** What it shows, as a sentence without its full stop. */
  summary: string;
  takesKey: boolean;
}

/** The table of an output. */
export interface ResultTable {
  /** The columns; no two have one name. */
  columns: ResultColumn[];
  /** The number of rows. */
  rows: number;
}

export interface ResultColumn {
  name: string;
  /** What its cells are. Games are numbered from 1; a ply belongs to the game in the column before; a condition is a query. */
  kind: 'count' | 'number' | 'text' | 'results' | 'date' | 'year' | 'game' | 'ply' | 'condition';
  /** Numbers, NaN for unknown ones; or texts, empty for missing ones. */
  cells: Float64Array | string[];
}

/** Games, opened and ready for queries. All of them are in memory; nothing is stored. */
export interface Games {
  /** Number of games; of a library, of those that have arrived. */
  readonly games: number;
  readonly plies: number;
  /** Number of games that could not be read. */
  readonly refused: number;
  /** Number of games that are kept up to a move that could not be played or read. */
  readonly inPart: number;
  /** The first games that could not be read, or only in part. */
  readonly refusals: readonly Refusal[];
  /** Threads that a query uses. */
  readonly threads: number;
  /** Null if the games are not those of a published library. */
  readonly library: LibraryInfo | null;
  /** Whether all games have arrived. */
  readonly isComplete: boolean;
  /** What has arrived now and after each further part, up to the last. Fails if no further part comes. */
  arrivals(): AsyncIterableIterator<Arrival>;
  query(query: string, options?: QueryOptions): Promise<QueryResult>;
  /** What can be made of matches as a table: the names that `tabulate` takes. */
  outputs(): Promise<OutputKind[]>;
  /** The table of an output, such as `counts` by a key, of the matches of a query. */
  tabulate(output: string, query: string, options?: TabulateOptions): Promise<ResultTable>;
  /** The first error of a query, or null if it has none. */
  check(query: string): Promise<QueryProblem | null>;
  /** What a player typed, such as `Karpov lost rook endgames 1980-1990`, as a query, by the names of the games. */
  readPhrase(text: string): Promise<Phrase>;
  /** The game with this number, from 1. */
  game(number: number): Promise<Game>;
  /** Frees everything. Whatever is still running fails with the code `closed`. */
  close(): void;
}

/** What a query found. It stays as it is when further games arrive. */
export interface QueryResult {
  /** Number of matching games. */
  readonly games: number;
  /** Number of matching positions. */
  readonly positions: number;
  /** The numbers of the matching games, ascending, from 1. */
  readonly numbers: Uint32Array;
  /**
   * `[2 sides, white and black][6 pieces, P N B R Q K][64 squares, a1 b1 … h8]`: the number of matching positions with the piece on
   * the square. Null if it was not requested.
   */
  readonly heatmap: Uint32Array | null;
  /** The matching games in the order of their numbers; `from` leaves out so many. */
  each(from?: number): AsyncIterableIterator<Game>;
  /** The matching positions, game by game. */
  eachPosition(): AsyncIterableIterator<Position>;
}

/** A game's header. An empty text or 0 means that it does not say. */
export interface Game {
  /** From 1. */
  readonly number: number;
  readonly white: string;
  readonly black: string;
  readonly whiteElo: number;
  readonly blackElo: number;
  readonly result: '1-0' | '0-1' | '1/2-1/2' | '*';
  /** The ECO code of its opening, by its moves. */
  readonly eco: string;
  /** The name of its opening, such as `Sicilian Defense: Najdorf Variation`. */
  readonly opening: string;
  /** As PGN writes it, such as `2024.05.??`. */
  readonly date: string;
  readonly event: string;
  readonly site: string;
  readonly plies: number;
  /** The game as PGN, byte for byte as it was read. A published library is asked for it. */
  pgn(): Promise<string>;
  /** Its moves, and the positions that match a query. */
  replay(query?: string): Promise<Replay>;
}

export interface Replay {
  /** The position before the first move. */
  fen: string;
  /** The moves, each with the position after it. */
  moves: { san: string; uci: string; fen: string }[];
  /** The plies after which the position matches, ascending, from 1. */
  matches: number[];
}

export interface Position {
  /** The number of its game, from 1. */
  game: number;
  /** The ply after which it arises, from 1. */
  ply: number;
  fen: string;
}

export interface TablesOptions {
  /** As for games. */
  silenceMs?: number;
}

/** A folder of packed endgame tables. */
export interface Tables {
  /** What a position is worth by best play. Only the parts of tables that it needs are fetched, and kept in memory. */
  probe(fen: string): Promise<Verdict>;
  close(): void;
}

/** A value for the side to move, and moves of the winner up to mate; null in a draw. */
export interface TableValue {
  result: 'win' | 'draw' | 'loss';
  moves: number | null;
}

export interface Verdict extends TableValue {
  /** Such as `KRvK`, the stronger side first. */
  material: string;
  /** The legal moves, best first, with their values for the side that makes them. */
  replies: (TableValue & { uci: string })[];
}

/** An error in a query. Places count as the indexes of a JavaScript string do. */
export interface QueryProblem {
  message: string;
  from: number;
  to: number;
  /** What could stand there instead. */
  expected: string[];
}

/**
 * `bad-query`: `problem` has the place. `bad-input`: the file is no PGN, or has no game that can be read; the position is none.
 * `bad-corpus`: the corpus, library or table is damaged. `no-table`: the folder lacks a table that a position needs. `host`: what a
 * host did. `closed`: `close` was called. `engine`: anything else; open the games again.
 */
export type ErrorCode = 'bad-query' | 'bad-input' | 'bad-corpus' | 'no-table' | 'host' | 'closed' | 'engine';

/** Everything that fails here, with a stable code and a sentence. */
export class PlyfoldError extends Error {
  readonly code: ErrorCode;
  /** Set if the code is `bad-query` and the place is known. */
  readonly problem: QueryProblem | null;

  constructor(code: ErrorCode, message: string, problem: QueryProblem | null = null) {
    super(message);
    this.name = 'PlyfoldError';
    this.code = code;
    this.problem = problem;
  }
}
