// The page arrives in chunks: the first script is small, the rest is stored for offline use, and a chunk that cannot be
// loaded is a sentence that says what to do.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { after, test } from 'node:test';
import { answer, closeBrowser, dist, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const KIB = 1024;
/** The first script and everything that it imports statically, gzipped. */
const MOST = 75 * KIB;

/** The scripts that a script imports statically, and itself. */
function withImports(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(dist, file), 'utf8');
  for (const [, path] of text.matchAll(/(?:^|[;}\n])\s*(?:import|export)\s*(?:[\w$*{}\s,]+?from\s*)?["'](\.[^"']+)["']/g)) withImports(join(dirname(file), path), found);
  return found;
}

test('the first script has at most 75 KiB, gzipped', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = [...page.matchAll(/<(?:script[^>]* src|link rel="modulepreload"[^>]* href)="\.\/([^"]+)"/g)].map(([, path]) => path);
  assert.ok(first.length > 0);
  const files = new Set(first.flatMap((file) => [...withImports(file)]));
  const sizes = [...files].map((file) => [file, gzipSync(readFileSync(join(dist, file)), { level: 9 }).length]);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(total <= MOST, `${(total / KIB).toFixed(1)} KiB: ${sizes.map(([file, size]) => `${file} ${(size / KIB).toFixed(1)}`).join(', ')}`);
  console.log(`the first script: ${(total / KIB).toFixed(1)} KiB gzipped, in ${sizes.length} files`);
});

test('the service worker stores all chunks', () => {
  const worker = readFileSync(join(dist, 'sw.js'), 'utf8');
  for (const name of readdirSync(join(dist, 'assets'))) assert.ok(worker.includes(`assets/${name}`), name);
});

test('a part that cannot be loaded says what to do, and the rest works', async () => {
  await onSite({ context: { serviceWorkers: 'block' }, tolerate: /Failed to load resource/ }, async ({ page, context }) => {
    await context.route(/\/assets\/(Heatmap|Help)-[^/]*\.js$/, (route) => route.abort());
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const before = await answer(page);
    await page.click('#tab-heatmap');
    const alert = page.locator('[data-test=not-loaded]');
    await alert.waitFor();
    assert.match(await alert.textContent(), /could not be loaded.*reload the page/i);
    await page.click('#tab-games');
    await page.locator('#row-0').waitFor();
    assert.deepEqual(await answer(page), before);
    await page.getByRole('button', { name: 'Help' }).click();
    await alert.waitFor();
    // The button loads the page again, and everything is as it was.
    await context.unroute(/\/assets\/(Heatmap|Help)-[^/]*\.js$/);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    assert.deepEqual(await answer(page), before);
    await page.click('#tab-heatmap');
    await page.locator('[data-test=heatmap]').waitFor();
  });
});
