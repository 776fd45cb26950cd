// The earliest script of the page, small, and run as soon as it is there: it starts the engine's worker while the other scripts and the
// styles of the page are on their way. On a first visit the welcome page comes first.
import type { Port } from './engine/protocol';
import { startWorker } from './engine/start';
import { isFirstVisit } from './state/lastcorpus';

let early: Port | null = isFirstVisit() ? null : startWorker();
// Whoever takes a worker that does not run would never hear why, so another one is started then.
if (early) early.onerror = () => (early = null);

/** A worker for the engine: at first the one that was started early. */
export function takeWorker(): Port {
  const port = early ?? startWorker();
  early = null;
  return port;
}
