// Counts by a key: the places of the bars and the order of the rows. The engine knows what a key means.
import { nice, ticks } from 'd3-array';
import type { Group, Groups } from '../engine/protocol';

/** The key whose values are drawn as boards: pawn structures. */
export const STRUCTURE = 'structure';

export interface Bar {
  group: Group;
  /** Place from the left, counted in bars; values that do not occur leave gaps. */
  at: number;
}

/** The most places of bars with gaps. If the values need more, the bars are drawn side by side. */
const MOST_BARS = 400;

/** The name of the value that is not known, such as the year of a game without a date. */
const UNKNOWN = '?';

export interface Bars {
  bars: Bar[];
  /** The number of places, with those of values that do not occur. */
  places: number;
  /** The values of the places, where they are numbers: `at = offset + (value - first) / step`. */
  scale: { first: number; last: number; step: number; offset: number } | null;
}

/** The groups of an ordered key as bars. The number of a value decides its place, so gaps are visible. */
export function bars(groups: readonly Group[]): Bars {
  const beside: Bars = { bars: groups.map((group, at) => ({ group, at })), places: groups.length, scale: null };
  const unknown = groups.filter((group) => group.name === UNKNOWN);
  const known = groups.filter((group) => group.name !== UNKNOWN);
  const numbers = known.map((group) => parseFloat(group.name));
  if (numbers.length < 2 || numbers.some((number) => !Number.isFinite(number))) return beside;
  const step = Math.min(...numbers.slice(1).map((number, nth) => number - (numbers[nth] ?? 0)));
  const first = numbers[0] ?? 0;
  const last = numbers.at(-1) ?? first;
  // The bar of the unknown value stands at the left, with a gap beside it.
  const offset = unknown.length > 0 ? 2 : 0;
  const places = offset + Math.round((last - first) / step) + 1;
  if (!(step > 0) || places > MOST_BARS) return beside;
  const placed = known.map((group, nth) => ({ group, at: offset + Math.round(((numbers[nth] ?? first) - first) / step) }));
  return { bars: [...unknown.map((group) => ({ group, at: 0 })), ...placed], places, scale: { first, last, step, offset } };
}

/** A value on the axis below the bars. */
export interface AxisMark {
  at: number;
  text: string;
}

/** The values that are written below the bars, at most `most`: round numbers where the values are numbers. */
export function axisMarks({ bars, places, scale }: Bars, most: number): AxisMark[] {
  const unknown = scale && scale.offset > 0 ? [{ at: 0, text: UNKNOWN }] : [];
  if (!scale) {
    const every = Math.max(1, Math.ceil(places / Math.max(1, most)));
    return bars.filter((bar) => bar.at % every === 0).map((bar) => ({ at: bar.at, text: bar.group.name }));
  }
  const { first, last, step, offset } = scale;
  const marks = atMost(first, last, most)
    .map((value) => ({ at: offset + (value - first) / step, text: String(value) }))
    .filter(({ at }) => Math.abs(at - Math.round(at)) < 1e-6);
  return [...unknown, ...(marks.length > 0 ? marks : [{ at: offset, text: String(first) }])];
}

/** Round numbers of a range, at most so many. */
function atMost(first: number, last: number, most: number): number[] {
  for (let wanted = Math.max(1, most); wanted > 1; wanted--) {
    const found = ticks(first, last, wanted);
    if (found.length <= most) return found;
  }
  return ticks(first, last, 1).slice(0, Math.max(1, most));
}

/** Round numbers for the axis beside the bars, from 0 to at least the highest bar. */
export function axisNumbers(highest: number): number[] {
  const [, top] = nice(0, Math.max(1, highest), 4);
  return ticks(0, top, 4).filter((value) => Number.isInteger(value));
}

export const COUNT_COLUMNS = ['value', 'positions', 'games', 'score'] as const;
export type CountColumn = (typeof COUNT_COLUMNS)[number];

/** Score of White in per cent of the games with a result; null if there are none. */
export function scoreOf({ white, draw, black }: { white: number; draw: number; black: number }): number | null {
  const all = white + draw + black;
  return all === 0 ? null : (100 * (white + draw / 2)) / all;
}

const byName = new Intl.Collator('en', { numeric: true });

/** Groups in the order of a column; equal groups keep their order. */
export function sorted(groups: Groups, column: CountColumn, descending: boolean): Group[] {
  const value = (group: Group) => (column === 'score' ? (scoreOf(group) ?? -1) : column === 'value' ? 0 : group[column]);
  // The engine returns an ordered key in its order; the names of its values need not be numbers.
  const place = new Map(groups.groups.map((group, nth) => [group, nth]));
  const compare = (one: Group, two: Group) => {
    if (column !== 'value') return value(one) - value(two);
    return groups.ordered ? (place.get(one) ?? 0) - (place.get(two) ?? 0) : byName.compare(one.name, two.name);
  };
  return [...groups.groups].sort((one, two) => (descending ? compare(two, one) : compare(one, two)));
}
