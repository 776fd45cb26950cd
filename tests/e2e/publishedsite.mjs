// The page of a published library in a browser: where it is opened, and what tests wait for.

import { Library } from './published.mjs';
import { onSite } from './site.mjs';

/** A library with so many parts, and perhaps a text of its own. */
export function library(parts, about) {
  const one = new Library();
  if (about !== undefined) one.about = about;
  process.on('exit', () => one.remove());
  return one.grow(parts);
}

/** A plain static host: a sub-folder, no headers. The service worker is out of the way unless a test needs it. */
export const PLAIN = { isolated: false, prefix: '/club/games/' };
export const BLOCKED = { serviceWorkers: 'block' };
export const NO_WORKER = /service worker/i;

/** Opens a published folder; the browser's own words for failed requests are tolerated where `tolerate` says so. */
export const onLibrary = ({ out }, { server = {}, path = '', tolerate = NO_WORKER, context = BLOCKED, elsewhere } = {}, run) =>
  onSite({ folder: out, server: { ...PLAIN, ...server }, context, path, open: false, tolerate, elsewhere }, async (site) => {
    await site.page.goto(site.url + path);
    await run(site);
  });

export const open = (page) => page.click('[data-test=library-corpus]');
export const firstPage = (page) => page.locator('[data-test=library-page]').waitFor();
/** Waits until all parts are there. */
export const complete = async (page) => {
  await page.locator('[data-test=games]').waitFor();
  await page.locator('[data-test=arrival-parts]').waitFor({ state: 'detached' });
};
/** Whether the answer has so many games, in the page. */
export function hasGrown(games) {
  const status = document.querySelector('[data-test=status][aria-busy=false] [data-test=games]');
  return status !== null && Number(status.textContent.replace(/\D/g, '')) === games;
}
/** Waits until the answer has so many games: it grows while parts arrive. */
export const grown = (page, games) => page.waitForFunction(hasGrown, games);
export const scansOf = ({ asked }) => asked.filter(({ path }) => path.endsWith('.scan')).map(({ path }) => path);
