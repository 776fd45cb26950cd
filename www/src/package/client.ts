// The page's side of the package's worker.
import type { Patience } from '../engine/patience';
import { PlyfoldError } from './api';
import type { Engine, Failure, Listener, Method, Methods, Reply, Request } from './protocol';

interface Waiting {
  resolve(result: Methods[Method]['result']): void;
  reject(reason: unknown): void;
}

export class WorkerEngine implements Engine {
  private readonly worker: Worker;
  private readonly listener: Listener;
  /** Ends when the worker is ready. */
  private readonly patience: Patience;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
  /** Requests for a worker that is not ready; null once it is. */
  private early: Request[] | null = [];
  private cancel: Int32Array | null = null;
  private end: Failure | null = null;

  constructor(worker: Worker, listener: Listener, patience: Patience) {
    this.worker = worker;
    this.listener = listener;
    this.patience = patience;
    patience.signal.addEventListener('abort', () => patience.silence && this.stop({ code: 'host', message: patience.silence.message, problem: null }));
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.receive(data);
    worker.onerror = ({ message }) => this.stop({ code: 'engine', message: `the worker of plyfold does not run${message ? ` (${message})` : ''}; see its page on what a Content Security Policy must allow`, problem: null });
  }

  call<M extends Method>(method: M, params: Methods[M]['params'], signal?: AbortSignal): Promise<Methods[M]['result']> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.end) return Promise.reject(errorOf(this.end));
    const number = this.next++;
    return new Promise<Methods[M]['result']>((resolve, reject) => {
      const abort = () => {
        this.abort(number);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const release = () => signal?.removeEventListener('abort', abort);
      this.waiting.set(number, {
        // The reply to a request of method M has a result of M, because both have the same number.
        resolve: (result) => (release(), resolve(result as Methods[M]['result'])),
        reject: (reason) => (release(), reject(reason)),
      });
      this.post({ number, method, params } as Request);
    });
  }

  close(): void {
    this.stop({ code: 'closed', message: 'these games are closed', problem: null });
  }

  private post(request: Request): void {
    if (this.early) this.early.push(request);
    else this.worker.postMessage(request);
  }

  private receive(reply: Reply): void {
    if ('ready' in reply) {
      this.patience.end();
      // Sent only now, so that nothing depends on how a browser keeps messages for a worker whose modules have yet to run.
      const early = this.early ?? [];
      this.early = null;
      for (const request of early) this.post(request);
      return;
    }
    if ('progress' in reply) return this.listener.progress(reply.progress);
    if ('arrived' in reply) return this.listener.arrived(reply.arrived);
    const waiting = this.waiting.get(reply.number);
    this.waiting.delete(reply.number);
    if ('failure' in reply) return waiting?.reject(errorOf(reply.failure));
    if (reply.result !== null && typeof reply.result === 'object' && 'cancel' in reply.result) this.cancel = reply.result.cancel;
    waiting?.resolve(reply.result);
  }

  private abort(number: number): void {
    this.waiting.delete(number);
    // The engine reads this number while it scans, when it reads no messages.
    if (this.cancel) Atomics.store(this.cancel, 0, number);
    this.post({ aborted: number });
  }

  private stop(failure: Failure): void {
    this.end ??= failure;
    this.patience.end();
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(errorOf(failure));
    this.waiting.clear();
  }
}

export function errorOf({ code, message, problem }: Failure): PlyfoldError {
  return new PlyfoldError(code, message, problem);
}
