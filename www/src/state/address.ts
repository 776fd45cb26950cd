// The address holds what the page shows: corpus, query, the selection of games, tab, key, the explorer's
// position, game and ply; on the page of transforms, its boards and commands; on the page of tables, its position. All of this is behind the
// `#`, which browsers never send to a server, so a query stays on the device even if the host keeps logs.
import type { Leaving, Part } from '../engine/protocol';
import { ALWAYS, datesText, parseClasses, parseDates, parseSpans, spansText, type Colour, type GameFilter } from './gamefilter';
import { FIRST_LANGUAGE, LANGUAGE, mayHaveChanged } from './queryversion';

/** The tabs with a view of their own. */
export const TABS = ['games', 'positions', 'heatmap', 'structures', 'explorer', 'engine', 'tablebase', 'counts'] as const;
/** One of these, or the name of an output that is shown as a table. */
export type Tab = (typeof TABS)[number] | (string & {});
const OUTPUT_NAME = /^[a-z_]{1,40}$/;

/** The key that games are counted by until the user chooses another. */
export const FIRST_KEY = 'move';

/** The contents of the page of transforms. */
export interface Turned {
  /** A FEN or EPD, or what the user has typed so far. */
  position: string;
  /** Commands: names of transforms, or the twins of a solving program. */
  sequence: string;
  leaving: Leaving;
  /** The position that is compared with the first. */
  other: string;
  /** True if the first position is the image of the other; false if the other is the image of the first. */
  otherIsOriginal: boolean;
}

export interface Place {
  corpus: string;
  query: string;
  /** The plain words that were typed and mean the query; empty if the query itself was typed. */
  words: string;
  /** The version of the language of the query. An address says it if it matters, and without it is of the first. */
  language: number;
  /** An expression over named sets, empty for all games. */
  within: string;
  parts: readonly Part[];
  /** Whether positions match wherever the conditions hold, also if the query has windows. */
  everywhere: boolean;
  tab: Tab;
  /** The tab in the other panel, where the window has two; empty for the first one there. */
  beside: Tab;
  /** The key that games are counted by. */
  key: string;
  /** The explorer's position as a FEN; empty for the matching positions. */
  position: string;
  /** Whether the explorer follows the board. */
  follow: boolean;
  /** Whether the explorer shows only the matching games. */
  among: boolean;
  /** The games that the explorer counts: bands of the mean rating, dates, time classes, and a player with a side. */
  rating: GameFilter['ratings'];
  years: GameFilter['dates'];
  classes: GameFilter['classes'];
  player: string;
  colour: Colour;
  /** Whether the tab of positions shows all positions of each game. */
  every: boolean;
  /** Number of the game in the corpus, from 0, or null if none is selected. */
  game: number | null;
  /** Ply on the board, 0 for the start position; null without a game. */
  ply: number | null;
  /** The moves of a sideline that begins at `ply`, in UCI notation. */
  line: readonly string[];
  /** The game itself, packed, and else the position on the board, for those who have not its games. Only a copied link has them. */
  carried: string;
  seen: string;
  /** Set on the page of transforms. */
  turned: Turned | null;
  /** The position on the page of tables, as typed; null on any other page. */
  tabled: string | null;
  /** Whether this is the page of one's own games. */
  mine: boolean;
  /** Whether this is the page of training. */
  training: boolean;
}

export const NOWHERE: Place = { corpus: '', query: '', words: '', language: LANGUAGE, within: '', parts: [], everywhere: false, tab: 'games', beside: '', key: FIRST_KEY, position: '', follow: false, among: false, rating: [], years: ALWAYS, classes: [], player: '', colour: 'player', every: false, game: null, ply: null, line: [], carried: '', seen: '', turned: null, tabled: null, mine: false, training: false };

export const UNTURNED: Turned = { position: '', sequence: '', leaving: 'written', other: '', otherIsOriginal: false };
/** Longer than any list of twins that a user writes. The rest of a longer address is ignored. */
const MOST_LETTERS = 4000;
/** The numbers of moves are below this. */
const MOST_CODES = 2 ** 22;

/** Reads an address fragment, with or without `#`. Unknown or malformed parts are ignored. */
export function parsePlace(fragment: string): Place {
  const words = new URLSearchParams(fragment.replace(/^#/, ''));
  const wanted = words.get('tab') ?? '';
  const beside = words.get('beside') ?? '';
  const tab = OUTPUT_NAME.test(wanted) ? wanted : 'games';
  // The address numbers games from 1, as the table does.
  const game = wholeNumber(words.get('game'), 1);
  return {
    corpus: words.get('corpus') ?? '',
    query: words.get('q') ?? '',
    words: words.has('q') ? (words.get('words') ?? '').slice(0, MOST_LETTERS) : '',
    language: wholeNumber(words.get('v'), 1) ?? (mayHaveChanged(words.get('q') ?? '', FIRST_LANGUAGE) ? FIRST_LANGUAGE : LANGUAGE),
    within: words.get('in') ?? '',
    parts: words.getAll('part').flatMap(parsePart),
    everywhere: words.get('everywhere') === '1',
    tab,
    beside: OUTPUT_NAME.test(beside) ? beside : '',
    key: words.get('key') || FIRST_KEY,
    position: readPosition(words.get('position')),
    follow: words.get('follow') === '1',
    among: words.get('among') === '1',
    rating: parseSpans(words.get('rating') ?? ''),
    years: parseDates(words.get('years') ?? ''),
    classes: parseClasses(words.get('time') ?? ''),
    player: (words.get('player') ?? '').slice(0, MOST_LETTERS),
    colour: (['white', 'black'] as const).find((one) => one === words.get('colour')) ?? 'player',
    every: words.get('every') === '1',
    game: game === null ? null : game - 1,
    ply: game === null ? null : wholeNumber(words.get('ply'), 0),
    line: game === null || !words.has('ply') ? [] : parseLine(words.get('line') ?? ''),
    carried: words.get('moves') ?? '',
    seen: readPosition(words.get('fen')),
    turned: words.get('page') === 'transforms' ? parseTurned(words) : null,
    tabled: words.get('page') === 'tablebase' ? (words.get('board') ?? '').slice(0, MOST_LETTERS).replaceAll('_', ' ') : null,
    mine: words.get('page') === 'mine',
    training: words.get('page') === 'training',
  };
}

/** The fragment of a place, with its `#`; an empty text for the empty place. */
export function formatPlace(place: Place): string {
  const words = new URLSearchParams();
  if (place.corpus) words.set('corpus', place.corpus);
  if (place.query) words.set('q', place.query);
  if (place.query && place.words) words.set('words', place.words);
  if (place.language > FIRST_LANGUAGE && mayHaveChanged(place.query, FIRST_LANGUAGE)) words.set('v', String(place.language));
  if (place.within) words.set('in', place.within);
  for (const part of place.parts) words.append('part', formatPart(part));
  if (place.everywhere) words.set('everywhere', '1');
  if (place.tab !== 'games') words.set('tab', place.tab);
  if (place.beside) words.set('beside', place.beside);
  if (place.key !== FIRST_KEY) words.set('key', place.key);
  if (place.position) words.set('position', place.position.replaceAll(' ', '_'));
  if (place.follow) words.set('follow', '1');
  if (place.among) words.set('among', '1');
  if (spansText(place.rating)) words.set('rating', spansText(place.rating));
  if (datesText(place.years)) words.set('years', datesText(place.years));
  if (place.classes.length > 0) words.set('time', place.classes.join(','));
  if (place.player) words.set('player', place.player);
  if (place.player && place.colour !== 'player') words.set('colour', place.colour);
  if (place.every) words.set('every', '1');
  if (place.game !== null) {
    words.set('game', String(place.game + 1));
    if (place.ply !== null) words.set('ply', String(place.ply));
    if (place.ply !== null && place.line.length > 0) words.set('line', place.line.join('.'));
  }
  if (place.turned) formatTurned(place.turned, words);
  if (place.tabled !== null) {
    words.set('page', 'tablebase');
    if (place.tabled) words.set('board', place.tabled.replaceAll(' ', '_'));
  }
  if (place.mine) words.set('page', 'mine');
  if (place.training) words.set('page', 'training');
  const text = words.toString();
  return text ? `#${text}` : '';
}

function formatTurned({ position, sequence, leaving, other, otherIsOriginal }: Turned, words: URLSearchParams): void {
  words.set('page', 'transforms');
  if (position) words.set('board', position.replaceAll(' ', '_'));
  if (sequence) words.set('twins', sequence);
  if (leaving !== 'written') words.set('leaving', leaving);
  if (other) words.set(otherIsOriginal ? 'original' : 'image', other.replaceAll(' ', '_'));
}

function parseTurned(words: URLSearchParams): Turned {
  const text = (name: string) => (words.get(name) ?? '').slice(0, MOST_LETTERS);
  const position = (name: string) => text(name).replaceAll('_', ' ');
  const leaving = (['refused', 'dropped'] as const).find((one) => one === words.get('leaving')) ?? 'written';
  const otherIsOriginal = !words.get('image') && !!words.get('original');
  return { position: position('board'), sequence: text('twins'), leaving, other: position(otherIsOriginal ? 'original' : 'image'), otherIsOriginal };
}

/** `value:KEY:VALUE`, `next:MOVE:SAN` or `next:MOVE:SAN:POSITION`. A key has no colon. Older links have a MOVE below 65,536. */
function formatPart(part: Part): string {
  if (part.by === 'value') return `value:${part.key}:${part.value}`;
  return `next:${part.code}:${part.san}${part.position ? `:${part.position}` : ''}`;
}

function parsePart(text: string): Part[] {
  const [by, first = '', second = '', ...rest] = text.split(':');
  if (by === 'value' && first !== '') return [{ by, key: first, value: [second, ...rest].join(':') }];
  const code = wholeNumber(first, 0);
  if (by === 'next' && code !== null && code < MOST_CODES && second !== '') return [{ by, code, san: second, position: rest.join(':') }];
  return [];
}

/** A position as an address has it; empty if it is none. */
function readPosition(text: string | null): string {
  const position = (text ?? '').replaceAll('_', ' ');
  return isPosition(position) ? position : '';
}

/** Whether a text looks like a FEN, so that it can be put between quotes in a query. */
function isPosition(text: string): boolean {
  return /^[1-8a-zA-Z/]+ [wb] [A-Ha-hKQkq-]+ (?:-|[a-h][36])(?: \d+){0,2}$/.test(text);
}

/** Moves with full stops between them. */
function parseLine(text: string): string[] {
  const moves = text.slice(0, MOST_LETTERS).split('.');
  return moves.every((move) => /^[a-h][1-8][a-h][1-8][nbrq]?$/.test(move)) ? moves : [];
}

function wholeNumber(text: string | null, least: number): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
