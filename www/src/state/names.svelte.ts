// Names of the open corpus, with their numbers of games, for a field that the user fills in and for the quotes of
// the query text. Late results of an older text are dropped. Without names, a field takes what is typed.
import type { EngineClient } from '../engine/client';
import type { NamedGames, NameKind, QueryProblem } from '../engine/protocol';
import { tokensOf } from './tokens';
import { counted } from './words';

/** Names listed at once. */
export const MOST_NAMES = 8;

/** The names that contain a text, or the nearest ones; none if the engine cannot tell. */
export async function namesOf(client: EngineClient, field: NameKind, text: string, most = MOST_NAMES): Promise<readonly NamedGames[]> {
  return client.call('names', { field, text: text.replaceAll('*', ' ').trim(), most }).catch(() => []);
}

/** `12 games`. */
export function gamesInWords(games: number): string {
  return counted(games, ['# game', '# games']);
}

/** A name in a query: its header, its place with the quotes, and the text between them. */
export interface NamePlace {
  field: NameKind;
  from: number;
  to: number;
  text: string;
}

const FIELDS: Readonly<Record<string, NameKind>> = { white: 'white', black: 'black', event: 'event', site: 'site', opening: 'opening' };
/** Words before a quoted text that is no name of the corpus. */
const UNNAMED = ['fen', 'board', 'structure', 'source'];

/** The name in whose quotes a place stands; null elsewhere. The closing quote may be missing. */
export function nameAt(text: string, at: number): NamePlace | null {
  const quotes = [...text.slice(0, at)].filter((letter) => letter === '"').length;
  if (quotes % 2 === 0) return null;
  const from = text.lastIndexOf('"', at - 1);
  const close = text.indexOf('"', at);
  // While a quote is still open, the next quote begins another name.
  const isClosed = close >= 0 && !/\s(and|or|then)\s/i.test(text.slice(from, close));
  const to = isClosed ? close + 1 : at;
  const before = tokensOf(text.slice(0, from))?.at(-1)?.text ?? '';
  if (UNNAMED.includes(before)) return null;
  return { field: FIELDS[before] ?? 'player', from, to, text: text.slice(from + 1, isClosed ? close : at) };
}

/** The names that are offered for one that no game has. */
export function namesIn({ id, arguments: named }: QueryProblem): string[] {
  return id === 'unknown-name' ? named.slice(2) : id === 'unknown-opening' ? named.slice(1) : [];
}

/** The nearest names for the first name of a query that the open corpus does not have; none if it has them all. */
export async function suggestNames(client: EngineClient, query: string): Promise<string[]> {
  const problem = await client.call('check', { query }).catch(() => null);
  return problem ? namesIn(problem) : [];
}

/** What a typed name means in a query: a name that was offered, or all names that begin with the text. */
export function asPattern(typed: string, offered: readonly NamedGames[], isPart = false): string {
  const text = typed.trim();
  if (text === '' || text.includes('*')) return text;
  const same = offered.find(({ name }) => name.toLowerCase() === text.toLowerCase());
  return same ? same.name : `${isPart ? '*' : ''}${text}*`;
}

/** The suggestions of one field. */
export class Suggestions {
  options = $state.raw<readonly NamedGames[]>([]);
  /** The text that the options are for. */
  text = $state('');
  /** Index of the option highlighted by the keyboard, -1 for none. */
  picked = $state(-1);
  open = $state(false);

  private readonly client: EngineClient;
  private turn = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  async ask(field: NameKind, text: string): Promise<void> {
    const turn = ++this.turn;
    const options = await namesOf(this.client, field, text);
    if (turn !== this.turn) return;
    this.options = options;
    this.text = text;
    this.picked = -1;
    this.open = options.length > 0;
  }

  pick(step: number): void {
    const count = this.options.length;
    if (count > 0) this.picked = this.picked < 0 && step < 0 ? count - 1 : (this.picked + step + count) % count;
  }

  close(): void {
    this.turn++;
    this.open = false;
    this.picked = -1;
  }
}
