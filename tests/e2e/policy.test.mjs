// The Content Security Policy: only the site's own scripts run, no other page can frame the site, and the
// whole site works under the policy on every kind of host. If the policy refused something in another
// test, that test would fail (site.mjs).

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { activated, answer, ask, closeBrowser, give, onSite, ready, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const REFUSED = /refused by the policy|Content Security Policy|Refused to|violates|ERR_BLOCKED/i;

/** Puts a script into the page and returns whether it ran. */
const injected = (page, make) =>
  page.evaluate(async (make) => {
    globalThis.ran = false;
    const refused = new Promise((resolve) => addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true }));
    new Function('return ' + make)()();
    const directive = await refused;
    return { directive, ran: globalThis.ran };
  }, String(make));

for (const [host, options] of [
  ['a host with headers', {}],
  ['a host without headers, by the page alone', { server: { isolated: false }, context: { serviceWorkers: 'block' } }],
  ['a host without headers, by the service worker', { server: { isolated: false } }],
]) {
  test(`${host}: what is injected does not run`, async () => {
    await onSite({ ...options, elsewhere: /^https:\/\/example\.invalid\//, tolerate: new RegExp(`${REFUSED.source}|service worker`, 'i') }, async ({ page }) => {
      if (host.endsWith('service worker')) {
        await page.waitForFunction(() => crossOriginIsolated, undefined, { timeout: 30_000 });
        await ready(page);
      }
      for (const [what, make, directive] of [
        ['a script in the page', () => document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = true' })), 'script-src-elem'],
        ['an attribute', () => {
          const image = document.createElement('div');
          image.innerHTML = '<img src="data:," onerror="globalThis.ran = true">';
          document.body.append(image);
        }, 'script-src-attr'],
        ['a script of another host', () => document.body.append(Object.assign(document.createElement('script'), { src: 'https://example.invalid/x.js' })), 'script-src-elem'],
        ['a style', () => document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' })), 'style-src-elem'],
        ['a frame', () => document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.invalid/' })), 'frame-src'],
        ['a base', () => document.head.append(Object.assign(document.createElement('base'), { href: 'https://example.invalid/' })), 'base-uri'],
        ['a request elsewhere', () => void fetch('https://example.invalid/').catch(() => undefined), 'connect-src'],
      ]) {
        assert.deepEqual(await injected(page, make), { directive, ran: false }, what);
      }
      // The page still works.
      await give(page, { name: 'three.pgn', text: THREE_GAMES });
      assert.deepEqual(await answer(page), { games: 3, positions: 27 });
      // The form comes last, since the browser's driver waits for the page that it leads to.
      const form = () => {
        const form = document.createElement('form');
        form.action = 'https://example.invalid/';
        document.body.append(form);
        form.submit();
      };
      assert.deepEqual(await injected(page, form), { directive: 'form-action', ran: false });
    });
  });
}

for (const [host, options] of [
  ['a host with headers', {}],
  ['the service worker', { server: { isolated: false } }],
]) {
  test(`a foreign page cannot frame it: ${host}`, async () => {
    await onSite({ ...options, offline: true, tolerate: REFUSED, elsewhere: /^http:\/\/127\.0\.0\.1:\d+\/$/ }, async ({ context, page, url }) => {
      await activated(page);
      // Another port is another origin of the same site, so the service worker serves the page there too.
      const foreign = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<iframe src="${url}"></iframe>`));
      await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
      try {
        const other = await context.newPage();
        await other.goto(`http://127.0.0.1:${foreign.address().port}/`, { waitUntil: 'load' });
        const [, frame] = other.frames();
        // The load event of the outer page can reach the test before the address of the refused page does.
        while (!frame.url()) await other.waitForEvent('framenavigated');
        assert.equal(await frame.locator('#app').count(), 0);
        assert.match(frame.url(), /^chrome-error:/);
        await other.close();
      } finally {
        foreign.closeAllConnections();
        foreign.close();
      }
    });
  });
}

for (const [build, path, badge] of [['threads', '', /^\d+ threads?$/], ['single', '?threads=0', /^1 thread/]]) {
  test(`nothing of the site is refused, ${build}`, async () => {
    await onSite({ path }, async ({ page }) => {
      await page.click('[data-test=demo]');
      await answer(page);
      assert.match(await page.textContent('[data-test=badge]'), badge);
      await ask(page, 'opening "Sicilian"');
      for (const tab of ['positions', 'heatmap', 'structures', 'explorer', 'counts']) {
        await page.click(`#tab-${tab}`);
        await page.locator(`[data-test=${tab === 'positions' ? 'positions-list' : tab}]`).waitFor();
      }
      await page.click('[data-test=search-position]');
      await page.click('[data-test=transform-this]');
      await page.locator('[data-test=images]').waitFor();
    });
  });
}

test('the worker is under it, too, and tells nobody where it came from', async () => {
  const patch = `try { eval('1'); self.policy = 'none' } catch { self.policy = 'refused' }
    const said = self.postMessage.bind(self);
    self.postMessage = (message, transfer) => said(message.state === 'done' && message.result?.build ? { ...message, result: { ...message.result, reason: self.policy } } : message, transfer);`;
  await onSite({ patch, path: '?threads=0', tolerate: REFUSED }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    assert.match(await page.textContent('[data-test=badge]'), /refused/);
    assert.equal(await page.evaluate(() => document.querySelector('meta[name=referrer]').content), 'no-referrer');
  });
});
