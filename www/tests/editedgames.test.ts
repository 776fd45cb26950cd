// The engine reads what the editor of moves writes: an edited game has the moves that the editor showed, until the edit is undone. Whatever reads the
// games, a search, a count, an order or a list of names, has the edited games.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeOfGame } from '../src/engine/protocol';
import { stepsFrom } from '../src/state/movepaths';
import { readMoveText, type MoveText } from '../src/state/movetext';
import { writeMoveText } from '../src/state/movewriter';
import { START_FEN } from '../src/state/replay.svelte';
import { open, type Corpus } from './engine';
import { change, numbers, TEXTS } from './randomchanges';

const edit = (value: string): ChangeOfGame[] => [{ kind: 'text', name: '', value }];
const TAGS = '[Event "Test"]\n[White "Anna"]\n[Result "*"]\n\n';

it('has the moves of a text after random changes', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const below = numbers(seed);
    const first = TAGS + TEXTS[seed % TEXTS.length];
    const corpus = open(first);
    let pgn = first;
    for (let nth = 0; nth < 12; nth++) {
      const text = readMoveText(pgn) as MoveText;
      change(text, below);
      pgn = writeMoveText(text, 0);
    }
    const shown = stepsFrom(START_FEN, (readMoveText(pgn) as MoveText).moves.children[0]);
    corpus.addEdit(Uint32Array.of(0), edit(pgn));
    const { plies, row } = corpus.replay(0);
    expect([seed, pgn, plies.map(({ san }) => san), row.white]).toEqual([seed, pgn, shown.map(({ san }) => san), 'Anna']);
    expect(new TextDecoder().decode(corpus.text(0))).toBe(pgn);
    corpus.undoEdits(1);
    expect(new TextDecoder().decode(corpus.text(0))).toBe(first.trim());
    corpus.free();
  }
});

it('matches where its moves as they are now match', () => {
  const corpus = open(`${TAGS}1. e4 e5 2. Nf3 Nc6 3. Bb5 *`);
  expect([...corpus.matches(0, '', true)]).toEqual([1, 2, 3, 4, 5]);
  corpus.addEdit(Uint32Array.of(0), edit(`${TAGS}1. e4 e5 2. f4 exf4 3. Nf3 g5 4. h4 *`));
  expect([[...corpus.matches(0, 'white pawn on f4', true)], [...corpus.matches(0, 'white bishop on b5', true)], corpus.replay(0).plies.length]).toEqual([[3], [], 7]);
  corpus.undoEdits(1);
  expect([...corpus.matches(0, 'white bishop on b5', true)]).toEqual([5]);
});

describe('a search', () => {
  const game = (white: string, black: string, date: string, moves: string, more = '') => `[Event "Cup"]\n[Date "${date}"]\n[White "${white}"]\n[Black "${black}"]\n[Result "1-0"]\n${more}\n${moves} 1-0\n\n`;
  const GAMES = game('Anna', 'Boris', '2001.02.03', '1. e4 e5') + game('Clara', 'Anna', '2005.??.??', '1. d4 d5') + game('Dora', 'Clara', '1999.12.31', '1. c4 {solid} c5 2. Nc3', '[Board "7"]\n');
  let corpus: Corpus;
  beforeEach(() => {
    corpus = open(GAMES);
    return () => corpus.free();
  });

  const tag = (name: string, value: string): ChangeOfGame[] => [{ kind: 'set', name, value }];
  const asked = (query: string, within = '') => {
    const prepared = corpus.prepare({ query, within, parts: [], everywhere: false });
    const results = corpus.results(corpus.run(prepared, { heatmap: false, structures: 0, positions: 0, one_per_game: false, next: false, key: 'white', table: '' }));
    prepared.free();
    return results;
  };
  const found = (query: string, within = '') => [...asked(query, within).ids];
  const names = (text: string) => corpus.names('player', text, 9).map(({ name, games }) => `${name} ${games}`);
  const state = () => JSON.stringify([['', 'player "Anna"', 'white "Zoë"', 'date <= 1999', 'white pawn on d4', 'tag "Board" "7"', 'comment "solid"'].map((query) => asked(query)), names(''), [...corpus.sort(Uint32Array.of(0, 1, 2), 'date', false)], corpus.rows(Uint32Array.of(0, 1, 2)), corpus.plies]);

  it('finds a changed name and not the one before, and undone all is as it was', () => {
    const before = state();
    corpus.addEdit(Uint32Array.of(1), tag('White', 'Zoë'));
    expect([found('player "Clara"'), found('player "Zoë"'), names(''), corpus.unknown('player "Clara"') ?? null]).toEqual([[2], [1], ['Anna 2', 'Boris 1', 'Clara 1', 'Dora 1', 'Zoë 1'], null]);
    corpus.addEdit(Uint32Array.of(2), tag('Black', 'Zoë'));
    expect([found('player "Zoë"'), corpus.unknown('player "Clara"')?.id, corpus.rows(Uint32Array.of(2))[0]]).toMatchObject([[1, 2], 'unknown-name', { white: 'Dora', black: 'Zoë' }]);
    expect(state()).not.toBe(before);
    corpus.undoEdits(2);
    expect(state()).toBe(before);
  });

  it('neither finds nor counts a deleted game, and sets stay as they are', () => {
    const before = state();
    const prepared = corpus.prepare({ query: 'player "Clara"', within: '', parts: [], everywhere: false });
    corpus.putSet('clara', corpus.setOf(prepared).bytes);
    prepared.free();
    corpus.addEdit(Uint32Array.of(2), [{ kind: 'delete', name: '', value: '' }]);
    const { ids, games_total, plies_total, groups } = asked('');
    expect([[...ids], games_total, plies_total, groups?.groups.length]).toEqual([[0, 1], 2, 4, 2]);
    expect([found('player "Clara"'), found('', '@clara'), found('in @clara'), found('not in @clara'), corpus.combine('@clara').games, corpus.setSize('clara')]).toEqual([[1], [1], [1], [0], 1, 1]);
    expect([names(''), corpus.suggest('Dora').filter(({ kind }) => kind === 'player')]).toEqual([['Anna 2', 'Boris 1', 'Clara 1'], []]);
    // Who opens it by its number sees it.
    expect([corpus.rows(Uint32Array.of(2))[0]?.white, corpus.replay(2).plies.length]).toEqual(['Dora', 3]);
    corpus.addEdit(Uint32Array.of(2), [{ kind: 'restore', name: '', value: '' }]);
    expect([state(), corpus.setSize('clara')]).toEqual([before, 2]);
  });

  it('sorts by a changed date, and finds other moves, tags and comments', () => {
    const before = state();
    corpus.addEdit(Uint32Array.of(0), tag('Date', '1980.01.01'));
    expect([[...corpus.sort(Uint32Array.of(0, 1, 2), 'date', false)], found('date <= 1989')]).toEqual([[0, 2, 1], [0]]);
    corpus.addEdit(Uint32Array.of(0), [...tag('Board', '7'), { kind: 'text', name: '', value: game('Anna', 'Boris', '2001.02.03', '1. f3 e5 2. g4 {sad} Qh4#') }]);
    expect([found('white pawn on g4'), found('white pawn on e4'), found('comment "sad"'), found('tag "Board" "7"'), found('checkmate')]).toEqual([[0], [], [0], [2], [0]]);
    expect([corpus.plies, asked('').plies_total]).toEqual([9, 9]);
    corpus.takeEdits('');
    expect(state()).toBe(before);
  });
});

it('takes no text that is not one game, played to its end', () => {
  const corpus = open(`${TAGS}1. e4 *`);
  for (const [text, why] of [['1. e4 e5 2. Ke3 *', 'illegal move'], ['', 'the text has no game'], ['1. e4 *\n\n[Event "B"]\n\n1. d4 *', 'the text has 2 games']]) {
    expect(() => corpus.addEdit(Uint32Array.of(0), edit(text as string))).toThrow(expect.objectContaining({ message: expect.stringContaining(why as string) }));
  }
  expect(corpus.edits().edits).toEqual([]);
});
