// The package `plyfold` in a browser: the engine runs in a worker of its own for each opening.
import { WorkerEngine } from './client';
import type { Games, GameSource, OpenOptions } from './api.js';
import { openGames } from './games';
import workerAddress from './gamesworker.ts?worker&url';
import type { Opening } from './protocol';
import { startScript } from './startscript';

export * from './api.js';

/** Opens games. Those of a published library are open as soon as the first part has arrived; the others follow. */
export async function open(source: GameSource, options: OpenOptions = {}): Promise<Games> {
  return openGames(
    (listener) => new WorkerEngine(new Worker(startScript(new URL(workerAddress, import.meta.url).href), { type: 'module', name: 'plyfold' }), listener),
    openingOf(source),
    options,
  );
}

function openingOf(source: GameSource): Opening {
  if (source instanceof Blob) return { data: source, name: source instanceof File ? source.name : 'the file' };
  if (source instanceof Uint8Array) return { data: source, name: 'the file' };
  return { address: new URL(source, document.baseURI).href };
}
