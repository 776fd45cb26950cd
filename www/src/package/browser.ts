// The package `plyfold` in a browser: the engine runs in a worker of its own for each opening.
import { Patience } from '../engine/patience';
import { withPool } from '../engine/pool';
import { loadSingleTables } from '../tables/single';
import { TableFolder } from '../tables/ranges';
import { PlyfoldError, type Games, type GameSource, type OpenOptions, type Tables, type TablesOptions } from './api.js';
import { WorkerEngine } from './client';
import { openGames, silenceOf } from './games';
import workerAddress from './gamesworker.ts?worker&url';
import type { Opening } from './protocol';
import { startScript } from './startscript';
import { ProbedTables } from './tables';

export * from './api.js';

/** Opens games. Those of a published library are open as soon as the first part has arrived; the others follow. */
export async function open(source: GameSource, options: OpenOptions = {}): Promise<Games> {
  const address = new URL(workerAddress, import.meta.url).href;
  return openGames((listener) => new WorkerEngine(startWorker(address), listener, new Patience(address, silenceOf(options.silenceMs))), openingOf(source), options);
}

/** Opens the packed endgame tables in a folder of a host that sends files in parts. */
export function openTables(folder: URL | string, options: TablesOptions = {}): Tables {
  const silence_ms = silenceOf(options.silenceMs);
  return new ProbedTables(() => loadSingleTables(silence_ms), new TableFolder(addressOf(folder), silence_ms));
}

function startWorker(address: string): Worker {
  try {
    return withPool(new Worker(startScript(address), { type: 'module', name: 'plyfold' }), startScript);
  } catch (error) {
    throw new PlyfoldError('engine', `the browser does not start the worker of plyfold (${error instanceof Error ? error.message : String(error)})`);
  }
}

function openingOf(source: GameSource): Opening {
  if (source instanceof Blob) return { data: source, name: source instanceof File ? source.name : 'the file' };
  if (source instanceof Uint8Array) return { data: source, name: 'the file' };
  return { address: addressOf(source) };
}

function addressOf(text: URL | string): string {
  try {
    return new URL(text, document.baseURI).href;
  } catch {
    throw new PlyfoldError('bad-input', `"${String(text)}" is no address`);
  }
}
