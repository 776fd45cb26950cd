// Edits of games: the list on the device and in the engine agree whatever fails, the form of the headers says what was changed, and the page
// shows the games anew after each edit.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { GameEdits as StoredEdits, type EditStore } from '../src/engine/gameedits';
import type { GameEditList } from '../src/engine/protocol';
import { App } from '../src/state/app.svelte';
import { GameEdits } from '../src/state/gameedits.svelte';
import { changeInWords, changesOf, fieldsOf, gamesInWords, newField } from '../src/state/gametags';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus, game } from './results';

/** A list with a line for each edit; `!` stands for one that cannot be read. */
class Engine {
  lines: string[] = [];
  takeEdits(text: string): void {
    if (text.includes('!')) throw { code: 'bad-input', message: 'line 2: no edit' };
    this.lines = text.split(' ').filter((line) => line !== '');
  }
  addEdit(ids: Uint32Array): void {
    this.lines.push(`game${ids[0]}`);
  }
  undoEdits(count: number): void {
    this.lines.splice(-count);
  }
  edits() {
    return { text: this.lines.join(' '), edits: this.lines.map((games) => ({ games, changes: [] })), edited: new Uint32Array(), deleted: new Uint32Array() };
  }
}

describe('the list of the open corpus', () => {
  let stored: string;
  let isFull: boolean;
  const storage: EditStore = {
    edits: async () => stored,
    async putEdits(_, text) {
      if (isFull) throw { code: 'storage', message: 'this device has no room left' };
      stored = text;
    },
  };
  beforeEach(() => {
    stored = 'game7';
    isFull = false;
  });

  it('comes from the device, grows, and is undone', async () => {
    const edits = await StoredEdits.open('one', new Engine(), storage);
    expect(edits.list().edits.length).toBe(1);
    expect([(await edits.add([3], [])).text, stored]).toEqual(['game7 game3', 'game7 game3']);
    expect([(await edits.undo(1)).text, stored]).toEqual(['game7', 'game7']);
    expect([(await edits.put('')).text, stored]).toEqual(['', '']);
  });

  it('stays in the engine as it is on the device, if that is full', async () => {
    const engine = new Engine();
    const edits = await StoredEdits.open('one', engine, storage);
    isFull = true;
    await expect(edits.add([3], [])).rejects.toMatchObject({ code: 'storage' });
    await expect(edits.put('')).rejects.toMatchObject({ code: 'storage' });
    expect([engine.lines, stored]).toEqual([['game7'], 'game7']);
  });

  it('has the edits of another tab', async () => {
    const edits = await StoredEdits.open('one', new Engine(), storage);
    stored = 'game7 game8';
    expect((await edits.add([3], [])).text).toBe('game7 game8 game3');
  });

  it('is not overwritten by an edit if it is damaged, but by another list', async () => {
    stored = 'game7 !';
    const edits = await StoredEdits.open('one', new Engine(), storage);
    expect(edits.list()).toMatchObject({ text: '', trouble: 'line 2: no edit' });
    await expect(edits.add([3], [])).rejects.toMatchObject({ message: 'line 2: no edit' });
    expect(stored).toBe('game7 !');
    expect(await edits.put('')).toMatchObject({ text: '', trouble: '' });
    expect(stored).toBe('');
  });

  it('is none where games cannot be edited', async () => {
    const engine = new Engine();
    await expect(new StoredEdits('library', engine, null).add([3], [])).rejects.toMatchObject({ code: 'bad-input' });
    expect(engine.lines).toEqual([]);
  });
});

describe('the form of the headers', () => {
  const TAGS = [
    { name: 'white', value: 'Anna' },
    { name: 'Event', value: '?' },
    { name: 'Board', value: '3' },
    { name: 'Result', value: '*' },
    { name: 'FEN', value: '8/8' },
  ];
  const changed = (change: (fields: ReturnType<typeof fieldsOf>) => void) => {
    const fields = fieldsOf(TAGS);
    change(fields);
    return changesOf(fields).map(({ kind, name, value }) => `${kind} ${name}=${value}`);
  };
  const type = (name: string, value: string) => (fields: ReturnType<typeof fieldsOf>) => {
    for (const field of fields) if (field.name === name) field.value = value;
  };

  it('has the seven tags first, and nothing for what is unknown', () => {
    expect(fieldsOf(TAGS).map(({ name, value }) => [name, value])).toEqual([
      ['Event', ''], ['Site', ''], ['Date', ''], ['Round', ''], ['White', 'Anna'], ['Black', ''], ['Result', '*'], ['Board', '3'], ['FEN', '8/8'],
    ]);
    expect(changed(() => undefined)).toEqual([]);
  });

  it('says what was set, emptied, added and removed', () => {
    expect(changed(type('White', ' Clara '))).toEqual(['set White=Clara']);
    expect(changed(type('White', ''))).toEqual(['set White=?']);
    expect(changed(type('Date', '1990'))).toEqual(['set Date=1990']);
    expect(changed(type('Board', ''))).toEqual(['set Board=']);
    expect(changed(type('Result', '1-0'))).toEqual(['set Result=1-0']);
    expect(changed((fields) => fields.push({ ...newField(), name: 'ECO', value: 'B90' }, newField()))).toEqual(['set ECO=B90']);
    expect(changed((fields) => fields.forEach((field) => (field.isRemoved = field.name === 'Board')))).toEqual(['remove Board=']);
    expect(changed((fields) => fields.push({ ...newField(), name: 'ECO', isRemoved: true }))).toEqual([]);
  });
});

it('edits in words name their games and changes', () => {
  expect([gamesInWords('17'), gamesInWords('1,5-9')]).toEqual(['Game 17', 'Games 1, 5–9']);
  expect(gamesInWords(Array.from({ length: 40 }, (_, nth) => 2 * nth + 1000).join(','))).toBe('Games 1000, 1002, 1004, 1006, 1008, 1010, 1012, 1014, 1016, 1018, …');
  const words = (kind: 'set' | 'rename' | 'remove' | 'text' | 'delete' | 'restore', name = '', value = '') => changeInWords({ kind, name, value });
  expect([words('set', 'WhiteElo', '2500'), words('remove', 'Board'), words('rename', 'Board', 'Table')]).toEqual(['White’s rating: 2500', 'Board removed', 'Board renamed Table']);
  expect([words('delete'), words('restore'), words('text', '', '1. e4 *')]).toEqual(['deleted', 'restored', 'moves and comments changed']);
});

describe('the edits on the page', () => {
  const list = (...deleted: number[]): GameEditList => ({ text: `${deleted.length}`, edits: deleted.map((id) => ({ games: `${id + 1}`, changes: [] })), edited: Uint32Array.from(deleted), deleted: Uint32Array.from(deleted), trouble: '' });
  let port: Hand;
  let app: App;
  let edits: GameEdits;
  beforeEach(async () => {
    new FakeBrowser().install();
    port = new Hand();
    app = new App(new EngineClient(() => port));
    edits = new GameEdits(app);
    app.library.current = corpus('one');
    void edits.follow(app.library.current);
    await port.next('edits', list());
    void app.replay.show(4, '', null);
    await port.next('game', game(4));
    return () => void vi.unstubAllGlobals();
  });

  it('delete a game, show it anew, and bring it back', async () => {
    const done = edits.remove(4);
    await port.next('addEdit', list(4));
    await port.next('game', game(4));
    expect([await done, edits.said, edits.deleted.has(4)]).toEqual([true, 'Game 5 is deleted.', true]);
    const undone = edits.undo();
    await port.next('undoEdits', list());
    await port.next('game', game(4));
    expect([await undone, edits.deleted.size, edits.undone]).toEqual([true, 0, '1']);
    void edits.redo();
    await port.next('putEdits', list(4));
    expect([port.asked.at(-2), edits.undone]).toMatchObject([{ method: 'putEdits', params: { text: '1' } }, null]);
  });

  it('fetch rows again', async () => {
    void app.search.want([4]);
    await port.next('rows', [game(4).row]);
    void app.search.want([4]);
    expect(port.open('rows')).toEqual([]);
    void edits.change(4, [{ kind: 'set', name: 'White', value: 'Clara' }]);
    await port.next('addEdit', list());
    void app.search.want([4]);
    expect(port.open('rows').length).toBe(1);
  });

  it('say what failed, and of other games nothing', async () => {
    const failed = edits.remove(4);
    await port.fail(port.open('addEdit')[0] ?? -1, 'this device has no room left', 'storage');
    expect([await failed, edits.trouble, edits.said]).toEqual([false, 'This device has no room left.', '']);
    const late = edits.remove(4);
    void edits.follow(null);
    await port.next('addEdit', list(4));
    expect([await late, edits.deleted.size, edits.trouble]).toEqual([false, 0, '']);
  });

  it('are none of a library', async () => {
    app.library.current = { ...corpus('library.club'), kept: 'library' };
    await edits.follow(app.library.current);
    expect([edits.isPossible, port.open('edits')]).toEqual([false, []]);
  });
});
