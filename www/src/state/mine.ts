// What the page of one's own shows: the score of the user by colour, opening, opponent, year, time class, structure and endgame, and the
// longest runs. Each number is a question whose games a click shows.
import type { EngineClient } from '../engine/client';
import type { Group, Part } from '../engine/protocol';
import { keyInWords } from './countkeys';
import { quotedName } from './filters';
import { say } from './say';
import type { SideScore } from './score';
import { NO_OUTPUTS, WHOLE_CORPUS } from './search.svelte';

/** Values that say that a position has none: every game has such positions. */
const NO_VALUES = ['none', 'none yet'];
/** Rows of a table that are shown. */
const MOST_ROWS = 8;

/** A row: games of the user, and the question that finds them. */
export interface OwnRow extends SideScore {
  name: string;
  games: number;
  query: string;
  parts: readonly Part[];
}

export interface OwnTable {
  title: string;
  rows: readonly OwnRow[];
}

/** The longest run of games in the order of their dates, and its first and last game. */
export interface Run {
  games: number;
  first: number;
  last: number;
}

/** The tables, one after the other, as the engine has counted them. */
export class OwnGames {
  private readonly client: EngineClient;
  private readonly name: string;
  private readonly signal: AbortSignal;

  constructor(client: EngineClient, name: string, signal: AbortSignal) {
    this.client = client;
    this.name = name;
    this.signal = signal;
  }

  /** All games, and those with either colour. */
  async byColour(): Promise<OwnTable> {
    const me = quotedName(this.name);
    const wanted = [
      { name: say('All games'), query: me },
      { name: say('with White'), query: `white ${me}` },
      { name: say('with Black'), query: `black ${me}` },
    ];
    const rows = [];
    for (const { name, query } of wanted) {
      const { ids } = await this.run(query);
      const score = (await this.client.call('score', { ids, player: this.name }, { signal: this.signal })).player;
      if (score && score.games > 0) rows.push(rowOf(name, query, [], [score.won, score.drawn, score.lost], score.games));
    }
    return { title: say('Score'), rows };
  }

  /** The games with a colour by a key, those of most games first. */
  async by(key: string, colour: 'white' | 'black', title: string): Promise<OwnTable> {
    const query = `${colour} ${quotedName(this.name)}`;
    const groups = (await this.run(query, key)).groups?.groups ?? [];
    return { title, rows: ranked(groups.map((group) => ownRow(group, query, key, colour))) };
  }

  /** All games by a key: those with White and with Black are added up. `inOrder` keeps the order of the key, and all rows. */
  async byBoth(keys: { white: string; black: string }, title: string, inOrder = false): Promise<OwnTable> {
    const me = quotedName(this.name);
    const all = new Map<string, OwnRow>();
    for (const colour of ['white', 'black'] as const) {
      const key = keys[colour];
      const groups = (await this.run(`${colour} ${me}`, key)).groups?.groups ?? [];
      for (const group of groups) {
        if (NO_VALUES.includes(group.name)) continue;
        // The other side of a game is one name, whatever the colours.
        const query = keys.white === keys.black ? me : `${me} and ${quotedName(group.name)}`;
        const row = keys.white === keys.black ? ownRow(group, me, key, colour) : { ...ownRow(group, query, '', colour), query, parts: [] };
        const before = all.get(group.name);
        all.set(group.name, before ? rowOf(row.name, row.query, row.parts, [before.won + row.won, before.drawn + row.drawn, before.lost + row.lost], before.games + row.games) : row);
      }
    }
    const rows = [...all.values()];
    return { title, rows: inOrder ? rows.sort((one, two) => one.name.localeCompare(two.name, undefined, { numeric: true })) : ranked(rows) };
  }

  /** Games with a blunder of the user's, by what the clock said; none if no game has clocks and evaluations. */
  async blunders(): Promise<OwnTable> {
    const query = `${quotedName(this.name)} blunder`;
    const groups = (await this.run(query, 'clock_time')).groups?.groups ?? [];
    const known = groups.filter(({ name, condition }) => name !== '?' && condition !== null);
    return { title: say('Games with blunders, by the clock'), rows: known.map(({ name, condition, games }) => rowOf(name, `{ ${query} and ${condition ?? ''} }`, [], [0, 0, 0], games)) };
  }

  /** The longest runs of wins, and of games without a loss. */
  async runs(): Promise<{ wins: Run; unbeaten: Run }> {
    const me = quotedName(this.name);
    const { ids } = await this.run(me);
    const order = await this.client.call('sort', { ids, key: 'date', descending: false }, { signal: this.signal });
    const [won, lost] = [new Set((await this.run(`winner ${me}`)).ids), new Set((await this.run(`loser ${me}`)).ids)];
    return { wins: longestRun(order, (id) => won.has(id)), unbeaten: longestRun(order, (id) => !lost.has(id)) };
  }

  private run(query: string, key = '') {
    return this.client.call('query', { question: { ...WHOLE_CORPUS, query }, outputs: { ...NO_OUTPUTS, key } }, { signal: this.signal });
  }
}

/** The longest run of games that are as wanted. */
export function longestRun(order: Iterable<number>, isWanted: (id: number) => boolean): Run {
  let best: Run = { games: 0, first: -1, last: -1 };
  let present = best;
  for (const id of order) {
    present = isWanted(id) ? { games: present.games + 1, first: present.games === 0 ? id : present.first, last: id } : { games: 0, first: -1, last: -1 };
    if (present.games > best.games) best = present;
  }
  return best;
}

function ownRow(group: Group, query: string, key: string, colour: 'white' | 'black'): OwnRow {
  const { white, black, draw, games, condition } = group;
  const [won, lost] = colour === 'white' ? [white, black] : [black, white];
  // An opening holds its variations.
  if (key === 'opening_family') return rowOf(group.name, `${query} and opening ${quotedName(group.name)}`, [], [won, draw, lost], games);
  const asked = condition === null ? query : `${query} and ${condition}`;
  const parts: readonly Part[] = condition === null && key !== '' ? [{ by: 'value', key, value: group.name }] : [];
  return rowOf(group.name === '?' ? say('unknown') : keyInWords(group.name), asked, parts, [won, draw, lost], games);
}

function rowOf(name: string, query: string, parts: readonly Part[], [won, drawn, lost]: [number, number, number], games: number): OwnRow {
  const known = won + drawn + lost;
  return { name, query, parts, won, drawn, lost, games, share: known === 0 ? null : (won + drawn / 2) / known };
}

/** The rows with most games. */
function ranked(rows: OwnRow[]): OwnRow[] {
  return rows.sort((one, two) => two.games - one.games).slice(0, MOST_ROWS);
}
