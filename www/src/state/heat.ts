// Reading the heatmap: 768 numbers, [2 colours][6 pieces P N B R Q K][64 squares a1 .. h8]; and the shades of its squares.
import { MEN, SIDES, type Man, type Side } from './squares';

/** The 64 numbers of one piece. */
export function heatOf(heatmap: Float64Array, side: Side, man: Man): Float64Array {
  const at = (SIDES.indexOf(side) * 6 + MEN.indexOf(man)) * 64;
  return heatmap.subarray(at, at + 64);
}

/** By rank, each shade has as many squares as the next, so large numbers differ too. By number, the shades are equal steps. */
export type ShadesBy = 'rank' | 'number';

/** Per cent of the heat colour in each shade. The gap in the middle keeps numbers readable, dark below it and light above it. */
export const SHADES = [8, 22, 36, 50, 78, 89, 100] as const;
/** From this shade on, numbers have the colour of text on the accent colour. */
export const FIRST_STRONG = 5;

/** A shade, from 1, and the numbers that have it. */
export interface HeatClass {
  shade: number;
  from: number;
  to: number;
}

/** The shades of 64 numbers, ascending; 0 has none. */
export function heatClasses(values: Float64Array, by: ShadesBy): HeatClass[] {
  const known = [...values].filter((value) => value > 0).sort((one, two) => one - two);
  const distinct = new Set(known).size;
  const classes = Math.min(SHADES.length, distinct);
  const most = known.at(-1) ?? 0;
  const bounds = Array.from({ length: classes }, (_, nth) => (by === 'rank' ? (known[Math.ceil(((nth + 1) * known.length) / classes) - 1] ?? most) : Math.ceil(((nth + 1) * most) / classes)));
  const tops = [...new Set(bounds)];
  return tops.map((to, nth) => {
    const shade = tops.length === 1 ? SHADES.length : 1 + Math.round((nth * (SHADES.length - 1)) / (tops.length - 1));
    const from = by === 'rank' ? (known.find((value) => value > (tops[nth - 1] ?? 0)) ?? to) : (tops[nth - 1] ?? 0) + 1;
    return { shade, from, to };
  });
}

/** The shade of a number, 0 for none. */
export function shadeOf(value: number, classes: readonly HeatClass[]): number {
  return value === 0 ? 0 : (classes.find(({ to }) => value <= to)?.shade ?? SHADES.length);
}
