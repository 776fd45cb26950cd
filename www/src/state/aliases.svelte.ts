// The names that stand for others in the open games, as the user has confirmed them. Whoever names one player then finds all of their names,
// and each is shown as one. Each change can be undone, and each undoing taken back.
import { EngineError } from '../engine/client';
import type { AliasList, ConfirmedName, CorpusInfo } from '../engine/protocol';
import type { App } from './app.svelte';
import { sentence } from './library.svelte';
import { say } from './say';
import { counted } from './words';

/** What a name is a name of. */
export type NamedKind = ConfirmedName['kind'];

/** A list as it was, and who the user was among its names. */
interface Moment {
  text: string;
  own: string;
}

const NONE: AliasList = { text: '', names: [], trouble: '' };

export class Aliases {
  list = $state.raw<AliasList>(NONE);
  /** Why something failed: one sentence. */
  trouble = $state('');
  /** What was done last, as a sentence. */
  said = $state('');
  /** The lists before the changes of this visit, and those before what was undone. */
  past = $state.raw<readonly Moment[]>([]);
  undone = $state.raw<readonly Moment[]>([]);

  private readonly app: App;
  private corpus: CorpusInfo | null = null;

  constructor(app: App) {
    this.app = app;
  }

  /** Takes up the names of the collection that is open. */
  async follow(corpus: CorpusInfo | null): Promise<void> {
    if (corpus === this.corpus) return;
    this.corpus = corpus;
    this.list = NONE;
    this.said = '';
    this.past = [];
    this.undone = [];
    if (corpus) await this.asked(() => this.app.client.call('aliases', {}));
  }

  /** Lets names stand for others. What stood for one of them stands for its new name. */
  async confirm(names: readonly ConfirmedName[]): Promise<boolean> {
    const renamed = new Map(names.map(({ kind, alias, name }) => [`${kind} ${alias}`, name]));
    const before = this.list.names.map((line) => ({ ...line, name: renamed.get(`${line.kind} ${line.name}`) ?? line.name }));
    return this.changed(asText([...before, ...names]), counted(names.length, ['# name is joined with another.', '# names are joined with others.']));
  }

  /** Lets a name stand for itself again. */
  async takeBack(line: ConfirmedName): Promise<boolean> {
    return this.changed(asText(this.list.names.filter((one) => one !== line)), say(`${line.alias} is a name of its own.`));
  }

  async takeAllBack(): Promise<boolean> {
    return this.changed('', say('Each name stands for itself.'));
  }

  /** Adds the names of a file, as the command line writes it. */
  async load(file: File): Promise<boolean> {
    const before = this.list.names.length;
    // The engine counts lines, and those of the file come first.
    const isRead = await this.changed(`${await file.text()}\n${this.list.text}`, '');
    if (isRead) this.said = say(`${counted(this.list.names.length - before, ['# name', '# names'])} added from ${file.name}.`);
    else if (this.trouble) this.trouble = `${file.name}: ${this.trouble}`;
    return isRead;
  }

  /** The list as a file that the command line reads. */
  file(): Blob {
    return new Blob([this.list.text], { type: 'text/tab-separated-values' });
  }

  async undo(): Promise<boolean> {
    const now = this.now();
    const before = this.past.at(-1);
    if (!before || !(await this.put(before.text, say('The last change is undone.')))) return false;
    this.past = this.past.slice(0, -1);
    this.undone = [...this.undone, now];
    this.app.me.set(before.own);
    return true;
  }

  async redo(): Promise<boolean> {
    const now = this.now();
    const after = this.undone.at(-1);
    if (!after || !(await this.put(after.text, say('The change is there again.')))) return false;
    this.undone = this.undone.slice(0, -1);
    this.past = [...this.past, now];
    this.app.me.set(after.own);
    return true;
  }

  private now(): Moment {
    return { text: this.list.text, own: this.app.me.name };
  }

  private async changed(text: string, said: string): Promise<boolean> {
    const now = this.now();
    if (!(await this.put(text, said))) return false;
    this.past = [...this.past, now];
    this.undone = [];
    // The user goes by the name that is shown.
    const own = this.list.names.find(({ kind, alias }) => kind === 'player' && alias === now.own);
    if (own) this.app.me.set(own.name);
    return true;
  }

  /** Changes the list, and asks anew what is shown. */
  private async put(text: string, said: string): Promise<boolean> {
    const { client, explorer, replay, search } = this.app;
    const { corpus } = this;
    this.said = '';
    if (!(await this.asked(() => client.call('putAliases', { text })))) {
      if (corpus !== this.corpus) return false;
      const { trouble } = this;
      // Another tab may have changed it.
      await this.asked(() => client.call('aliases', {}));
      this.trouble = trouble;
      return false;
    }
    this.said = said;
    explorer.renew();
    search.renewRows();
    replay.pgn = '';
    void search.grown();
    return true;
  }

  /** Asks for a list; false if that failed, with the reason in `trouble`, or if other games are open meanwhile. */
  private async asked(ask: () => Promise<AliasList>): Promise<boolean> {
    const { corpus } = this;
    this.trouble = '';
    try {
      const list = await ask();
      if (corpus !== this.corpus) return false;
      this.list = list;
      return true;
    } catch (error) {
      const isCancelled = error instanceof EngineError && error.code === 'cancelled';
      if (corpus === this.corpus && !isCancelled) this.trouble = sentence(error);
      return false;
    }
  }
}

function asText(names: readonly ConfirmedName[]): string {
  return names.map(({ kind, alias, name }) => `${kind}\t${alias}\t${name}\n`).join('');
}
