// A published library for tests: a corpus of several parts, published by the command line into a folder that any host serves.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checksumOf, initSync } from '../../www/src/wasm/single/plyfold_web.js';
import { dist } from './site.mjs';

const project = fileURLToPath(new URL('../..', import.meta.url));
let program = process.env.PLYFOLD_CLI;

/** The path of the command line, which is built first unless `PLYFOLD_CLI` names it. */
export function commandLine() {
  if (program === undefined) {
    execFileSync('cargo', ['build', '--quiet', '--package', 'plyfold'], { cwd: project, stdio: 'inherit' });
    program = join(project, 'target/debug/plyfold');
  }
  return program;
}

const plyfold = (...args) => execFileSync(commandLine(), args, { stdio: ['ignore', 'ignore', 'inherit'] });

export const TITLE = 'Chess club <b>X</b>';
export const QUESTION = { title: 'Queens off early', query: 'queens_off' };
export const ABOUT = `# Our games

Games of **our club**, see [its page](https://club.example/page).

![a picture](https://club.example/picture.png)

[a trap](javascript:globalThis.ran=true) <img src=x onerror="globalThis.ran = true">

<script>globalThis.ran = true</script>
`;

/** One game by Anna with a comment, and two others; \`nth\` makes each part differ. */
export function part(nth) {
  return `[Event "Part ${nth}"]
[Site "Here"]
[Date "2024.05.0${nth}"]
[White "Anna"]
[Black "Boris ${nth}"]
[Result "1/2-1/2"]
[Board "${nth + 10}"]

1. e4 {a remark of part ${nth}} e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. d4 Nd6
6. Bxc6 dxc6 7. dxe5 Nf5 8. Qxd8+ Kxd8 9. h3 1/2-1/2

[Event "Part ${nth}, short"]
[White "Clara"]
[Black "Anna"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

`;
}

/** A library in a folder of its own, which \`remove\` deletes. */
export class Library {
  folder = mkdtempSync(join(tmpdir(), 'plyfold-library-'));
  out = join(this.folder, 'out');
  parts = 0;
  corpora = [];
  /** The publisher's text. */
  about = ABOUT;

  /** Adds so many parts to one of its corpora and publishes it. */
  grow(parts, name = 'club games') {
    const corpus = join(this.folder, `${name}.plyfold`);
    if (!this.corpora.includes(corpus)) this.corpora.push(corpus);
    for (let nth = 0; nth < parts; nth++) {
      const pgn = join(this.folder, 'part.pgn');
      writeFileSync(pgn, part(++this.parts));
      plyfold('import', pgn, '--append', '-o', corpus);
    }
    return this.publish();
  }

  /** Publishes its corpora, with further options. */
  publish(...options) {
    const [about, questions] = [join(this.folder, 'about.md'), join(this.folder, 'questions.txt')];
    writeFileSync(about, this.about);
    writeFileSync(questions, `${QUESTION.title}: ${QUESTION.query}\n`);
    plyfold('publish', this.out, '--site', dist, '--title', TITLE, ...this.corpora.flatMap((corpus) => ['--corpus', corpus]), '--about', about, '--questions', questions, ...options);
    return this;
  }

  /** Gives it the form that earlier versions published (version 1): its files are named after XXH3-64. */
  inOldForm() {
    initSync({ module: readFileSync(join(project, 'www/src/wasm/single/plyfold_web_bg.wasm')) });
    let text = JSON.stringify({ ...this.list, version: 1 });
    for (const name of this.files) {
      const old = checksumOf(readFileSync(join(this.out, 'library', name))) + extname(name);
      renameSync(join(this.out, 'library', name), join(this.out, 'library', old));
      text = text.replaceAll(name, old);
    }
    this.list = JSON.parse(text);
    return this;
  }

  /**
   * Makes this library of one part claim that its games are those of the second part of another one: `library.json` has the names and
   * the sums of that part, and under its name lie the bytes of this one.
   */
  forge(kept) {
    const { list } = this;
    const [corpus] = list.corpora;
    const [shard] = corpus.shards;
    const { id, shards } = kept.list.corpora[0];
    const { file, unpacked_sha256 } = shards[1].scan;
    renameSync(join(this.out, shard.scan.file), join(this.out, file));
    this.list = { ...list, corpora: [{ ...corpus, id, shards: [{ ...shard, scan: { ...shard.scan, file, unpacked_sha256 } }] }] };
    return this;
  }

  /** What `library.json` says. */
  get list() {
    return JSON.parse(readFileSync(join(this.out, 'library.json'), 'utf8'));
  }

  set list(list) {
    writeFileSync(join(this.out, 'library.json'), JSON.stringify(list));
  }

  /** The paths of the scan parts in their order. */
  get scans() {
    return this.list.corpora[0].shards.map(({ scan }) => scan.file);
  }

  /** Every file of the library beside the site's. */
  get files() {
    return readdirSync(join(this.out, 'library'));
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }
}
