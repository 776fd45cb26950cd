// Which games the explorer counts: by ratings, dates, time classes and a player. All are conditions on whole games.
import type { TimeClass } from './filters';
import { say } from './say';
import { quotedName } from './tokens';

/** A range of numbers, both ends included; null leaves an end open. */
export interface Span {
  from: number | null;
  to: number | null;
}

/** From a year or month to another one, both included, as `1990` or `1990.05`; empty leaves an end open. */
export interface Dates {
  from: string;
  to: string;
}

export type Colour = 'player' | 'white' | 'black';

export interface GameFilter {
  /** Bands of the mean of both ratings; none for all games. */
  ratings: readonly Span[];
  dates: Dates;
  /** None for all games. */
  classes: readonly TimeClass[];
  /** A name or its beginning with a star; empty for all players. */
  player: string;
  /** The side of this player, or either. */
  colour: Colour;
}

export const ANY: Span = { from: null, to: null };
export const ALWAYS: Dates = { from: '', to: '' };
export const ALL_GAMES: GameFilter = { ratings: [], dates: ALWAYS, classes: [], player: '', colour: 'player' };
/** The time classes that a filter offers. */
export const CLASSES: readonly TimeClass[] = ['ultrabullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence'];

export const RATING_BANDS: readonly Span[] = [
  { from: null, to: 1599 },
  { from: 1600, to: 1999 },
  { from: 2000, to: 2199 },
  { from: 2200, to: 2399 },
  { from: 2400, to: 2599 },
  { from: 2600, to: null },
];

export function isAny({ from, to }: Span): boolean {
  return from === null && to === null;
}

/** `2200-2399`, `-1599`, `2600-`, as the address has it; empty for any number. */
export function spanText(span: Span): string {
  return isAny(span) ? '' : `${span.from ?? ''}-${span.to ?? ''}`;
}

/** The range of such a text; any number if the text is none. */
export function parseSpan(text: string): Span {
  const [, from, to] = /^(\d{0,4})-(\d{0,4})$/.exec(text) ?? [];
  const [one, two] = [from ? Number(from) : null, to ? Number(to) : null];
  return one !== null && two !== null && one > two ? { from: two, to: one } : { from: one, to: two };
}

/** `2200-2399,2600-` */
export function spansText(spans: readonly Span[]): string {
  return spans.map(spanText).filter(Boolean).join(',');
}

export function parseSpans(text: string): readonly Span[] {
  return text.split(',').map(parseSpan).filter((span) => !isAny(span));
}

/** `1990.05-1991`; empty for always. */
export function datesText({ from, to }: Dates): string {
  return from || to ? `${from}-${to}` : '';
}

export function parseDates(text: string): Dates {
  const [from = '', to = ''] = text.split('-');
  return datesOf(parseMonth(from), parseMonth(to));
}

/** Two ends in either order. */
export function datesOf(one: string, two: string): Dates {
  return one && two && one > two && !one.startsWith(two) ? { from: two, to: one } : { from: one, to: two };
}

/** A year or month as a player writes it: `1990`, `1990.5`, `1990-05`, `5/1990`. Empty if it is none. */
export function parseMonth(text: string): string {
  const [, year, month] = /^(\d{4})(?:[.\-/](\d{1,2}))?$/.exec(text.trim()) ?? [];
  const [, before, after] = /^(\d{1,2})[.\-/](\d{4})$/.exec(text.trim()) ?? [];
  const [of, in_] = [year ?? after, Number(month ?? before ?? 1)];
  if (of === undefined || in_ < 1 || in_ > 12) return '';
  return month ?? before ? `${of}.${String(in_).padStart(2, '0')}` : of;
}

/** The time classes of a text with commas between them. */
export function parseClasses(text: string): readonly TimeClass[] {
  const named = text.split(',');
  return CLASSES.filter((one) => named.includes(one));
}

/** `below 1600`, `2200–2399`, `2600 and more`. */
export function bandName({ from, to }: Span): string {
  if (from === null) return to === null ? say('all') : say(`below ${to + 1}`);
  return to === null ? say(`${from} and more`) : `${from}–${to}`;
}

/** Bands that meet are one. */
export function joined(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].sort((one, two) => (one.from ?? -1) - (two.from ?? -1));
  const found: Span[] = [];
  for (const span of sorted) {
    const last = found.at(-1);
    if (last && last.to !== null && last.to + 1 >= (span.from ?? 0)) found[found.length - 1] = { from: last.from, to: span.to === null ? null : Math.max(span.to, last.to) };
    else if (!last || last.to !== null) found.push(span);
  }
  return found;
}

/** The condition of the query language; empty if the filter lets all games through. */
export function conditionOf({ ratings, dates, classes, player, colour }: GameFilter): string {
  const rated = joined(ratings).map((span) => between('average elo', String(span.from ?? ''), String(span.to ?? '')));
  return [
    rated.length > 1 ? `{ ${rated.join(' or ')} }` : (rated[0] ?? ''),
    between(/\./.test(dates.from + dates.to) ? 'date' : 'year', dates.from, dates.to),
    classes.length > 0 ? `time_class ${classes.join(', ')}` : '',
    player ? `${colour} ${quotedName(player)}` : '',
  ]
    .filter(Boolean)
    .join(' and ');
}

function between(name: string, from: string, to: string): string {
  if (from === '') return to === '' ? '' : `${name} <= ${to}`;
  if (to === '') return `${name} >= ${from}`;
  return from === to ? `${name} = ${from}` : `${name} ${from}..${to}`;
}
