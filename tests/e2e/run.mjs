// Runs the end-to-end tests and exits with 1 if one fails.
//
// usage: node run.mjs [--main] [--part N/M] [--delay MS [--late NAME]...] [--jobs N] [--without NAME]... [--failures FILE] [--times FILE] [NAME...]
//
// A NAME selects the file NAME.test.mjs; `--without` leaves one out, and may be repeated.
// `--main` leaves out most sizes of window and some states (main.mjs), for those who wait for the tests.
// `--part` selects one of so many parts that take about as long.
// `--delay` makes the page's timers and the engine's results late by so many milliseconds (delay.mjs), with `--late` in these files alone.
// `--failures` writes what failed, and why, to a file; without a failure there is none. `--times` writes how long each test took: milliseconds,
// tab, file and name.
// Where all are late, tests wait more, so four files run at a time, otherwise three: each has a browser, and they share two cores.
// The longest files begin first, so that none of them is left over at the end: those that make tables or look at many sizes of window, and
// then the largest.

import { appendFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { main: { type: 'boolean', default: false }, part: { type: 'string', default: '1/1' }, delay: { type: 'string', default: '0' }, late: { type: 'string', multiple: true }, jobs: { type: 'string' }, without: { type: 'string', multiple: true, default: [] }, failures: { type: 'string' }, times: { type: 'string' } }, allowPositionals: true });
const delay = Number(values.delay);
const jobs = Number(values.jobs ?? (delay > 0 && !values.late ? 4 : 3));
const [part, parts] = values.part.split('/').map(Number);
if (!(part >= 1 && part <= parts) || !Number.isInteger(delay) || delay < 0 || !Number.isInteger(jobs) || jobs < 1) {
  console.error('usage: node run.mjs [--main] [--part N/M] [--delay MS [--late NAME]...] [--jobs N] [--without NAME]... [--failures FILE] [--times FILE] [NAME...]');
  process.exit(2);
}
// The tests read these variables, since each test file is a process of its own.
process.env.PLYFOLD_DELAY = String(delay);
if (values.late) process.env.PLYFOLD_LATE = values.late.join(',');
process.env.PLYFOLD_MAIN = values.main ? '1' : '';

const ENDING = '.test.mjs';
const LONGEST = ['tablebase', 'tablequeries', 'analysis', 'axe', 'layout', 'library', 'strangers'];
/** The place of a file among those that begin first. */
const turn = (file) => {
  const place = LONGEST.indexOf(basename(file, ENDING));
  return place < 0 ? LONGEST.length : place;
};
const folder = import.meta.dirname;
const files = readdirSync(folder)
  .filter((name) => name.endsWith(ENDING) && !values.without.includes(basename(name, ENDING)))
  .filter((name) => positionals.length === 0 || positionals.includes(basename(name, ENDING)))
  .map((name) => join(folder, name))
  .sort((one, other) => turn(one) - turn(other) || statSync(other).size - statSync(one).size)
  .filter((_, nth) => nth % parts === part - 1);

const unknown = positionals.filter((wanted) => !existsSync(join(folder, wanted + ENDING)));
if (unknown.length > 0) {
  console.error(`no end-to-end test is called ${unknown.join(', ')}`);
  process.exit(2);
}

for (const file of [values.failures, values.times]) if (file) rmSync(file, { force: true });

/** Appends how long a test of a file took. */
function keepTime({ name, file, details: { duration_ms } }) {
  if (values.times && file && name !== file) appendFileSync(values.times, `${Math.round(duration_ms)}\t${basename(file, ENDING)}: ${name.replaceAll(/\s+/g, ' ')}\n`);
}

run({ files, concurrency: jobs, timeout: 1_800_000 })
  .on('test:pass', keepTime)
  .on('test:fail', keepTime)
  .on('test:fail', ({ name, file, details: { error } }) => {
    process.exitCode = 1;
    if (values.failures) appendFileSync(values.failures, `${basename(file ?? '')}: ${name}\n${error?.cause?.stack ?? error?.message ?? error}\n`);
  })
  .compose(new spec())
  .pipe(process.stdout);
