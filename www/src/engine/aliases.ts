// The names that stand for others in the open corpus. The engine reads and writes their list, which is that of the command line, and takes the
// names for one; the device stores its text.
import type { AliasList, ConfirmedList, Methods } from './protocol';
import { refusal, said } from './sets';

/** What this module needs of the engine's corpus. */
export interface AliasTaker {
  takeAliases(text: string): void;
  aliases(): ConfirmedList;
}

/** Where the list of a corpus is stored, as a text that is empty if there is none. */
export interface AliasStore {
  aliases(corpus: string): Promise<string>;
  putAliases(corpus: string, text: string): Promise<void>;
}

export class StoredAliases {
  private readonly id: string;
  private readonly corpus: AliasTaker;
  /** Null for games whose names cannot be joined. */
  private readonly storage: AliasStore | null;
  /** The text on the device, as it was read or written last. */
  private stored = '';
  private trouble = '';

  constructor(id: string, corpus: AliasTaker, storage: AliasStore | null) {
    this.id = id;
    this.corpus = corpus;
    this.storage = storage;
  }

  /** Gives the engine the stored names of this corpus. If they cannot be read, each name stands for itself, and the list says why. */
  static async open(id: string, corpus: AliasTaker, storage: AliasStore): Promise<StoredAliases> {
    const aliases = new StoredAliases(id, corpus, storage);
    await storage.aliases(id).then((text) => aliases.take(text), (error: unknown) => (aliases.trouble = said(error)));
    return aliases;
  }

  /** Gives the engine the names of whoever published these games; visitors cannot change them. */
  static published(id: string, corpus: AliasTaker, text: string): StoredAliases {
    const aliases = new StoredAliases(id, corpus, null);
    aliases.take(text);
    return aliases;
  }

  list(): AliasList {
    return { ...this.corpus.aliases(), trouble: this.trouble };
  }

  /** Puts another list in the place of this one, which may be damaged. */
  async put(text: string): Promise<AliasList> {
    if (!this.storage) throw refusal('only names of your own collections can be joined: save these games as one first');
    const stored = await this.storage.aliases(this.id);
    if (stored !== this.stored) {
      this.take(stored);
      throw refusal('names were joined in another tab: look at them again');
    }
    const before = this.corpus.aliases().text;
    this.corpus.takeAliases(text);
    const after = this.corpus.aliases().text;
    try {
      await this.storage.putAliases(this.id, after);
    } catch (error) {
      this.corpus.takeAliases(before);
      throw error;
    }
    this.stored = after;
    this.trouble = '';
    return this.list();
  }

  private take(text: string): void {
    this.stored = text;
    this.trouble = '';
    try {
      this.corpus.takeAliases(text);
    } catch (error) {
      this.trouble = said(error);
    }
  }
}

/** What the worker does with requests about names that stand for others. `changed` is called when the names have other meanings. */
export function aliasHandlers(aliases: () => StoredAliases, changed: () => void) {
  return {
    aliases: async () => aliases().list(),
    putAliases: async ({ text }: Methods['putAliases']['params']) => aliases().put(text).finally(changed),
  };
}
