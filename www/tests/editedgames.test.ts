// The engine reads what the editor of moves writes: an edited game has the moves that the editor showed, until the edit is undone.
import { expect, it } from 'vitest';
import type { ChangeOfGame } from '../src/engine/protocol';
import { stepsFrom } from '../src/state/movepaths';
import { readMoveText, type MoveText } from '../src/state/movetext';
import { writeMoveText } from '../src/state/movewriter';
import { START_FEN } from '../src/state/replay.svelte';
import { open } from './engine';
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

it('matches as far as its moves are those that were imported', () => {
  const corpus = open(`${TAGS}1. e4 e5 2. Nf3 Nc6 3. Bb5 *`);
  expect([...corpus.matches(0, '', true)]).toEqual([1, 2, 3, 4, 5]);
  corpus.addEdit(Uint32Array.of(0), edit(`${TAGS}1. e4 e5 2. f4 exf4 3. Nf3 g5 4. h4 *`));
  expect([[...corpus.matches(0, '', true)], corpus.replay(0).plies.length]).toEqual([[1, 2], 7]);
  // A comment changes no moves.
  corpus.undoEdits(1);
  corpus.addEdit(Uint32Array.of(0), edit(`${TAGS}1. e4 {best} 1... e5 2. Nf3 Nc6 3. Bb5 *`));
  expect([...corpus.matches(0, '', true)]).toEqual([1, 2, 3, 4, 5]);
});

it('takes no text that is not one game, played to its end', () => {
  const corpus = open(`${TAGS}1. e4 *`);
  for (const [text, why] of [['1. e4 e5 2. Ke3 *', 'illegal move'], ['', 'the text has no game'], ['1. e4 *\n\n[Event "B"]\n\n1. d4 *', 'the text has 2 games']]) {
    expect(() => corpus.addEdit(Uint32Array.of(0), edit(text as string))).toThrow(expect.objectContaining({ message: expect.stringContaining(why as string) }));
  }
  expect(corpus.edits().edits).toEqual([]);
});
