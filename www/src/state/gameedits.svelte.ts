// The edits of the open games, which wait in a list beside their collection. The games are found, counted, shown and written with them. Each edit
// can be undone, and each undoing taken back.
import { EngineError } from '../engine/client';
import type { ChangeOfGame, CorpusInfo, GameEditList, Methods } from '../engine/protocol';
import type { App } from './app.svelte';
import { sentence } from './library.svelte';
import { say } from './say';
import { count, counted } from './words';

const NONE: GameEditList = { text: '', edits: [], edited: new Uint32Array(), deleted: new Uint32Array(), trouble: '' };

type Asked = 'edits' | 'addEdit' | 'undoEdits' | 'putEdits';

export class GameEdits {
  /** The edits of the open games. */
  list = $state.raw<GameEditList>(NONE);
  /** The games with other headers or moves than imported, and those that are deleted. */
  readonly edited = $derived.by((): ReadonlySet<number> => new Set(this.list.edited));
  readonly deleted = $derived.by((): ReadonlySet<number> => new Set(this.list.deleted));
  /** Why something failed: one sentence. */
  trouble = $state('');
  /** What was done last, as a sentence. */
  said = $state('');
  /** The list before the last undoing; null if nothing can be taken back. */
  undone = $state.raw<string | null>(null);

  private readonly app: App;
  private corpus: CorpusInfo | null = null;
  /** Counts the requests, since a late reply is about other games or an older list. */
  private begun = 0;

  constructor(app: App) {
    this.app = app;
  }

  /** Whether the open games can be edited. Those of a published library are somebody else's. */
  get isPossible(): boolean {
    const { current } = this.app.library;
    return current !== null && current.kept !== 'library' && !this.app.isEmbedded;
  }

  /** Takes up the edits of the collection that is open. */
  async follow(corpus: CorpusInfo | null): Promise<void> {
    if (corpus === this.corpus) return;
    this.corpus = corpus;
    this.list = NONE;
    this.said = '';
    this.undone = null;
    if (corpus && this.isPossible) await this.asked('edits', {});
  }

  /** Changes the headers of a game. */
  async change(id: number, changes: ChangeOfGame[]): Promise<boolean> {
    return changes.length === 0 || this.add([id], changes, say(`The headers of game ${count(id + 1)} are changed.`));
  }

  /** Gives a game another text, with its tags and moves. */
  async changeText(id: number, text: string): Promise<boolean> {
    return this.add([id], [{ kind: 'text', name: '', value: text }], say(`The moves of game ${count(id + 1)} are changed.`));
  }

  /** Deletes games, by one edit. */
  async remove(...ids: number[]): Promise<boolean> {
    const [first = 0] = ids;
    const said = ids.length === 1 ? say(`Game ${count(first + 1)} is deleted.`) : counted(ids.length, ['# game is deleted.', '# games are deleted.']);
    return this.add(ids, [{ kind: 'delete', name: '', value: '' }], said);
  }

  async restore(id: number): Promise<boolean> {
    return this.add([id], [{ kind: 'restore', name: '', value: '' }], say(`Game ${count(id + 1)} is restored.`));
  }

  /** Undoes the last edit. */
  async undo(): Promise<boolean> {
    const { text } = this.list;
    return this.renewed('undoEdits', { count: 1 }, say('The last edit is undone.'), text);
  }

  /** Undoes all edits. */
  async undoAll(): Promise<boolean> {
    const { text } = this.list;
    return this.renewed('putEdits', { text: '' }, say('All edits are undone.'), text);
  }

  /** Takes the last undoing back. */
  async redo(): Promise<boolean> {
    return this.undone !== null && this.renewed('putEdits', { text: this.undone }, say('The edits are there again.'), null);
  }

  /** What was done last is read. */
  dismiss(): void {
    this.said = '';
    this.trouble = '';
    this.undone = null;
  }

  private add(ids: number[], changes: ChangeOfGame[], said: string): Promise<boolean> {
    return this.renewed('addEdit', { ids, changes }, said, null);
  }

  /** Changes the list, and shows and finds the games as they are then. */
  private async renewed<M extends Asked>(method: M, params: Methods[M]['params'], said: string, undone: string | null): Promise<boolean> {
    this.said = '';
    if (!(await this.asked(method, params))) return false;
    this.said = said;
    this.undone = undone;
    const { explorer, replay, search, sets } = this.app;
    explorer.renew();
    search.renewRows();
    this.app.tagColumns?.renew();
    if (sets.list.length > 0) void sets.fetch();
    const { game } = replay;
    if (game && !replay.isAwaited) {
      replay.pgn = '';
      // It stays on the board wherever it stands in the list now.
      this.app.chosen ??= game.row.id;
      await this.app.showGame(game.row.id, replay.ply, replay.movesOfSideline);
    }
    void search.grown();
    return true;
  }

  /** Asks for the list or its change; false if that failed, with the reason in `trouble`, or if other games are open meanwhile. */
  private async asked<M extends Asked>(method: M, params: Methods[M]['params']): Promise<boolean> {
    const turn = ++this.begun;
    const { corpus } = this;
    this.trouble = '';
    try {
      const list = await this.app.client.call(method, params);
      if (corpus !== this.corpus) return false;
      if (turn === this.begun) this.list = list;
      return true;
    } catch (error) {
      const isCancelled = error instanceof EngineError && error.code === 'cancelled';
      if (corpus === this.corpus && !isCancelled) this.trouble = sentence(error);
      return false;
    }
  }
}
