// The user's games, read once from the rows of the list: with whom, when, by which ratings, and how they ended. What a header says is
// counted from these; only what happened on the board needs a scan of its own.
import type { EngineClient } from '../engine/client';
import type { GameRow } from '../engine/protocol';
import { quotedName } from './tokens';
import { NO_OUTPUTS, WHOLE_CORPUS } from './search.svelte';
import type { Side } from './squares';

const ROWS_AT_ONCE = 2000;

export interface OwnGame {
  id: number;
  side: Side;
  /** Null if the result is not known. */
  result: 'won' | 'drawn' | 'lost' | null;
  opponent: string;
  /** 0 if it is not known, as in the rows. */
  elo: number;
  opponentElo: number;
  /** As PGN writes it, such as `2024.05.??`; empty if it is not known. */
  date: string;
  timeClass: string;
  plies: number;
}

/** All games of a player, in the order of their dates. */
export async function ownGames(client: EngineClient, name: string, signal: AbortSignal): Promise<OwnGame[]> {
  const { sides, order } = await gamesBySide(client, name, '', false, signal);
  const games: OwnGame[] = [];
  for (let from = 0; from < order.length; from += ROWS_AT_ONCE) {
    const rows = await client.call('rows', { ids: [...order.slice(from, from + ROWS_AT_ONCE)] }, { signal });
    for (const row of rows) games.push(ownGame(row, sides.get(row.id) ?? 'white'));
  }
  return games;
}

/** The games of a player with a condition, `''` for all, in the order of their dates; and the side of the player in each. */
export async function gamesBySide(client: EngineClient, name: string, condition: string, isLatestFirst: boolean, signal: AbortSignal): Promise<{ sides: ReadonlyMap<number, Side>; order: Uint32Array }> {
  const sides = new Map<number, Side>();
  for (const side of ['white', 'black'] as const) {
    const query = `${side} ${quotedName(name)}${condition && ` and ${condition}`}`;
    const { ids } = await client.call('query', { question: { ...WHOLE_CORPUS, query }, outputs: NO_OUTPUTS }, { signal });
    for (const id of ids) if (!sides.has(id)) sides.set(id, side);
  }
  const order = await client.call('sort', { ids: Uint32Array.from(sides.keys()), key: 'date', descending: isLatestFirst }, { signal });
  return { sides, order };
}

function ownGame(row: GameRow, side: Side): OwnGame {
  const { id, date, plies, time_class: timeClass } = row;
  const [opponent, elo, opponentElo] = side === 'white' ? [row.black, row.white_elo, row.black_elo] : [row.white, row.black_elo, row.white_elo];
  const winner = { '1-0': 'white', '0-1': 'black', '1/2-1/2': '', '*': null }[row.result];
  const result = winner === null ? null : winner === '' ? 'drawn' : winner === side ? 'won' : 'lost';
  return { id, side, result, opponent, elo, opponentElo, date, timeClass, plies };
}

/** The year and month of a date, such as `2024.05`; an unknown month counts as the first, as in queries. Empty for no year. */
export function monthOf(date: string): string {
  const [, year, month] = /^(\d{4})\.(\d\d|\?\?)/.exec(date) ?? [];
  return year === undefined ? '' : `${year}.${month === '??' ? '01' : month}`;
}

/** Days since 1970, for an axis of time; null if the year is not known. */
export function daysOf(date: string): number | null {
  const [year, month, day] = date.split('.').map((part) => Number(part) || 1);
  return /^\d{4}/.test(date) ? Date.UTC(year ?? 1970, (month ?? 1) - 1, day ?? 1) / 86_400_000 : null;
}
