// Names that are one: found with reasons, confirmed, searched, counted and written as one, taken back and undone, over a reload, too; all of it
// as the command line does it with the same file.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { clean } from './axe.mjs';
import { commandLine } from './published.mjs';
import { complete, firstPage, grown, library, onLibrary, open } from './publishedsite.mjs';
import { answer, ask, closeBrowser, give, onSite, row } from './site.mjs';

after(closeBrowser);

const game = (event, white, black, result, more = '') => `[Event "${event}"]\n[Site "?"]\n[Date "1990.01.02"]\n[Round "1"]\n[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n${more}\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 ${result}\n\n`;
const FIDE = '[WhiteFideId "8600147"]\n';
const GAMES = [
  game('Linares', 'Karpov, Anatoly', 'Timman, Jan', '1-0'),
  game('Linares', 'Timman, Jan', 'Karpov, Anatoly', '1/2-1/2'),
  game('LINARES', 'KARPOV,ANATOLY', 'Timman, J', '0-1'),
  game('Tilburg', 'Karpow, Anatolij', 'Polgar, J', '1-0'),
  game('Tilburg', 'Polgar, Judit', 'Polgar, Jolan', '1/2-1/2'),
  game('Tilburg', 'Xie Jun', 'Li', '1-0', FIDE),
  game('Tilburg', 'Xie Jun', 'Li', '1-0', FIDE),
  game('Tilburg', 'Xie, J.', 'Li', '0-1', FIDE),
  game('Tilburg', 'KARPOV,ANATOLY', 'Xie, J.', '*'),
  game('Linares', 'Karpov, A', 'Hort, Vlastimil', '1-0'),
].join('');

/** The command line in a folder of its own, which has the games. */
function commands() {
  const folder = mkdtempSync(join(tmpdir(), 'plyfold-names-'));
  const run = (...args) => execFileSync(commandLine(), args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(folder, 'games.pgn'), GAMES);
  run('import', 'games.pgn', '-o', 'games.plyfold');
  return {
    run,
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    write: (name, text) => writeFileSync(join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

const panel = (page) => page.locator('[data-test=names]');
const confirmed = (page) => page.locator('[data-test=confirmed-names]');

async function openNames(page) {
  await page.click('[data-test=corpus]');
  await page.click('[data-test=names-open]');
  await panel(page).getByRole('radiogroup').or(panel(page).getByText('No two names')).first().waitFor();
}

async function close(page) {
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
}

async function confirm(page, names) {
  await panel(page).getByRole('button', { name: `Confirm ${names}`, exact: true }).click();
  await panel(page).getByText(/joined with/).waitFor();
}

/** Waits until so many games are found. */
const count = (page, games) => page.waitForFunction((games) => document.querySelector('[data-test=games]')?.textContent.replace(/\D/g, '') === games, games);

/** Ticks the group with a name, and waits for it. */
const tick = (page, name) => panel(page).locator('li', { hasText: name }).getByRole('checkbox').first().check();

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFile(await download.path(), 'utf8');
}

/** The exported PGN of what is found. */
async function exported(page) {
  await page.click('[data-test=export]');
  const text = await saved(page, '[data-test=export-pgn]');
  await page.keyboard.press('Escape');
  return text;
}

test('names are found, confirmed, and saved as the command line saves them', async () => {
  const { run, read, remove } = commands();
  try {
    await onSite({}, async ({ page }) => {
      await give(page, { name: 'games.pgn', text: GAMES });
      await answer(page);
      await openNames(page);
      await panel(page).locator('li', { hasText: /Karpov, Anatoly.*KARPOV,ANATOLY\s*2 games\s*case, accents, signs[^]*Karpov, A\s*1 game\s*shorter[^]*Karpow, Anatolij\s*1 game\s*other spelling/ }).waitFor();
      // Only what is sure is ticked; who may be one of two is in no group.
      const ticks = await panel(page).locator('li > label').getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => [box.parentElement.innerText.trim(), box.checked]));
      assert.deepEqual(ticks, [['Xie Jun', true], ['Karpov, Anatoly', false], ['Timman, Jan', false]]);
      await clean(page);
      assert.equal(await confirmed(page).locator('li').count(), 0);
      await confirm(page, '1 name');
      run('names', 'games.plyfold', '--kind', 'player', '--confirm', 'sure', '-o', 'sure.tsv');
      assert.equal(await saved(page, '[data-test=save-names]'), read('sure.tsv'));
      await tick(page, 'Karpov, Anatoly');
      await confirm(page, '3 names');
      run('names', 'games.plyfold', '--kind', 'player', '--aliases', 'sure.tsv', '--confirm', '1', '-o', 'more.tsv');
      assert.equal(await saved(page, '[data-test=save-names]'), read('more.tsv'));
      // Who may be one of two is whom the user says.
      await panel(page).getByText('1 name may be one of several').click();
      const who = panel(page).getByLabel('Which name is Polgar, J?');
      assert.deepEqual(await who.locator('option').allInnerTexts(), ['unclear', 'Polgar, Jolan', 'Polgar, Judit']);
      await clean(page);
      await who.selectOption('Polgar, Judit');
      await confirm(page, '1 name');
      await confirmed(page).getByText('Polgar, J → Polgar, Judit').waitFor();
      await page.click('[data-test=undo-names]');
      await panel(page).getByText('The last change is undone.').waitFor();
      await who.selectOption('unclear');
      await panel(page).getByRole('button', { name: 'Events' }).click();
      await panel(page).locator('li', { hasText: /Linares.*LINARES\s*1 game/ }).waitFor();
      await confirm(page, '1 name');
      run('names', 'games.plyfold', '--kind', 'event', '--aliases', 'more.tsv', '--confirm', 'sure', '-o', 'all.tsv');
      assert.equal(await saved(page, '[data-test=save-names]'), read('all.tsv'));
      await panel(page).getByRole('button', { name: 'Sites' }).click();
      await panel(page).getByText('No two names are probably one.').waitFor();
    });
  } finally {
    remove();
  }
});

const LIST = 'player\tKarpov, A\tKarpov, Anatoly\nplayer\tXie, J.\tXie Jun\nplayer\tKARPOV,ANATOLY\tKarpov, Anatoly\nplayer\tKarpow, Anatolij\tKarpov, Anatoly\nevent\tLINARES\tLinares\n';
const QUESTIONS = ['"Karpov, Anatoly"', 'winner "Karpov*"', 'white "karpow, anatolij"', 'not "Xie Jun"', 'event "Linares" and black "Timman*"', 'player "Karpov, Anatoly" and player "Xie, J."'];

test('searches, counts, crosstables and exports know the names as the command line does', async () => {
  const { run, write, remove } = commands();
  try {
    write('all.tsv', LIST);
    const query = (question, ...more) => JSON.parse(run('query', 'games.plyfold', question, '--format', 'json', ...more));
    await onSite({}, async ({ page }) => {
      await give(page, { name: 'games.pgn', text: GAMES });
      await answer(page);
      const found = async () => {
        const games = [];
        for (const question of QUESTIONS) games.push((await ask(page, question)).games);
        return games;
      };
      const numbers = (...more) => QUESTIONS.map((question) => query(question, ...more).games);
      assert.deepEqual(await found(), numbers());
      await openNames(page);
      await page.setInputFiles('[data-test=names-file]', { name: 'all.tsv', mimeType: 'text/plain', buffer: Buffer.from(LIST) });
      await panel(page).getByText('5 names added from all.tsv.').waitFor();
      await close(page);
      const joined = numbers('--aliases', 'all.tsv');
      assert.notDeepEqual(joined, numbers());
      assert.deepEqual(await found(), joined);

      await ask(page, 'player "Karpov, Anatoly"');
      await row(page, 2, /Karpov, Anatoly.*Timman, J/);
      await page.locator('[data-test=score]', { hasText: /^Karpov/ }).waitFor();
      assert.equal((await exported(page)).trimEnd(), run('export', 'games.plyfold', '--query', 'player "Karpov, Anatoly"', '--aliases', 'all.tsv').trimEnd());
      await page.click('#row-3');
      await page.locator('.player', { hasText: 'Karpov, Anatoly' }).waitFor();

      // Tables by name, from the first to the last row.
      for (const key of ['player', 'event']) {
        await page.evaluate((key) => (location.hash = `q=move%3D1&tab=counts&key=${key}`), key);
        await page.locator('[data-test=counts] tbody').getByText(key === 'player' ? 'Karpov, Anatoly' : 'Linares').waitFor();
        await answer(page);
        await page.click('[data-test=export]');
        const rows = JSON.parse(await saved(page, '[data-test=export-json]'));
        await page.keyboard.press('Escape');
        const [{ rows: expected }] = query('move = 1', '--by', key, '--aliases', 'all.tsv').by;
        assert.deepEqual(rows.map((one) => [one[key], one.games, one.white, one.draw, one.black]), expected.map((one) => [one[key], one.games, one.white, one.draw, one.black]));
      }
      await page.evaluate(() => (location.hash = 'q=&tab=standings'));
      await page.locator('[data-test=standings], [data-test=result-table]').first().getByText('Karpov, Anatoly').first().waitFor();
      await page.click('[data-test=export]');
      const standings = JSON.parse(await saved(page, '[data-test=export-json]'));
      await page.keyboard.press('Escape');
      const { rows: expected } = query('', '--standings', '--aliases', 'all.tsv').standings;
      assert.deepEqual(standings.map(({ player, points, games }) => [player, points, games]), expected.map(({ player, points, games }) => [player, points, games]));

      // Who begins to write one of the names is offered the one that stays, with the games of all.
      await page.fill('#query', '');
      await page.locator('#query').pressSequentially('winner "karpow');
      await page.locator('[data-test=options] [role=option]', { hasText: /Karpov, Anatoly.*6/ }).waitFor();
    });
  } finally {
    remove();
  }
});

test('what is confirmed stays over a reload, and is taken back, undone and done again', async () => {
  await onSite({}, async ({ page }) => {
    await give(page, { name: 'games.pgn', text: GAMES });
    await answer(page);
    const before = await exported(page);
    assert.equal((await ask(page, 'player "Karpov, Anatoly"')).games, 4);
    await openNames(page);
    // Another name may stay.
    await panel(page).getByRole('radio', { name: /Karpow, Anatolij/ }).check();
    await panel(page).locator('strong', { hasText: 'Karpow, Anatolij' }).waitFor();
    await panel(page).getByRole('radio', { name: /^Karpov, Anatoly/ }).check();
    await tick(page, 'Karpov, Anatoly');
    await confirm(page, '4 names');
    await count(page, '6');
    await page.reload();
    assert.equal((await answer(page)).games, 6);
    await row(page, 3, /Karpov, Anatoly.*Polgar, J/);
    await openNames(page);
    await confirmed(page).getByRole('button', { name: 'Take back Karpow, Anatolij' }).click();
    await count(page, '5');
    await page.click('[data-test=undo-names]');
    await count(page, '6');
    await page.click('[data-test=redo-names]');
    await count(page, '5');
    await page.click('[data-test=take-all-back]');
    await count(page, '4');
    await confirmed(page).getByText('0 confirmed names').waitFor();
    await close(page);
    await page.fill('#query', '');
    await page.keyboard.press('Enter');
    await count(page, '10');
    assert.equal(await exported(page), before);
    // A file with a mistake changes nothing, and says its line.
    await openNames(page);
    await page.setInputFiles('[data-test=names-file]', { name: 'bad.tsv', mimeType: 'text/plain', buffer: Buffer.from('player\tA\tB\nplayer A C\n') });
    await panel(page).getByRole('alert').getByText('bad.tsv: Line 2').waitFor();
    assert.equal(await confirmed(page).locator('li').count(), 0);
  });
});

test('names that a publisher has joined are one for visitors', async () => {
  const games = library(2);
  const aliases = join(games.folder, 'aliases.tsv');
  writeFileSync(aliases, 'player\tBoris 1\tBoris, B\nplayer\tBoris 2\tBoris, B\n');
  games.publish('--aliases', aliases);
  const asked = (server) => server.asked.filter(({ path }) => /library\/[0-9a-f]+\.tsv$/.test(path)).length;
  await onLibrary(games, {}, async ({ page, server }) => {
    await firstPage(page);
    await open(page);
    await complete(page);
    assert.equal(asked(server), 1);
    assert.equal((await ask(page, 'player "Boris, B"')).games, 2);
    assert.equal((await ask(page, 'player "Boris 1"')).games, 2);
    await row(page, 1, /Anna.*Boris, B/);
    // The next visit has them without asking the host, and a list without names joins none.
    await page.reload();
    assert.equal((await answer(page)).games, 2);
    assert.equal(asked(server), 1);
    games.publish();
    await page.reload();
    await grown(page, 1);
  });
});
