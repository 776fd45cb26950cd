// Numbers, days and times as the page prints them, in its language: grouped digits and short units, in one style.
import { language, type Language } from './language';
import { say } from './say';

const REGIONS: Record<Language, string> = { en: 'en-GB', de: 'de-DE' };
/** What stands between groups of three digits, and before the decimals. */
const MARKS: Record<Language, readonly [group: string, point: string]> = { en: [',', '.'], de: ['.', ','] };

/** `2,914`. */
export function count(value: number): string {
  return decimal(Math.round(value), 0);
}

/** `1,234.5`: a number with so many decimals. `Intl` would take longer to begin than the page takes to draw its first answer. */
export function decimal(value: number, digits: number): string {
  const [group, point] = MARKS[language()];
  const [whole = '', decimals = ''] = value.toFixed(digits).split('.');
  return whole.replace(/\B(?=(\d{3})+$)/g, group) + (digits > 0 ? point + decimals : '');
}

/** `23 Nov 2026`. */
export function day(ms: number): string {
  return new Intl.DateTimeFormat(REGIONS[language()], { dateStyle: 'medium' }).format(ms);
}

/** `Nov 2026` for `2026.11`. */
export function month(text: string): string {
  const [year, nth] = text.split('.').map(Number);
  return new Intl.DateTimeFormat(REGIONS[language()], { year: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.UTC(year ?? 1970, (nth ?? 1) - 1));
}

/** The form of a word for a number, as an index: 0 for the singular in English and German. */
export type PluralRule = (value: number) => number;

/** `1 game`, `2,914 games`. `forms` has the singular and the plural, with `#` for the number; translations may have more. */
export function counted(value: number, forms: readonly string[], rule: PluralRule = (value) => (value === 1 ? 0 : 1)): string {
  return (forms[rule(value)] ?? forms[0] ?? '#').replace('#', count(value));
}

/** `2.50 M`, `741,956`: exact below a million, rounded above. */
export function large(value: number): string {
  if (value < 1e6) return count(value);
  return value < 1e9 ? say(`${decimal(value / 1e6, value < 1e7 ? 2 : 1)} M`) : say(`${decimal(value / 1e9, 2)} G`);
}

/** `4.8 MB`; decimal units, as file managers show them. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${decimal(value / 1e3, 0)} kB`;
  return value < 1e9 ? `${decimal(value / 1e6, 1)} MB` : `${decimal(value / 1e9, 2)} GB`;
}

/** `38 ms`, `1.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 10) return `${decimal(ms, 1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${decimal(ms / 1000, 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** How long a search took: `0.04 s`, `1.2 s`, `2 min 5 s`. */
export function elapsed(ms: number): string {
  if (ms < 5) return say(`under ${decimal(0.01, 2)} s`);
  return ms < 1000 ? `${decimal(ms / 1000, 2)} s` : duration(ms);
}

/** `3.4 %` of a whole, `0 %` of nothing. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const percent = (100 * part) / whole;
  return `${percent >= 10 || percent === 0 ? decimal(percent, 0) : decimal(percent, percent >= 0.095 ? 1 : 2)} %`;
}

/** `1-0`, `½-½`, `*`. */
export function resultText(result: string): string {
  return result.replaceAll('1/2', '½');
}

/** The year of a PGN date; empty if it is unknown. */
export function yearOf(date: string): string {
  return /^\d{4}/.exec(date)?.[0] ?? '';
}

/** `23.` or `23…`: the number of the move at ply `ply` (from 1) after a start position. */
export function moveNumber(startFen: string, ply: number): string {
  const fields = startFen.split(' ');
  const first = Math.max(1, Number(fields[5]) || 1);
  const halfMoves = ply - 1 + (fields[1] === 'b' ? 1 : 0);
  return `${first + Math.floor(halfMoves / 2)}${halfMoves % 2 === 0 ? '.' : '…'}`;
}

/** `29. Rxc1`, `29… Kg7`: the move that led to a position, from the position's FEN and the SAN of the move. */
export function moveBefore(fen: string, san: string): string {
  const fields = fen.split(' ');
  const number = Math.max(1, Number(fields[5]) || 1);
  const label = fields[1] === 'b' ? `${number}.` : `${Math.max(1, number - 1)}…`;
  return san === '' ? say(`after ${label}`) : `${label} ${san}`;
}

/** A corpus name from its files: `master`, `master and 2 more`. Addresses and storage have it, so no language changes it. */
export function corpusName(fileNames: readonly string[]): string {
  const first = (fileNames[0] ?? 'games').replace(/(\.pgn)?(\.(gz|zst|bz2|zip|tar|tgz)){0,2}$/i, '') || 'games';
  return fileNames.length > 1 ? `${first} and ${fileNames.length - 1} more` : first;
}

/** The same in the page's language. */
export function corpusWords(name: string): string {
  const [, first, more] = /^(.+) and (\d+) more$/.exec(name) ?? [];
  return first === undefined ? name : say(`${first} and ${more} more`);
}
