// The page's side of the engine: every method returns a promise and can be cancelled by an AbortSignal. If
// the engine is busy, the client cancels through a number in shared memory. Without shared memory, it ends
// the worker and starts a new one, which opens the same corpus again.
import type { Arrived, Failure, Method, Methods, Port, Progress, Reply, Request, TableFile } from './protocol';

/** Requests that take so long that ending the worker pays off when nothing else can cancel them. */
const LONG: ReadonlySet<Method> = new Set<Method>(['import', 'importFrom', 'importPlayer', 'join', 'export', 'lines', 'collect']);

/** A failure that the engine reported, with its stable code. */
export class EngineError extends Error {
  readonly code: Failure['code'];
  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
  }
}

interface Waiting {
  request: Request;
  resolve(result: Methods[Method]['result']): void;
  reject(error: Error): void;
  progress: ((progress: Progress) => void) | undefined;
}

interface CallOptions {
  signal?: AbortSignal;
  progress?: (progress: Progress) => void;
}

export class EngineClient {
  /** Called whenever more of a published corpus has arrived, or no more comes. */
  onarrived: ((arrived: Arrived) => void) | null = null;

  private readonly start: () => Port;
  private port: Port;
  private next = 1;
  private readonly waiting = new Map<number, Waiting>();
  private opened: string | null = null;
  private library: Methods['library']['params'] | null = null;
  private tables: TableFile[] | null = null;
  private threads: number | null = null;
  private most_bytes = Infinity;
  private cancelFlag: Int32Array | null = null;
  /** Why the worker no longer replies. */
  private broken: Failure | null = null;

  /** `start` makes a new worker. The client calls it again after it had to end one. */
  constructor(start: () => Port) {
    this.start = start;
    this.port = this.connect();
  }

  call<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options: CallOptions = {},
  ): Promise<Methods[M]['result']> {
    const { signal, progress } = options;
    if (signal?.aborted) return Promise.reject(new EngineError(cancelled));
    // A worker that has stopped would never reply.
    if (this.broken) return Promise.reject(new EngineError(this.broken));
    const number = this.next++;
    const request = { number, method, params } as Request;
    return new Promise<Methods[M]['result']>((resolve, reject) => {
      const abort = () => this.abort(number);
      signal?.addEventListener('abort', abort, { once: true });
      const release = () => signal?.removeEventListener('abort', abort);
      this.waiting.set(number, {
        request,
        // The reply to a request of method M has a result of M, because request and reply have the same number.
        resolve: (result) => (release(), resolve(result as Methods[M]['result'])),
        reject: (error) => (release(), reject(error)),
        progress,
      });
      this.port.postMessage(request);
    });
  }

  /** Starts the engine; call this before any other method. Its arguments are as in the protocol. */
  async hello(threads: number | null = null, library = '', most_bytes = Infinity): Promise<Methods['hello']['result']> {
    this.threads = threads;
    this.most_bytes = most_bytes;
    const hello = await this.call('hello', { threads, library, most_bytes });
    this.cancelFlag = hello.cancel;
    return hello;
  }

  private connect(): Port {
    const port = this.start();
    port.onmessage = ({ data }) => this.receive(data);
    port.onerror = (event) => {
      this.broken = { code: 'engine', message: `the engine stopped${event.message ? ` (${event.message})` : ''}. Stored games are kept. Reload the page` };
      this.failAll(this.broken);
    };
    return port;
  }

  private receive(reply: Reply): void {
    if (reply.state === 'arrived') {
      this.onarrived?.(reply.arrived);
      return;
    }
    const waiting = this.waiting.get(reply.number);
    if (!waiting) return;
    if (reply.state === 'progress') {
      waiting.progress?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.number);
    const { request } = waiting;
    if (reply.state === 'done' && request.method === 'open') this.opened = request.params.corpus;
    if (reply.state === 'done' && request.method === 'library') this.library = request.params;
    if (reply.state === 'done' && request.method === 'keepLibrary' && this.library) this.library = { ...this.library, keep: true };
    if (reply.state === 'done' && request.method === 'tables') this.tables = request.params.files;
    if (reply.state === 'done' && request.method === 'remove' && this.opened === request.params.corpus) this.opened = null;
    if (reply.state === 'done') waiting.resolve(reply.result);
    else waiting.reject(new EngineError(reply.failure));
  }

  private abort(number: number): void {
    const waiting = this.waiting.get(number);
    if (!waiting) return;
    if (this.cancelFlag) {
      // The engine reads this number at its next check, cleans up and fails with `cancelled` itself.
      Atomics.store(this.cancelFlag, 0, number);
      if (LONG.has(waiting.request.method)) return;
    }
    this.waiting.delete(number);
    waiting.reject(new EngineError(cancelled));
    if (!this.cancelFlag && LONG.has(waiting.request.method)) this.restart();
  }

  /** Replaces the worker by a new one, opens the same corpus, and repeats the remaining requests in their order. */
  private restart(): void {
    this.port.terminate();
    const left = [...this.waiting];
    this.waiting.clear();
    this.port = this.connect();
    // If one of these calls fails, the next request fails in the same way and reports it to the user.
    const unsaid = () => undefined;
    if (!left.some(([, { request }]) => request.method === 'hello')) this.hello(this.threads, '', this.most_bytes).catch(unsaid);
    if (this.tables !== null) this.call('tables', { files: this.tables }).catch(unsaid);
    if (this.library !== null) this.call('library', this.library).catch(unsaid);
    if (this.opened !== null) this.call('open', { corpus: this.opened }).catch(unsaid);
    for (const [number, waiting] of left) {
      this.waiting.set(number, waiting);
      this.port.postMessage(waiting.request);
    }
  }

  private failAll(failure: Failure): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const waiting of all) waiting.reject(new EngineError(failure));
  }
}

const cancelled: Failure = { code: 'cancelled', message: 'cancelled' };
