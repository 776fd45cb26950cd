// What the user's games were when the page of one's own last saw other games than now, so that it can say what came since. The figures
// stay on this device, for each collection and name.
import { keepValue, keptValue } from './kept';
import type { OwnGame } from './owngames';
import { scoreOf } from './mine';
import { keyInWords } from './countkeys';
import { quotedName } from './tokens';
import { say } from './say';
import { count, counted, day } from './words';

const KEPT = 'plyfold.mine';
/** Collections and names that are remembered, the latest first. */
const MOST_KEPT = 20;

/** The games of one visit in a few figures. */
export interface OwnFigures {
  games: number;
  /** The date of the latest game. */
  latest: string;
  /** The games of that date: others of it may come later. */
  sameDay: string[];
  /** The last known rating by time class. */
  ratings: Record<string, number>;
}

interface Kept {
  key: string;
  /** The figures of the last visit. */
  now: OwnFigures;
  /** Those before the last games came; null before any came. */
  before: OwnFigures | null;
}

/** What came since, and the question that finds it. */
export interface News {
  says: string;
  query: string;
}

/** The figures of games in the order of their dates. */
export function figuresOf(games: readonly OwnGame[]): OwnFigures {
  const latest = games.findLast(({ date }) => isWhole(date))?.date ?? '';
  const ratings: Record<string, number> = {};
  for (const { elo, timeClass } of games) if (elo > 0 && timeClass) ratings[timeClass] = elo;
  return { games: games.length, latest, sameDay: games.filter(({ date }) => date === latest).map(fingerprint), ratings };
}

const isWhole = (date: string) => /^\d{4}\.\d\d\.\d\d$/.test(date);

const fingerprint = ({ side, opponent, result, plies }: OwnGame) => `${side} ${opponent} ${result ?? '*'} ${plies}`;

/** What came since the figures before; null if nothing did that has a date. */
export function newsSince(before: OwnFigures, games: readonly OwnGame[], name: string): News | null {
  if (games.length <= before.games || before.latest === '') return null;
  const known = [...before.sameDay];
  const isNew = (game: OwnGame) => {
    if (!isWhole(game.date) || game.date < before.latest) return false;
    const at = game.date === before.latest ? known.indexOf(fingerprint(game)) : -1;
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  };
  const fresh = games.filter(isNew);
  if (fresh.length === 0) return null;
  const isSameDay = fresh.some(({ date }) => date === before.latest);
  const from = isSameDay ? before.latest : fresh[0]!.date;
  return { says: inWords(before, fresh), query: `${quotedName(name)} and date >= ${from}` };
}

/** `32 new games since 12 Nov 2026: 18 won, 6 drawn, 8 lost; rapid 1843 → 1861`. */
function inWords(before: OwnFigures, fresh: readonly OwnGame[]): string {
  const [won, drawn, lost] = scoreOf(fresh);
  const [year, month, date] = before.latest.split('.').map(Number);
  const since = day(Date.UTC(year ?? 1970, (month ?? 1) - 1, date ?? 1, 12));
  const said = say(`${counted(fresh.length, ['# new game', '# new games'])} since ${since}: ${count(won)} won, ${count(drawn)} drawn, ${count(lost)} lost`);
  const after = figuresOf(fresh).ratings;
  const changes = Object.entries(after).flatMap(([timeClass, elo]) => (before.ratings[timeClass] && before.ratings[timeClass] !== elo ? [`${keyInWords(timeClass)} ${before.ratings[timeClass]} → ${elo}`] : []));
  return [said, ...changes].join('; ');
}

/** Remembers the present games, and says what came since others were there. The same games of a later visit change nothing. */
export function visit(corpus: string, name: string, games: readonly OwnGame[]): News | null {
  // Another import of the same games is called `nora 2`.
  const key = `${corpus.replace(/ \d{1,2}$/, '')}\n${name}`;
  const all = read();
  const kept = all.find((one) => one.key === key);
  const now = figuresOf(games);
  const isSame = kept !== undefined && kept.now.games === now.games && kept.now.latest === now.latest;
  const before = kept === undefined ? null : isSame ? kept.before : kept.now;
  if (!isSame) keepValue(KEPT, [{ key, now, before }, ...all.filter((one) => one !== kept)].slice(0, MOST_KEPT));
  return before && newsSince(before, games, name);
}

function read(): Kept[] {
  const all = keptValue(KEPT);
  return Array.isArray(all) ? all.filter(isKept) : [];
}

const isFigures = (value: unknown): value is OwnFigures => typeof value === 'object' && value !== null && 'games' in value && 'latest' in value && 'ratings' in value && 'sameDay' in value && Array.isArray(value.sameDay);

const isKept = (value: unknown): value is Kept => typeof value === 'object' && value !== null && 'key' in value && 'now' in value && 'before' in value && isFigures(value.now) && (value.before === null || isFigures(value.before));
