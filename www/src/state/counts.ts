// Counts by a key: the places of the bars and the order of the rows. The engine knows what a key means.
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

/** The groups of an ordered key as bars. The number of a value decides its place, so gaps are visible. */
export function bars(groups: readonly Group[]): { bars: Bar[]; places: number } {
  const numbers = groups.map((group) => parseFloat(group.name));
  const beside = { bars: groups.map((group, at) => ({ group, at })), places: groups.length };
  if (numbers.length < 2 || numbers.some((number) => !Number.isFinite(number))) return beside;
  const steps = numbers.slice(1).map((number, nth) => number - (numbers[nth] ?? 0));
  const step = Math.min(...steps);
  const first = numbers[0] ?? 0;
  const places = Math.round(((numbers.at(-1) ?? first) - first) / step) + 1;
  if (!(step > 0) || places > MOST_BARS) return beside;
  return { bars: groups.map((group, nth) => ({ group, at: Math.round(((numbers[nth] ?? first) - first) / step) })), places };
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
