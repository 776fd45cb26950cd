// The signs that can be given to a move, in groups as they are offered.
import { say } from './say';
import type { Side } from './squares';

export interface SignGroup {
  name: string;
  signs: readonly number[];
  /** The signs of which a move has one. */
  oneOf: readonly number[];
}

const OF_MOVE = [1, 2, 3, 4, 5, 6];
/** Numbers 10 to 21 judge the position. Those that usual fonts cannot tell apart are not offered. */
const OF_POSITION = [10, 13, 14, 15, 16, 17, 18, 19];
const EVERY_JUDGEMENT = Array.from({ length: 12 }, (_, nth) => 10 + nth);

/** The groups for a move of this side. Signs that White and Black have numbers of their own for are those of whom they are about. */
export function signGroups(mover: Side): SignGroup[] {
  const own = (number: number) => (mover === 'white' ? number : number + 1);
  const others = (number: number) => (mover === 'white' ? number + 1 : number);
  return [
    { name: say('The move'), signs: OF_MOVE, oneOf: OF_MOVE },
    { name: say('The position'), signs: OF_POSITION, oneOf: EVERY_JUDGEMENT },
    { name: say('Further signs'), signs: [7, 146, others(22), own(32), own(36), own(40), own(44), own(132), own(138), 140], oneOf: [] },
  ];
}
