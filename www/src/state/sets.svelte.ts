// The named sets of the open corpus, and the latest message about them.
import { EngineError, type EngineClient } from '../engine/client';
import type { Methods, NamedSet, Question, Rule } from '../engine/protocol';
import { sentence } from './library.svelte';
import { say } from './say';
import { counted } from './words';

/** How the user can combine two sets, and the sign in the expression; `not` takes one set. */
export const OPERATORS = [
  { name: 'and', sign: '&' },
  { name: 'or', sign: '|' },
  { name: 'without', sign: '-' },
  { name: 'xor', sign: '^' },
  { name: 'not', sign: '~' },
] as const;
export type Operator = (typeof OPERATORS)[number]['name'];

/** An operator and its meaning in words. */
export function operatorInWords(operator: Operator): { name: string; meaning: string } {
  const words: Record<Operator, { name: string; meaning: string }> = {
    and: { name: say('and'), meaning: say('games of both') },
    or: { name: say('or'), meaning: say('games of either') },
    without: { name: say('without'), meaning: say('games of the first that are not in the second') },
    xor: { name: say('xor'), meaning: say('games of exactly one of them') },
    not: { name: say('not'), meaning: say('games of the collection that are not in it') },
  };
  return words[operator];
}

/** The expression of a combination. */
export function expressionOf(one: string, operator: Operator, two: string): string {
  const sign = OPERATORS.find((known) => known.name === operator)?.sign ?? '&';
  return operator === 'not' ? `~@${one}` : `@${one} ${sign} @${two}`;
}

/** A name for the set of a file: the file name without `.bm`, with `_` for characters that a name cannot have. */
export function nameOfFile(file: string): string {
  return file.replace(/\.bm$/i, '').replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[.-]+/, '') || 'set';
}

export class GameSets {
  list = $state.raw<NamedSet[]>([]);
  trouble = $state('');
  /** The latest success, as a sentence. */
  said = $state('');

  private readonly client: EngineClient;
  /** Counts the requests. */
  private begun = 0;
  /** The request whose result is shown. Results of older requests change nothing. */
  private shown = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Fetches the sets of the open corpus. */
  async fetch(): Promise<void> {
    const turn = ++this.begun;
    this.shown = turn;
    this.trouble = '';
    this.said = '';
    this.list = [];
    try {
      const list = await this.client.call('sets', {});
      if (turn === this.shown) this.list = list;
    } catch (error) {
      if (turn === this.shown && !isCancelled(error)) this.trouble = sentence(error);
    }
  }

  keep(name: string, question: Question): Promise<boolean> {
    return this.change('keepSet', { name: trimmed(name), question }, `Saved as @${trimmed(name)}.`);
  }

  combine(name: string, expression: string): Promise<boolean> {
    return this.change('combineSets', { name: trimmed(name), expression }, `Saved as @${trimmed(name)}.`);
  }

  rename(name: string, to: string): Promise<boolean> {
    return this.change('renameSet', { name, to: trimmed(to) }, say(`@${name} is @${trimmed(to)} now.`));
  }

  remove(name: string): Promise<boolean> {
    return this.change('removeSet', { name }, say(`@${name} was removed.`));
  }

  add(file: File): Promise<boolean> {
    const name = nameOfFile(file.name);
    return this.change('addSet', { name, file }, `Added as @${name}.`);
  }

  /** Stores one set for each of the largest values of a key. */
  async keepParts(prefix: string, question: Question, key: string, rule: Rule, most: number): Promise<boolean> {
    return this.tried(async () => {
      const { made, sets } = await this.client.call('keepParts', { prefix: trimmed(prefix), question, key, rule, most });
      return { sets, said: say(`${counted(made, ['# set', '# sets'])} saved, @${trimmed(prefix)}-….`) };
    });
  }

  private change<M extends 'keepSet' | 'combineSets' | 'renameSet' | 'removeSet' | 'addSet'>(method: M, params: Methods[M]['params'], said: string): Promise<boolean> {
    return this.tried(async () => ({ sets: await this.client.call(method, params), said }));
  }

  /** Returns true if the task succeeded; otherwise `trouble` says why not. */
  private async tried(task: () => Promise<{ sets: NamedSet[]; said: string }>): Promise<boolean> {
    const turn = ++this.begun;
    this.trouble = '';
    this.said = '';
    try {
      const { sets, said } = await task();
      if (turn > this.shown) [this.shown, this.list, this.said] = [turn, sets, said];
      return true;
    } catch (error) {
      if (turn > this.shown && !isCancelled(error)) this.trouble = sentence(error);
      return false;
    }
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'cancelled';
}

/** A name without its `@`. */
function trimmed(name: string): string {
  return name.trim().replace(/^@/, '');
}
