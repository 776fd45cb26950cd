// Rating bands and years: conditions on whole games that narrow what the explorer counts.
import { say } from './say';

/** A range of numbers, both ends included; null leaves an end open. */
export interface Span {
  from: number | null;
  to: number | null;
}

export interface GameFilter {
  /** The mean of both ratings. */
  rating: Span;
  years: Span;
}

export const ANY: Span = { from: null, to: null };

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
  return spanOf(from ? Number(from) : null, to ? Number(to) : null);
}

/** A range from two ends in either order. */
export function spanOf(one: number | null, two: number | null): Span {
  return one !== null && two !== null && one > two ? { from: two, to: one } : { from: one, to: two };
}

/** `below 1600`, `2200–2399`, `2600 and more`. */
export function bandName({ from, to }: Span): string {
  if (from === null) return to === null ? say('all') : say(`below ${to + 1}`);
  return to === null ? say(`${from} and more`) : `${from}–${to}`;
}

/** The condition of the query language; empty if the filter lets all games through. */
export function conditionOf({ rating, years }: GameFilter): string {
  return [condition('average elo', rating), condition('year', years)].filter(Boolean).join(' and ');
}

function condition(name: string, { from, to }: Span): string {
  if (from === null) return to === null ? '' : `${name} <= ${to}`;
  if (to === null) return `${name} >= ${from}`;
  return from === to ? `${name} = ${from}` : `${name} ${from}..${to}`;
}
