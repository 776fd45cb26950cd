// Writing a query: completion, colours, saved queries, the mask, the help.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

const options = (page) => page.locator('[data-test=options] [role=option]');
const texts = async (page) => (await options(page).locator('> :first-child').allTextContents()).map((text) => text.trim());
const picked = (page) => page.evaluate(() => document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.firstElementChild?.textContent ?? '');
/** Waits until the field has this text and the list offers this option. */
const offered = (page, text, option) =>
  page.waitForFunction(
    ([text, option]) => document.querySelector('#query')?.value === text && [...document.querySelectorAll('[data-test=options] [role=option] > :first-child')].some((one) => one.textContent === option),
    [text, option],
  );
const asked = (page, query) => page.waitForFunction((query) => new URLSearchParams(location.hash.slice(1)).get('q') === query, query);

async function threeGames(page) {
  await give(page, { name: 'three.pgn', text: THREE_GAMES });
  await answer(page);
  await ask(page, 'queens_off');
  await page.locator('#query').blur();
}

test('a query typed by taking what is offered, by keys', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await page.fill('#query', '');
    await page.keyboard.type('wh');
    await offered(page, 'wh', 'white');
    assert.equal(await picked(page), '', 'nothing is picked unasked');
    await page.keyboard.press('Tab');
    await offered(page, 'white ', 'bishop_pair');
    assert.ok(!(await texts(page)).includes('queens_off'), 'a predicate without a side is not offered behind one');
    await page.keyboard.type('kn');
    // The options for the previous letter are gone.
    await page.waitForFunction(() => document.querySelector('[role=option] > :first-child')?.textContent === 'knight');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('[role=option][aria-selected=true]'));
    assert.equal(await picked(page), 'knight');
    await page.keyboard.press('Enter');
    await offered(page, 'white knight ', 'on');
    await page.keyboard.type('on e');
    await offered(page, 'white knight on e', 'e5');
    await page.keyboard.type('5');
    // The word is complete: no option is picked, and Enter runs the query.
    await page.keyboard.press('Enter');
    await asked(page, 'white knight on e5');
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
    assert.equal(await options(page).count(), 0);

    // Names of several words, however they are written.
    await page.fill('#query', '');
    await page.keyboard.type('white rook o');
    await offered(page, 'white rook o', 'rook on seventh');
    await options(page).filter({ hasText: 'rook on seventh' }).click();
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'white rook on seventh ');

    // Escape closes the list and keeps the text; undo takes back a completion.
    await page.fill('#query', '');
    await page.keyboard.type('que');
    await offered(page, 'que', 'queens off');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await options(page).first().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Space');
    await offered(page, 'que', 'queens off');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'que');
  });
});

test('what is offered, by the mouse; mistakes are underlined and mended', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await page.fill('#query', '');
    await page.keyboard.type('{ seventh');
    await options(page).filter({ hasText: 'rook_on_seventh' }).click();
    await offered(page, '{ rook_on_seventh ', '}');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'query', 'the field keeps the focus');
    await options(page).filter({ hasText: '}' }).click();
    await asked(page, '{ rook_on_seventh }');

    await page.fill('#query', '{ white knihgt on e5 }');
    await page.locator('[data-test=problem]').waitFor();
    assert.equal(await page.textContent('.behind .mark'), 'knihgt');
    await page.getByRole('button', { name: 'Use knight' }).click();
    await asked(page, '{ white knight on e5 }');
    // Each part has its colour, and the copy behind the field has the same letters.
    await page.locator('.behind .predicate', { hasText: 'knight' }).waitFor();
    assert.equal((await page.textContent('.behind')).trimEnd(), '{ white knight on e5 }');
    const [one, two] = await page.evaluate(() => ['#query', '.behind'].map((name) => getComputedStyle(document.querySelector(name)).font));
    assert.equal(one, two);
    for (const [word, name] of [['white', 'side'], ['on', 'keyword'], ['e5', 'region']]) assert.equal(await page.textContent(`.behind .${name}`), word);
  });
});

test('saved queries: kept, asked, renamed, exported, removed, imported', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    await ask(page, 'white knight on e5');
    await page.click('[data-test=save]');
    const dialog = page.getByRole('dialog', { name: 'Collections' }).getByRole('region', { name: 'Searches' });
    await dialog.getByLabel('Name', { exact: true }).fill('Octopus');
    await page.keyboard.press('Enter');
    await dialog.getByText('Saved as “Octopus”.').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getAttribute('[data-test=save]', 'aria-pressed'), 'true');
    await ask(page, 'check');
    assert.equal(await page.getAttribute('[data-test=save]', 'aria-pressed'), 'false');

    // Saved queries stay beside the field after a reload.
    await page.reload();
    await answer(page);
    await page.getByRole('button', { name: 'Octopus' }).click();
    await asked(page, 'white knight on e5');

    await page.click('[data-test=save]');
    await dialog.getByRole('button', { name: 'Rename Octopus' }).click();
    await page.keyboard.type('Knight on e5');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remove Knight on e5' }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export…' }).click()]);
    const exported = await readFile(await download.path(), 'utf8');
    assert.deepEqual(JSON.parse(exported).queries, [{ name: 'Knight on e5', text: 'white knight on e5', language: 2 }]);
    await dialog.getByRole('button', { name: 'Remove Knight on e5' }).click();
    await dialog.getByText('There are none.').waitFor();
    await page.setInputFiles('[data-test=saved-file]', { name: 'queries.json', mimeType: 'application/json', buffer: Buffer.from(exported) });
    await dialog.getByText('1 saved search added.').waitFor();
    await page.setInputFiles('[data-test=saved-file]', { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('[]') });
    await dialog.getByText('This file has no saved queries').waitFor();
    // A query of the first version of the language keeps its meaning, in a file and in a link.
    const older = { ...JSON.parse(exported), queries: [{ name: 'Pair', text: 'white bishop_pair' }] };
    await page.setInputFiles('[data-test=saved-file]', { name: 'older.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(older)) });
    await dialog.getByText('white two_bishops').waitFor();
    await dialog.locator('[data-test=saved] .open').first().click();
    await dialog.waitFor({ state: 'detached' });
    await answer(page);
    await page.goto(`${page.url().split('#')[0]}#corpus=three&q=eval+%3E%3D+150`);
    await asked(page, 'eval_cp >= 150');
  });
});

test('the mask: painted, asked, read back, changed', async () => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    const dialog = page.getByRole('dialog', { name: 'A board to look for' });
    const square = (name) => dialog.locator(`[data-square="${'abcdefgh'.indexOf(name[0]) + 8 * (Number(name[1]) - 1)}"]`);
    const text = () => page.textContent('[data-test=mask-text]');

    await page.click('[data-test=mask]');
    assert.ok(await page.isDisabled('[data-test=mask-use]'));
    await dialog.getByRole('button', { name: 'white knight', exact: true }).click();
    await square('e5').click();
    assert.equal(await text(), 'board "????????/????????/????????/????N???/????????/????????/????????/????????"');
    await page.click('[data-test=mask-use]');
    await dialog.waitFor({ state: 'detached' });
    // The previous query was queens_off: both at one position, which no game has.
    await page.waitForFunction(() => document.querySelector('#query')?.value.startsWith('{ queens_off and board'));
    await answer(page);

    await ask(page, 'board "????????/????????/????????/????N???/????????/????????/????????/????????" and check or castled');
    await page.click('[data-test=mask]');
    assert.equal(await square('e5').getAttribute('aria-label'), 'e5: white knight');
    await dialog.getByRole('button', { name: 'One of' }).click();
    await dialog.getByRole('button', { name: 'black knight', exact: true }).click();
    await square('e5').click();
    await dialog.getByRole('button', { name: 'Exclude' }).click();
    await dialog.getByRole('button', { name: 'any black piece' }).click();
    await square('e4').click();
    await dialog.getByRole('button', { name: 'Look for' }).click();
    await dialog.getByRole('button', { name: 'empty', exact: true }).click();
    // The mouse paints a row in one stroke.
    await square('a3').hover();
    await page.mouse.down();
    await square('b3').hover();
    await square('c3').hover();
    await page.mouse.up();
    assert.equal(await square('e4').getAttribute('aria-label'), 'e4: any white piece or empty');
    await page.click('[data-test=mask-use]');
    await asked(page, 'board "????????/????????/????????/????[Nn]???/????[PNBRQK.]???/3?????/????????/????????" and check or castled');
    await answer(page);

    // By keyboard alone, and a board that no game can have.
    await page.focus('[data-test=mask]');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await square('e4').focus();
    await page.keyboard.press('q');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('.');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Shift+K');
    assert.equal(await square('e4').getAttribute('aria-label'), 'e4: black queen');
    assert.equal(await square('f4').getAttribute('aria-label'), 'f4: empty');
    assert.equal(await square('f5').getAttribute('aria-label'), 'f5: white king');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Shift+K');
    await dialog.getByText('more than one king').waitFor();
    assert.ok(await page.isDisabled('[data-test=mask-use]'));
    await page.keyboard.press('Escape');

    // The board of the game as the pattern.
    await ask(page, 'queens_off');
    await page.waitForFunction(() => document.querySelector('[data-test=ply]')?.textContent === '16/17');
    await page.click('[data-test=mask]');
    await dialog.getByRole('button', { name: 'exactly' }).click();
    assert.equal(await text(), 'board "r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1"');
    await dialog.getByRole('button', { name: 'black pieces', exact: true }).click();
    assert.equal(await text(), 'board "r?bk?b?r/ppp??ppp/??p?????/?????n??/????????/????????/????????/????????"');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await dialog.getByRole('button', { name: 'what I click' }).click();
    await square('f5').click();
    await square('g1').click();
    await square('d2').click();
    assert.equal(await text(), 'board "????????/????????/????????/?????n??/????????/????????/???1????/??????K?"');
    await page.click('[data-test=mask-use]');
    assert.deepEqual(await answer(page), { games: 1, positions: 2 });
  });
});

test('help: every example can be asked, and every predicate stands there', async (context) => {
  await onSite({}, async ({ page }) => {
    await threeGames(page);
    const dialog = page.getByRole('dialog', { name: 'Help' });
    await page.keyboard.press('?');
    await dialog.locator('[data-test=predicates] dt').first().waitFor();
    await dialog.locator('section h3').nth(3).waitFor();
    const names = await dialog.locator('[data-test=predicates] dt').allTextContents();
    for (const name of ['pawn', 'bishop_pair', 'queens_off']) assert.ok(names.some((one) => one.trim() === name), name);
    await dialog.getByLabel('Find a predicate').fill('open file');
    assert.deepEqual((await dialog.locator('[data-test=predicates] dt').allTextContents()).map((one) => one.trim()), names.filter((one) => one.includes('open_file')).map((one) => one.trim()));
    await dialog.getByLabel('Find a predicate').fill('');

    const examples = (await dialog.locator('section .example').allTextContents()).map((one) => one.trim());
    assert.ok(examples.length > 30, `${examples.length} examples`);
    context.diagnostic(`${examples.length} examples`);
    await page.keyboard.press('Escape');
    for (const query of examples.slice(0, 12)) {
      await page.keyboard.press('?');
      await dialog.locator('.example').filter({ has: page.getByText(query, { exact: true }) }).first().click();
      await asked(page, query);
      await answer(page);
      assert.equal(await page.locator('[data-test=problem]').count(), 0, query);
    }
  });
});

test('on a phone: the list fits, a finger takes a word and paints a square', async () => {
  const context = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  await onSite({ context }, async ({ page }) => {
    await threeGames(page);
    await page.fill('#query', '');
    await page.locator('#query').pressSequentially('white bis');
    const option = options(page).filter({ hasText: /^bishop pair/ });
    await option.waitFor();
    const box = await page.locator('[data-test=options]').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await option.tap();
    await page.waitForFunction(() => document.querySelector('#query')?.value === 'white bishop pair ');
    await page.keyboard.press('Enter');
    await asked(page, 'white bishop pair');
    await answer(page);
    await page.tap('[data-test=more]');
    await page.tap('[data-test=mask]');
    const dialog = page.getByRole('dialog', { name: 'A board to look for' });
    await dialog.locator('[data-square="36"]').tap();
    assert.equal(await dialog.locator('[data-square="36"]').getAttribute('aria-label'), 'e5: white knight');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0);
  });
});
