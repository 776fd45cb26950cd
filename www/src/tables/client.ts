// The page's side of the worker of tables: each method returns a promise.
import { stoppedBecause, type MakingProgress, type TableFailure, type TableMethod, type TableMethods, type TableReply, type TableRequest } from './protocol';

/** A failure that the worker reported, with its stable code. */
export class TableError extends Error {
  readonly code: TableFailure['code'];
  constructor(failure: TableFailure) {
    super(failure.message);
    this.code = failure.code;
  }
}

/** What the client needs of a worker. */
export interface TablePort {
  postMessage(message: TableRequest): void;
  onmessage: ((event: { data: TableReply }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
  terminate(): void;
}

interface Waiting {
  resolve(result: TableMethods[TableMethod]['result']): void;
  reject(error: Error): void;
  progress: ((progress: MakingProgress) => void) | undefined;
}

export class TableClient {
  private readonly start: () => TablePort;
  private port: TablePort;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  private broken: TableFailure | null = null;
  /** A byte in shared memory that stops the table being made; null without threads. */
  private flag: Uint8Array | null = null;

  /** `start` makes a worker. */
  constructor(start: () => TablePort) {
    this.start = start;
    this.port = this.connect();
  }

  private connect(): TablePort {
    const port = this.start();
    port.onmessage = ({ data }) => this.receive(data);
    port.onerror = ({ message }) => {
      this.broken = { code: 'engine', message: stoppedBecause(message) };
      this.failAll(this.broken);
    };
    return port;
  }

  /** Ends the worker and starts another one, which must be greeted again. What the first one was asked fails. */
  restart(): void {
    this.port.terminate();
    this.failAll({ code: 'engine', message: stoppedBecause('') });
    this.broken = this.flag = null;
    this.port = this.connect();
  }

  private failAll(failure: TableFailure): void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of all) reject(new TableError(failure));
  }

  call<M extends TableMethod>(method: M, params: TableMethods[M]['params'], progress?: (progress: MakingProgress) => void): Promise<TableMethods[M]['result']> {
    if (this.broken) return Promise.reject(new TableError(this.broken));
    const number = this.next++;
    return new Promise<TableMethods[M]['result']>((resolve, reject) => {
      // The reply to a request of method M has a result of M, because request and reply have the same number.
      this.waiting.set(number, { resolve: (result) => resolve(result as TableMethods[M]['result']), reject, progress });
      this.port.postMessage({ number, method, params } as TableRequest);
    });
  }

  /** Starts the worker; call this before any other method. */
  async hello(threads: number | null): Promise<TableMethods['hello']['result']> {
    const hello = await this.call('hello', { threads });
    this.flag = hello.stop;
    return hello;
  }

  /** Stops making tables: at once if memory is shared, otherwise after the present table. */
  async stop(): Promise<void> {
    const asked = this.call('stop', {});
    if (this.flag) Atomics.store(this.flag, 0, 1);
    await asked;
  }

  private receive(reply: TableReply): void {
    const waiting = this.waiting.get(reply.number);
    if (!waiting) return;
    if (reply.state === 'progress') return waiting.progress?.(reply.progress);
    this.waiting.delete(reply.number);
    if (reply.state === 'done') waiting.resolve(reply.result);
    else waiting.reject(new TableError(reply.failure));
  }
}
