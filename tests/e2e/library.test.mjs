// A published library in a sub-folder of a plain static host: its first page, answers from the first part on, texts by range, what
// a later visit loads, and hosts that fail.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { violations } from './axe.mjs';
import { delay } from './delay.mjs';
import { inFirefox, inWebKit } from './drivers.mjs';
import { part, QUESTION, TITLE } from './published.mjs';
import { BLOCKED, complete, firstPage, grown, library, NO_WORKER, onLibrary, open, PLAIN, scansOf } from './publishedsite.mjs';
import { serve } from './serve.mjs';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const textsOf = ({ asked }) => asked.filter(({ path }) => path.endsWith('.text'));

/** A gate that holds back what it is given until it is opened. */
function gate() {
  let go;
  const passed = new Promise((resolve) => (go = resolve));
  return { passed, open: () => go() };
}

/** Waits until the host has been asked for something. */
async function until(page, ask) {
  while (!ask()) await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
}

test('the first page: title, text, questions, games', async () => {
  await onLibrary(library(2), {}, async ({ page, server }) => {
    await firstPage(page);
    assert.equal(await page.textContent('[data-test=library-page] h2'), TITLE);
    assert.equal(await page.title(), `${TITLE} · plyfold`);
    assert.match(await page.textContent('[data-test=library-facts]'), /^4 games · updated \d+ \w+ \d{4}$/);
    const about = page.locator('[data-test=about]');
    await about.locator('h3').waitFor();
    assert.match(await about.textContent(), /Our games\s+Games of our club, see its page/);
    assert.equal(await about.locator('strong').textContent(), 'our club');
    assert.deepEqual(await about.locator('a').evaluateAll((links) => links.map(({ href, rel, target }) => [href, rel, target])), [
      ['https://club.example/page', 'noopener noreferrer nofollow', '_blank'],
      ['', 'noopener noreferrer nofollow', '_blank'],
    ]);
    assert.equal(await about.locator('img, script').count(), 0);
    assert.equal(await page.evaluate(() => globalThis.ran), undefined);
    assert.deepEqual(scansOf(server), [], 'games come when they are asked for');

    await page.click('[data-test=first-question]');
    await grown(page, 2);
    assert.deepEqual(await answer(page), { games: 2, positions: 4 });
    await complete(page);
    assert.match(page.url(), /#corpus=library\.club\+games&q=queens_off/);
    assert.equal(await page.inputValue('#query'), QUESTION.query);
    // Back leads to the first page, and a corpus can be opened without a question.
    await page.goBack();
    await firstPage(page);
    await open(page);
    await grown(page, 4);
  });
});

test('a question goes to all corpora of a library, to some, or to one', async () => {
  await onLibrary(library(2).grow(1, 'opens').grow(1, 'juniors'), {}, async ({ page, server, url }) => {
    await firstPage(page);
    assert.match(await page.textContent('[data-test=library-facts]'), /^8 games/);
    assert.match(await page.textContent('[data-test=library-together]'), /Search 8 games/);
    await page.click('[data-test=first-question]');
    await grown(page, 4);
    await complete(page);
    assert.match(page.url(), /#corpus=library\.\*&q=queens_off/);
    const counts = page.locator('[data-test=member-counts]');
    assert.deepEqual(await counts.locator('li').allTextContents(), ['club games 2 games', 'opens 1 game', 'juniors 1 game']);
    // The games say where they are from, and their texts come from their own files.
    await page.click('#row-3');
    await page.locator('[data-test=moves]', { hasText: 'a remark of part 4' }).waitFor();
    assert.match(await page.textContent('.about'), /^juniors · Part 4/);
    await counts.getByRole('button', { name: 'opens' }).click();
    await page.waitForFunction(() => location.hash.startsWith('#corpus=library.opens&q=queens_off'));
    await grown(page, 1);

    await page.goto('about:blank');
    await page.goto(url);
    await firstPage(page);
    await page.getByRole('checkbox', { name: 'Ask opens' }).uncheck();
    assert.match(await page.textContent('[data-test=library-together]'), /Search 6 games/);
    server.asked.length = 0;
    await page.click('[data-test=first-question]');
    await grown(page, 3);
    await complete(page);
    assert.match(page.url(), /#corpus=library\.club\+games%7Cjuniors&q=queens_off/);
    assert.deepEqual(scansOf(server), [], 'all parts were here');
    // The link opens the same for everyone.
    await page.reload();
    await grown(page, 3);
  });
});

const FILE = 'our games.pgn';
/** Another host that has a file of games, and lets other pages read it unless `cors` is false. */
async function withFile(options, run) {
  const games = library(1);
  writeFileSync(join(games.out, FILE), part(1));
  const host = await serve(games.out, { cors: true, ...options });
  try {
    await run(`${host.url}${encodeURIComponent(FILE)}`, host);
  } finally {
    await host.close();
  }
}

test('a link to a file of games at another host: asked first, with its size, then read', async () => {
  await withFile({}, async (address, host) => {
    const link = `?corpus=${encodeURIComponent(address)}#q=queens_off&game=1&ply=3`;
    await onSite({ context: BLOCKED, open: false, tolerate: NO_WORKER, elsewhere: /127\.0\.0\.1/ }, async ({ page, url }) => {
      await page.goto(url + link);
      await page.locator('[data-test=file-gate] [data-test=agree]').waitFor();
      assert.match(await page.textContent('[data-test=file-gate]'), /Load games from 127\.0\.0\.1:\d+\?.*names the file our games\.pgn there/s);
      assert.deepEqual(host.asked, [], 'the user is asked first');
      await page.click('[data-test=agree]');
      await page.locator('[data-test=take]').waitFor();
      assert.match(await page.textContent('[data-test=file-size]'), /^\d+ B from 127\.0\.0\.1:\d+\. The games are read here/);
      assert.equal(host.asked.length, 1);
      await page.click('[data-test=take]');
      await grown(page, 1);
      assert.match(page.url(), /#corpus=our\+games&q=queens_off&game=1&ply=3$/);
      await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
      // On the next visit they are on this device.
      host.asked.length = 0;
      await page.goto('about:blank');
      await page.goto(url + link);
      await grown(page, 1);
      assert.deepEqual(host.asked, []);
    });
  });
});

test('a file of games that does not come costs a sentence', async () => {
  const refused = async (options, name, expected) => {
    await withFile(options, async (address) => {
      await onSite({ context: BLOCKED, open: false, tolerate: /service worker|CORS|ERR_FAILED|404/i, elsewhere: /127\.0\.0\.1/ }, async ({ page, url }) => {
        await page.goto(`${url}?corpus=${encodeURIComponent(address.replace('our', name))}`);
        await page.click('[data-test=agree]');
        await page.locator('[data-test=file-trouble]', { hasText: expected }).waitFor();
        await page.click('[data-test=decline]');
        await page.locator('[data-test=demo]').waitFor();
      });
    });
  };
  await refused({}, 'other', /does not have other%20games\.pgn/);
  await refused({ cors: false }, 'our', /does not let other pages read its files \(CORS\)/);
});

test('in a frame of an article the page is a search without menus, if its publisher lets it', async () => {
  const article = async (page, url) => {
    const frame = `<iframe src="${url}?embed#corpus=library.club+games&q=queens_off" width="700" height="600"></iframe>`;
    await page.route('**/article.html', (route) => route.fulfill({ contentType: 'text/html', body: frame }));
    await page.goto(new URL('article.html', url).href);
  };
  const server = { isolated: true };
  await onLibrary(library(1).publish('--embed-in', '*'), { server }, async ({ page, url }) => {
    await article(page, url);
    const frame = page.frameLocator('iframe');
    await frame.locator('[data-test=games]', { hasText: '1 game' }).waitFor();
    assert.equal(await frame.locator('header, [data-test=corpus], [data-test=menu]').count(), 0);
    // The link leads to the game on the board, so that must be there.
    await frame.locator('[data-test=moves]', { hasText: 'Qxd8' }).waitFor({ state: 'attached' });
    const whole = frame.locator('[data-test=embed-whole]');
    await whole.focus();
    assert.match(await whole.getAttribute('href'), /\/club\/games\/#corpus=library\.club\+games&q=queens_off&game=1/);
  });
  await onLibrary(library(1), { server, tolerate: /frame-ancestors/ }, async ({ page, url }) => {
    const refused = page.waitForEvent('console', { predicate: (message) => /frame-ancestors 'none'/.test(message.text()) });
    await article(page, url);
    await refused;
  });
});

test('a device with little memory loads what it can hold, and says so', async () => {
  await onLibrary(library(2).grow(1, 'opens'), {}, async ({ page, server }) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'deviceMemory', { value: 2 ** -20 }));
    await page.reload();
    await firstPage(page);
    await page.click('[data-test=first-question]');
    await page.locator('[data-test=arrival-full]').waitFor();
    assert.match(await page.textContent('[data-test=arrival-parts]'), /Answers from 1 of 3 parts so far, 2 games\.\s+This device has no memory for more at once/);
    assert.equal(scansOf(server).length, 1);
    await page.click('[data-test=arrival-choose]');
    await firstPage(page);
    await page.getByRole('button', { name: /^opens/ }).click();
    await complete(page);
    await grown(page, 2);
  });
});

test('the first answer comes before the last part, and grows', async () => {
  const last = gate();
  const games = library(3);
  const held = games.scans[2];
  await onLibrary(games, { server: { meanwhile: async (path) => (path === held ? void (await last.passed) : undefined) } }, async ({ page, server }) => {
    await firstPage(page);
    await open(page);
    await page.locator('[data-test=arrival-parts]', { hasText: 'Answers from 2 of 3 parts so far, 4 games.' }).waitFor();
    assert.equal((await ask(page, 'queens_off')).games, 2);
    // Sets belong to all games.
    last.open();
    await page.locator('[data-test=games]', { hasText: '3 games' }).waitFor();
    await complete(page);
    assert.deepEqual(new Set(scansOf(server)), new Set(games.scans));
    assert.equal(scansOf(server).length, 3);
  });
});

test('a game with its comments is one request for a range', async () => {
  await onLibrary(library(2), {}, async ({ page, server }) => {
    await firstPage(page);
    await open(page);
    await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
    const [text] = textsOf(server);
    assert.equal(textsOf(server).length, 1);
    assert.match(text.range, /^bytes=\d+-\d+$/);
    const [from, to] = text.range.match(/\d+/g).map(Number);
    assert.ok(to - from < 65536);
    // To search all comments would be to fetch them all.
    await page.fill('#query', 'comment "*remark*"');
    await page.press('#query', 'Enter');
    await page.locator('[data-test=status] [role=alert]', { hasText: 'Comments of a published library are not searched' }).waitFor();
    assert.equal((await ask(page, 'queens_off')).games, 2);
  });
});

/** Leaves the page and comes again, as on another day: the address has no place. Returns what the host was asked for of the library. */
async function comeBack({ page, server, url }) {
  server.asked.length = 0;
  await page.goto('about:blank');
  await page.goto(url);
  await firstPage(page);
  return () => server.asked.filter(({ path }) => path.startsWith('library'));
}

test('a second visit asks for library.json alone, and after the library has grown for what is new', async () => {
  const games = library(3);
  await onLibrary(games, {}, async (site) => {
    const { page } = site;
    await firstPage(page);
    await open(page);
    await complete(page);
    assert.equal((await ask(page, 'queens_off')).games, 3);

    const asked = await comeBack(site);
    assert.match(await page.textContent('[data-test=library-corpus]'), /6 games · on this device/);
    await page.click('[data-test=first-question]');
    await grown(page, 3);
    assert.deepEqual(asked().filter(({ path }) => !path.endsWith('.text')), [{ path: 'library.json', range: undefined }]);

    const before = new Set(games.scans);
    games.grow(1);
    const added = games.scans.filter((file) => !before.has(file));
    assert.equal(added.length, 1);
    const askedAgain = await comeBack(site);
    assert.match(await page.textContent('[data-test=library-corpus]'), /8 games · \d+ B to load/);
    await page.click('[data-test=first-question]');
    await page.locator('[data-test=games]', { hasText: '4 games' }).waitFor();
    assert.deepEqual(askedAgain().filter(({ path }) => !path.endsWith('.text')).map(({ path }) => path), ['library.json', ...added]);
  });
});

test('parts that no library.json names any longer are removed from the device', async () => {
  const games = library(2);
  const kept = (page) =>
    page.evaluate(async () => {
      const names = [];
      const folders = await (await navigator.storage.getDirectory()).getDirectoryHandle('library');
      for await (const folder of folders.values()) for await (const name of folder.keys()) if (name.endsWith('.shard')) names.push(name.slice(0, -6));
      return names.sort();
    });
  const named = ({ scans }) => scans.map((file) => file.slice(8, -5)).sort();
  await onLibrary(games, {}, async (site) => {
    const { page } = site;
    await firstPage(page);
    await open(page);
    await complete(page);
    assert.deepEqual(await kept(page), named(games));
    const { list } = games;
    const [corpus] = list.corpora;
    const [gone] = corpus.shards.splice(1, 1);
    games.list = { ...list, corpora: [{ ...corpus, games: corpus.games - gone.games, plies: corpus.plies - gone.plies }] };
    await comeBack(site);
    assert.deepEqual(await kept(page), named(games));
    // The user can remove the rest; then it is loaded again.
    await open(page);
    await grown(page, 2);
    await page.click('[data-test=corpus]');
    await page.getByRole('button', { name: 'Delete club games' }).click();
    await page.getByRole('button', { name: 'Delete club games, really' }).click();
    await firstPage(page);
    assert.deepEqual(await kept(page), []);
  });
});

test('offline, the library is what was kept, and only comments need the network', async () => {
  const games = library(2);
  await onLibrary(games, { context: {}, tolerate: /ERR_CONNECTION_REFUSED|ERR_FAILED/ }, async ({ page, server, url }) => {
    await firstPage(page);
    assert.equal(await page.evaluate(() => navigator.serviceWorker.getRegistration().then((found) => found === undefined)), true, 'the games come first');
    await open(page);
    await complete(page);
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      while (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', resolve, { once: true }));
    });
    await page.goto('about:blank');
    await page.goto(`${url}#corpus=library.club+games&game=1&ply=1`);
    await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
    await complete(page);
    await server.close();
    await page.goto('about:blank');
    await page.goto(url);
    await firstPage(page);
    assert.match(await page.textContent('[data-test=library-note]'), /kept of the last visit: the host of this page cannot be reached/);
    await page.locator('[data-test=about]', { hasText: 'Games of our club' }).waitFor();
    await open(page);
    await grown(page, 4);
    await page.click('#row-2');
    await page.locator('[role=alert]', { hasText: /^The moves are all here, but comments and variations are .* need the network/ }).waitFor();
    assert.match(await page.textContent('[data-test=moves]'), /Qxd8/);
  });
});

test('a host without ranges, and one that compresses on the way', async () => {
  for (const server of [{ ranges: false }, { ranges: false, gzip: /\.(text|scan|json)$/ }]) {
    await onLibrary(library(1), { server }, async ({ page, server }) => {
      await firstPage(page);
      await page.click('[data-test=first-question]');
      await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
      await page.fill('#query', '');
      await page.press('#query', 'Enter');
      await answer(page);
      await page.click('#row-1');
      await page.locator('[data-test=moves]', { hasText: 'Qh4#' }).waitFor();
      await page.click('#row-0');
      await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
      assert.equal(textsOf(server).length, 1, 'the file came as a whole and is kept');
    });
  }
});

test('a connection that is cut is tried again, then said, and goes on where it ended', async () => {
  const games = library(3);
  const [, , held] = games.scans;
  let cuts = 0;
  let isCut = true;
  const meanwhile = (path, response) => {
    if (path !== held || !isCut) return false;
    cuts++;
    response.writeHead(200, { 'Content-Length': 1000 });
    response.write('cut', () => response.destroy());
    return true;
  };
  await onLibrary(games, { server: { meanwhile }, tolerate: /service worker|Failed to load resource/i }, async ({ page, server }) => {
    await firstPage(page);
    await open(page);
    await page.locator('[data-test=arrival-trouble]', { hasText: 'the host of this page cannot be reached, or the connection was cut' }).waitFor();
    assert.ok(cuts >= 3, `it was tried ${cuts} times`);
    await grown(page, 4);
    isCut = false;
    server.asked.length = 0;
    await page.click('[data-test=arrival-again]');
    await complete(page);
    await page.locator('[data-test=games]', { hasText: '6 games' }).waitFor();
    assert.deepEqual(scansOf(server), [held]);
  });
});

test('a damaged part is not used: on its way, and on the device', async () => {
  const games = library(2);
  const [first, second] = games.scans;
  const sound = readFileSync(join(games.out, second));
  writeFileSync(join(games.out, second), Buffer.from(sound.map((byte, at) => (at === 40 ? byte ^ 1 : byte))));
  await onLibrary(games, {}, async (site) => {
    const { page, server } = site;
    await firstPage(page);
    await open(page);
    await page.locator('[data-test=arrival-trouble]', { hasText: 'came damaged' }).waitFor();
    await grown(page, 2);
    writeFileSync(join(games.out, second), sound);
    await page.click('[data-test=arrival-again]');
    await complete(page);
    // The device damages what it kept.
    await page.evaluate(async (name) => {
      const folders = await (await navigator.storage.getDirectory()).getDirectoryHandle('library');
      const { value: folder } = await folders.values().next();
      const writable = await (await folder.getFileHandle(name)).createWritable({ keepExistingData: true });
      await writable.write({ type: 'write', position: 700, data: new Uint8Array(64) });
      await writable.close();
    }, `${first.slice(8, -5)}.shard`);
    await comeBack(site);
    await open(page);
    await page.locator('[data-test=games]', { hasText: '4 games' }).waitFor();
    assert.deepEqual(scansOf(server), [first]);
  });
});

test('a hostile library.json costs a sentence', async () => {
  const games = library(1);
  const { list } = games;
  const shard = list.corpora[0].shards[0];
  const withShard = (changed) => ({ ...list, corpora: [{ ...list.corpora[0], shards: [{ ...shard, ...changed }] }] });
  await onLibrary(games, {}, async (site) => {
    const { page, url } = site;
    await firstPage(page);
    for (const [hostile, says] of [
      ['[', 'it is not JSON'],
      [JSON.stringify({ ...list, version: 3 }), 'newer plyfold'],
      [JSON.stringify({ ...list, title: 'x'.repeat(1000) }), 'title is longer than 200 letters'],
      [JSON.stringify(withShard({ scan: { ...shard.scan, file: 'library/../../../secret.scan' } })), 'scan.file is not a file of its folder'],
      [JSON.stringify(withShard({ scan: { ...shard.scan, unpacked: 2 ** 40 } })), 'scan.unpacked is not between'],
      [JSON.stringify({ ...list, corpora: [{ ...list.corpora[0], games: 4e9 }] }), 'games is not the sum'],
    ]) {
      writeFileSync(join(games.out, 'library.json'), hostile);
      await page.goto('about:blank');
      await page.goto(url);
      const trouble = page.locator('[data-test=library-trouble]', { hasText: says });
      await trouble.waitFor();
      assert.equal(await trouble.count(), 1, says);
    }
    // Parts that are others than the list says.
    games.list = { ...withShard({ games: 3 }), corpora: [{ ...withShard({ games: 3 }).corpora[0], games: 3 }] };
    await page.click('[data-test=library-again]');
    await firstPage(page);
    await open(page);
    await page.locator('[role=alert]', { hasText: 'has others than library.json says' }).waitFor();
  });
});

test('a link opens its query, game and ply for a visitor who has nothing, also in the last part', async () => {
  const last = gate();
  const games = library(3);
  const held = games.scans[2];
  const path = '#corpus=library.club+games&q=queens_off&game=5&ply=3';
  await onLibrary(games, { path, server: { meanwhile: async (asked) => (asked === held ? void (await last.passed) : undefined) } }, async ({ page, url }) => {
    await page.locator('[data-test=arrival-parts]', { hasText: 'The game of this link has not arrived yet.' }).waitFor();
    assert.equal(page.url(), url + path);
    last.open();
    await page.locator('[data-test=ply]', { hasText: '3/' }).waitFor();
    await page.locator('[data-test=moves]', { hasText: 'a remark of part 3' }).waitFor();
    assert.equal(page.url(), url + path);
    await grown(page, 3);
  });
});

test('sets on a published corpus are kept', async () => {
  await onLibrary(library(2), {}, async (site) => {
    const { page } = site;
    await firstPage(page);
    await open(page);
    await complete(page);
    await ask(page, 'queens_off');
    await page.click('[data-test=keep-set]');
    await page.fill('#set-name', 'off');
    await page.press('#set-name', 'Enter');
    await page.getByText('Saved as “off”.').waitFor();
    await comeBack(site);
    await open(page);
    await complete(page);
    await page.locator('[data-test=sets-open]', { hasText: '1' }).waitFor();
    assert.equal((await ask(page, 'in @off')).games, 2);
  });
});

/** Whether the browser has stored so many parts of a library: the page does so after it has answered. */
async function hasStored(parts) {
  const folders = await (await navigator.storage.getDirectory()).getDirectoryHandle('library');
  let stored = 0;
  for await (const folder of folders.values()) for await (const name of folder.keys()) stored += name.endsWith('.shard') ? 1 : 0;
  return stored === parts;
}

for (const [browser, within] of [
  ['Firefox', inFirefox],
  ['WebKitGTK', inWebKit],
]) {
  // With a delay, only Chromium is slowed down.
  test(`${browser}: answers, comments, and a second visit`, { skip: delay > 0 }, async () => {
    const games = library(3);
    const server = await serve(games.out, PLAIN);
    try {
      await within(async (tab) => {
        const place = '#corpus=library.club+games&q=queens_off';
        const answered = (found) => tab.until((found) => document.querySelector('[data-test=arrival-parts]') === null && document.querySelector('[data-test=games]')?.textContent === found, found);
        await tab.go(server.url);
        await tab.until(() => document.querySelector('[data-test=library-page]') !== null && document.readyState === 'complete');
        await tab.until(() => document.querySelector('[data-test=about] h3') !== null);
        await tab.run((place) => void (location.hash = place), place);
        await answered('3 games');
        await tab.until(() => document.querySelector('[data-test=moves]')?.textContent.includes('a remark of part 1'));
        const isKept = await tab.run(() => document.querySelector('[data-test=arrival-storage]') === null);
        if (isKept) await tab.until(hasStored, 3);
        server.asked.length = 0;
        await tab.go('about:blank');
        await tab.go(server.url + place);
        await answered('3 games');
        // The page may have been loaded once more, for the headers of the service worker.
        const asked = new Set(server.asked.filter(({ path }) => path.startsWith('library') && !path.endsWith('.text')).map(({ path }) => path));
        if (isKept) assert.deepEqual([...asked], ['library.json']);
        // A browser that refuses storage has the list, the text and the parts fetched again.
        else assert.equal(asked.size, 5);
      });
    } finally {
      await server.close();
    }
  });
}

for (const [size, context] of [
  ['a laptop, light', { viewport: { width: 1366, height: 657 }, colorScheme: 'light' }],
  ['a phone, dark', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
]) {
  test(`accessible and without sideways scrolling on ${size}`, async () => {
    const games = library(2);
    const last = gate();
    const held = games.scans[1];
    const other = await serve(games.out, { isolated: false, cors: true });
    const clean = async (page, state) => {
      assert.deepEqual(await violations(page), [], state);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${state}: it scrolls sideways`);
    };
    try {
      await onLibrary(games, { context: { ...BLOCKED, ...context, reducedMotion: 'reduce' }, elsewhere: new RegExp(`^${other.url}`), server: { meanwhile: async (path) => (path === held ? void (await last.passed) : undefined) } }, async ({ page, url }) => {
        await page.locator('[data-test=about] h3').waitFor();
        await clean(page, 'the first page');
        await page.click('[data-test=first-question]');
        await page.locator('[data-test=arrival-parts]').waitFor();
        await answer(page);
        await clean(page, 'parts that arrive');
        await page.click('[data-test=corpus]');
        await page.locator('dialog').waitFor();
        await clean(page, 'the list of corpora');
        await page.keyboard.press('Escape');
        last.open();
        await complete(page);
        await page.goto(`${url}?library=${encodeURIComponent(other.url)}`);
        await page.locator('[data-test=agree]').waitFor();
        await clean(page, 'a question about a host');
        await page.click('[data-test=agree]');
        await page.locator('[data-test=take]').waitFor();
        await clean(page, 'the size of a library');
        writeFileSync(join(games.out, 'library.json'), '[');
        await page.goto('about:blank');
        await page.goto(url);
        await page.locator('[data-test=library-trouble]').waitFor();
        await clean(page, 'a library that cannot be opened');
      });
    } finally {
      await other.close();
    }
  });
}

test('a text that is long on its way holds up nothing, and neither does a first part', async () => {
  const [text, scan] = [gate(), gate()];
  const games = library(1);
  const [first] = games.scans;
  const held = { scan: true, text: true };
  const meanwhile = async (path) => {
    if (path === first && held.scan) await scan.passed;
    if (path.endsWith('.text') && held.text) await text.passed;
  };
  await onLibrary(games, { server: { meanwhile } }, async ({ page, server }) => {
    await firstPage(page);
    await open(page);
    await until(page, () => scansOf(server).length === 1);
    // Another corpus is opened at once.
    await give(page, { name: 'own.pgn', text: THREE_GAMES });
    await grown(page, 3);
    held.scan = false;
    scan.open();
    await page.click('[data-test=corpus]');
    await page.getByRole('button', { name: /^club games/ }).click();
    await page.locator('[data-test=games]', { hasText: '2 games' }).waitFor();
    await until(page, () => textsOf(server).length > 0);
    assert.equal((await ask(page, 'queens_off')).games, 1);
    text.open();
    await page.locator('[data-test=moves]', { hasText: 'a remark of part 1' }).waitFor();
  });
});

test('the tables of a library are asked without being named', async () => {
  const games = library(1);
  games.list = { ...games.list, tables: { folder: 'tables/', names: ['KQvK'] } };
  await onLibrary(games, { tolerate: /service worker|404/ }, async ({ page, server, url }) => {
    await firstPage(page);
    assert.ok(!server.asked.some(({ path }) => path.startsWith('tables/')));
    await page.click('[data-test=page-tablebase]');
    await page.getByText(`Asked: ${url}tables/`).waitFor({ state: 'attached' });
    assert.ok(server.asked.some(({ path, range }) => path === 'tables/KQvK.egp' && range === 'bytes=0-63'));
  });
});
