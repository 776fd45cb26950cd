// The worked example: collect the pawn structures of one's own games, compare how frequent they are, and
// find where masters put their pieces in the frequent ones. The test uses lichess-elite-8k and master-30k
// if they are in PLYFOLD_DATA or beside the project, otherwise halves of the demo games.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { Decompress } from 'fzstd';
import { answer, closeBrowser, onSite } from './site.mjs';

after(closeBrowser);

const fromProject = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const data = process.env.PLYFOLD_DATA ?? fromProject('../shared/data');

/** One's own games and those of the masters. */
async function corpora(context) {
  const [own, masters] = ['lichess-elite-8k', 'master-30k'].map((name) => ({ name, path: join(data, `${name}.pgn.zst`) }));
  if (existsSync(own.path) && existsSync(masters.path)) {
    return Promise.all([own, masters].map(async ({ name, path }) => ({ name, file: `${name}.pgn.zst`, bytes: await readFile(path) })));
  }
  context.diagnostic(`SKIPPED on real games: there are no lichess-elite-8k and master-30k in ${data}; the demo games stand in for them`);
  const pieces = [];
  new Decompress((piece) => pieces.push(piece)).push(new Uint8Array(await readFile(fromProject('demo/demo.pgn.zst'))), true);
  const games = Buffer.concat(pieces).toString('utf8').split(/\n(?=\[Event )/);
  const half = (name, rest) => ({ name, file: `${name}.pgn`, bytes: Buffer.from(games.filter((_, nth) => nth % 2 === rest).join('\n')) });
  return [half('own', 0), half('masters', 1)];
}

async function bring(page, { name, file, bytes }) {
  await page.setInputFiles('[data-test=files]', [{ name: file, mimeType: 'application/octet-stream', buffer: bytes }]);
  await page.waitForFunction((name) => new URLSearchParams(location.hash.slice(1)).get('corpus') === name, name, { timeout: 180_000 });
  await answer(page);
}

test("from one's own pawn structures to the squares of the masters' pieces", async (context) => {
  const [own, masters] = await corpora(context);
  await onSite({}, async ({ page }) => {
    await bring(page, masters);
    await bring(page, own);

    // The pawn structures of one's own games, the most frequent first.
    await page.fill('#query', 'move >= 15 and not endgame pawn');
    await page.press('#query', 'Enter');
    await page.waitForFunction(() => location.hash.includes('endgame'));
    await answer(page);
    await page.click('#tab-structures');
    await page.locator('[data-test=structures] li').first().waitFor();
    const counts = (await page.locator('[data-test=structures] strong').allTextContents()).map((text) => Number(text.replaceAll(',', '')));
    assert.ok(counts.length > 10 && counts.every((count, nth) => nth === 0 || count <= counts[nth - 1]), counts.join());
    const mine = page.url();

    // For a frequent structure, the squares of other players' pieces.
    await page.locator('[data-test=others]').nth(0).click();
    await page.locator('[data-test=elsewhere]').getByRole('button', { name: masters.name }).click();
    await page.waitForFunction((name) => new URLSearchParams(location.hash.slice(1)).get('corpus') === name, masters.name);
    await page.waitForFunction(() => document.querySelector('#query')?.value.startsWith('structure "'));
    const found = await answer(page);
    assert.equal(await page.getAttribute('#tab-heatmap', 'aria-selected'), 'true');
    assert.ok(found.positions > 0, 'the commonest structure is one of the masters, too');
    await page.locator('[data-test=heatmap]').waitFor();

    // A king stands somewhere in every position.
    await page.getByRole('button', { name: 'white king', exact: true }).click();
    const kings = await page.locator('[data-square]').evaluateAll((squares) =>
      squares.map((square) => Number(/: ([\d,]+) position/.exec(square.getAttribute('aria-label'))[1].replaceAll(',', ''))).reduce((sum, count) => sum + count, 0),
    );
    assert.equal(kings, found.positions);

    // A square of a knight leads to its positions; and all the way back to my structures.
    await page.getByRole('button', { name: 'white knight', exact: true }).click();
    const [square, count] = await page.locator('[data-square]').evaluateAll((squares) =>
      squares
        .map((square) => [square.dataset.square, Number(/: ([\d,]+) position/.exec(square.getAttribute('aria-label'))[1].replaceAll(',', ''))])
        .reduce((best, one) => (one[1] > best[1] ? one : best)),
    );
    // The first click says how its games ended.
    await page.locator(`[data-square="${square}"]`).click();
    await page.getByRole('button', { name: 'Show the positions', exact: true }).click();
    await page.waitForFunction(() => location.hash.includes('knight'));
    assert.equal((await answer(page)).positions, count);
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes('knight'));
    await page.goBack();
    await page.waitForFunction((mine) => location.href === mine, mine);
    await answer(page);
    await page.locator('[data-test=structures] li').first().waitFor();
    assert.match(await page.textContent('[data-test=corpus]'), new RegExp(own.name));
  });
});
