// Names that stand for others: the list on the device and in the engine agree whatever fails, only what is ticked is confirmed, every change can
// be undone, and what is shown is asked anew.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { StoredAliases, type AliasStore } from '../src/engine/aliases';
import type { AliasList, ConfirmedName, SimilarGroup, UnclearName } from '../src/engine/protocol';
import { Aliases } from '../src/state/aliases.svelte';
import { App } from '../src/state/app.svelte';
import { namesOfGroup, SimilarNames, whySimilar } from '../src/state/similarnames.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';
import { corpus } from './results';

const line = (alias: string, name: string, kind: ConfirmedName['kind'] = 'player'): ConfirmedName => ({ kind, alias, name });
const text = (...names: ConfirmedName[]) => names.map(({ kind, alias, name }) => `${kind}\t${alias}\t${name}\n`).join('');
const list = (...names: ConfirmedName[]): AliasList => ({ text: text(...names), names, trouble: '' });

describe('the list of the open corpus', () => {
  const ONE = text(line('Karpow', 'Karpov'));
  const TWO = text(line('Karpow', 'Karpov'), line('Wch', 'Championship', 'event'));
  let taken: string;
  let stored: string;
  let isFull: boolean;
  const engine = {
    takeAliases(text: string): void {
      if (text.includes('!')) throw { code: 'bad-input', message: 'line 1: no name' };
      taken = text;
    },
    aliases: () => ({ text: taken, names: [] }),
  };
  const storage: AliasStore = {
    aliases: async () => stored,
    async putAliases(_, text) {
      if (isFull) throw { code: 'storage', message: 'this device has no room left' };
      stored = text;
    },
  };
  beforeEach(() => {
    taken = '';
    stored = ONE;
    isFull = false;
  });

  it('comes from the device and is changed there', async () => {
    const aliases = await StoredAliases.open('one', engine, storage);
    expect(aliases.list()).toMatchObject({ text: ONE, trouble: '' });
    await aliases.put(TWO);
    await aliases.put(`${TWO}`);
    expect([taken, stored]).toEqual([TWO, TWO]);
  });

  it('stays in the engine as it is on the device, if that is full or the list is none', async () => {
    const aliases = await StoredAliases.open('one', engine, storage);
    await expect(aliases.put('!')).rejects.toMatchObject({ message: 'line 1: no name' });
    isFull = true;
    await expect(aliases.put(TWO)).rejects.toMatchObject({ code: 'storage' });
    expect([taken, stored]).toEqual([ONE, ONE]);
  });

  it('takes up what another tab has stored, before it is changed', async () => {
    const aliases = await StoredAliases.open('one', engine, storage);
    stored = TWO;
    await expect(aliases.put('')).rejects.toMatchObject({ message: 'names were joined in another tab: look at them again' });
    expect([taken, stored]).toEqual([TWO, TWO]);
    expect((await aliases.put('')).text).toBe('');
  });

  it('says why it is damaged, and gives way to another', async () => {
    stored = '!';
    const aliases = await StoredAliases.open('one', engine, storage);
    expect(aliases.list()).toMatchObject({ text: '', trouble: 'line 1: no name' });
    expect(await aliases.put('')).toMatchObject({ trouble: '' });
    expect(stored).toBe('');
  });

  it('is none where names cannot be joined', async () => {
    await expect(new StoredAliases('library', engine, null).put(ONE)).rejects.toMatchObject({ code: 'bad-input' });
  });
});

describe('names that are probably one', () => {
  const KARPOV: SimilarGroup = { name: 'Karpov, Anatoly', games: 3, others: [{ name: 'KARPOV', games: 9, why: 'signs', is_sure: true }] };
  const TIMMAN: SimilarGroup = { name: 'Timman, Jan', games: 2, others: [{ name: 'Timman, J', games: 2, why: 'shorter', is_sure: false }] };
  let port: Hand;
  const POLGAR: UnclearName = { name: 'Polgar, J', games: 4, may_be: ['Polgar, Judit', 'Polgar, Jolan'] };
  let similar: SimilarNames;
  beforeEach(async () => {
    port = new Hand();
    similar = new SimilarNames(new EngineClient(() => port));
    void similar.find('player');
    await port.next('similarNames', { groups: [KARPOV, TIMMAN], unclear: [POLGAR] });
  });

  it('are confirmed if they are sure or the user ticks them, under the name of most games or the chosen one', () => {
    expect(similar.chosen).toEqual([line('Karpov, Anatoly', 'KARPOV')]);
    similar.choose(KARPOV, 'Karpov, Anatoly');
    similar.tick(TIMMAN, true);
    expect(similar.chosen).toEqual([line('KARPOV', 'Karpov, Anatoly'), line('Timman, J', 'Timman, Jan')]);
    similar.tick(KARPOV, false);
    expect(similar.chosen).toEqual([line('Timman, J', 'Timman, Jan')]);
  });

  it('are confirmed each alone, and those that are sure come first', async () => {
    const three: SimilarGroup = { ...TIMMAN, others: [...TIMMAN.others, { name: 'Timmann, Jan', games: 1, why: 'spelling', is_sure: false }] };
    void similar.find('player');
    await port.next('similarNames', { groups: [three, KARPOV], unclear: [] });
    expect(similar.groups).toEqual([KARPOV, three]);
    similar.tickName(three, 'Timmann, Jan', true);
    expect([similar.chosen[1], similar.ticksOf(three)]).toEqual([line('Timmann, Jan', 'Timman, Jan'), { all: false, some: true }]);
    similar.tick(three, true);
    similar.tickName(three, 'Timmann, Jan', false);
    expect(similar.chosen.slice(1)).toEqual([line('Timman, J', 'Timman, Jan')]);
    similar.tick(three, false);
    expect([similar.chosen.length, similar.ticksOf(three)]).toEqual([1, { all: false, some: false }]);
  });

  it('are clear if the user says who it is', () => {
    expect(similar.meaningOf(POLGAR)).toBe('');
    similar.mean(POLGAR, 'Polgar, Judit');
    expect(similar.chosen.at(-1)).toEqual(line('Polgar, J', 'Polgar, Judit'));
    similar.mean(POLGAR, 'Polgar, Sofia');
    expect(similar.chosen.length).toBe(1);
  });

  it('are one group under one name', async () => {
    void similar.find('player');
    await port.next('similarNames', { groups: [KARPOV, TIMMAN, { ...KARPOV, games: 5, others: TIMMAN.others }], unclear: [] });
    expect(similar.groups).toEqual([{ name: KARPOV.name, games: 8, others: [...KARPOV.others, ...TIMMAN.others] }, TIMMAN]);
  });

  it('are not confirmed before they are listed, and what the user has said of them stays', async () => {
    const many = Array.from({ length: 120 }, (_, nth) => ({ ...KARPOV, name: `Karpov ${nth}` }));
    similar.tick(KARPOV, false);
    void similar.find('player');
    await port.next('similarNames', { groups: [KARPOV, ...many], unclear: [] });
    expect(similar.chosen.length).toBe(49);
    similar.more();
    expect(similar.chosen.length).toBe(99);
  });

  it('are those of the kind that was chosen last', async () => {
    void similar.find('event');
    expect(similar.groups).toBe(null);
    void similar.find('site');
    await port.answer(2, { groups: [{ ...KARPOV, name: 'Moscow' }], unclear: [] });
    await port.answer(1, { groups: [TIMMAN], unclear: [] });
    expect([similar.groups?.map(({ name }) => name), similar.chosen[0]?.kind]).toEqual([['Moscow'], 'site']);
    void similar.find('player');
    await port.fail(port.open('similarNames')[0] ?? -1, 'the corpus is damaged');
    expect([similar.groups, similar.trouble]).toEqual([null, 'The corpus is damaged.']);
  });

  it('have reasons in words', () => {
    expect(namesOfGroup(TIMMAN).map(({ why }) => why && whySimilar(why))).toEqual([null, 'shorter']);
  });
});

describe('the names on the page', () => {
  const K = line('Karpow', 'Karpov');
  const T = line('Timman, J', 'Timman, Jan');
  let port: Hand;
  let app: App;
  let aliases: Aliases;
  beforeEach(async () => {
    new FakeBrowser().install();
    port = new Hand();
    app = new App(new EngineClient(() => port));
    aliases = new Aliases(app);
    app.library.current = corpus('one');
    void aliases.follow(app.library.current);
    await port.next('aliases', list(K));
    return () => void vi.unstubAllGlobals();
  });
  const put = () => port.asked.findLast(({ method }) => method === 'putAliases')?.params;

  it('are confirmed, taken back, undone and done again', async () => {
    const done = aliases.confirm([T]);
    await port.next('putAliases', list(K, T));
    expect([await done, put(), aliases.said]).toEqual([true, { text: text(K, T) }, '1 name is joined with another.']);
    void aliases.takeBack(aliases.list.names[0] ?? K);
    expect(put()).toEqual({ text: text(T) });
    await port.next('putAliases', list(T));
    void aliases.undo();
    expect(put()).toEqual({ text: text(K, T) });
    await port.next('putAliases', list(K, T));
    void aliases.undo();
    await port.next('putAliases', list(K));
    expect([aliases.past.length, aliases.undone.length]).toEqual([0, 2]);
    void aliases.redo();
    expect(put()).toEqual({ text: text(K, T) });
    await port.next('putAliases', list(K, T));
    void aliases.takeAllBack();
    await port.next('putAliases', list());
    expect([aliases.past.length, aliases.undone.length, aliases.list.names]).toEqual([2, 0, []]);
  });

  it('lead on to the last one', async () => {
    void aliases.confirm([line('Karpov', 'Karpov, Anatoly')]);
    expect(put()).toEqual({ text: text(line('Karpow', 'Karpov, Anatoly'), line('Karpov', 'Karpov, Anatoly')) });
  });

  it('come from a file, whose mistakes are told', async () => {
    const file = new File(['# mine\nplayer\tA\tB'], 'mine.tsv');
    const loaded = aliases.load(file);
    await vi.waitFor(() => expect(put()).toEqual({ text: `# mine\nplayer\tA\tB\n${text(K)}` }));
    await port.next('putAliases', list(line('A', 'B'), K));
    expect([await loaded, aliases.said]).toEqual([true, '1 name added from mine.tsv.']);
    expect(await aliases.file().text()).toBe(text(line('A', 'B'), K));
    const failed = aliases.load(file);
    await vi.waitFor(() => expect(port.open('putAliases').length).toBe(1));
    await port.fail(port.open('putAliases')[0] ?? -1, 'line 2: a name has no letters', 'bad-input');
    await port.next('aliases', list(K));
    expect([await failed, aliases.trouble, aliases.list.names, aliases.said]).toEqual([false, 'mine.tsv: Line 2: a name has no letters.', [K], '']);
  });

  it('rename the user, too, until that is undone', async () => {
    app.me.set('Timman, J');
    void aliases.confirm([T]);
    await port.next('putAliases', list(K, T));
    expect(app.me.name).toBe('Timman, Jan');
    void aliases.undo();
    await port.next('putAliases', list(K));
    expect(app.me.name).toBe('Timman, J');
  });

  it('are asked anew with what is shown, and belong to their games', async () => {
    const grown = vi.spyOn(app.search, 'grown');
    void aliases.confirm([T]);
    await port.next('putAliases', list(K, T));
    expect(grown).toHaveBeenCalledOnce();
    const late = aliases.confirm([T]);
    void aliases.follow(corpus('two'));
    await port.next('putAliases', list(K, T));
    expect([await late, aliases.list.names, aliases.past]).toEqual([false, [], []]);
  });
});
