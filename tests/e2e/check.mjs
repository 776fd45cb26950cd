// Opens the page at PLYFOLD_URL, runs the first query on the demo games and prints the result. Exits with 0 if games match.

import { launch } from './browser.mjs';
import { answer, ready } from './site.mjs';

const url = process.env.PLYFOLD_URL;
if (!url) {
  console.error('PLYFOLD_URL must say where the page is served');
  process.exit(2);
}
const browser = await launch();
try {
  const page = await browser.newPage();
  await page.goto(url);
  await ready(page);
  await page.click('[data-test=demo]');
  const { games, positions } = await answer(page);
  const badge = (await page.textContent('[data-test=badge]')).trim();
  console.log(`in Chromium, ${badge}: queens_off matches ${games} games, ${positions} positions`);
  if (games === 0) process.exitCode = 1;
} finally {
  await browser.close();
}
