// Starts the engine worker. It is a separate file so that unit tests need no worker.
import { withPool } from './pool';
import type { Port } from './protocol';

export function startWorker(): Port {
  // A Worker delivers MessageEvents; the protocol file describes their data.
  return withPool(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'engine' })) as unknown as Port;
}
