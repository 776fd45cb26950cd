// One running engine: the handshake, its options, and one search at a time. A new search replaces the running one,
// and what the engine still writes about the older one is dropped.
import { parseLine, positionCommand, type Info } from './uci';

/** What a session needs of the engine's worker. The tests implement it too. */
export interface EnginePort {
  postMessage(line: string): void;
  onmessage: ((event: { data: unknown }) => void) | null;
  onerror: ((event: { message?: string }) => void) | null;
  terminate(): void;
}

export interface SearchRequest {
  fen: string;
  /** When to stop: at a depth, after a time, or never. */
  limit: { depth: number } | { milliseconds: number } | 'none';
  /** The number of lines. */
  lines: number;
  /** Whether to forget what earlier searches found, so that the evaluation does not depend on them. */
  isFresh?: boolean;
}

/** How a search ended: by its own limit, or because of another search or `stop`. */
export type Ending = 'done' | 'stopped';

interface Search {
  request: SearchRequest;
  oninfo: (info: Info) => void;
  resolve: (ending: Ending) => void;
  reject: (error: EngineFailure) => void;
}

/** Why an engine does not work. */
export class EngineFailure extends Error {
  readonly code: 'died' | 'memory' | 'slow';
  constructor(code: 'died' | 'memory' | 'slow', message: string) {
    super(message);
    this.code = code;
  }
}

/** An engine that has said nothing for so long does not start any more. */
const START_MS = 60_000;
const MEMORY = /memory|allocat|RangeError|Aborted\(OOM/i;

export class Session {
  /** Called once if the engine ends by itself while nothing runs. */
  onfailure: ((failure: unknown) => void) | null = null;

  private readonly port: EnginePort;
  private failure: EngineFailure | null = null;
  private isClosed = false;
  private running: Search | null = null;
  private isStopping = false;
  private next: Search | null = null;
  /** Options as the engine should have them, and as it has them. */
  private readonly wanted = new Map<string, string>();
  private readonly given = new Map<string, string>();
  private starting: { resolve: () => void; reject: (failure: EngineFailure) => void } | null = null;

  constructor(port: EnginePort) {
    this.port = port;
    port.onmessage = ({ data }) => typeof data === 'string' && this.read(data);
    port.onerror = ({ message }) => this.fail(message ?? '');
  }

  /** Waits until the engine has started. */
  async start(options: Readonly<Record<string, string | number>>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.starting = { resolve, reject };
        timer = setTimeout(() => this.fail('', 'slow'), START_MS);
        if (this.failure) reject(this.failure);
        else this.port.postMessage('uci');
      });
    } finally {
      clearTimeout(timer);
      this.starting = null;
    }
    for (const [name, value] of Object.entries(options)) this.setOption(name, value);
  }

  /** Searches a position. A search that runs ends as stopped. */
  search(request: SearchRequest, oninfo: (info: Info) => void): Promise<Ending> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      if (this.isClosed) return resolve('stopped');
      this.stop();
      const search = { request, oninfo, resolve, reject };
      // The engine must write its last move before it takes a position.
      if (this.running) this.next = search;
      else this.begin(search);
    });
  }

  /** Ends the search that runs, and one that waits. */
  stop(): void {
    this.next?.resolve('stopped');
    this.next = null;
    if (!this.running || this.isStopping) return;
    this.isStopping = true;
    this.running.resolve('stopped');
    this.port.postMessage('stop');
  }

  /** Sets an option for the searches that begin from now on. An engine takes no options while it searches. */
  setOption(name: string, value: string | number): void {
    this.wanted.set(name, String(value));
  }

  /** Ends the engine. */
  close(): void {
    this.isClosed = true;
    this.running?.resolve('stopped');
    this.next?.resolve('stopped');
    this.running = this.next = null;
    this.port.onmessage = this.port.onerror = null;
    this.port.terminate();
  }

  private begin(search: Search): void {
    const { fen, limit, lines, isFresh } = search.request;
    this.running = search;
    this.isStopping = false;
    this.setOption('MultiPV', lines);
    for (const [name, value] of this.wanted) {
      if (this.given.get(name) !== value) this.port.postMessage(`setoption name ${name} value ${value}`);
      this.given.set(name, value);
    }
    if (isFresh) this.port.postMessage('ucinewgame');
    this.port.postMessage(positionCommand(fen));
    this.port.postMessage(limit === 'none' ? 'go infinite' : 'depth' in limit ? `go depth ${limit.depth}` : `go movetime ${limit.milliseconds}`);
  }

  private read(line: string): void {
    const message = parseLine(line);
    if (message?.kind === 'broken') this.fail(message.text);
    else if (message?.kind === 'uciok') this.port.postMessage('isready');
    else if (message?.kind === 'readyok') this.starting?.resolve();
    else if (message?.kind === 'info' && this.running && !this.isStopping) this.running.oninfo(message.info);
    else if (message?.kind === 'bestmove') this.ended();
  }

  private ended(): void {
    const { running, next } = this;
    this.running = this.next = null;
    this.isStopping = false;
    running?.resolve('done');
    if (next) this.begin(next);
  }

  private fail(text: string, code: EngineFailure['code'] = MEMORY.test(text) ? 'memory' : 'died'): void {
    if (this.failure || this.isClosed) return;
    const failure = new EngineFailure(code, text);
    this.failure = failure;
    const waiting = [this.starting, this.running, this.next].filter((one) => one !== null);
    for (const one of waiting) one.reject(failure);
    this.running = this.next = null;
    this.port.onmessage = this.port.onerror = null;
    this.port.terminate();
    if (waiting.length === 0) this.onfailure?.(failure);
  }
}
