// The service worker: it serves only the page and its files. A newer build is offered, used when the user
// says so, and never mixed with the previous one. Both builds are real: the second is the first with
// another page and another file name.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { activated, answer, ask, closeBrowser, dist, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** Runs a test on a copy of the site that it may change. */
async function copied(test) {
  const folder = await mkdtemp(join(tmpdir(), 'plyfold-site-'));
  try {
    await cp(dist, folder, { recursive: true });
    return await test(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const digest = (bytes) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/** Makes another build in a folder: the page has its name, and the file of openings gets another name. */
async function rebuild(folder, name) {
  const file = join(folder, 'sw.js');
  let worker = await readFile(file, 'utf8');
  const page = join(folder, 'index.html');
  const before = await readFile(page, 'utf8');
  const text = before.replace(/<html[^>]*>/, `<html lang="en" data-build="${name}">`);
  await replace(page, text);
  worker = worker.replaceAll(digest(before), digest(text));
  const openings = (await readdir(join(folder, 'assets'))).find((one) => one.startsWith('opening-lines-') && one.endsWith('.tsv'));
  const renamed = `opening-lines-${name}.tsv`;
  await rename(join(folder, 'assets', openings), join(folder, 'assets', renamed));
  worker = worker.replaceAll(`assets/${openings}`, `assets/${renamed}`);
  const version = /[`"']([0-9a-f]{12})[`"']/.exec(worker)[1];
  worker = worker.replaceAll(version, createHash('sha256').update(name).digest('hex').slice(0, 12));
  assert.ok(worker.includes(digest(text)) && worker.includes(renamed));
  await replace(file, worker);
}

/** The browser may be asking for it just now: it gets the old file or the new one. */
async function replace(file, text) {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

const look = (page) => page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration()).update()));
const buildOf = (page) => page.evaluate(() => document.documentElement.dataset.build ?? 'first');
const offered = (page) => page.locator('[data-test=update]').waitFor();

for (const isolated of [true, false]) {
  test(`only the page and its files are answered for, ${isolated ? 'with' : 'without'} headers of the host`, async () => {
    await copied(async (folder) => {
      await writeFile(join(folder, 'openapi.json'), '{"openapi":"3"}');
      await writeFile(join(folder, 'health'), 'well');
      await cp(join(folder, 'icon.svg'), join(folder, 'tables.svg'));
      await onSite({ folder, offline: true, server: { isolated }, tolerate: /404|Failed to load resource/ }, async ({ page, url, context }) => {
        await activated(page);
        const other = await context.newPage();
        for (const path of ['', '?threads=1', 'index.html', 'index.html?x=1#q=check', '#q=check']) {
          await other.goto('about:blank');
          await other.goto(url + path);
          await ready(other);
        }
        assert.equal(await other.evaluate(() => navigator.serviceWorker.controller !== null), true);
        const body = async (path) => {
          const response = await other.goto(url + path);
          return [response.status(), response.fromServiceWorker(), await other.textContent('body')];
        };
        assert.deepEqual(await body('openapi.json'), [200, false, '{"openapi":"3"}']);
        const [status, fromWorker] = await body('tables/');
        assert.deepEqual([status, fromWorker], [404, false]);
        assert.deepEqual((await body('none.html')).slice(0, 2), [404, false]);
        assert.deepEqual((await body('assets')).slice(0, 2), [404, false]);
        // And neither for what a page asks for besides.
        await other.goto(url);
        await ready(other);
        assert.equal(await other.evaluate(async () => (await fetch('health')).text()), 'well');
      });
    });
  });
}

test('a newer build is offered, and used when the user says so', async () => {
  await copied(async (folder) => {
    await onSite({ folder, offline: true }, async ({ page, context, url }) => {
      await activated(page);
      await page.reload();
      await ready(page);
      await give(page, { name: 'three.pgn', text: THREE_GAMES });
      await answer(page);
      assert.equal(await page.locator('[data-test=update]').count(), 0);

      await rebuild(folder, 'second');
      await look(page);
      await offered(page);
      assert.match(await page.locator('[role=status]', { hasText: 'new version' }).textContent(), /A new version is ready\./);
      // Nobody is asked to leave: neither this tab nor one that is opened now has anything of the newer build.
      assert.equal(await buildOf(page), 'first');
      const other = await context.newPage();
      await other.goto(url);
      await answer(other);
      assert.equal(await buildOf(other), 'first');
      await offered(other);
      await page.reload();
      await answer(page);
      assert.equal(await buildOf(page), 'first');
      await offered(page);

      await Promise.all([page.waitForEvent('framenavigated'), page.click('[data-test=update-take]')]);
      await page.locator('html[data-build=second]').waitFor();
      assert.deepEqual(await answer(page), { games: 3, positions: 27 });
      assert.equal(await page.locator('[data-test=update]').count(), 0);

      // The other tab lives on with what it was loaded from, though the host has it no more.
      assert.equal(await buildOf(other), 'first');
      const first = await other.evaluate(() => performance.getEntriesByType('navigation').length);
      assert.equal(first, 1, 'it was not loaded anew');
      await ask(other, 'opening "Kings Pawn" or check');
      assert.equal(await other.locator('[data-test=problem]', { hasText: 'knows no openings' }).count(), 0);
      await offered(other);
      await other.click('[data-test=update-take]');
      await other.locator('html[data-build=second]').waitFor();
      await answer(other);
    });
  });
});

test('a newer build comes by itself when no tab is open, and leaves nothing of the one before', async () => {
  await copied(async (folder) => {
    await onSite({ folder, offline: true }, async ({ page, context, url }) => {
      await activated(page);
      await page.reload();
      await ready(page);
      await rebuild(folder, 'second');
      await look(page);
      await offered(page);
      await page.getByRole('button', { name: 'Later' }).click();
      assert.equal(await page.locator('[data-test=update]').count(), 0);
      await page.goto('about:blank');
      // The browser lets the newer build take over when it sees that the older one is not used any more.
      await page.waitForTimeout(0);
      const other = await context.newPage();
      for (let tries = 0; ; tries++) {
        await other.goto(url);
        await ready(other);
        if ((await buildOf(other)) === 'second') break;
        assert.ok(tries < 20, 'the older build goes on');
        await other.goto('about:blank');
      }
      const caches = await other.evaluate(async () => (await caches.keys()).filter((name) => !name.endsWith(' tabs')).length);
      assert.equal(caches, 1);
    });
  });
});

test('a build that changes while it is fetched is not kept', async () => {
  await copied(async (folder) => {
    await onSite({ folder, offline: true, tolerate: /integrity|Failed to find a valid digest/i }, async ({ page }) => {
      await activated(page);
      await page.reload();
      await ready(page);
      await rebuild(folder, 'second');
      // The worker is of the second build, the page already of a third.
      const file = join(folder, 'index.html');
      await writeFile(file, (await readFile(file, 'utf8')).replace('data-build="second"', 'data-build="third"'));
      const state = await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        const found = new Promise((resolve) => registration.addEventListener('updatefound', () => resolve(registration.installing), { once: true }));
        await registration.update().catch(() => undefined);
        const worker = await found;
        while (worker.state === 'installing') await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }));
        return [worker.state, registration.waiting];
      });
      assert.deepEqual(state, ['redundant', null]);
      assert.equal(await page.locator('[data-test=update]').count(), 0);
      await page.reload();
      await ready(page);
      assert.equal(await buildOf(page), 'first');
    });
  });
});
