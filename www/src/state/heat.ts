// Reading the heatmap: 768 numbers, [2 colours][6 pieces P N B R Q K][64 squares a1 .. h8].
import { MEN, SIDES, type Man, type Side } from './squares';

/** The 64 numbers of one piece. */
export function heatOf(heatmap: Float64Array, side: Side, man: Man): Float64Array {
  const at = (SIDES.indexOf(side) * 6 + MEN.indexOf(man)) * 64;
  return heatmap.subarray(at, at + 64);
}

/** How strongly a square is tinted, 0 to 1. The square root keeps rare squares visible. */
export function tint(value: number, most: number): number {
  return most === 0 || value === 0 ? 0 : 0.06 + 0.94 * Math.sqrt(value / most);
}
