// Plain words in the box: what was understood, as cards and in small print; what was not; what else they may mean; and links to them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const cards = async (page) => (await page.locator('[data-test=filters] .words').allTextContents()).map((text) => text.trim());
const word = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);

/** Types plain words and presses Enter. */
async function say(page, words) {
  await page.fill('#query', words);
  await page.press('#query', 'Enter');
  await page.waitForFunction((words) => new URLSearchParams(location.hash.slice(1)).get('words') === words, words);
  return answer(page);
}

async function threeGames(page) {
  await give(page, { name: 'three.pgn', text: THREE_GAMES });
  await answer(page);
}

test('words become a query, cards and a link, and leave one by one', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await say(page, 'Boris white knight on e5');
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    assert.deepEqual(await cards(page), ['Boris', 'white knight on e5']);
    assert.equal(await page.textContent('[data-test=read-query]'), '"Boris*" and white knight on e5');
    assert.deepEqual([await word(page, 'q'), await word(page, 'words')], ['"Boris*" and white knight on e5', 'Boris white knight on e5']);
    // A link has the words and what they meant.
    await page.reload();
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    assert.equal(await page.inputValue('#query'), 'Boris white knight on e5');
    await page.locator('[data-test=read-query]').waitFor();
    // A card that is removed takes its words along.
    await page.getByRole('button', { name: 'Remove the condition Boris' }).click();
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'white knight on e5');
    await answer(page);
    // A card turns to the other side.
    await page.click('[data-test=card]');
    await page.getByRole('dialog').getByRole('button', { name: 'Black', exact: true }).click();
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'black knight on e5');
    assert.equal((await answer(page)).games, 0);
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'white knight on e5');
    assert.equal((await answer(page)).games, 1);
  });
});

test('cards join, are split, and turn to the opponent', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    const text = (query) => page.waitForFunction((query) => document.querySelector('#query')?.value === query, query);
    const open = (nth) => page.locator('[data-test=card]').nth(nth).click();
    await page.fill('#query', '"Boris" and white knight on f3 and white pawn on e4');
    await page.press('#query', 'Enter');
    await answer(page);
    // At the same position.
    await open(2);
    await page.locator('[data-test=card-together]', { hasText: 'white knight on f3' }).click();
    await text('"Boris" and { white knight on f3 and white pawn on e4 }');
    await answer(page);
    assert.deepEqual(await cards(page), ['Boris', 'at the same time: white knight on f3 · white pawn on e4']);
    await open(1);
    await page.click('[data-test=card-split]');
    await text('"Boris" and white knight on f3 and white pawn on e4');
    // One of both is enough; all of it by the keyboard.
    await page.locator('[data-test=card]').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-test=card-or]', { hasText: 'white pawn on e4' }).focus();
    await page.keyboard.press('Enter');
    await text('"Boris" and (white knight on f3 or white pawn on e4)');
    assert.deepEqual(await cards(page), ['Boris', 'white knight on f3 or white pawn on e4']);
    await open(1);
    await page.click('[data-test=card-split]');
    // The side of the player, and that of the other one.
    await text('"Boris" and white knight on f3 and white pawn on e4');
    await open(1);
    await page.getByRole('dialog').getByRole('button', { name: 'Opponent of Boris', exact: true }).click();
    await text('"Boris" and opponent "Boris" knight on f3 and white pawn on e4');
    assert.deepEqual(await cards(page), ['Boris', 'opponent of Boris: knight on f3', 'white pawn on e4']);
    await page.locator('[data-test=card]').first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'The loser', exact: true }).click();
    await text('loser "Boris" and opponent "Boris" knight on f3 and white pawn on e4');
    await open(1);
    await page.fill('[data-test=card-plies]', '2');
    await page.keyboard.press('Tab');
    await text('loser "Boris" and opponent "Boris" knight on f3 for 2 and white pawn on e4');
  });
});

test('what is not understood is marked, and the rest runs', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await say(page, 'Boris frobnicated');
    assert.equal(await page.textContent('[data-test=not-understood]'), 'Not understood: “frobnicated”.');
    assert.equal(await page.textContent('.behind .mark'), 'frobnicated');
    assert.ok((await answer(page)).games > 0);
    // Of words that all mean nothing, the message of the language is told.
    await page.fill('#query', 'frobnicated');
    await page.locator('[data-test=problem]').waitFor();
    // A word with a wrong letter is read as the nearest, and a note says so.
    await say(page, 'white knihgt on e5');
    assert.match(await page.textContent('[data-test=reading-notes]'), /knihgt/);
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    await page.click('[data-test=edit-query]');
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'white knight on e5');
  });
});

test('names and phrases are offered while they are written, with their games', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await page.fill('#query', '');
    await page.locator('#query').pressSequentially('Bor');
    const option = (text) => page.locator('[data-test=options] [role=option]').filter({ hasText: text });
    await option(/^Boris\s*2 games$/).waitFor();
    await option(/^Boris/).first().click();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('Boris'));
    assert.equal((await answer(page)).games, 2);
    await page.fill('#query', '');
    await page.locator('#query').pressSequentially('queens of');
    await option(/^queens off\s*1 game$/).waitFor();
    // The score is that of the player whom the query names.
    await say(page, 'Anna');
    await page.locator('[data-test=score]', { hasText: /^Anna\s*75/ }).waitFor();
  });
});
