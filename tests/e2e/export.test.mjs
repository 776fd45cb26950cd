// The exports: games, positions, tables, sets, and a new corpus.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { clean } from './axe.mjs';
import { answer, ask, closeBrowser, give, onSite, THREE_GAMES } from './site.mjs';

after(closeBrowser);

/** Presses a button of the dialog and reads the file that it saves. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

test('games, positions and sets as files', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'queens_off');
    await page.click('[data-test=export]');
    const fen = await saved(page, page.locator('[data-test=export-fen]'));
    assert.equal(fen.name, 'three queens_off.fen');
    assert.deepEqual(fen.text.trimEnd().split('\n'), [
      'r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9',
      'r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N1P/PPP2PP1/RNB2RK1 b - - 0 9',
    ]);
    const epd = await saved(page, page.locator('[data-test=export-epd]'));
    assert.equal(epd.text.split('\n')[0], 'r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - hmvc 0; fmvn 9; id "Anna - Boris, 2024.05.01"; c0 "game 1 ply 16";');
    const csv = await saved(page, page.getByRole('button', { name: 'Games as CSV' }));
    assert.equal(csv.text, 'number,white,black,white_elo,black_elo,result,eco,opening,eco_tag,date,event,site,plies,ending,time_class\r\n1,Anna,Boris,2100,2050,1/2-1/2,C67,"Ruy Lopez: Berlin Defense, l\'Hermet Variation, Berlin Wall Defense",C67,2024.05.01,Exchange,Here,17,,\r\n');
    const json = await saved(page, page.getByRole('button', { name: 'Games as JSON' }));
    assert.equal(JSON.parse(json.text)[0].white, 'Anna');
    const set = await saved(page, page.locator('[data-test=export-set]'));
    assert.match(set.text, /^PMOTE-BM/);
  });
});

test('the table of each tab, as CSV and JSON', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'queens_off');
    const first = { heatmap: 'colour,man,square,positions', structures: 'rank,positions,white,black,white_squares,black_squares,condition', explorer: 'san,uci,games,times,white,draw,black,unknown,average_elo,performance,last_played,last_year,first_game,first_ply', counts: 'move,positions,games,white,draw,black,unknown,first_game,first_ply,condition' };
    for (const [tab, columns] of Object.entries(first)) {
      await page.click(`#tab-${tab}`);
      await page.waitForFunction((tab) => location.hash.includes(`tab=${tab}`), tab);
      await page.locator(`[data-test=${tab}]`).waitFor();
      await page.click('[data-test=export]');
      const csv = await saved(page, page.locator('[data-test=export-csv]'));
      const lines = csv.text.trimEnd().split('\r\n');
      assert.equal(lines[0], columns);
      const { text } = await saved(page, page.locator('[data-test=export-json]'));
      assert.equal(JSON.parse(text).length, lines.length - 1);
      if (tab === 'explorer') assert.match(lines[1], /^h3,h2h3,1,1,0,1,0,0,2100,2050,2024\.05\.01,2024,1,16$/);
      if (tab === 'counts') assert.deepEqual(lines.slice(1), ['8,1,1,0,1,0,0,1,16,move = 8', '9,1,1,0,1,0,0,1,17,move = 9']);
      await page.keyboard.press('Escape');
    }
    // A key that is called as a column keeps its values.
    await page.evaluate(() => (location.hash += '&key=white'));
    await page.locator('[data-test=counts] tbody').getByText('Anna').waitFor();
    await page.click('[data-test=export]');
    const { text } = await saved(page, page.locator('[data-test=export-json]'));
    assert.deepEqual(JSON.parse(text).map(({ by_white, white }) => [by_white, white]), [['Anna', 0]]);
  });
});

test('the games that match as a corpus of their own', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await ask(page, 'white knight on f3');
    await page.click('[data-test=export]');
    await page.fill('#corpus-name', 'knights');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-test=report]')?.textContent.includes('2 games'));
    assert.match(page.url(), /corpus=three/);
    await page.click('[data-test=corpus]');
    await page.getByRole('dialog').getByRole('button', { name: /^knights/ }).click();
    await page.waitForFunction(() => location.hash.includes('corpus=knights'));
    assert.equal((await answer(page)).games, 2);
    await page.click('#row-1');
    await page.click('[data-test=pgn-tab]');
    await page.waitForFunction(() => document.querySelector('[data-test=pgn]')?.textContent.includes('Knight'));
    assert.ok(THREE_GAMES.includes((await page.textContent('[data-test=pgn]')).trim()));
  });
});

test('two collections joined are a third one with the games of both, and both stay', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'three.pgn', text: THREE_GAMES });
    await answer(page);
    await page.click('[data-test=corpus]');
    assert.equal(await page.locator('[data-test=join-open]').count(), 0, 'one collection cannot be joined');
    await page.keyboard.press('Escape');
    await give(page, { name: 'two.pgn', text: THREE_GAMES.slice(THREE_GAMES.indexOf('[Event "Short"]')) });
    // Until then the result is that of the collection before.
    await page.locator('header .name', { hasText: 'two' }).waitFor();
    assert.equal((await answer(page)).games, 2);
    await page.click('[data-test=corpus]');
    await page.click('[data-test=join-open]');
    const join = page.locator('[data-test=join]');
    assert.match(await page.textContent('[data-test=join-begin]'), /5 games/);
    await clean(page, 'collections to join');
    await join.getByLabel('three').uncheck();
    assert.ok(await page.isDisabled('[data-test=join-begin]'));
    await join.getByLabel('three').check();
    await join.getByLabel('Name of the new collection').fill('All of them');
    await page.click('[data-test=join-begin]');
    await page.locator('header .name', { hasText: 'All of them' }).waitFor();
    assert.equal((await answer(page)).games, 5);
    assert.equal((await ask(page, 'queens_off')).games, 1);
    await page.click('[data-test=corpus]');
    await page.locator('dialog li strong').nth(2).waitFor();
    assert.deepEqual(await page.locator('dialog li strong').allTextContents(), ['All of them', 'two', 'three']);
  });
});
