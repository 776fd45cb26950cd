// First visits to the page as `cargo xtask run` serves it: each with a fresh profile, beside busy loops, without a reload. Every request
// is answered, and the page shows its first result.
//
// PLYFOLD_VISITS says how many visits there are; the tests make a few.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { launch } from './browser.mjs';
import { isMain } from './main.mjs';
import { commandLine } from './published.mjs';
import { answer, dist, ready } from './site.mjs';

const visits = Number(process.env.PLYFOLD_VISITS ?? (isMain ? 3 : 6));

/** Starts a program that ends with the test. */
function start(t, command, words, options = {}) {
  const child = spawn(command, words, options);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function visit(url) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const waiting = new Set();
    const failed = [];
    page.on('request', (request) => waiting.add(request.url()));
    page.on('requestfinished', (request) => waiting.delete(request.url()));
    page.on('requestfailed', (request) => {
      waiting.delete(request.url());
      failed.push(`${request.url()}: ${request.failure()?.errorText}`);
    });
    await page.goto(url);
    await ready(page);
    await page.click('[data-test=demo]');
    assert.ok((await answer(page)).games > 0);
    // Parts of the page that the first result does not need are still on their way.
    while (waiting.size > 0) await Promise.race(['requestfinished', 'requestfailed'].map((name) => page.waitForEvent(name)));
    assert.deepEqual(failed, []);
  } finally {
    await browser.close();
  }
}

test(`${visits} first visits beside busy loops are answered`, { timeout: visits * 60_000 }, async (t) => {
  for (let loops = 0; loops <= availableParallelism(); loops++) start(t, process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  const server = start(t, commandLine(), ['serve', dist, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(server.stdout), 'line');
  for (let nth = 0; nth < visits; nth++) await visit(line.split(' ')[0]);
});
