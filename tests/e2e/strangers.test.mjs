// Libraries of other hosts: the user is asked first, no host leads to another, and none changes or finds what this device keeps of
// another library.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { delay } from './delay.mjs';
import { inFirefox, inWebKit, playwrightTab } from './drivers.mjs';
import { BLOCKED, complete, firstPage, grown, hasGrown, library, NO_WORKER, onLibrary, open, PLAIN, scansOf } from './publishedsite.mjs';
import { serve } from './serve.mjs';
import { answer, closeBrowser, dist, onSite } from './site.mjs';

after(closeBrowser);

test('a library of another host is asked about first', async () => {
  const games = library(2);
  const other = await serve(games.out, { isolated: false, prefix: '/there/', cors: true });
  try {
    for (const isolated of [true, false]) {
      const path = `?library=${encodeURIComponent(`${other.url}library.json`)}`;
      other.asked.length = 0;
      await onSite({ server: { ...PLAIN, isolated }, context: BLOCKED, path, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
        await page.goto(`${url}${path}#corpus=library.club+games&q=queens_off`);
        const { host } = new URL(other.url);
        await page.locator('[data-test=library-gate] h2', { hasText: `Open the library at ${host}?` }).waitFor();
        assert.match(await page.textContent('[data-test=host-says]'), /learns the address of your device and which games you open/);
        assert.deepEqual(other.asked, []);
        await page.click('[data-test=agree]');
        assert.match(await page.textContent('[data-test=library-size]'), new RegExp(`^${host} has 4 games, updated .* All of them are [\\d.]+ k?B to load`));
        assert.deepEqual(scansOf(other), []);
        await page.click('[data-test=take]');
        assert.equal((await answer(page)).games > 0, true);
        await page.locator('[data-test=games]', { hasText: '2 games' }).waitFor();
        await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
        assert.match(page.url(), /\?library=.*#corpus=library\.club\+games&q=queens_off/);
        // Next time, the browser knows the host.
        await page.reload();
        await grown(page, 2);
      });
    }
  } finally {
    await other.close();
  }
});

test('a library that the user looked at and did not want is asked about again', async () => {
  const games = library(1);
  const other = await serve(games.out, { isolated: false, cors: true });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-size]').waitFor();
      await page.click('[data-test=decline]');
      await page.locator('[data-test=demo]').waitFor();
      other.asked.length = 0;
      await page.goto('about:blank');
      await page.goto(url + path);
      await page.locator('[data-test=agree]').waitFor();
      assert.deepEqual(other.asked, []);
    });
  } finally {
    await other.close();
  }
});

test('a host to which the user agreed cannot send the page on to another one', async () => {
  const games = library(1);
  const third = await serve(games.out, { isolated: false, cors: true });
  const meanwhile = (path, response) => {
    response.writeHead(302, { Location: third.url + path, 'Access-Control-Allow-Origin': '*' }).end();
    return true;
  };
  const other = await serve(games.out, { isolated: false, cors: true, meanwhile });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: NO_WORKER, elsewhere: new RegExp(`^(${other.url}|${third.url})`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-trouble]', { hasText: 'sends this page on to another address' }).waitFor();
      // The browser tells of a request that it does not make.
      assert.deepEqual(third.asked, []);
    });
  } finally {
    await other.close();
    await third.close();
  }
});

/** In the form of each version of library.json: a library of two parts, and a hostile one that claims to have its second part. */
const PAIRS = [2, 1].map((version) => {
  const form = (one) => (version === 1 ? one.inOldForm() : one);
  const kept = form(library(2));
  return { version, kept, hostile: form(library(1)).forge(kept) };
});

for (const { version, kept, hostile } of PAIRS) {
  test(`a hostile library changes nothing of a kept one, and learns nothing of it (version ${version})`, async () => {
    const other = await serve(hostile.out, { isolated: false, cors: true });
    try {
      await onLibrary(kept, { elsewhere: new RegExp(`^${other.url}`), tolerate: NO_WORKER }, async (site) => {
        const { page, server, url } = site;
        await firstPage(page);
        assert.equal(await page.locator('[data-test=library-trust]').count(), version === 1 ? 1 : 0);
        await open(page);
        await complete(page);
        await page.goto('about:blank');
        await page.goto(`${url}?library=${encodeURIComponent(other.url)}#corpus=library.club+games`);
        await page.click('[data-test=agree]');
        await page.click('[data-test=take]');
        await page.locator('[role=alert]', { hasText: 'came damaged' }).waitFor();
        assert.equal(scansOf(other).length > 0, true, 'the part that the kept library has is asked for all the same');
        server.asked.length = 0;
        await page.goto('about:blank');
        await page.goto(url);
        await firstPage(page);
        await open(page);
        await complete(page);
        await page.locator('[data-test=games]', { hasText: '4 games' }).waitFor();
        assert.deepEqual(scansOf(server), [], 'the kept library is still here');
      });
    } finally {
      await other.close();
    }
  });
}

/** Opens a library of a host as a user who wants it. Answers whether the user was asked; before that, the host is asked for nothing. */
async function visit(tab, site, host) {
  // An address that differs only behind the # would load nothing.
  await tab.go('about:blank');
  host.asked.length = 0;
  await tab.go(`${site}?library=${encodeURIComponent(host.url)}#corpus=library.club+games&q=queens_off`);
  await tab.until(() => document.querySelector('[data-test=agree], [data-test=games]') !== null);
  const isAsked = await tab.run(() => document.querySelector('[data-test=agree]') !== null);
  if (!isAsked) return false;
  assert.deepEqual(host.asked, [], 'before the user agrees');
  await tab.click('[data-test=agree]');
  await tab.until(() => document.querySelector('[data-test=take], [data-test=library-trouble]') !== null);
  if (await tab.run(() => document.querySelector('[data-test=take]') !== null)) await tab.click('[data-test=take]');
  return true;
}

const alerted = (tab, text) => tab.until((text) => [...document.querySelectorAll('[role=alert]')].some((alert) => alert.textContent.includes(text)), text);

/** What there is to see of a kept library that is opened again. */
async function seen(tab, site, host) {
  const isAsked = await visit(tab, site, host);
  await tab.until(hasGrown, 2);
  await tab.until(() => document.querySelector('[data-test=arrival-parts]') === null);
  // The text of the game is the last that the host is asked for.
  await tab.until(() => document.querySelector('[data-test=moves]')?.textContent.includes('a remark of part 1'));
  return { isAsked, scans: scansOf(host) };
}

/** @param {import('./drivers.mjs').Tab} tab */
async function meetStrangers(tab, site) {
  for (const { kept, hostile } of PAIRS) {
    const there = { isolated: false, cors: true };
    const third = await serve(kept.out, there);
    const leadsOn = (path, response) => response.writeHead(302, { Location: third.url + path, 'Access-Control-Allow-Origin': '*' }).end() && true;
    const [own, forger, leader] = [await serve(kept.out, there), await serve(hostile.out, there), await serve(kept.out, { ...there, meanwhile: leadsOn })];
    try {
      assert.equal((await seen(tab, site, own)).isAsked, true);
      // A browser that keeps no files asks again, and fetches the parts again.
      const before = await seen(tab, site, own);
      for (const [host, trouble] of [[forger, 'came damaged'], [leader, 'sends this page on to another address']]) {
        assert.equal(await visit(tab, site, host), true);
        await alerted(tab, trouble);
        host.asked.length = 0;
        assert.deepEqual(await seen(tab, site, own), before, `after the host that ${trouble}`);
        assert.deepEqual(host.asked, []);
      }
      assert.deepEqual(third.asked, []);
    } finally {
      for (const server of [third, own, forger, leader]) await server.close();
    }
  }
}

async function onSiteOf(run) {
  const server = await serve(dist);
  try {
    await run(server.url);
  } finally {
    await server.close();
  }
}

// With a delay, only Chromium is slowed down.
const skip = delay > 0 && 'this browser is not slowed down';

test('a kept library among hostile ones in Chromium', () => onSite({ open: false, elsewhere: /^http:\/\/127\.0\.0\.1:/ }, ({ page, url }) => meetStrangers(playwrightTab(page), url)));
test('a kept library among hostile ones in Firefox', { skip }, () => onSiteOf((url) => inFirefox((tab) => meetStrangers(tab, url))));
test('a kept library among hostile ones in WebKitGTK', { skip }, () => onSiteOf((url) => inWebKit((tab) => meetStrangers(tab, url))));

test('a text that takes long to read is shown as it was written, and the page answers meanwhile', async () => {
  for (const text of [`${'a'.repeat(60_000)}@`, '>'.repeat(60_000), `${'> '.repeat(60)}deep`]) {
    await onLibrary(library(1, text), {}, async ({ page }) => {
      await firstPage(page);
      await open(page);
      await page.locator('[data-test=games]').waitFor();
      await page.goBack();
      await firstPage(page);
      assert.equal(await page.locator('[data-test=about] pre').textContent(), text);
      assert.equal(await page.locator('[data-test=about] blockquote').count(), 0);
    });
  }
});

test('another host that does not let pages read its files', async () => {
  const games = library(1);
  const other = await serve(games.out, { isolated: false });
  try {
    const path = `?library=${encodeURIComponent(other.url)}`;
    await onSite({ server: PLAIN, context: BLOCKED, open: false, tolerate: /service worker|CORS|Failed to load/i, elsewhere: new RegExp(`^${other.url}`) }, async ({ page, url }) => {
      await page.goto(url + path);
      await page.click('[data-test=agree]');
      await page.locator('[data-test=library-trouble]', { hasText: 'does not let other pages read its files (CORS)' }).waitFor();
      await page.click('[data-test=decline]');
      await page.locator('[data-test=demo]').waitFor();
    });
  } finally {
    await other.close();
  }
});
