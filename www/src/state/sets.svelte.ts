// The saved games of the open corpus, under any names, and the latest message about them. In the language they are sets, whose names are
// letters and digits: the page derives such a name, and remembers the one that the user has given.
import { EngineError, type EngineClient } from '../engine/client';
import type { Methods, NamedSet, Question, Rule } from '../engine/protocol';
import { keepValue, keptValue } from './kept';
import { sentence } from './library.svelte';
import { say } from './say';
import { counted } from './words';

/** The name of a set in the language for a name that the user gives: letters, digits and `_ . -`, unlike those that are `taken`. */
export function identifierOf(title: string, taken: readonly string[] = []): string {
  const plain = title.normalize('NFKD').replaceAll('ß', 'ss').replace(/\p{M}/gu, '').replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[_.-]+|_+$/g, '').slice(0, 90) || 'set';
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? plain : `${plain}-${nth}`;
    if (!taken.includes(name)) return name;
  }
}

const KEY = 'plyfold.collections';
type Titles = Record<string, Record<string, string>>;

function storedTitles(): Titles {
  const titles = keptValue(KEY);
  return typeof titles === 'object' && titles !== null ? (titles as Titles) : {};
}

export class GameSets {
  list = $state.raw<NamedSet[]>([]);
  trouble = $state('');
  /** The latest success, as a sentence. */
  said = $state('');

  /** The names that the user has given, by corpus and set. */
  private titles = $state.raw<Titles>(storedTitles());
  /** The corpus that is open. */
  corpus = (): string => '';

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

  /** The name of a set as the user has given it. */
  title(name: string): string {
    return this.titles[this.corpus()]?.[name] ?? name;
  }

  /** An expression over sets, with their names as the user has given them. */
  expressionInWords(expression: string): string {
    return expression.replace(/@([\w.-]+)/g, (_, name: string) => this.title(name));
  }

  keep(title: string, question: Question): Promise<boolean> {
    return this.named(title, '', (name) => this.change('keepSet', { name, question }, say(`Saved as “${trimmed(title)}”.`)));
  }

  combine(title: string, expression: string): Promise<boolean> {
    return this.named(title, '', (name) => this.change('combineSets', { name, expression }, say(`Saved as “${trimmed(title)}”.`)));
  }

  rename(before: string, title: string): Promise<boolean> {
    const said = say(`“${this.title(before)}” is “${trimmed(title)}” now.`);
    return this.named(title, before, async (name) => name === before || this.change('renameSet', { name: before, to: name }, said));
  }

  remove(name: string): Promise<boolean> {
    return this.change('removeSet', { name }, say(`“${this.title(name)}” was removed.`));
  }

  add(file: File): Promise<boolean> {
    const title = file.name.replace(/\.bm$/i, '');
    return this.named(title, '', (name) => this.change('addSet', { name, file }, say(`Added as “${title}”.`)));
  }

  /** Does something under a name that no other set has, and remembers how the user has written it. */
  private async named(written: string, own: string, make: (name: string) => Promise<boolean>): Promise<boolean> {
    const title = trimmed(written);
    const others = this.list.map(({ name }) => name).filter((name) => name !== own);
    if (others.some((name) => this.title(name).toLowerCase() === title.toLowerCase())) {
      this.said = '';
      this.trouble = say(`There already is a collection “${title}”. Choose another name.`);
      return false;
    }
    const name = identifierOf(title, others);
    if (!(await make(name))) return false;
    this.trouble = '';
    this.remember(name, title);
    return true;
  }

  private remember(name: string, title: string): void {
    this.titles = { ...this.titles, [this.corpus()]: { ...this.titles[this.corpus()], [name]: title } };
    keepValue(KEY, this.titles);
  }

  /** Stores one set for each of the largest values of a key. */
  async keepParts(prefix: string, question: Question, key: string, rule: Rule, most: number): Promise<boolean> {
    return this.tried(async () => {
      const { made, sets } = await this.client.call('keepParts', { prefix: identifierOf(trimmed(prefix)), question, key, rule, most });
      return { sets, said: say(`${counted(made, ['# collection', '# collections'])} saved: ${trimmed(prefix)}-….`) };
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
