/// <reference types="node" />
// The engine itself, for tests of what the page makes of what it says.
import { readFileSync } from 'node:fs';
import { changedQuery, check, conditions, Corpus, Import, initSync } from '../src/wasm/single/plyfold_web.js';

initSync({ module: readFileSync(new URL('../src/wasm/single/plyfold_web_bg.wasm', import.meta.url)) });

export { changedQuery, check, conditions, type Corpus };

/** Opens the games of a text. */
export function open(pgn: string): Corpus {
  const games = new Import(null);
  games.file('games.pgn', [new TextEncoder().encode(pgn)], () => undefined);
  return new Corpus(games.finish() as Uint8Array[]);
}
