// Stockfish in a worker of its own. Its files are fetched only when the user switches the engine on.
import licenseUrl from 'stockfish/Copying.txt?url';
import singleScript from 'stockfish/bin/stockfish-19-lite-single.js?url';
import singleWasm from 'stockfish/bin/stockfish-19-lite-single.wasm?url';
import threadsScript from 'stockfish/bin/stockfish-19-lite.js?url';
import threadsWasm from 'stockfish/bin/stockfish-19-lite.wasm?url';
import { EngineFailure, Session, type EnginePort } from './session';
import { buildOfPage, type BuildName } from './sizes';

/** What the page says about the engine. */
export const STOCKFISH = {
  name: 'Stockfish 19 Lite',
  license: 'GPL-3.0',
  licenseUrl,
  source: 'https://github.com/nmrugg/stockfish.js/tree/v19.0.0',
} as const;

interface Build {
  name: BuildName;
  script: string;
  wasm: string;
}

const BUILDS: Readonly<Record<BuildName, Build>> = {
  threads: { name: 'threads', script: threadsScript, wasm: threadsWasm },
  single: { name: 'single', script: singleScript, wasm: singleWasm },
};

/** Why the engine could not be fetched. */
export class FetchFailure extends Error {}

export type Options = Readonly<Record<string, string | number>>;

/** The build that runs on this page; null until one has started. */
let running: Build | null = null;

/**
 * Starts an engine. `progress` gets the part of the download that is there, from 0 to 1. If the build with threads
 * does not start, for instance because the browser gives it no shared memory, the single build does.
 */
export async function startStockfish(options: Options, progress?: (part: number) => void): Promise<Session> {
  const preferred = running ?? BUILDS[buildOfPage()];
  try {
    return await startBuild(preferred, options, progress);
  } catch (error) {
    if (preferred === BUILDS.single || !(error instanceof EngineFailure)) throw error;
    return startBuild(BUILDS.single, options, progress);
  }
}

async function startBuild(build: Build, options: Options, progress?: (part: number) => void): Promise<Session> {
  const wasm = new URL(build.wasm, location.href).href;
  // Stockfish's script reads the address of its wasm from the part behind the `#`.
  const worker = new Worker(`${new URL(build.script, location.href).href}#${encodeURIComponent(wasm)}`);
  const channel = new MessageChannel();
  channel.port1.onmessage = ({ data }: MessageEvent<{ percent?: number }>) => progress?.(Math.min(1, data.percent ?? 0));
  worker.postMessage({ progressPort: channel.port2 }, [channel.port2]);
  const session = new Session(worker as unknown as EnginePort);
  try {
    await session.start(build.name === 'single' ? { ...options, Threads: 1 } : options);
    running = build;
    keepOffline(build);
    return session;
  } catch (error) {
    session.close();
    if (error instanceof EngineFailure && error.code === 'died') await diagnose(build);
    throw error;
  } finally {
    channel.port1.close();
  }
}

/** A worker that could not start does not say why: throws if its files cannot be fetched. */
async function diagnose(build: Build): Promise<void> {
  for (const address of [build.script, build.wasm]) {
    const response = await fetch(address).catch(() => null);
    if (!response) throw new FetchFailure('offline');
    if (!response.ok) throw new FetchFailure(String(response.status));
    await response.body?.cancel();
  }
}

/**
 * Lets the service worker store the engine. If it did not control the page yet when the engine was loaded, the page
 * fetches the files again as soon as it does.
 */
function keepOffline(build: Build): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!container || container.controller) return;
  container.addEventListener('controllerchange', () => void Promise.allSettled([build.script, build.wasm].map((address) => fetch(address))), { once: true });
}

/** One sentence about a failure, with what to do. */
export function failureSentence(error: unknown): string {
  if (error instanceof FetchFailure) {
    if (error.message === 'offline') return 'Stockfish cannot be fetched: the host is out of reach. Switch the engine on again when you are online.';
    return `The host does not have Stockfish (status ${error.message}). Reload the page; if that does not help, the site was copied without the folder assets/stockfish.`;
  }
  if (error instanceof EngineFailure && error.code === 'memory') return 'There is not enough memory for Stockfish. Close other tabs or choose a smaller hash table, then switch it on again.';
  if (error instanceof EngineFailure && error.code === 'slow') return 'Stockfish did not start within a minute. Switch it on again.';
  return 'Stockfish has stopped. Switch it on again; if it stops again, choose one thread and a smaller hash table.';
}
