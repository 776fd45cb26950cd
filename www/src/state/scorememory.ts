// Evaluations of whole games on this device: those of the last games, each under a digest of its moves.
import type { Score } from '../analysis/score';
import type { GameView } from '../engine/protocol';
import { keepValue, keptValue } from './kept';

const KEY = 'plyfold.scores';
/** Games that are kept; a game of 40 moves takes about a kilobyte. */
const MOST_GAMES = 500;

export interface KeptScores {
  /** The score of each position, from the start. */
  scores: readonly (Score | null)[];
  /** The best move in each position, in SAN; empty if there is none. */
  best: readonly string[];
}

/** A digest of the moves of a game. */
export function keyOf({ start_fen, plies }: GameView): string {
  return digest(`${start_fen} ${plies.map(({ uci }) => uci).join(' ')}`);
}

/** The scores of a game; null if it has none here. */
export function keptScores(key: string): KeptScores | null {
  const text = all().find(([one]) => one === key)?.[1];
  return text === undefined ? null : parse(text);
}

/** Keeps the scores of a game; the games that were evaluated longest ago give way. */
export function keepScores(key: string, scores: KeptScores): void {
  const others = all().filter(([one]) => one !== key);
  // There may be no room for so many.
  for (let most = MOST_GAMES; most >= 1; most = Math.floor(most / 2)) {
    if (keepValue(KEY, [...others.slice(1 - most || others.length), [key, format(scores)]])) return;
  }
}

function all(): readonly (readonly [string, string])[] {
  const games = keptValue(KEY);
  return Array.isArray(games) ? games.filter((one): one is [string, string] => Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === 'string')) : [];
}

/** `35Nf3 -20d5 #3Qh7+`: for each position its score, then the best move; `?` has no score. */
function format({ scores, best }: KeptScores): string {
  return scores.map((score, at) => `${score ? `${score.kind === 'mate' ? '#' : ''}${score.value}` : '?'}${best[at] ?? ''}`).join(' ');
}

function parse(text: string): KeptScores {
  const parts = text.split(' ').map((part) => /^(?:(#?)(-?\d+)|\?)(.*)$/.exec(part));
  return {
    scores: parts.map((part) => (part?.[2] === undefined ? null : { kind: part[1] ? 'mate' : 'cp', value: Number(part[2]), bound: 'exact' })),
    best: parts.map((part) => part?.[3] ?? ''),
  };
}

/** 53 bits of a text: two games of a collection have the same with a chance of one to many millions. */
function digest(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36);
}
