// Bad input and failures: one clear sentence each, and everything else stays as it was.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, give, manyGames, onSite, ready, settled, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const alertText = async (page) => {
  const alert = page.getByRole('alert').first();
  await alert.waitFor();
  return (await alert.textContent()).replace(/\s+/g, ' ');
};

/** Names of the files in the browser's private folder. */
const files = (page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('corpora', { create: true });
    const names = [];
    for await (const name of folder.keys()) names.push(name);
    return names.sort();
  });

for (const [what, file, sentence] of [
  ['an empty file', { name: 'empty.pgn', text: '' }, /empty\.pgn is empty/],
  ['no PGN', { name: 'holiday.pgn', text: 'Dear diary, today I played no chess.\n' }, /holiday\.pgn/],
  ['a zip archive that is cut', { name: 'games.pgn', text: 'PK\x03\x04 and so on' }, /games\.pgn is truncated: its zip data/],
  ['a 7z archive', { name: 'games.7z', text: Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]) }, /games\.7z is a 7z archive; unpack it/],
  ['a picture', { name: 'board.png', text: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10]) }, /board\.png is a picture/],
  ['half of a gzip', { name: 'half.pgn.gz', text: Buffer.from('1f8b0800000000000003f3cf4b5530', 'hex') }, /half\.pgn\.gz is truncated/],
]) {
  test(`${what} is refused in a sentence`, async () => {
    await onSite({}, async ({ page }) => {
      await give(page, { name: 'three.pgn', text: THREE_GAMES });
      const before = await answer(page);
      await give(page, file);
      const said = await alertText(page);
      assert.match(said, sentence);
      assert.match(said, /Nothing else changed\./);
      assert.deepEqual(await files(page), ['three.plyfold']);
      assert.deepEqual(await answer(page), before);
      await page.click('[data-test=dismiss]');
      assert.equal(await page.getByRole('alert').count(), 0);
    });
  });
}

test('games that cannot be read, or only in part, are counted and listed, with what was not understood', async () => {
  await onSite({}, async ({ page }) => {
    const text = `${THREE_GAMES}\n[Event "Bad"]\n[Team]\n[Date "2/3/2020"]\n\n1. e4 e5 2. Ke3 *\n\n[Event "Atomic"]\n[Variant "Atomic"]\n\n1. e4 *\n`;
    await give(page, { name: 'mixed.pgn', text });
    await answer(page);
    assert.match(await page.textContent('[data-test=report]'), /4 games imported.*1 game could not be read.*1 game could be read only in part/s);
    await page.click('[data-test=import-notes] summary');
    assert.match(await page.locator('[data-test=import-notes] .refusals').textContent(), /1 game: a line among the tags is no tag.*1 game: a part of the date cannot be told/s);
    await page.locator('.import summary', { hasText: 'Which ones' }).click();
    const list = await page.locator('ol.refusals').textContent();
    assert.match(list, /illegal move "Ke3"; the moves before are kept/);
    assert.match(list, new RegExp(`mixed\\.pgn, game 4, byte ${text.indexOf('Ke3')}`.replace(/(\d)(\d{3})$/, '$1,?$2')));
    assert.match(list, /atomic/i);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the list' }).click()]);
    assert.match(download.suggestedFilename(), / import\.txt$/);
  });
});

test('a typo is underlined at its place, with the nearest name', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const before = await answer(page);
    await page.fill('#query', 'check and white bishop_piar');
    await page.locator('[data-test=problem]').waitFor();
    assert.equal(await page.textContent('.mark'), 'bishop_piar');
    assert.deepEqual(await answer(page), before, 'the last answer stays');
    await page.getByRole('button', { name: 'Use bishop_pair' }).click();
    await page.waitForFunction(() => location.hash.includes('bishop_pair'));
    await answer(page);
    assert.equal(await page.locator('[data-test=problem]').count(), 0);
    await page.fill('#query', '(check');
    // An unfinished query is no error while the list shows how it can continue.
    await page.locator('[role=option]').first().waitFor();
    await settled(page);
    assert.equal(await page.locator('[data-test=problem]').count(), 0);
    await page.keyboard.press('Escape');
    await page.locator('[data-test=problem]').waitFor();
    assert.equal((await page.textContent('.mark')).trim(), '', 'an error at the end is shown behind the text');
  });
});

test('a second tab reads the same corpus, and cannot delete it', async () => {
  await onSite({}, async ({ page, context, url }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    const first = await answer(page);
    const other = await context.newPage();
    await other.goto(url);
    assert.deepEqual(await answer(other), first);
    await other.click('[data-test=corpus]');
    await other.getByRole('button', { name: 'Delete three', exact: true }).click();
    await other.getByRole('button', { name: 'Delete three, really' }).click();
    assert.match(await alertText(other), /"three" is open in another tab of this browser\. Close it there, then delete it here\./);
    assert.deepEqual(await files(page), ['three.plyfold']);
    await other.keyboard.press('Escape');
    assert.deepEqual(await answer(other), first, 'and it stays open here');
    await page.close();
    await other.click('[data-test=corpus]');
    await other.getByRole('button', { name: 'Delete three', exact: true }).click();
    await other.getByRole('button', { name: 'Delete three, really' }).click();
    await other.locator('[data-test=demo]').waitFor();
    assert.deepEqual(await files(other), []);
  });
});

test('storage refused: the corpus is in memory, and the page says so', async () => {
  const patch = "navigator.storage.getDirectory = () => Promise.reject(new DOMException('no', 'SecurityError'))";
  await onSite({ patch }, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    assert.deepEqual(await answer(page), { games: 3, positions: 27 });
    assert.match(await page.textContent('[data-test=report]'), /does not let this page store files.* in memory/);
    await page.click('[data-test=pgn-tab]');
    await page.waitForFunction(() => document.querySelector('[data-test=pgn]')?.textContent.includes('a remark'));
  });
});

test('an engine that cannot start: what happened, what is kept, what to do', async () => {
  const patch = "WebAssembly.instantiate = WebAssembly.instantiateStreaming = () => Promise.reject(new Error('no room for the engine'))";
  // The wasm-bindgen code warns before it tries another way.
  await onSite({ patch, tolerate: /no room for the engine/ }, async ({ page }) => {
    assert.match(await alertText(page), /The engine could not start: No room for the engine\. Stored games are kept\. Reload the page/);
  });
});

test('demo games that cannot be fetched: the page says so in its own words, and tries again', async () => {
  await onSite({ context: { serviceWorkers: 'block' }, tolerate: /ERR_FAILED|service worker/i }, async ({ page }) => {
    await page.route(/demo\.pgn/, (route) => route.abort());
    await page.click('[data-test=demo]');
    assert.match(await alertText(page), /The demo games could not be fetched, because the host of this page cannot be reached\. Check the connection and try again\./);
    await page.unroute(/demo\.pgn/);
    await page.click('[data-test=demo]');
    assert.ok((await answer(page)).games > 500);
  });
});

test('a full device: the import goes on in memory, and no file is left', async () => {
  const patch = `{
    const write = FileSystemSyncAccessHandle.prototype.write;
    let room = 1_000_000;
    FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
      room -= bytes.length;
      if (room < 0) throw new DOMException('full', 'QuotaExceededError');
      return write.call(this, bytes, options);
    };
  }`;
  await onSite({ patch }, async ({ page }) => {
    await give(page, { name: 'many.pgn', text: manyGames(20_000) });
    assert.deepEqual(await answer(page), { games: 60_000, positions: 540_000 });
    assert.match(await page.textContent('[data-test=report]'), /60,000 games imported.*device has no room left.*in memory/s);
    assert.deepEqual(await files(page), []);
    await page.click('[data-test=pgn-tab]');
    await page.waitForFunction(() => document.querySelector('[data-test=pgn]')?.textContent.includes('a remark'));
  });
});

for (const [build, path] of [['threads', ''], ['single', '?threads=0']]) {
  test(`an import is cancelled without a trace, ${build}`, async () => {
    const folder = process.env.TMPDIR ?? '/tmp';
    const big = `${folder}/plyfold-cancel-${process.pid}.pgn`;
    const { writeFile, rm } = await import('node:fs/promises');
    await writeFile(big, manyGames(150_000));
    // The import reaches the last piece of the file only when the test opens the gate, however fast the machine is.
    const patch = `{
      const read = FileReaderSync.prototype.readAsArrayBuffer;
      FileReaderSync.prototype.readAsArrayBuffer = function (piece) {
        if (piece.size > 1000 && piece.size < 4 << 20) {
          const gate = new XMLHttpRequest();
          gate.open('GET', new URL('/gate', location.origin), false);
          gate.send();
        }
        return read.call(this, piece);
      };
    }`;
    try {
      await onSite({ path, patch }, async ({ page, context }) => {
        let openGate;
        const gate = new Promise((resolve) => (openGate = resolve));
        await context.route(/\/gate$/, async (route) => {
          await gate;
          // Without threads, the worker that asked has been ended.
          await route.fulfill({ body: '' }).catch(() => undefined);
        });
        await give(page, { name: 'three.pgn', text: THREE_GAMES });
        const before = await answer(page);
        await page.setInputFiles('[data-test=files]', big);
        await page.locator('[data-test=cancel-import]').waitFor();
        await page.getByText(/games a second/).waitFor();
        await page.keyboard.press('Escape');
        openGate();
        await page.locator('[data-test=cancel-import]').waitFor({ state: 'detached' });
        assert.equal(await page.getByRole('alert').count(), 0);
        await page.reload();
        await ready(page);
        assert.deepEqual(await answer(page), before);
        // An ended worker releases its file only after a while; the sweep then removes what the worker left.
        for (let tries = 0; tries < 40 && (await files(page)).length > 1; tries++) await page.waitForTimeout(250);
        assert.deepEqual(await files(page), ['three.plyfold']);
      });
    } finally {
      await rm(big);
    }
  });
}

test('a corpus damaged in storage is an error with a place, and the page goes on', async () => {
  // For a plain image, the browser asks the host for a favicon.
  await onSite({ tolerate: /404 \(Not Found\)/ }, async ({ page, url }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.goto('about:blank');
    await page.goto(`${url}icon.svg`);
    await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('corpora');
      const handle = await folder.getFileHandle('three.plyfold');
      const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      bytes[400] ^= 1;
      const writable = await handle.createWritable();
      await writable.write(bytes);
      await writable.close();
    });
    await page.goto(url);
    assert.match(await alertText(page), /Corrupt .* at byte \d+.*checksum.*import again/i);
    await page.locator('[data-test=demo]').waitFor();
  });
});
