// The languages of the page, and their catalogs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { language, LANGUAGES, preferred } from '../src/state/language';
import { LanguageChoice } from '../src/state/languagechoice.svelte';
import { scoreWords } from '../src/analysis/score';
import { clockTime, evaluationInWords } from '../src/state/gamegraph';
import { noteInWords } from '../src/state/refusals';
import { bytes, count, counted, decimal, duration, elapsed, large, share } from '../src/state/words';

const FOLDER = join(import.meta.dirname, '../src/locales');

interface Entry {
  id: string[];
  texts: string[];
  /** What stands in the places of its text, as the code has it. */
  places: string[];
  isFuzzy: boolean;
}

/** The entries of a gettext catalog, without its header. A text may go over several lines. */
function entriesOf(tag: string): Entry[] {
  const blocks = readFileSync(join(FOLDER, `${tag}.po`), 'utf8').split(/\n\n+/).slice(1);
  const text = (quoted: string) => quoted.trim().split('\n').map((line) => JSON.parse(line) as string).join('');
  return blocks.map((block) => ({
    id: [...block.matchAll(/^msgid(?:_plural)? ((?:".*"\n?)+)/gm)].map((found) => text(found[1] ?? '')),
    texts: [...block.matchAll(/^msgstr(?:\[\d\])? ((?:".*"\n?)+)/gm)].map((found) => text(found[1] ?? '')),
    places: [...block.matchAll(/^#\. (.*)$/gm)].flatMap(([, all = '']) => all.split(/(?:^|; )\d+: /).slice(1)),
    isFuzzy: /^#,.*fuzzy/m.test(block),
  }));
}

/** The places of values and elements in a text, sorted. */
function placesIn(text: string): string[] {
  return (text.match(/\{\d+\}|<\/?\d+\/?>|#/g) ?? []).sort();
}

/** The page as it is in a language. */
function inLanguage(lang: string): void {
  vi.stubGlobal('document', { documentElement: { lang } });
}

afterEach(() => vi.unstubAllGlobals());

describe('the language', () => {
  it('is the first of the browser’s languages that there is', () => {
    expect(preferred(['de-AT', 'en'])).toBe('de');
    expect(preferred(['fr-FR', 'DE'])).toBe('de');
    expect(preferred(['en-US', 'de'])).toBe('en');
    expect(preferred(['eo', 'constructor'])).toBe('en');
    expect(preferred([])).toBe('en');
  });

  it('is that of the document', () => {
    expect(language()).toBe('en');
    inLanguage('de');
    expect(language()).toBe('de');
    inLanguage('eo');
    expect(language()).toBe('en');
  });

  it('changes at once, or waits if a new page would lose something', () => {
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', { setItem: (key: string, value: string) => stored.set(key, value) });
    const reload = vi.fn();
    const choice = new LanguageChoice(reload);
    choice.choose('en', false);
    expect(reload).not.toHaveBeenCalled();
    choice.choose('de', true);
    expect([choice.waiting, stored.size, reload.mock.calls.length]).toEqual(['de', 0, 0]);
    choice.dismiss();
    choice.confirm();
    expect(reload).not.toHaveBeenCalled();
    choice.choose('de', true);
    choice.confirm();
    expect([...stored.values(), reload.mock.calls.length]).toEqual(['de', 1]);
    choice.choose('de', false);
    expect(reload).toHaveBeenCalledTimes(2);
  });
});

describe('the catalogs', () => {
  it('are one for each language except English, which stands in the code', () => {
    const tags = Object.keys(LANGUAGES).sort();
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.po'));
    expect(files.sort()).toEqual(tags.filter((tag) => tag !== 'en').map((tag) => `${tag}.po`));
    const config = readFileSync(join(import.meta.dirname, '../wuchale.config.js'), 'utf8');
    expect([...(/locales: \[(.*)\]/.exec(config)?.[1] ?? '').matchAll(/\w+/g)].map(String).sort()).toEqual(tags);
  });

  for (const tag of Object.keys(LANGUAGES).filter((one) => one !== 'en')) {
    it(`${tag} is complete, with the places of the English texts`, () => {
      const entries = entriesOf(tag);
      expect(entries.length).toBeGreaterThan(900);
      const wrong = entries.filter(({ id, texts, isFuzzy }) => {
        const isComplete = texts.length >= id.length && texts.every((text) => text.trim() !== '');
        return isFuzzy || !isComplete || texts.some((text) => placesIn(text).join() !== placesIn(id.at(-1) ?? '').join());
      });
      expect(wrong).toEqual([]);
    });
  }
});

describe('numbers', () => {
  it('are written as the language writes them', () => {
    inLanguage('de');
    expect([count(2914), decimal(1234.56, 1), count(0)]).toEqual(['2.914', '1.234,6', '0']);
    expect([large(741_956), large(2_517_412), large(12_345_678_901)]).toEqual(['741.956', '2,52 M', '12,35 G']);
    expect([bytes(144_000_000), bytes(2_400), duration(1234), elapsed(38), elapsed(1)]).toEqual(['144,0 MB', '2 kB', '1,2 s', '0,04 s', 'under 0,01 s']);
    expect([share(1, 3), share(1, 30), share(1, 3000)]).toEqual(['33 %', '3,3 %', '0,03 %']);
    expect(counted(12_345, ['# game', '# games'])).toBe('12.345 games');
  });

  it('are written so in sentences', () => {
    inLanguage('de');
    expect([{ pawns: 0.35 }, { pawns: -1.2 }].map(evaluationInWords)).toEqual(['+0,35', '−1,20']);
    expect(scoreWords({ kind: 'cp', value: -270, bound: 'exact' })).toBe('Black is better by 2,7 pawns');
    expect([9.84, 5025].map(clockTime)).toEqual(['0:09,8', '1:23:45']);
    expect(noteInWords({ kind: 'date', games: 1234, file: 'a.pgn', game: 5678, byte: 123_456 })).toMatch(/^1\.234 games: .* game 5\.678, byte 123\.456\)$/);
  });

  it('come to every text through these functions', () => {
    const placed = entriesOf('de').flatMap(({ places }) => places);
    expect(placed.length).toBeGreaterThan(300);
    expect(placed.filter((place) => /\.length$|toFixed|toString|^Math\.|^String\(/.test(place))).toEqual([]);
  });
});
