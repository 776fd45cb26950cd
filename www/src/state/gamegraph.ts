// The figures of a game's text as curves: evaluations and clock times by ply, and how they are written.
import type { Evaluation } from 'chessops/pgn';
import type { GameText } from './gametext';
import { say } from './say';
import { turnOf } from './squares';
import type { Sign } from './winningchances';
import { count, decimal } from './words';

/** Pawns at the edge of the graph. A mate counts as this much. */
export const MOST_PAWNS = 10;

/** One value for each position of the game, from the start; null where the text has none. */
export type Series = readonly (number | null)[];

export interface Clocks {
  /** Whether the times are those left on the clock, or those that each move took. */
  kind: 'left' | 'used';
  white: Series;
  black: Series;
  /** The longest time. */
  most: number;
}

/** The evaluations of a game's text, from the start. */
export function evaluationsIn(text: GameText): readonly (Evaluation | null)[] {
  return [text.start, ...text.plies].map(({ evaluation }) => evaluation);
}

/** Evaluations in pawns from White's side, within the graph; null if there are none. */
export function seriesOf(evaluations: readonly (Evaluation | null)[]): Series | null {
  const series = evaluations.map((evaluation) => (evaluation ? heightOf(evaluation) : null));
  return series.some((one) => one !== null) ? series : null;
}

function heightOf(evaluation: Evaluation): number {
  if ('mate' in evaluation) return evaluation.mate < 0 ? -MOST_PAWNS : MOST_PAWNS;
  return Math.max(-MOST_PAWNS, Math.min(MOST_PAWNS, evaluation.pawns));
}

/**
 * Where an evaluation stands in the graph, from -1 to 1. A pawn near equality takes more space than one in a
 * decided position.
 */
export function shareOf(pawns: number): number {
  return (Math.sign(pawns) * Math.log1p(Math.abs(pawns))) / Math.log1p(MOST_PAWNS);
}

/** The clock times of both sides; null if the text has none. Each side keeps its time while the other one thinks. */
export function clocksOf(text: GameText, startFen: string): Clocks | null {
  const kind = text.plies.some(({ clock }) => clock !== null) ? 'left' : 'used';
  const blackBegins = turnOf(startFen) === 'black';
  const series = { white: [null] as (number | null)[], black: [null] as (number | null)[] };
  let most = 0;
  for (const [at, { clock, elapsed }] of text.plies.entries()) {
    const mover = (at % 2 === 0) !== blackBegins ? 'white' : 'black';
    const time = kind === 'left' ? clock : elapsed;
    for (const side of ['white', 'black'] as const) series[side].push(side === mover ? (time ?? series[side].at(-1) ?? null) : (series[side].at(-1) ?? null));
    most = Math.max(most, time ?? 0);
  }
  return most > 0 ? { kind, ...series, most } : null;
}

/** The inaccuracies, mistakes and blunders that a game's text marks, by ply. */
export function signsIn(text: GameText): ReadonlyMap<number, Sign> {
  const signs = new Map<number, Sign>();
  for (const [at, { nags }] of text.plies.entries()) {
    const sign = nags.find((nag): nag is Sign => nag === 6 || nag === 2 || nag === 4);
    if (sign) signs.set(at + 1, sign);
  }
  return signs;
}

/** `+0.35`, `−1.20`, `mate in 4 for Black`. */
export function evaluationInWords(evaluation: Evaluation): string {
  if ('mate' in evaluation) return evaluation.mate < 0 ? say(`mate in ${count(Math.abs(evaluation.mate))} for Black`) : say(`mate in ${count(Math.abs(evaluation.mate))} for White`);
  return `${evaluation.pawns < 0 ? '−' : '+'}${decimal(Math.abs(evaluation.pawns), 2)}`;
}

/** `1:23:45`, `12:03`, `0:09.8`: tenths in the last ten seconds. */
export function clockTime(seconds: number): string {
  const whole = seconds < 10 ? Math.floor(seconds * 10) / 10 : Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = whole % 60;
  const last = seconds < 10 && !Number.isInteger(rest) ? `0${decimal(rest, 1)}` : two(Math.floor(rest));
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}:${last}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${last}`;
}

/** An SVG path through a series, one unit of width for each ply; it breaks where values are missing. */
export function pathThrough(series: Series, height: (value: number) => number): string {
  let path = '';
  let isOpen = false;
  for (const [at, value] of series.entries()) {
    if (value !== null) path += `${isOpen ? 'L' : 'M'}${at} ${height(value).toFixed(2)}`;
    isOpen = value !== null;
  }
  return path;
}

/** The closed areas between a series and the height `zero`. */
export function areaUnder(series: Series, height: (value: number) => number, zero: number): string {
  let path = '';
  let first = -1;
  for (let at = 0; at <= series.length; at++) {
    const value = series[at] ?? null;
    if (value !== null) {
      path += first < 0 ? `M${at} ${zero}L${at} ${height(value).toFixed(2)}` : `L${at} ${height(value).toFixed(2)}`;
      if (first < 0) first = at;
    } else if (first >= 0) {
      path += `L${at - 1} ${zero}Z`;
      first = -1;
    }
  }
  return path;
}

/** Numbers of moves to write below the graph, at most `most`, with their plies. */
export function movesBelow(length: number, startFen: string, most: number): { ply: number; number: number }[] {
  const fields = startFen.split(' ');
  const first = Math.max(1, Number(fields[5]) || 1);
  const offset = fields[1] === 'b' ? 1 : 0;
  const last = first + Math.floor((length - 1 + offset) / 2);
  const step = [5, 10, 20, 25, 50, 100, 200, 500].find((one) => (last - first) / one <= most) ?? 1000;
  const found: { ply: number; number: number }[] = [];
  for (let number = Math.ceil((first + 1) / step) * step; number <= last; number += step) found.push({ ply: (number - first) * 2 + 1 - offset, number });
  return found;
}
