// What the page of one's own shows: the score of the user by colour, opening, opponent, rating, time, structure and endgame, and the
// longest runs. Each number is a question whose games a click shows.
import type { EngineClient } from '../engine/client';
import type { Group, Part } from '../engine/protocol';
import { structuresInWords } from './cards';
import { keyInWords } from './countkeys';
import { quotedName } from './tokens';
import { monthOf, type OwnGame } from './owngames';
import { say } from './say';
import type { SideScore } from './score';
import { NO_OUTPUTS, WHOLE_CORPUS } from './search.svelte';
import { month, yearOf } from './words';
import { byPeriod, periodsOf, yearLines, type YearLines } from './yearlines';

/** Values that say that a position has none: every game has such positions. */
const NO_VALUES = ['none', 'none yet'];
const NO_WORDS: ReadonlyMap<string, string> = new Map();
/** Rows of a table that has no order of its own. */
const MOST_ROWS = 8;
const MONTHS = 24;
/** Where the bands of ratings begin, from the opponent's rating less the user's. */
const RATING_BANDS = [-Infinity, -200, -100, 0, 100, 200] as const;

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
  /** The query and the key that the rows were counted by, if the engine counted them. */
  counted?: { query: string; key: string };
  /** The games of each row in the course of the years, once they are counted. */
  lines?: YearLines;
}

/** The longest run of games in the order of their dates, and its first and last game. */
export interface Run {
  games: number;
  first: number;
  last: number;
}

/** The tables of what headers say. */
export function headerTables(games: readonly OwnGame[], name: string): OwnTable[] {
  return [byColour(games, name), byOpponent(games, name), byRating(games, name), byTimeClass(games, name), byMonth(games, name), byYear(games, name)];
}

function byColour(games: readonly OwnGame[], name: string): OwnTable {
  const me = quotedName(name);
  const of = (side: OwnGame['side']) => games.filter((game) => game.side === side);
  const rows = [rowOfGames(say('All games'), me, games), rowOfGames(say('with White'), `white ${me}`, of('white')), rowOfGames(say('with Black'), `black ${me}`, of('black'))];
  return { title: say('Score'), rows: rows.filter((row) => row.games > 0) };
}

function byOpponent(games: readonly OwnGame[], name: string): OwnTable {
  const opponents = grouped(games, ({ opponent }) => opponent);
  const rows = opponents.map(([opponent, all]) => rowOfGames(opponent, `${quotedName(name)} and ${quotedName(opponent)}`, all));
  const yearsOf = (some: readonly OwnGame[]) => some.map(({ date }) => Number(yearOf(date))).filter((year) => year > 0);
  const periods = periodsOf(yearsOf(games));
  const lines = { periods, games: new Map(opponents.map(([opponent, all]) => [opponent, byPeriod(periods, yearsOf(all))])) };
  return { title: say('Opponents'), rows: ranked(rows), lines };
}

function byTimeClass(games: readonly OwnGame[], name: string): OwnTable {
  const rows = grouped(games, ({ timeClass }) => timeClass || 'unknown').map(([timeClass, all]) => rowOfGames(timeClass === 'unknown' ? say('unknown') : keyInWords(timeClass), `${quotedName(name)} and time_class ${timeClass}`, all));
  return { title: say('Time classes'), rows: ranked(rows) };
}

/** The latest months with games, the last one first. */
function byMonth(games: readonly OwnGame[], name: string): OwnTable {
  const months = grouped(games, ({ date }) => monthOf(date)).sort(([one], [other]) => other.localeCompare(one));
  return { title: say('Months'), rows: months.slice(0, MONTHS).map(([at, all]) => rowOfGames(month(at), `${quotedName(name)} and date ${at}`, all)) };
}

/** The years, the last one first. */
function byYear(games: readonly OwnGame[], name: string): OwnTable {
  const years = grouped(games, ({ date }) => yearOf(date)).sort(([one], [other]) => other.localeCompare(one));
  return { title: say('Years'), rows: years.map(([at, all]) => rowOfGames(at, `${quotedName(name)} and year ${at}`, all)) };
}

/** Games against higher and lower rated opponents, the highest first. */
function byRating(games: readonly OwnGame[], name: string): OwnTable {
  const rated = games.filter(({ elo, opponentElo }) => elo > 0 && opponentElo > 0);
  const rows = RATING_BANDS.map((from, nth) => {
    const to = RATING_BANDS[nth + 1] ?? Infinity;
    const all = rated.filter(({ elo, opponentElo }) => opponentElo - elo >= from && opponentElo - elo < to);
    return rowOfGames(bandInWords(from, to), ratingQuery(quotedName(name), from, to), all);
  });
  return { title: say('Opponents by rating'), rows: rows.filter((row) => row.games > 0).toReversed() };
}

function bandInWords(from: number, to: number): string {
  if (from === -Infinity) return say(`more than ${-to} below me`);
  if (to === Infinity) return say(`${from} or more above me`);
  return from < 0 ? say(`${1 - to} to ${-from} below me`) : say(`${from} to ${to - 1} above me`);
}

function ratingQuery(me: string, from: number, to: number): string {
  const of = (side: string, other: string) => [`${side} ${me}`, ...(from > -Infinity ? [`${other} elo - ${side} elo >= ${from}`] : []), ...(to < Infinity ? [`${other} elo - ${side} elo < ${to}`] : [])].join(' and ');
  return `(${of('white', 'black')}) or (${of('black', 'white')})`;
}

/** The longest runs of wins, and of games without a loss. */
export function runsOf(games: readonly OwnGame[]): { wins: Run; unbeaten: Run } {
  return { wins: longestRun(games, ({ result }) => result === 'won'), unbeaten: longestRun(games, ({ result }) => result !== 'lost') };
}

/** The longest run of games that are as wanted. */
export function longestRun(games: readonly OwnGame[], isWanted: (game: OwnGame) => boolean): Run {
  let best: Run = { games: 0, first: -1, last: -1 };
  let present = best;
  for (const game of games) {
    present = isWanted(game) ? { games: present.games + 1, first: present.games === 0 ? game.id : present.first, last: game.id } : { games: 0, first: -1, last: -1 };
    if (present.games > best.games) best = present;
  }
  return best;
}

/** The tables of what happened on the board, one after the other, as the engine has counted them. */
export class BoardTables {
  private readonly client: EngineClient;
  private readonly name: string;
  private readonly signal: AbortSignal;

  constructor(client: EngineClient, name: string, signal: AbortSignal) {
    this.client = client;
    this.name = name;
    this.signal = signal;
  }

  /** The games with a colour by a key, those of most games first. */
  async by(key: string, colour: 'white' | 'black', title: string): Promise<OwnTable> {
    const query = `${colour} ${quotedName(this.name)}`;
    const groups = (await this.run(query, key)).groups?.groups ?? [];
    return { title, rows: ranked(groups.map((group) => ownRow(group, query, key, colour))), counted: { query, key } };
  }

  /** A table of `by` with the years of its rows. */
  async withLines(table: OwnTable): Promise<OwnTable> {
    if (!table.counted) return table;
    const { query, key } = table.counted;
    const { periods, games } = await yearLines(this.client, { ...WHOLE_CORPUS, query }, key, this.signal);
    return { ...table, lines: { periods, games: new Map([...games].map(([value, line]) => [nameOf(value), line])) } };
  }

  /** All games by a key: those with White and with Black are added up. */
  async byBoth(key: string, title: string): Promise<OwnTable> {
    const me = quotedName(this.name);
    const all = new Map<string, OwnRow>();
    for (const colour of ['white', 'black'] as const) {
      const groups = (await this.run(`${colour} ${me}`, key)).groups?.groups ?? [];
      for (const group of groups) {
        if (NO_VALUES.includes(group.name)) continue;
        const row = ownRow(group, me, key, colour);
        const before = all.get(group.name);
        all.set(group.name, before ? rowOf(row.name, row.query, row.parts, [before.won + row.won, before.drawn + row.drawn, before.lost + row.lost], before.games + row.games) : row);
      }
    }
    const words = key === 'named_structure' ? await structuresInWords(this.client, [...all.keys()]) : NO_WORDS;
    return { title, rows: ranked([...all].map(([value, row]) => ({ ...row, name: words.get(value) ?? row.name }))) };
  }

  /** Games with a blunder of the user's, by what the clock said; none if no game has clocks and evaluations. */
  async blunders(): Promise<OwnTable> {
    const query = `${quotedName(this.name)} blunder`;
    const groups = (await this.run(query, 'clock_time')).groups?.groups ?? [];
    const known = groups.filter(({ name, condition }) => name !== '?' && condition !== null);
    return { title: say('Games with blunders, by the clock'), rows: known.map(({ name, condition, games }) => rowOf(name, `{ ${query} and ${condition ?? ''} }`, [], [0, 0, 0], games)) };
  }

  /** Games in which the user threw something away, as the tables of this device say. */
  async thrownAway(): Promise<OwnTable> {
    const me = quotedName(this.name);
    const rows = [];
    for (const [name, query] of [[say('a win'), `${me} threw_away win`], [say('a draw'), `${me} threw_away draw`]] as const) {
      const { ids } = await this.run(query);
      if (ids.length > 0) rows.push(rowOf(name, query, [], [0, 0, 0], ids.length));
    }
    return { title: say('Endgames thrown away'), rows };
  }

  private run(query: string, key = '') {
    return this.client.call('query', { question: { ...WHOLE_CORPUS, query }, outputs: { ...NO_OUTPUTS, key } }, { signal: this.signal });
  }
}

function nameOf(value: string): string {
  return value === '?' ? say('unknown') : keyInWords(value);
}

function ownRow(group: Group, query: string, key: string, colour: 'white' | 'black'): OwnRow {
  const { white, black, draw, games, condition } = group;
  const [won, lost] = colour === 'white' ? [white, black] : [black, white];
  // An opening holds its variations.
  if (key === 'opening_family') return rowOf(nameOf(group.name), `${query} and opening ${quotedName(group.name)}`, [], [won, draw, lost], games);
  const asked = condition === null ? query : `${query} and ${condition}`;
  const parts: readonly Part[] = condition === null && key !== '' ? [{ by: 'value', key, value: group.name }] : [];
  return rowOf(nameOf(group.name), asked, parts, [won, draw, lost], games);
}

function rowOfGames(name: string, query: string, games: readonly OwnGame[]): OwnRow {
  return rowOf(name, query, [], scoreOf(games), games.length);
}

/** Games won, drawn and lost. */
export function scoreOf(games: readonly OwnGame[]): [number, number, number] {
  const of = (wanted: OwnGame['result']) => games.filter(({ result }) => result === wanted).length;
  return [of('won'), of('drawn'), of('lost')];
}

function rowOf(name: string, query: string, parts: readonly Part[], [won, drawn, lost]: [number, number, number], games: number): OwnRow {
  const known = won + drawn + lost;
  return { name, query, parts, won, drawn, lost, games, share: known === 0 ? null : (won + drawn / 2) / known };
}

/** The games by a value; those whose value is empty are left out. */
function grouped(games: readonly OwnGame[], valueOf: (game: OwnGame) => string): [string, OwnGame[]][] {
  const groups = new Map<string, OwnGame[]>();
  for (const game of games) {
    const value = valueOf(game);
    const group = groups.get(value);
    if (group) group.push(game);
    else if (value !== '') groups.set(value, [game]);
  }
  return [...groups];
}

/** The rows with most games. */
function ranked(rows: OwnRow[]): OwnRow[] {
  return rows.sort((one, two) => two.games - one.games).slice(0, MOST_ROWS);
}
