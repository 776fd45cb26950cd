// The page's side of pools of threads, and of other workers that a worker needs. That worker does not start them itself: the page
// starts them, and passes on the few messages with which they begin, or a port for all further ones. In Firefox a worker that
// starts another one may wait for ever, because both wait for the same signal, which wakes one of them.

import { isOfPool, type PoolReply, type PoolRequest } from './poolmessages';

/**
 * The workers of the page and their pools. Nothing else may lead to one of them: Firefox could take it for garbage and end it, as it
 * does with workers that share wasm memory (https://bugzilla.mozilla.org/show_bug.cgi?id=1702191).
 */
const pools = new Map<Worker, Map<number, Worker>>();

/**
 * Starts the pool that `worker` asks for, and ends it with the worker. `startScript` tells with which address a worker is started
 * whose script is at an address.
 */
export function withPool(worker: Worker, startScript: (address: string) => string = (address) => address): Worker {
  const pool = new Map<number, Worker>();
  pools.set(worker, pool);
  worker.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (!isOfPool<PoolRequest>(event.data)) return;
    event.stopImmediatePropagation();
    answer(worker, pool, startScript, event.data);
  });
  const terminate = worker.terminate.bind(worker);
  worker.terminate = () => {
    terminate();
    for (const one of pool.values()) one.terminate();
    pools.delete(worker);
  };
  return worker;
}

function answer(worker: Worker, pool: Map<number, Worker>, startScript: (address: string) => string, request: PoolRequest): void {
  const number = request.pool;
  const reply = (said: PoolReply) => worker.postMessage(said);
  if ('address' in request) {
    try {
      const one = new Worker(startScript(request.address), { type: 'module' });
      pool.set(number, one);
      if (request.port) one.postMessage(request.port, [request.port]);
      let isReady = false;
      one.onmessage = ({ data }) => {
        isReady = true;
        reply({ pool: number, message: data });
      };
      // What fails later fails in the midst of a request, which ends with its worker.
      one.onerror = ({ message }) => {
        if (isReady) worker.dispatchEvent(new ErrorEvent('error', { message }));
        else reply({ pool: number, failure: message || 'a worker does not run' });
      };
    } catch (error) {
      reply({ pool: number, failure: error instanceof Error ? error.message : String(error) });
    }
  } else if ('end' in request) {
    pool.get(number)?.terminate();
    pool.delete(number);
  } else {
    pool.get(number)?.postMessage(request.message);
  }
}
