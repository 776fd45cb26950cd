// Runs Lighthouse on the built site and prints its scores, with every audit that is not perfect.
//
// usage: node lighthouse.mjs [--form-factor desktop|mobile]      (environment: PLYFOLD_DIST, CHROMIUM)
//
// It exits with 1 if performance is below 95, or accessibility or best practices below 100. npx fetches Lighthouse, which
// throttles network and processor by simulation. This is a script to measure with: the performance depends on the machine.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { executablePath } from './browser.mjs';
import { serve } from './serve.mjs';
import { dist } from './site.mjs';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const TARGETS = { performance: 95, accessibility: 100, 'best-practices': 100 };

const { values } = parseArgs({ options: { 'form-factor': { type: 'string', default: 'mobile' } } });
const formFactor = values['form-factor'];
const server = await serve(dist, { gzip: true });
const folder = mkdtempSync(join(tmpdir(), 'lighthouse-'));
const report = join(folder, 'report.json');
try {
  const preset = formFactor === 'desktop' ? ['--preset=desktop'] : [];
  const flags = ['--quiet', `--only-categories=${Object.keys(TARGETS).join(',')}`, '--output=json', `--output-path=${report}`, '--chrome-flags=--headless=new --no-sandbox --disable-gpu'];
  await promisify(execFile)('npx', ['--yes', LIGHTHOUSE, server.url, ...preset, ...flags], { env: { ...process.env, CHROME_PATH: executablePath }, timeout: 300_000 });
  tell(JSON.parse(readFileSync(report, 'utf8')));
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Prints the scores, times, and audits that cost points. */
function tell({ categories, audits }) {
  for (const [name, least] of Object.entries(TARGETS)) {
    const score = Math.round(100 * categories[name].score);
    console.log(`${formFactor}, ${name}: ${score} (at least ${least})`);
    if (score < least) process.exitCode = 1;
    for (const { id, weight } of categories[name].auditRefs) {
      const { score, title, displayValue = '', numericValue } = audits[id];
      if (weight > 0 && score !== null && score < 1) console.log(`  ${title}: ${displayValue || numericValue}`);
    }
  }
}
