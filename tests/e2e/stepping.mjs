// Measures stepping through a game with a key held down: tasks over 50 ms, and how long the board takes to follow.
//
// usage: node stepping.mjs [--rate N] [--throttle N] [--explorer] [GAMES.pgn...]      (environment: PLYFOLD_DIST, CHROMIUM)
//
// Without files, it measures with the demo games. `--rate` is the number of steps a second, 30 by default; `--throttle`
// slows the processor down by so much; with `--explorer`, the explorer follows the board. This is a script to measure with, and no test: its numbers depend on the machine.

import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { closeBrowser, onSite, settled } from './site.mjs';

const { values, positionals } = parseArgs({ options: { rate: { type: 'string', default: '30' }, throttle: { type: 'string', default: '1' }, explorer: { type: 'boolean', default: false } }, allowPositionals: true });
const pause = 1000 / Number(values.rate);

await onSite({}, async ({ page, context }) => {
  if (positionals.length === 0) await page.click('[data-test=demo]');
  else await page.setInputFiles('[data-test=files]', positionals);
  await page.waitForFunction(() => location.hash.includes('corpus='), null, { timeout: 600_000 });
  await settled(page);
  await page.fill('#query', 'plies >= 80');
  await page.press('#query', 'Enter');
  await page.waitForFunction(() => location.hash.includes('plies'));
  await settled(page);
  await page.click('#row-0');
  await page.waitForFunction(() => location.hash.includes('game='));
  await page.locator('#row-0[aria-selected=true]').waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate(() => document.activeElement?.blur());
  if (values.explorer) {
    await page.click('#tab-explorer');
    await page.locator('[data-test=explorer]:not([aria-busy=true])').waitFor({ timeout: 60_000 });
  }
  const devtools = await context.newCDPSession(page);
  if (values.throttle !== '1') await devtools.send('Emulation.setCPUThrottlingRate', { rate: Number(values.throttle) });
  for (const [name, key, back] of [['forward', 'ArrowRight', 'Home'], ['back', 'ArrowLeft', 'End']]) {
    await page.keyboard.press(back);
    await watch(page);
    const begun = performance.now();
    let steps = 0;
    await page.keyboard.down(key);
    for (; steps < 80; steps++) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + (steps + 1) * pause - performance.now())));
      // A second `down` of a key that is down is a repetition, as when the user holds it.
      await page.keyboard.down(key);
    }
    await page.keyboard.up(key);
    const seconds = (performance.now() - begun) / 1000;
    tell(`${positionals.map((path) => basename(path)).join(', ') || 'demo'}, ${name}, ${(steps / seconds).toFixed(0)} steps a second`, await watched(page));
  }
});
await closeBrowser();

/** Begins to watch long tasks and the time from each key to the frame after it. */
function watch(page) {
  return page.evaluate(() => {
    const watching = { tasks: [], frames: [] };
    window.watching = watching;
    watching.observer = new PerformanceObserver((list) => watching.tasks.push(...list.getEntries().map(({ duration }) => duration)));
    watching.observer.observe({ type: 'longtask' });
    watching.onkey = (event) => {
      const pressed = event.timeStamp;
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => watching.frames.push(performance.now() - pressed);
        channel.port2.postMessage(null);
      });
    };
    addEventListener('keydown', watching.onkey, { capture: true });
  });
}

function watched(page) {
  return page.evaluate(async () => {
    const { observer, tasks, frames, onkey } = window.watching;
    await new Promise((resolve) => setTimeout(resolve, 300));
    removeEventListener('keydown', onkey, { capture: true });
    tasks.push(...observer.takeRecords().map(({ duration }) => duration));
    observer.disconnect();
    return { tasks, frames };
  });
}

function tell(what, { tasks, frames }) {
  const sorted = frames.toSorted((one, two) => one - two);
  const at = (part) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  console.log(`${what}: ${tasks.length} tasks over 50 ms${tasks.length > 0 ? ` (longest ${Math.max(...tasks).toFixed(0)} ms)` : ''}; key to frame: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
}
