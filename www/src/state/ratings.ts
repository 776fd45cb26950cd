// The user's rating over time, for each time class: its points and the marks of both axes.
import { ticks } from 'd3-array';
import { keyInWords } from './countkeys';
import { daysOf, type OwnGame } from './owngames';
import { say } from './say';

/** A line has at most so many points: each is the last rating of its share of the time. */
const MOST_POINTS = 60;
const LEAST_POINTS = 3;
const DAYS_OF_YEAR = 365.25;

export interface RatingPoint {
  /** Days since 1970. */
  day: number;
  date: string;
  elo: number;
}

export interface RatingLine {
  timeClass: string;
  name: string;
  /** All rated games. */
  games: number;
  points: readonly RatingPoint[];
}

/** The lines with enough points, those of most games first. */
export function ratingLines(games: readonly OwnGame[]): RatingLine[] {
  const lines = new Map<string, RatingPoint[]>();
  for (const { elo, date, timeClass } of games) {
    const day = daysOf(date);
    if (elo === 0 || day === null) continue;
    const line = lines.get(timeClass) ?? [];
    lines.set(timeClass, line);
    line.push({ day, date, elo });
  }
  return [...lines]
    .map(([timeClass, all]) => ({ timeClass, name: timeClass === '' || timeClass === 'unknown' ? say('unknown') : keyInWords(timeClass), games: all.length, points: thinned(all) }))
    .filter(({ points }) => points.length >= LEAST_POINTS)
    .sort((one, other) => other.games - one.games);
}

function thinned(all: readonly RatingPoint[]): RatingPoint[] {
  const [first, last] = [all[0]?.day ?? 0, all.at(-1)?.day ?? 0];
  const width = Math.max(1, (last - first) / MOST_POINTS);
  const shares = new Map(all.map((point) => [Math.floor((point.day - first) / width), point]));
  return [...shares.values()];
}

/** The ratings beside the chart: round numbers, and the ends of the axis. */
export function ratingAxis(points: readonly RatingPoint[]): { from: number; to: number; marks: number[] } {
  const all = points.map(({ elo }) => elo);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(10, (most - least) * 0.08);
  const [from, to] = [least - room, most + room];
  return { from, to, marks: ticks(from, to, 4).filter(Number.isInteger) };
}

/** The days below the chart that begin a year, or a month if the line is shorter than two years, at most five; each as `2024` or `2024.05`. */
export function timeMarks(points: readonly RatingPoint[]): { day: number; text: string }[] {
  const [first, last] = [points[0]?.day ?? 0, points.at(-1)?.day ?? 0];
  const yearOf = (day: number) => new Date(day * 86_400_000).getUTCFullYear();
  if (last - first > 2 * DAYS_OF_YEAR) {
    return ticks(yearOf(first) + 1, yearOf(last), 4)
      .filter(Number.isInteger)
      .map((year) => ({ day: Date.UTC(year, 0) / 86_400_000, text: String(year) }));
  }
  const begin = new Date(first * 86_400_000);
  const months = Array.from({ length: 26 }, (_, nth) => new Date(Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + nth, 1))).filter((date) => date.getTime() >= first * 86_400_000 && date.getTime() <= last * 86_400_000);
  const every = Math.max(1, Math.ceil(months.length / 5));
  return months.filter((_, nth) => nth % every === 0).map((date) => ({ day: date.getTime() / 86_400_000, text: `${date.getUTCFullYear()}.${String(date.getUTCMonth() + 1).padStart(2, '0')}` }));
}
