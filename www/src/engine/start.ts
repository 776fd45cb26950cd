// Starts the engine worker; kept apart from the client so that unit tests never need a worker.
import type { Port } from './protocol';

export function startWorker(): Port {
  // A Worker delivers MessageEvents whose data the protocol file describes.
  return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'engine' }) as unknown as Port;
}
