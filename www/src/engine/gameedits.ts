// The edits of the open corpus. The engine reads and writes their list, which is that of the command line, and makes the edits in the
// games in memory; the device stores its text.
import type { ChangeOfGame, EditsOfCorpus, GameEditList, Methods } from './protocol';
import { refusal, said } from './sets';

/** What this module needs of the engine's corpus. */
export interface EditTaker {
  takeEdits(text: string): void;
  addEdit(ids: Uint32Array, changes: ChangeOfGame[]): void;
  undoEdits(count: number): void;
  edits(): EditsOfCorpus;
}

/** Where the list of a corpus is stored, as a text that is empty if there is none. */
export interface EditStore {
  edits(corpus: string): Promise<string>;
  putEdits(corpus: string, text: string): Promise<void>;
}

export class GameEdits {
  private readonly id: string;
  private readonly corpus: EditTaker;
  /** Null for games that cannot be edited. */
  private readonly storage: EditStore | null;
  /** Gives the engine the openings, which it finds by the moves. */
  private readonly openings: () => Promise<void>;
  /** The list that the engine has taken. */
  private text = '';
  private trouble = '';

  constructor(id: string, corpus: EditTaker, storage: EditStore | null, openings = async () => {}) {
    this.id = id;
    this.corpus = corpus;
    this.storage = storage;
    this.openings = openings;
  }

  /** Gives the engine the stored edits of this corpus. If they cannot be read, the games are as they were imported, and the list says why. */
  static async open(id: string, corpus: EditTaker, storage: EditStore, openings?: () => Promise<void>): Promise<GameEdits> {
    const edits = new GameEdits(id, corpus, storage, openings);
    await edits.read().catch((error: unknown) => (edits.trouble = said(error)));
    return edits;
  }

  list(): GameEditList {
    return { ...this.corpus.edits(), trouble: this.trouble };
  }

  async add(ids: readonly number[], changes: ChangeOfGame[]): Promise<GameEditList> {
    if (changes.some(({ kind }) => kind === 'text')) await this.openings();
    return this.change(() => this.corpus.addEdit(Uint32Array.from(ids), changes));
  }

  async undo(count: number): Promise<GameEditList> {
    return this.change(() => this.corpus.undoEdits(count));
  }

  /** Puts another list in the place of this one, which may be damaged. */
  async put(text: string): Promise<GameEditList> {
    await this.take(text);
    return this.keep();
  }

  /** Gives the engine a list. */
  private async take(text: string): Promise<void> {
    if (text.includes('\ttext ')) await this.openings();
    this.corpus.takeEdits(text);
  }

  private async change(make: () => void): Promise<GameEditList> {
    // Another tab may have changed the list.
    await this.read();
    if (this.trouble !== '') throw refusal(this.trouble);
    make();
    return this.keep();
  }

  /** Stores what the engine has now. If that fails, it takes the list of before again. */
  private async keep(): Promise<GameEditList> {
    const { text } = this.corpus.edits();
    try {
      if (!this.storage) throw refusal('only games of your own collections can be edited: save these as one first');
      await this.storage.putEdits(this.id, text);
    } catch (error) {
      this.corpus.takeEdits(this.text);
      throw error;
    }
    this.text = text;
    this.trouble = '';
    return this.list();
  }

  private async read(): Promise<void> {
    const text = (await this.storage?.edits(this.id)) ?? '';
    this.trouble = '';
    if (text === this.text) return;
    try {
      await this.take(text);
      this.text = text;
    } catch (error) {
      this.trouble = said(error);
    }
  }
}

/** What the worker does with requests about edits. `changed` is called when games are others than before. */
export function editHandlers(edits: () => GameEdits, changed: () => void) {
  return {
    edits: async () => edits().list(),
    addEdit: async ({ ids, changes }: Methods['addEdit']['params']) => edits().add(ids, changes).finally(changed),
    undoEdits: async ({ count }: Methods['undoEdits']['params']) => edits().undo(count).finally(changed),
    putEdits: async ({ text }: Methods['putEdits']['params']) => edits().put(text).finally(changed),
  };
}
