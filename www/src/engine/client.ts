// The page's side of the engine: every method a promise, cancelled by an AbortSignal. A busy engine
// is stopped through a number in shared memory where there is such a thing, otherwise by ending the
// worker and starting a new one, which opens the same corpus again.
import type { Failure, Method, Methods, Port, Progress, Reply, Request } from './protocol';

/** Requests that take long enough to be worth a new worker when nothing gentler can stop them. */
const LONG: ReadonlySet<Method> = new Set<Method>(['import', 'export', 'lines', 'collect']);

/** A failure the engine reported, with its stable code. */
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
  private readonly start: () => Port;
  private port: Port;
  private next = 1;
  private readonly waiting = new Map<number, Waiting>();
  private opened: string | null = null;
  private threads: number | null = null;
  private cancelFlag: Int32Array | null = null;
  /** Why the worker answers nothing any more. */
  private broken: Failure | null = null;

  /** `start` makes a fresh worker; it is called again after one had to be ended. */
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
    // Asked of a worker that has stopped, it would be waited for without end.
    if (this.broken) return Promise.reject(new EngineError(this.broken));
    const number = this.next++;
    const request = { number, method, params } as Request;
    return new Promise<Methods[M]['result']>((resolve, reject) => {
      const abort = () => this.abort(number);
      signal?.addEventListener('abort', abort, { once: true });
      const release = () => signal?.removeEventListener('abort', abort);
      this.waiting.set(number, {
        request,
        // The reply to a request of method M carries a result of M; the pairing by number is the proof.
        resolve: (result) => (release(), resolve(result as Methods[M]['result'])),
        reject: (error) => (release(), reject(error)),
        progress,
      });
      this.port.postMessage(request);
    });
  }

  /** Starts the engine; to be called before anything else. `threads` as in the protocol. */
  async hello(threads: number | null = null): Promise<Methods['hello']['result']> {
    this.threads = threads;
    const hello = await this.call('hello', { threads });
    this.cancelFlag = hello.cancel;
    return hello;
  }

  private connect(): Port {
    const port = this.start();
    port.onmessage = ({ data }) => this.receive(data);
    port.onerror = (event) => {
      this.broken = { code: 'engine', message: event.message || 'the engine stopped; reload the page' };
      this.failAll(this.broken);
    };
    return port;
  }

  private receive(reply: Reply): void {
    const waiting = this.waiting.get(reply.number);
    if (!waiting) return;
    if (reply.state === 'progress') {
      waiting.progress?.(reply.progress);
      return;
    }
    this.waiting.delete(reply.number);
    const { request } = waiting;
    if (reply.state === 'done' && request.method === 'open') this.opened = request.params.corpus;
    if (reply.state === 'done' && request.method === 'remove' && this.opened === request.params.corpus) this.opened = null;
    if (reply.state === 'done') waiting.resolve(reply.result);
    else waiting.reject(new EngineError(reply.failure));
  }

  private abort(number: number): void {
    const waiting = this.waiting.get(number);
    if (!waiting) return;
    if (this.cancelFlag) {
      // The engine sees its number at the next look, tidies up and answers `cancelled` itself.
      Atomics.store(this.cancelFlag, 0, number);
      if (LONG.has(waiting.request.method)) return;
    }
    this.waiting.delete(number);
    waiting.reject(new EngineError(cancelled));
    if (!this.cancelFlag && LONG.has(waiting.request.method)) this.restart();
  }

  /** A new worker, at the place where the old one was: what else it was asked for is asked again, in the same order. */
  private restart(): void {
    this.port.terminate();
    const left = [...this.waiting];
    this.waiting.clear();
    this.port = this.connect();
    // The next request will meet the same trouble and say so where it can be seen.
    const unsaid = () => undefined;
    if (!left.some(([, { request }]) => request.method === 'hello')) this.hello(this.threads).catch(unsaid);
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
