// The messages between the page and the engine worker. Each request gets exactly one `done` or `failed`
// reply with its number; any number of `progress` replies may come before it. Without a request, the worker says
// how much of a published corpus has arrived. Everything is plain data that survives structured cloning; big arrays are
// transferred, not copied.
// The types of the engine's own arguments and results come from Rust. This file has the types of the page
// and the worker.
import type {
  Between,
  Change,
  ChangeOfGame,
  Completions,
  Composition,
  Condition,
  ConfirmedList,
  ConfirmedName,
  DoubleGroup,
  EditsOfCorpus,
  GameRow,
  Images,
  Key,
  Leaving,
  NamedGames,
  NextMoves,
  OmittedCondition,
  OutputKind,
  Outputs,
  Painted,
  Phrase,
  Predicate,
  QueryProblem,
  Question,
  ImportNote,
  Refusal,
  Replay,
  ResultTable,
  Rule,
  Score,
  SearchResults,
  SimilarNames,
  Suggestion,
  TagOfGame,
  Twins,
  WhyNot,
} from './types';

export type * from './types';

/** Where games of a player can be fetched from. */
export type Site = 'lichess' | 'chesscom';

/** What is wrong with a text as a query. */
export interface Checked extends QueryProblem {
  /** Whether the text is plain words. */
  areWords?: boolean;
}

/** A corpus as the list shows it. `size_bytes` is the space that it takes on the device. */
export interface CorpusInfo {
  id: string;
  name: string;
  games: number;
  plies: number;
  size_bytes: number;
  /** Milliseconds since 1970. */
  created_ms: number;
  /**
   * `device`: stored in the browser's private files. `memory`: lost when the page closes. `library`: on the host of a published
   * library; what came of it is stored, too.
   */
  kept: 'device' | 'memory' | 'library';
  /** For a corpus of a library: what is still to be fetched before all its games are on this device. */
  left_bytes?: number;
  /** For several corpora of a library together: what they are, in the order of their games. */
  members?: readonly CorpusMember[];
}

/** One of several corpora that are open together. */
export interface CorpusMember {
  name: string;
  games: number;
}

/** A published library, as its first page shows it. */
export interface PublishedInfo {
  /** The address of its `library.json`. */
  address: string;
  title: string;
  /** Milliseconds since 1970. */
  updated_ms: number;
  /** The publisher's text in Markdown; empty if there is none. */
  about: string;
  questions: { title: string; query: string; language: number }[];
  /** All of them together come first, if there are several. */
  corpora: CorpusInfo[];
  /** The address of the folder of its tables; empty if there are none. */
  tables: string;
  /** Why this is what the last visit kept: one sentence, empty if the host has sent it. */
  note: string;
  /** Why its files may be other than its publisher's: one sentence, empty if they are proved to be those. */
  trust_note: string;
}

/** How much of a published corpus has come. */
export interface Arrived {
  corpus: string;
  games: number;
  plies: number;
  /** The number of its parts that can be searched, that this device has memory for, and of all. */
  parts: number;
  parts_fitting: number;
  parts_total: number;
  /** Whether further parts are on their way. */
  running: boolean;
  /** Why no further part comes: one sentence, empty if all is well. */
  trouble: string;
  /** Set if something could not be stored on the device: one sentence. */
  storage_note: string;
}

/** Which wasm build runs, and why it is not the build with threads. */
export interface EngineInfo {
  build: 'threads' | 'single';
  threads: number;
  /** One sentence; empty for the build with threads. */
  reason: string;
  /** False if the browser refuses private files: corpora are then in memory only. */
  storage: boolean;
  /**
   * A place in the engine's shared memory, null without threads. To cancel a request while the engine is too
   * busy to read messages, the page writes the number of the request there.
   */
  cancel: Int32Array | null;
  /** What the engine can make of matches. */
  outputs: OutputKind[];
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

/** Progress of the loading of a file from a host. */
export interface FetchProgress {
  kind: 'fetch';
  bytes_done: number;
  elapsed_ms: number;
}

/** Progress of an export of games or positions. */
export interface ExportProgress {
  kind: 'export';
  games_done: number;
  games_total: number;
}

export type Progress = ImportProgress | FetchProgress | ExportProgress;

/** A file of an import that was left out, or read only in part. */
export interface SkippedFile {
  file: string;
  /** A sentence with the name of the file. */
  reason: string;
}

export interface ImportReport {
  corpus: CorpusInfo;
  refusals: Refusal[];
  /** The number of all refused games; the list above may be shorter. */
  refused: number;
  /** The number of games that are kept up to a move that could not be played or read; the list above has them too. */
  in_part: number;
  /** What else was not understood. */
  notes: ImportNote[];
  skipped: SkippedFile[];
  elapsed_ms: number;
  bytes: number;
  /** Set if the corpus could not be stored on the device: one sentence. */
  storage_note: string;
  memory_bytes: number;
}

/** A set of games that is stored beside the open corpus. */
export interface NamedSet {
  name: string;
  games: number;
  /** Why the set cannot be used: one sentence, empty if all is well. */
  trouble: string;
}

/** The edits of the open corpus, which its games get when they are shown and written. */
export interface GameEditList extends EditsOfCorpus {
  /** Why the list on the device cannot be used: one sentence, empty if all is well. */
  trouble: string;
}

/** The names that stand for others in the open corpus: whoever names one player finds all of their names, and each is shown as one. */
export interface AliasList extends ConfirmedList {
  /** Why the list on the device cannot be used: one sentence, empty if all is well. */
  trouble: string;
}

/** A packed table: its name, such as `KRvK`, and its file. */
export interface TableFile {
  name: string;
  content: Blob;
}

/** What a query found, and what the scan cost. */
export interface QueryResult extends SearchResults {
  /** Duration of the scan. */
  elapsed_ms: number;
  /** The present size of the engine's memory, which never shrinks. */
  memory_bytes: number;
}

export const SORT_KEYS = ['number', 'white', 'white_elo', 'black', 'black_elo', 'result', 'eco', 'date', 'plies', 'round', 'time_control', 'annotator', 'elo'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** Whose names are completed. */
export type NameKind = 'player' | 'white' | 'black' | 'event' | 'site' | 'eco' | 'opening';

/** A game to step through, and its matching plies. Ply numbers on screen are indexes of `plies` + 1. */
export interface GameView extends Replay {
  /** Ply numbers of the positions that match the query, ascending. */
  matches: number[];
  /** For each match, the names of the matching images; empty if the query has no images. */
  images: string[][];
}

export interface Methods {
  /**
   * `threads`: how many threads, 0 for the build without threads, null to let the engine choose. `library`: the address of the
   * published library that is asked for next, or an empty text; its list comes while the engine is loaded. `most_bytes`: how much
   * of a published corpus may be in memory.
   */
  hello: { params: { threads: number | null; library: string; most_bytes: number }; result: EngineInfo & { corpora: CorpusInfo[] } };
  list: { params: Record<never, never>; result: CorpusInfo[] };
  import: { params: { name: string; files: File[] }; result: ImportReport };
  /** The account of the import of a corpus; null if none is stored. */
  account: { params: { corpus: string }; result: ImportReport | null };
  /** The size of a file at any host; null if the host does not say. */
  sizeOf: { params: { address: string }; result: { bytes: number | null } };
  /** Fetches a file of games from any host and imports it. */
  importFrom: { params: { address: string; name: string }; result: ImportReport };
  /** Fetches all games of a player from lichess or chess.com and imports them. */
  importPlayer: { params: { site: Site; player: string; name: string }; result: ImportReport };
  /** Makes one new corpus of all games of these, which stay as they are. */
  join: { params: { corpora: readonly string[]; name: string }; result: ImportReport };
  /**
   * A corpus of a published library, or several together, are open as soon as the first part is there; `Arrived` says how it
   * goes on.
   */
  open: { params: { corpus: string }; result: CorpusInfo };
  /** Whether this device has kept the published library with this address. */
  isKept: { params: { address: string }; result: boolean };
  /** Takes up the published library with this address. `keep`: whether this device keeps what comes, so that its host is asked again. */
  library: { params: { address: string; keep: boolean }; result: PublishedInfo };
  /** Keeps what comes of the library that was taken up. */
  keepLibrary: { params: Record<string, never>; result: null };
  /** Lets the parts of the open corpus come, or stops them. */
  arrive: { params: { go: boolean }; result: null };
  remove: { params: { corpus: string }; result: CorpusInfo[] };
  /** What is wrong with a query. With `words`, also says of a text that it is plain words, which `readPhrase` reads. */
  check: { params: { query: string; words?: boolean }; result: Checked | null };
  /** `at` in UTF-16 units. */
  complete: { params: { query: string; at: number }; result: Completions };
  /** A query of an earlier version of the language, in the words of this one. */
  inThisLanguage: { params: { query: string; language: number }; result: string };
  paint: { params: { query: string }; result: Painted[] };
  /** The conditions of a query that `and` joins; null for a text that is no query. */
  conditions: { params: { query: string }; result: Condition[] | null };
  /** The query with one of its conditions changed; all other text stays as it is. Null if it cannot be changed so. */
  changed: { params: { query: string; change: Change }; result: string | null };
  /** What a valid query may not mean, in English; words of the language stand between backticks. */
  notes: { params: { query: string }; result: string[] };
  /** Whether a valid query has words about plies, or `then`, which select games. */
  hasWindows: { params: { query: string }; result: boolean };
  predicates: { params: Record<never, never>; result: Predicate[] };
  /** Combines a query and another condition; `together` is null if no single query can express both at one position. */
  compose: { params: { query: string; condition: string }; result: Composition };
  query: { params: { question: Question; outputs: Outputs }; result: QueryResult };
  /** Leaves out each condition of a query in turn: the rest, and how many games it matches. */
  without: { params: { question: Question }; result: OmittedCondition[] };
  /** The names of the corpus that contain the words of a text, those of most games first; if none does, the nearest. */
  names: { params: { field: NameKind; text: string; most: number }; result: NamedGames[] };
  /** What a player typed as a query, and what each word of it means. Places are in UTF-16 units. `own` is the name of the user, whom `my` means. */
  readPhrase: { params: { text: string; own: string }; result: Phrase };
  /** How the last words of a text may go on: names of the corpus, and phrases. */
  suggest: { params: { text: string }; result: Suggestion[] };
  /** Why a game matches a query or not, part by part. */
  whyNot: { params: { id: number; query: string }; result: WhyNot };
  /**
   * Closes the file of the open corpus, because the page is being left. The next request opens it again, if the
   * user comes back.
   */
  release: { params: Record<never, never>; result: null };
  /** Lets queries ask these packed tables, and no others. They are read when a query first asks tables. */
  tables: { params: { files: TableFile[] }; result: null };
  /** How games continued from a position: all games, or only the matching ones. */
  explore: { params: { question: Question; fen: string; among: boolean }; result: NextMoves };
  /** The whole table of an output, by `key` if it takes one; of the matches in a position, if `fen` is not empty, as `explore` takes it. */
  resultTable: { params: { question: Question; output: string; key: string; fen: string; among: boolean }; result: ResultTable };
  keys: { params: Record<never, never>; result: Key[] };
  checkKey: { params: { key: string }; result: QueryProblem | null };
  sort: { params: { ids: Uint32Array; key: SortKey; descending: boolean }; result: Uint32Array };
  rows: { params: { ids: number[] }; result: GameRow[] };
  /** How games ended; from the side of a player too, if a name is given, which may have `*`. */
  score: { params: { ids: Uint32Array; player: string }; result: Score };
  game: { params: { id: number; query: string; everywhere?: boolean }; result: GameView };
  pgn: { params: { id: number }; result: string };
  /** The text of a game with its edits and its own names. */
  editedText: { params: { id: number }; result: string };
  images: { params: { position: string }; result: Images };
  twins: { params: { position: string; text: string; leaving: Leaving }; result: Twins };
  between: { params: { image: string; original: string }; result: Between };
  /** The names of the images of a query, for each part of the query that has images. */
  imagesAsked: { params: { query: string }; result: string[][] };
  /** The texts of games, with their edits and the names that stand for theirs, without those that are deleted. */
  export: { params: { ids: Uint32Array }; result: Blob };
  /** The matching positions of these games, one line each. */
  lines: { params: { ids: Uint32Array; query: string; everywhere: boolean; form: 'fen' | 'epd' }; result: Blob };
  /** Stores games as a new corpus, with their edits and the names that stand for theirs. */
  collect: { params: { ids: Uint32Array; name: string }; result: ImportReport };
  /** The tags of a game, with its edits and its own names. */
  tags: { params: { ids: readonly number[] }; result: TagOfGame[][] };
  /** The games that the corpus has several times, among those that are not deleted. */
  doubles: { params: Record<never, never>; result: DoubleGroup[] };
  edits: { params: Record<never, never>; result: GameEditList };
  /** Adds an edit to the list: these changes of these games. */
  addEdit: { params: { ids: number[]; changes: ChangeOfGame[] }; result: GameEditList };
  /** Takes the last edits away. */
  undoEdits: { params: { count: number }; result: GameEditList };
  /** Puts another list in the place of this one, which may be damaged; an empty text is a list without edits. */
  putEdits: { params: { text: string }; result: GameEditList };
  /** Names of a kind that are probably one, or may be one of several. */
  similarNames: { params: { kind: ConfirmedName['kind'] }; result: SimilarNames };
  aliases: { params: Record<never, never>; result: AliasList };
  /** Puts another list in the place of this one, which may be damaged; with an empty text, each name stands for itself. */
  putAliases: { params: { text: string }; result: AliasList };
  sets: { params: Record<never, never>; result: NamedSet[] };
  /** Stores the matching games as a named set. */
  keepSet: { params: { name: string; question: Question }; result: NamedSet[] };
  /** The number of games of an expression over sets. */
  countSet: { params: { expression: string }; result: number };
  /** Stores the games of an expression over sets as a named set. */
  combineSets: { params: { name: string; expression: string }; result: NamedSet[] };
  /**
   * For each of the largest values of a key, stores its games as the set `prefix-value`; also returns how many
   * sets it made.
   */
  keepParts: { params: { prefix: string; question: Question; key: string; rule: Rule; most: number }; result: { made: number; sets: NamedSet[] } };
  addSet: { params: { name: string; file: File }; result: NamedSet[] };
  renameSet: { params: { name: string; to: string }; result: NamedSet[] };
  removeSet: { params: { name: string }; result: NamedSet[] };
  setFile: { params: { name: string }; result: Blob };
  /** The matching games, as the file of a set. */
  setOf: { params: { question: Question }; result: Blob };
}

export type Method = keyof Methods;

/** A request of any method; `method` says which. */
export type Request = { [M in Method]: { number: number; method: M; params: Methods[M]['params'] } }[Method];

/** Why a request failed. The page decides by `code`; `message` is for the user. */
export interface Failure {
  code: 'cancelled' | 'bad-query' | 'no-corpus' | 'held' | 'storage' | 'bad-input' | 'bad-corpus' | 'host' | 'engine';
  message: string;
}

export type Reply =
  | { number: number; state: 'progress'; progress: Progress }
  | { number: number; state: 'done'; result: Methods[Method]['result'] }
  | { number: number; state: 'failed'; failure: Failure }
  | ArrivedNotice;

/** What the worker says by itself, without a request. */
export interface ArrivedNotice {
  state: 'arrived';
  arrived: Arrived;
}

/** What the client needs of a worker. The unit tests implement it too. */
export interface Port {
  postMessage(message: Request, transfer?: Transferable[]): void;
  onmessage: ((event: { data: Reply }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
  terminate(): void;
}
