// The builds of Stockfish by size: all that the page needs to know before the user switches the engine on.

export type BuildName = 'threads' | 'single';

/** Bytes of the script and the wasm of a build, without compression. A unit test compares them with the files. */
export const SIZES: Readonly<Record<BuildName, number>> = { threads: 1_669_108, single: 1_808_986 };

/** The build for this page: threads need shared memory. */
export function buildOfPage(): BuildName {
  return globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function' ? 'threads' : 'single';
}
