// How much of a device's memory the games of a published library may take. A browser ends a page that takes more than its device
// has, without a word, so the page takes less.

const GIB = 2 ** 30;
/** For browsers that do not say how much memory the device has. */
const USUAL = 1 * GIB;
/** What the engine's memory can hold beside its other needs. */
const MOST = 3 * GIB;
/** The browser's own processes, the page and the work on a question take the rest: with half of 1 GiB, the explorer ended the page. */
const SHARE = 0.35;

/** The most bytes of games in memory: a third of what the device has, as far as the browser tells it. */
export function mostCorpusBytes({ deviceMemory }: { deviceMemory?: number } = (globalThis.navigator ?? {}) as { deviceMemory?: number }): number {
  return typeof deviceMemory === 'number' && deviceMemory > 0 ? Math.min(MOST, deviceMemory * GIB * SHARE) : USUAL;
}
