// The table of endgames: its order, and the names of the two sides of a material.
import type { Endgame, ThrownAwayCounts } from '../engine/protocol';
import { say } from './say';

export type EndgameOrder = 'games' | 'wins' | 'draws';

/** The moves of both sides that threw something away. */
const thrown = ({ first, second }: Endgame, what: 'wins' | 'draws') => first[what] + second[what];

/** Endgames with the largest numbers first; equal ones stay in their order. */
export function orderedEndgames(endgames: readonly Endgame[], order: EndgameOrder): readonly Endgame[] {
  if (order === 'games') return endgames;
  return [...endgames].sort((one, two) => thrown(two, order) - thrown(one, order));
}

export interface EndgameSlips {
  /** The pieces of the side, or its colour if both sides have the same pieces. */
  side: string;
  moves: number;
  query: string;
}

/** What each side threw away, without the sides that threw nothing away. */
export function slipsOf({ material, first, second }: Endgame, what: 'wins' | 'draws'): EndgameSlips[] {
  const [one = '', two = ''] = material.split('v');
  const names = one === two ? [say('White'), say('Black')] : [one, two];
  const slips = [first, second].map((side: ThrownAwayCounts, nth) => ({ side: names[nth] ?? '', moves: side[what], query: what === 'wins' ? side.wins_query : side.draws_query }));
  return slips.filter(({ moves }) => moves > 0);
}
