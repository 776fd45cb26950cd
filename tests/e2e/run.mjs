// Runs every end-to-end test, one file after the other (they share two cores with the browser), and exits with 1 when
// one failed. A name as argument runs the files that contain it.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const folder = import.meta.dirname;
const wanted = process.argv[2] ?? '';
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.mjs') && name.includes(wanted))
  .map((name) => join(folder, name));

run({ files, concurrency: 1, timeout: 600_000 })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
