// The names of openings by ECO code, for lists that have codes. The file of names is fetched when it is first needed.
import address from '../engine/opening-lines.tsv?url';
import { say } from './say';

/** The share of a code's names that one opening must have to stand for the code alone. */
const MAIN = 0.6;

let fetched: Promise<ReadonlyMap<string, string>> | null = null;

/** A name for each code; no names if the file cannot be fetched, and the next call tries again. */
export function openingNames(): Promise<ReadonlyMap<string, string>> {
  fetched ??= fetch(address)
    .then(async (response) => (response.ok ? namesByCode(await response.text()) : Promise.reject(new Error(response.statusText))))
    .catch(() => {
      fetched = null;
      return new Map<string, string>();
    });
  return fetched;
}

/** One name for each code, from lines that begin with a code, a tab and a name. A code has many names, and a name many lines. */
export function namesByCode(text: string): Map<string, string> {
  const all = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [code = '', name = ''] = line.split('\t');
    if (!/^[A-E]\d\d$/.test(code) || name === '') continue;
    const names = all.get(code);
    if (names) names.add(name.trim());
    else all.set(code, new Set([name.trim()]));
  }
  return new Map([...all].map(([code, names]) => [code, nameOf([...names])]));
}

/** What the names have in common: `Sicilian Defense: Najdorf Variation`; of several openings, the main ones. */
function nameOf(names: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const name of names) {
    const family = parts(name)[0] ?? name;
    families.set(family, [...(families.get(family) ?? []), name]);
  }
  const [first, second, ...more] = [...families.values()].sort((one, two) => two.length - one.length);
  if (!first) return '';
  const main = common(first.map(parts));
  if (!second || first.length >= MAIN * names.length) return main;
  const both = `${main}, ${common(second.map(parts))}`;
  return more.length > 0 ? say(`${both} and others`) : both;
}

/** `Sicilian Defense`, `Najdorf Variation`, `English Attack`. */
function parts(name: string): string[] {
  return name.split(/[:,] /);
}

/** The parts with which all names begin. */
function common(names: readonly (readonly string[])[]): string {
  const [first = []] = names;
  const end = first.findIndex((part, nth) => names.some((name) => name[nth] !== part));
  const [family = '', ...variations] = end < 0 ? first : first.slice(0, end);
  return variations.length > 0 ? `${family}: ${variations.join(', ')}` : family;
}
