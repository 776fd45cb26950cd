// The moves of a game while they are edited: its text as it was, and after each change. The board, the list of moves and the text of the
// page show the game as it is here; a move that is played on the board is in it at once. Saved, the last text is one edit of the game.
import { untrack } from 'svelte';
import type { GameView } from '../engine/protocol';
import type { App } from './app.svelte';
import { sentence } from './library.svelte';
import * as changes from './movechanges';
import { inCommon, isSameLine, pathAlong, stepsFrom } from './movepaths';
import { readMoveText, type MoveNode, type MoveText, type Remark } from './movetext';
import { writeMoveText } from './movewriter';
import type { Step } from './rules';
import { say } from './say';
import { turnOf, type Side } from './squares';

type Change = (text: MoveText, path: MoveNode[]) => void;

export class MovesEditor {
  readonly id: number;
  readonly corpus: string;
  /** What went wrong: one sentence. */
  trouble = $state('');
  /** Whether the user has to say that the changes can go. */
  isAsking = $state(false);
  isSaving = $state(false);
  /** The text as it was, and after each change; those after `at` are undone. */
  private texts = $state.raw<readonly string[]>([]);
  private at = $state(0);

  readonly text = $derived.by(() => this.texts[this.at] ?? '');
  readonly isChanged = $derived.by(() => this.text !== this.texts[0]);
  readonly canUndo = $derived.by(() => this.at > 0);
  readonly canRedo = $derived.by(() => this.at + 1 < this.texts.length);
  private readonly tree = $derived.by(() => treeOf(this.text));
  /** Whether the game is on the board. */
  readonly isHere = $derived.by(() => this.app.replay.game?.row.id === this.id && this.app.library.current?.id === this.corpus);
  /** The moves of the text that lead to the position on the board. */
  private readonly path = $derived.by(() => (this.isHere ? pathAlong(this.tree.moves, this.app.replay.line) : []));
  /** The move that is edited; null at the start of the game. */
  readonly move = $derived.by(() => this.path.at(-1) ?? null);
  readonly isInVariation = $derived.by(() => changes.variationIn(this.tree, this.path) >= 0);
  /** Whether the move begins a variation, so that a comment can stand before it. */
  readonly isFirstOfVariation = $derived.by(() => changes.variationIn(this.tree, this.path) === this.path.length - 1 && this.path.length > 0);
  readonly signs = $derived.by((): readonly number[] => (this.move ? changes.signsOf(this.move) : []));
  readonly mover = $derived.by((): Side => (turnOf(this.app.replay.fen) === 'white' ? 'black' : 'white'));

  private readonly app: App;
  /** The game as the engine has it, and as the board has it. */
  private fetched: GameView;
  private shown: GameView;
  /** What was changed last, if going on with it is the same change. */
  private last = '';

  constructor(app: App, game: GameView, corpus: string, text: string) {
    this.app = app;
    this.id = game.row.id;
    this.corpus = corpus;
    [this.fetched, this.shown, this.texts] = [game, game, [text]];
    addEventListener('beforeunload', this.warn);
  }

  /** The browser asks before it leaves a page with changes. */
  private readonly warn = (event: BeforeUnloadEvent): void => {
    if (this.isChanged) event.preventDefault();
  };

  /** Shows the game as it is here, and takes up what was played on the board. To be called whenever either changes. */
  follow(): void {
    const { game, line } = this.app.replay;
    void this.text;
    untrack(() => {
      if (!game) return;
      if (!this.isHere) {
        if (!this.isChanged) this.end();
        return;
      }
      if (game !== this.shown) this.take(game);
      const played = line.slice(this.path.length + 1);
      if (played.length > 0) this.change((text, path) => played.forEach(({ san }) => path.push(changes.addMove(text, path, san))), line);
    });
  }

  /** Takes a game that was fetched anew. */
  private take(game: GameView): void {
    this.fetched = game;
    this.show();
  }

  /** The comments behind the move, or at the start of the game; or those before the first move of a variation. */
  comments(place: 'before' | 'after'): changes.Comment[] {
    return remarksAt(this.tree, this.path, place).filter(({ kind }) => kind === 'comment').map(changes.commentOf);
  }

  setWords(place: 'before' | 'after', nth: number, words: string): void {
    this.change((text, path) => changes.setWords(remarksAt(text, path, place), nth, words), null, `${place} ${nth} ${this.path.length} ${this.app.replay.fen}`);
  }

  deleteComment(place: 'before' | 'after', nth: number): void {
    this.change((text, path) => changes.deleteComment(remarksAt(text, path, place), nth));
  }

  toggleSign(number: number, group: readonly number[]): void {
    this.change((_, path) => path.at(-1) && changes.toggleSign(path.at(-1) as MoveNode, number, group));
  }

  promote(): void {
    this.change(changes.promote, this.app.replay.line);
  }

  makeMain(): void {
    this.change(changes.makeMain, this.app.replay.line);
  }

  deleteFrom(): void {
    this.change(changes.deleteFrom, this.app.replay.line.slice(0, this.path.length));
  }

  deleteVariation(): void {
    this.change(changes.deleteVariation, this.app.replay.line.slice(0, changes.variationIn(this.tree, this.path) + 1));
  }

  deleteAll(what: 'comments' | 'signs' | 'variations'): void {
    const [make, line] = { comments: [changes.deleteComments, null], signs: [changes.deleteSigns, null], variations: [changes.deleteVariations, this.app.replay.line] }[what] as [Change, Step[] | null];
    this.change(make, line);
  }

  undo(): void {
    if (this.canUndo) this.turn(this.at - 1);
  }

  redo(): void {
    if (this.canRedo) this.turn(this.at + 1);
  }

  private turn(at: number): void {
    [this.at, this.last, this.trouble, this.isAsking] = [at, '', '', false];
    this.show();
    this.go(this.app.replay.line);
  }

  /** Changes the text. Afterwards the board is at the end of `line`, as far as the text has it; where it was, if that is null. */
  private change(make: Change, line: readonly Step[] | null = null, name = ''): void {
    const tree = treeOf(this.text);
    make(tree, pathAlong(tree.moves, this.app.replay.line));
    const { start_fen: start } = this.fetched;
    const text = writeMoveText(tree, plyOf(start));
    if (text === this.text) return;
    const main = [...ownMoves(tree)];
    const legal = stepsFrom(start, main[0], this.shown.plies).length;
    [this.trouble, this.isAsking] = ['', false];
    if (legal < main.length) {
      this.trouble = say(`${main[legal]?.data.san ?? ''} cannot be played here, so this line cannot be the game.`);
      return;
    }
    const isSame = name !== '' && name === this.last && this.at > 0;
    const kept = this.texts.slice(0, isSame ? this.at : this.at + 1);
    [this.texts, this.at, this.last] = [[...kept, text], kept.length, name];
    this.show();
    if (line) this.go(line);
  }

  /** Puts the game as it is here on the board and into the list of moves. */
  private show(): void {
    const { replay, annotations } = this.app;
    const game = viewOf(this.fetched, this.tree);
    const isShown = replay.game === this.shown && isSameLine(game.plies, this.shown.plies);
    if (!isShown) replay.game = this.shown = game;
    replay.pgn = this.text;
    annotations.follow(replay.game);
  }

  /** Goes to the end of a line, as far as the text has it. */
  private go(line: readonly Step[]): void {
    const path = pathAlong(this.tree.moves, line);
    const steps = line.slice(1, path.length + 1);
    const own = inCommon(steps, this.shown.plies);
    const last = steps.at(-1);
    this.app.step((replay) => {
      if (!last || own === steps.length) replay.go(own);
      else replay.enter({ root: own, steps: [...steps.slice(own), ...stepsFrom(last.fen, path.at(-1)?.children[0])], played: steps.length - own });
    });
  }

  /** Makes the changes one edit of the game. */
  async save(): Promise<void> {
    const edits = this.app.gameEdits;
    if (!edits || this.isSaving) return;
    [this.isSaving, this.trouble] = [true, ''];
    try {
      const text = this.onto(await this.app.client.call('editedText', { id: this.id }));
      if (text === null) this.trouble = say('The moves of this game were changed elsewhere since. Copy the PGN if you need it, and begin again.');
      else if (await edits.changeText(this.id, text)) this.finish();
      else this.trouble = edits.trouble;
    } catch (error) {
      this.trouble = sentence(error);
    }
    this.isSaving = false;
  }

  /** The changed moves with the tags and the result of `now`, which may be other ones than the page shows; null if its moves are. */
  private onto(now: string): string | null {
    const [first = ''] = this.texts;
    if (now === first) return this.text;
    const [was, is] = [treeOf(first), readMoveText(now)];
    const ply = plyOf(this.fetched.start_fen);
    const movesOf = (tree: MoveText) => writeMoveText({ ...tree, head: '', tail: '', tailFrom: -1 }, ply);
    if (typeof is === 'string' || movesOf(is) !== movesOf(was)) return null;
    return writeMoveText({ ...this.tree, head: is.head, tail: is.tail, tailFrom: -1 }, ply);
  }

  /** Leaves all as it was; asks first, if there are changes. */
  cancel(): void {
    if (this.isChanged && !this.isAsking) this.isAsking = true;
    else this.discard();
  }

  discard(): void {
    if (this.isHere && this.at > 0) this.turn(0);
    this.end();
  }

  /** Shows the game again from which the user went away. */
  async comeBack(): Promise<void> {
    if (this.app.library.current?.id !== this.corpus) await this.app.openCorpus(this.corpus);
    await this.app.selectGame(this.id, 0);
  }

  /** The saved game is fetched with its tags. */
  private finish(): void {
    const { replay, annotations } = this.app;
    const isHere = this.isHere;
    this.end();
    if (!isHere) return;
    replay.pgn = '';
    annotations.follow(replay.game);
  }

  private end(): void {
    removeEventListener('beforeunload', this.warn);
    if (this.app.movesEditor === this) this.app.movesEditor = null;
  }
}

/** Begins to edit the moves of the game on the board; returns why they cannot be edited, or an empty text. */
export async function editMoves(app: App): Promise<string> {
  const { replay } = app;
  const { game } = replay;
  const corpus = app.library.current?.id;
  if (!game || corpus === undefined) return '';
  await replay.fetchPgn();
  if (replay.game !== game || replay.pgn === '') return replay.trouble;
  const trouble = whyNot(replay.pgn, game);
  if (trouble !== '') return trouble;
  app.annotations.areShown = true;
  app.movesEditor = new MovesEditor(app, game, corpus, replay.pgn);
  return '';
}

/** Why the moves of a text cannot be edited without a loss; empty if they can. */
export function whyNot(text: string, game: GameView): string {
  if (text.includes('\uFFFD')) return say('The moves of this game cannot be edited: its text has letters in an old encoding, which would be lost.');
  const tree = readMoveText(text);
  if (typeof tree === 'string') return tree;
  const main = [...ownMoves(tree)];
  const legal = stepsFrom(game.start_fen, main[0], game.plies);
  if (legal.length === main.length && isSameLine(legal, game.plies)) return '';
  const wrong = main[inCommon(legal, game.plies)]?.data.san ?? '';
  return wrong ? say(`The moves of this game cannot be edited: its text has ${wrong}, which is not possible there.`) : say('The moves of this game cannot be edited: its text has other moves than the board.');
}

/** The tree of a text that can be read. */
function treeOf(text: string): MoveText {
  const tree = readMoveText(text);
  if (typeof tree === 'string') throw new Error(tree);
  return tree;
}

function ownMoves({ moves }: MoveText): Iterable<MoveNode> {
  return moves.mainlineNodes();
}

/** What stands beside the last move of a path, or at the start of the game. */
function remarksAt(text: MoveText, path: readonly MoveNode[], place: 'before' | 'after'): Remark[] {
  const data = path.at(-1)?.data;
  return data ? data[place] : text.start;
}

/** The ply of the first move, counted from the start of chess. */
function plyOf(fen: string): number {
  const [, turn, , , , number = '1'] = fen.split(' ');
  return (Math.max(1, Number(number) || 1) - 1) * 2 + (turn === 'b' ? 1 : 0);
}

/** The game with the moves of a text: itself, if it has them. What matches the query is known as far as both agree. */
function viewOf(game: GameView, { moves }: MoveText): GameView {
  const plies = stepsFrom(game.start_fen, moves.children[0], game.plies);
  if (isSameLine(plies, game.plies)) return game;
  const same = inCommon(plies, game.plies);
  const matches = game.matches.filter((ply) => ply <= same);
  return { ...game, plies: plies as GameView['plies'], matches, images: game.images.slice(0, matches.length) };
}
