// The worker's side of pools: a worker that this one needs. The page starts it (pool.ts), and passes messages on or hands it a port.

import { isOfPool, type PoolReply, type PoolRequest } from './poolmessages';

let started = 0;

export class PageWorker extends EventTarget {
  private readonly number = started++;

  /** `fail` is told if the worker does not run. A worker that gets a `port`, as its first message, talks over that port alone. */
  constructor(address: string | URL, fail: (error: Error) => void, port?: MessagePort) {
    super();
    // It hears before the worker's own listener, which knows nothing of pools, and stays: a reply may be late.
    globalThis.addEventListener(
      'message',
      (event: MessageEvent<unknown>) => {
        if (!isOfPool<PoolReply>(event.data) || event.data.pool !== this.number) return;
        event.stopImmediatePropagation();
        if ('failure' in event.data) fail(new Error(event.data.failure));
        else this.dispatchEvent(new MessageEvent('message', { data: event.data.message }));
      },
      { capture: true },
    );
    ask({ pool: this.number, address: String(address), port }, port ? [port] : []);
  }

  postMessage(message: unknown): void {
    ask({ pool: this.number, message });
  }

  terminate(): void {
    ask({ pool: this.number, end: true });
  }
}

/** Through the worker's own messages, since Safari passes no shared memory through other ports. */
function ask(request: PoolRequest, transfer: Transferable[] = []): void {
  (globalThis as unknown as { postMessage(message: PoolRequest, transfer: Transferable[]): void }).postMessage(request, transfer);
}
