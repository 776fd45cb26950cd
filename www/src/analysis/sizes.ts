// The builds of Stockfish by size: all that the page needs to know before the user switches the engine on.

export type BuildName = 'threads' | 'single';

/** The build of the page fills this in. */
declare const STOCKFISH_SIZES: Readonly<Record<BuildName, number>>;

/** Bytes of the script and the wasm of a build, without compression. */
export const SIZES = STOCKFISH_SIZES;

/** The build for this page: threads need shared memory. */
export function buildOfPage(): BuildName {
  return globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function' ? 'threads' : 'single';
}
