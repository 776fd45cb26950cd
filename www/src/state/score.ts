// Whose score a result has: that of the player whom the query names, or of the user, or of White.
import type { Condition, Score } from '../engine/protocol';

/** The player whom a query names, as the query writes the name; empty if it names none. */
export function namedPlayer(conditions: readonly Condition[]): string {
  for (const { name, side, values } of conditions) {
    if (name === 'player') return values[0] ?? '';
    // Whose a condition is: `"Karpov*" isolated_queens_pawn`.
    const whose = side.split('"')[1];
    if (whose) return whose;
  }
  return '';
}

/** The games won, drawn and lost of one side, and its share of the points; null if no result is known. */
export interface SideScore {
  won: number;
  drawn: number;
  lost: number;
  share: number | null;
}

/** The score of the player, if one was asked for and has games; otherwise that of White. */
export function sideScore({ results, player }: Score): SideScore & { isPlayer: boolean } {
  const isPlayer = player !== null && player.games > 0;
  const [won, drawn, lost] = isPlayer ? [player.won, player.drawn, player.lost] : [results.white, results.draw, results.black];
  const known = won + drawn + lost;
  return { won, drawn, lost, share: known === 0 ? null : (won + drawn / 2) / known, isPlayer };
}
