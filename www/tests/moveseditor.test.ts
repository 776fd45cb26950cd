// The editor of a game's moves: what is played on the board is in the text, changes are undone and taken back, saving makes one edit, and
// leaving loses nothing without a question.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { GameEditList, GameView } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { GameEdits } from '../src/state/gameedits.svelte';
import { editMoves, whyNot, type MovesEditor } from '../src/state/moveseditor.svelte';
import { START_FEN } from '../src/state/replay.svelte';
import { playLine, readLine } from '../src/state/rules';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus, row } from './results';

const view = (id: number, moves: string, start = START_FEN): GameView => ({ row: row(id), start_fen: start, plies: readLine(start, moves.split(' ').filter(Boolean)).steps, matches: [1, 3], images: [] });
const GAME = view(4, 'e4 e5 Nf3 Nc6');
const PGN = '[White "Anna"]\n[Result "1-0"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {[%clk 0:01:00]} Nc6 1-0';
const moves = (editor: MovesEditor) => editor.text.slice(editor.text.indexOf('\n\n') + 2);

let port: Hand;
let app: App;
let editor: MovesEditor;
let leaving: ((event: { preventDefault(): void }) => void)[];
beforeEach(async () => {
  new FakeBrowser().install();
  leaving = [];
  vi.stubGlobal('addEventListener', (name: string, listener: never) => name === 'beforeunload' && leaving.push(listener));
  vi.stubGlobal('removeEventListener', (_: string, listener: never) => (leaving = leaving.filter((one) => one !== listener)));
  port = new Hand();
  app = new App(new EngineClient(() => port));
  app.library.current = corpus('one');
  app.gameEdits = new GameEdits(app);
  void app.gameEdits.follow(app.library.current);
  await port.next('edits', list());
  void app.replay.show(4, 'queens_off', 0);
  await port.next('game', GAME);
  const begun = editMoves(app);
  await port.next('pgn', PGN);
  expect(await begun).toBe('');
  editor = app.movesEditor as MovesEditor;
});
afterEach(() => {
  app.route.flush();
  vi.unstubAllGlobals();
});

const list = (): GameEditList => ({ text: '', edits: [], edited: new Uint32Array(), deleted: new Uint32Array(), trouble: '' });

/** Plays moves on the board. */
function play(...ucis: string[]): void {
  for (const step of playLine(app.replay.fen, ucis)) {
    app.playOnBoard(step);
    app.movesEditor?.follow();
  }
}

describe('a move on the board', () => {
  it('that the game has is followed', () => {
    play('e2e4', 'e7e5');
    expect([editor.isChanged, app.replay.ply, app.replay.sideline, editor.move?.data.san]).toEqual([false, 2, null, 'e5']);
    app.replay.go(1);
    play('c7c5');
    expect([editor.isChanged, editor.move?.data.san, editor.isInVariation, editor.isFirstOfVariation]).toEqual([false, 'c5', true, true]);
  });

  it('that is new becomes a variation, or makes the game longer', () => {
    app.replay.go(2);
    play('f2f4', 'e5f4');
    expect(moves(editor)).toBe('1. e4 e5 (1... c5 2. Nf3) 2. Nf3 {[%clk 0:01:00]} (2. f4 exf4) Nc6 1-0');
    expect([editor.move?.data.san, app.replay.pgn, app.replay.ply, app.replay.sideline?.played]).toEqual(['exf4', editor.text, 2, 2]);
    app.replay.go(4);
    play('f1b5');
    expect([app.replay.ply, app.replay.length, app.replay.sideline, app.replay.matching.has(3)]).toEqual([5, 5, null, true]);
    expect(moves(editor)).toMatch(/\) Nc6 3\. Bb5 1-0$/);
  });

  it('leads to a line, which the board goes on with', () => {
    app.replay.go(1);
    play('c7c5');
    editor.promote();
    expect(moves(editor)).toBe('1. e4 c5 (1... e5 2. Nf3 {[%clk 0:01:00]} Nc6) 2. Nf3 1-0');
    // The board has the game as it is now, and matches as far as it is the same.
    expect([app.replay.game?.plies.map(({ san }) => san), app.replay.ply, app.replay.game?.matches]).toEqual([['e4', 'c5', 'Nf3'], 2, [1]]);
    app.replay.go(1);
    play('e7e5');
    expect([app.replay.sideline?.steps.map(({ san }) => san), editor.isInVariation]).toEqual([['e5'], true]);
    editor.makeMain();
    expect([editor.text, editor.isChanged, app.replay.game]).toEqual([PGN, false, GAME]);
  });
});

describe('changes', () => {
  it('are undone and taken back, and what is as it was is no change', () => {
    app.replay.go(3);
    editor.setWords('after', 0, 'g');
    editor.setWords('after', 0, 'good');
    editor.toggleSign(1, [1, 2]);
    expect([editor.comments('after'), editor.signs]).toEqual([[{ words: 'good', commands: ['[%clk 0:01:00]'] }], [1]]);
    expect(moves(editor)).toContain('2. Nf3 $1 {[%clk 0:01:00] good} Nc6');
    editor.undo();
    expect(moves(editor)).toContain('2. Nf3 {[%clk 0:01:00] good} Nc6');
    editor.undo();
    expect([editor.text, editor.isChanged, editor.canUndo]).toEqual([PGN, false, false]);
    editor.redo();
    editor.redo();
    expect([editor.signs, editor.canRedo]).toEqual([[1], false]);
    editor.toggleSign(1, []);
    editor.setWords('after', 0, '');
    expect([editor.text, editor.isChanged]).toEqual([PGN, false]);
  });

  it('take the board with them', () => {
    app.replay.go(2);
    play('f2f4', 'd7d5');
    editor.undo();
    expect([app.replay.last?.san, editor.move?.data.san]).toEqual(['f4', 'f4']);
    editor.follow();
    expect(moves(editor)).not.toContain('d5');
    editor.deleteVariation();
    expect([app.replay.ply, app.replay.sideline, editor.text]).toEqual([2, null, PGN]);
    editor.deleteFrom();
    expect([moves(editor), app.replay.ply, app.replay.length]).toEqual(['1. e4 c5 2. Nf3 1-0', 1, 3]);
  });

  it('at the start of the game, and of everything', () => {
    editor.setWords('after', 0, 'A game');
    expect([moves(editor).slice(0, 14), editor.move, editor.signs]).toEqual(['{A game} 1. e4', null, []]);
    editor.deleteAll('variations');
    editor.deleteAll('comments');
    expect(moves(editor)).toBe('1. e4 e5 2. Nf3 {[%clk 0:01:00]} Nc6 1-0');
  });
});

describe('saving', () => {
  it('makes one edit, with the tags as they are by now', async () => {
    play('e2e4');
    editor.setWords('after', 0, 'best');
    const done = editor.save();
    await port.next('editedText', PGN.replace('Anna', 'Clara').replaceAll('1-0', '0-1'));
    await vi.waitFor(() => expect(port.open('addEdit')).toHaveLength(1));
    expect(port.asked.at(-1)).toMatchObject({ params: { ids: [4], changes: [{ kind: 'text', name: '', value: '[White "Clara"]\n[Result "0-1"]\n\n1. e4 {best} 1... e5 (1... c5 2. Nf3) 2. Nf3 {[%clk 0:01:00]} Nc6 0-1' }] } });
    await port.next('addEdit', list());
    await port.next('game', GAME);
    await done;
    expect([app.movesEditor, leaving, app.replay.ply]).toEqual([null, [], 1]);
  });

  it('is refused if the moves were changed elsewhere, and says what the engine says', async () => {
    play('e2e4');
    editor.setWords('after', 0, 'best');
    const refused = editor.save();
    await port.next('editedText', PGN.replace('c5', 'c6'));
    await refused;
    expect([editor.trouble.slice(0, 55), app.movesEditor, port.open('addEdit')]).toEqual(['The moves of this game were changed elsewhere since. Co', editor, []]);
    const failed = editor.save();
    await port.next('editedText', PGN);
    await vi.waitFor(() => expect(port.open('addEdit')).toHaveLength(1));
    await port.fail(port.open('addEdit')[0] ?? -1, 'this device has no room left', 'storage');
    await failed;
    expect([editor.trouble, editor.isChanged, editor.isSaving]).toEqual(['This device has no room left.', true, false]);
  });
});

describe('leaving', () => {
  it('without changes asks nothing', async () => {
    const leave = { preventDefault: vi.fn() };
    leaving[0]?.(leave);
    editor.cancel();
    expect([leave.preventDefault.mock.calls.length, app.movesEditor]).toEqual([0, null]);
  });

  it('with changes asks, and leaves all as it was', () => {
    app.replay.go(4);
    play('f1b5');
    const leave = { preventDefault: vi.fn() };
    leaving[0]?.(leave);
    editor.cancel();
    expect([leave.preventDefault.mock.calls.length, app.movesEditor, editor.isAsking]).toEqual([1, editor, true]);
    editor.cancel();
    expect([app.movesEditor, app.replay.pgn, app.replay.game, app.replay.ply, leaving]).toEqual([null, PGN, GAME, 4, []]);
  });

  it('for another game keeps the changes', async () => {
    app.replay.go(4);
    play('f1b5');
    void app.replay.show(5, '', 0);
    await port.next('game', view(5, 'd4'));
    editor.follow();
    expect([app.movesEditor, editor.isHere, app.replay.game?.plies.length]).toEqual([editor, false, 1]);
    void editor.comeBack();
    await port.next('game', GAME);
    editor.follow();
    expect([editor.isHere, app.replay.length, app.replay.pgn]).toEqual([true, 5, editor.text]);
    editor.undo();
    void app.replay.show(5, '', 0);
    await port.next('game', view(5, 'd4'));
    editor.follow();
    expect(app.movesEditor).toBeNull();
  });
});

it('a text that would lose something is not edited', () => {
  const why = (text: string, moves = 'e4 e5') => whyNot(text, view(0, moves));
  expect([why('1. e4 e5 *'), why('1. e2e4 e7-e5 (1... Ke4) *')]).toEqual(['', '']);
  expect(why('1. e4 {\uFFFD} e5 *')).toMatch(/old encoding/);
  expect(why('1. e4 e5 {')).toMatch(/not closed/);
  expect(why('1. e4 c5 *')).toMatch(/has c5, which is not possible there/);
  expect(why('1. e4 e5 2. Ke3 *')).toMatch(/has Ke3, which is not possible there/);
  expect(why(`1. e4 ${'(1. d4 '.repeat(20_000)}${')'.repeat(20_000)} e5 *`)).toMatch(/too deeply/);
  expect(why('1. e4 *')).toMatch(/other moves than the board/);
});

it('a line with a move that cannot be played does not become the game', async () => {
  editor.cancel();
  app.replay.pgn = '';
  const begun = editMoves(app);
  await port.next('pgn', PGN.replace('2. Nf3)', '2. Ke3)'));
  await begun;
  app.replay.go(1);
  play('c7c5');
  app.movesEditor?.promote();
  expect([app.movesEditor?.trouble, app.movesEditor?.isChanged]).toEqual(['Ke3 cannot be played here, so this line cannot be the game.', false]);
});
