// The moves of a game's text as a tree: nothing is lost, and what was not changed keeps its letters.
import { readdirSync, readFileSync } from 'node:fs';
import { parsePgn, type Node, type PgnNodeData } from 'chessops/pgn';
import { describe, expect, it } from 'vitest';
import * as changes from '../src/state/movechanges';
import { pathAlong, playWritten, stepsFrom } from '../src/state/movepaths';
import { readMoveText, type MoveNode, type MoveText, type WrittenMove } from '../src/state/movetext';
import { writeMoveText } from '../src/state/movewriter';
import { START_FEN } from '../src/state/replay.svelte';
import type { Step } from '../src/state/rules';
import { change, numbers, TEXTS } from './randomchanges';

const read = (pgn: string): MoveText => {
  const text = readMoveText(pgn);
  if (typeof text === 'string') throw new Error(text);
  return text;
};

/** The moves to the last of these, which begin at the start of the game. */
const path = (text: MoveText, ...sans: string[]): MoveNode[] => {
  const found: MoveNode[] = [];
  for (const san of sans) found.push((found.at(-1) ?? text.moves).children.find(({ data }) => data.san === san) as MoveNode);
  return found;
};

/** The text after a change of the move that these lead to. */
const changed = (pgn: string, sans: string, change: (text: MoveText, path: MoveNode[]) => void): string => {
  const text = read(pgn);
  change(text, path(text, ...sans.split(' ').filter(Boolean)));
  return writeMoveText(text, 0);
};
const added = (san: string) => (text: MoveText, path: MoveNode[]) => void changes.addMove(text, path, san);
const said = (words: string, nth = 0) => (text: MoveText, path: MoveNode[]) => changes.setWords(path.at(-1)?.data.after ?? text.start, nth, words);
const signed = (number: number, group: number[] = [1, 2, 3, 4, 5, 6]) => (_: MoveText, path: MoveNode[]) => changes.toggleSign(path.at(-1) as MoveNode, number, group);

const GAME = `[Event "A {x} (y)"]
[Result "1-0"]

{Before [%csl Ge4]} 1. e4! {best
by test} e5 (1... c5 $14 {[%eval 0.3] Sicilian} 2. Nf3 (2. c3 d5 (2... Nf6)) 2... d6)
(1... e6) {Then} 2. Nf3 $1 $14 {[%clk 0:01:02]} Nc6 N ; so
% escaped ) }
3. Bb5 (3. Bc4 1/2-1/2) ( {nothing} ) a6 1-0 {resigned}
`;

describe('a text that is not changed', () => {
  const SEEDS = '../../tests';
  const files = ['torture', 'fuzz/seeds/pgn_changes'].flatMap((folder) => readdirSync(new URL(`${SEEDS}/${folder}`, import.meta.url)).filter((name) => name.endsWith('.pgn')).map((name) => `${folder}/${name}`));

  it('stays byte for byte', () => {
    for (const pgn of [GAME, '', '*', '1.e4{a}e5(1...d5)2.Nf3!$1', '1. e4 e5\r\n2. Nf3 ;x\r\n\r\n2... Nc6 *', '\uFEFF[White "x"]\n\n1. -- Z0 0-1', 'e4 e5 Nf3', '1. e4 (1. d4 (1. c4) d5) (1. Nf3 $2 {a} (1. f4)) {b} e5', '[FEN "x"]', '1 e4 e5 12', '1. e4 ) e5 } *', '1.d4!d5?$3(1...e5)2.c4{x}(2.Nf3)e6 "?"x']) {
      expect(writeMoveText(read(pgn), 0)).toBe(pgn);
    }
  });

  it('of the torture files does, or is refused with a sentence', () => {
    expect(files.length).toBeGreaterThan(20);
    for (const name of files) {
      // A file may have several games; a tag ends what the first of them has.
      const pgn = readFileSync(new URL(`${SEEDS}/${name}`, import.meta.url), 'utf8').split(/\n(?=\[Event)/)[0] ?? '';
      const text = readMoveText(pgn);
      if (typeof text === 'string') expect([name, text.endsWith('.')]).toEqual([name, true]);
      else expect([name, writeMoveText(text, 0)]).toEqual([name, pgn]);
    }
  });

  it('has the tree that chessops reads', () => {
    const plain = GAME.replace(/;.*\n%.*\n/, '{so}\n').replace(' ( {nothing} )', '').replace(' {resigned}', '');
    expect(treeOf(read(plain).moves)).toEqual(treeOfChessops(parsePgn(plain)[0]!.moves));
  });

  it('is refused if parentheses or braces are open', () => {
    for (const pgn of ['1. e4 {open', '1. e4 (1. d4', '(1. d4) 1. e4']) expect(readMoveText(pgn)).toMatch(/^The moves of this game cannot be edited: .*\.$/);
  });
});

/** A move and what stands beside it, as chessops reads that. */
function moveOf({ data }: MoveNode): unknown[] {
  const comments = (remarks: WrittenMove['after']) => remarks.filter(({ kind }) => kind === 'comment').map(({ text }) => text.replace(/^\{ ?| ?\}$/g, '').replace(/^; ?/, ''));
  return [data.san, changes.signsOf({ data } as MoveNode), ...comments(data.before), '/', ...comments(data.after)];
}

function treeOf(node: Node<WrittenMove>): unknown {
  return node.children.map((child) => [...moveOf(child), treeOf(child)]);
}

function treeOfChessops(node: Node<PgnNodeData>): unknown {
  return node.children.map((child) => [child.data.san, child.data.nags ?? [], ...(child.data.startingComments ?? []), '/', ...(child.data.comments ?? []), treeOfChessops(child)]);
}

describe('comments', () => {
  it('change, come and go, each in its place', () => {
    expect(changed(GAME, 'e4', said('good'))).toBe(GAME.replace('best\nby test', 'good'));
    expect(changed(GAME, 'e4 e5', said('well'))).toBe(GAME.replace('{Then}', '{well}'));
    expect(changed(GAME, 'e4 e5 Nf3 Nc6', said('then'))).toBe(GAME.replace('; so', '{then}'));
    expect(changed(GAME, 'e4 e5 Nf3 Nc6 Bb5 a6', said('Morphy'))).toBe(GAME.replace('a6 1-0', 'a6 {Morphy} 1-0'));
    expect(changed(GAME, 'e4 c5 Nf3 d6', said('x'))).toBe(GAME.replace('d6)', 'd6 {x})'));
    expect(changed('1. e4 e5 *', 'e4', said('x'))).toBe('1. e4 {x} 1... e5 *');
    expect(changed('1. e4 {x} 1... e5 *', 'e4', said(''))).toBe('1. e4 e5 *');
    expect(changed('1. e4 { x } e5 *', 'e4', said('y'))).toBe('1. e4 { y } e5 *');
    expect(changed('1. e4 $1 (1. d4) e5 *', 'e4', said('x'))).toBe('1. e4 $1 {x} (1. d4) e5 *');
    expect(changed('*', '', said('x'))).toBe('{x} *');
  });

  it('keep what programs have written', () => {
    expect(changed(GAME, 'e4 c5', said('the Sicilian'))).toBe(GAME.replace('] Sicilian', '] the Sicilian'));
    expect(changed(GAME, 'e4 c5', said(''))).toBe(GAME.replace('] Sicilian', ']'));
    expect(changed(GAME, 'e4 e5 Nf3', said('slow'))).toBe(GAME.replace('{[%clk 0:01:02]}', '{[%clk 0:01:02] slow}'));
    expect(changed(GAME, '', said('After'))).toBe(GAME.replace('{Before [', '{After ['));
    expect(changed(GAME, 'e4 e5 Nf3', (_, at) => changes.deleteComment(at.at(-1)!.data.after, 0))).toBe(GAME.replace(' {[%clk 0:01:02]}', ''));
  });

  it('do not end early', () => {
    expect(changed('1. e4 *', 'e4', said('a } b'))).toBe('1. e4 {a ) b} *');
  });

  it('all go, but clocks and evaluations stay', () => {
    const text = read(GAME);
    changes.deleteComments(text);
    expect(writeMoveText(text, 0).match(/\{[^}]*\}|;.*/g)).toEqual(['{x}', '{[%eval 0.3]}', '{[%clk 0:01:02]}', '{nothing}', '{resigned}']);
  });
});

describe('signs', () => {
  it('come behind the move, and take the place of those of their group', () => {
    expect(changed('1. e4 {x} e5 *', 'e4', signed(3))).toBe('1. e4 $3 {x} e5 *');
    expect(changed('1. e4 $14 *', 'e4', signed(3))).toBe('1. e4 $14 $3 *');
    expect(changed(GAME, 'e4', signed(2))).toBe(GAME.replace('e4!', 'e4 $2'));
    expect(changed(GAME, 'e4', signed(1))).toBe(GAME.replace('e4!', 'e4'));
    expect(changed(GAME, 'e4 e5 Nf3', signed(146, []))).toBe(GAME.replace('$1 $14', '$1 $14 $146'));
    const text = read(GAME);
    changes.deleteSigns(text);
    expect(writeMoveText(text, 0)).toBe(GAME.replace('!', '').replaceAll(/ \$\d+/g, ''));
  });
});

describe('lines', () => {
  it('grow by moves: at the end of a line, or as a variation', () => {
    expect(changed('1. e4 e5 1-0', 'e4 e5', added('Nf3'))).toBe('1. e4 e5 2. Nf3 1-0');
    expect(changed('1. e4 e5 1-0', 'e4', added('c5'))).toBe('1. e4 e5 (1... c5) 1-0');
    expect(changed('1. e4 e5 2. Nf3 *', 'e4', added('c5'))).toBe('1. e4 e5 (1... c5) 2. Nf3 *');
    expect(changed('1. e4 e5 2. Nf3 Nc6 *', 'e4 e5', added('f4'))).toBe('1. e4 e5 2. Nf3 (2. f4) 2... Nc6 *');
    expect(changed(GAME, 'e4 c5 Nf3 d6', added('d4'))).toBe(GAME.replace('2... d6)', '2... d6 3. d4)'));
    expect(changed(GAME, 'e4 c5 c3 d5', added('e5'))).toBe(GAME.replace('(2... Nf6)', '(2... Nf6) 3. e5'));
    expect(changed(GAME, 'e4', added('c6'))).toBe(GAME.replace('{Then}', '(1... c6) {Then}'));
    expect(changed('*', '', added('d4'))).toBe('1. d4 *');
    expect(changed('[White "x"]\n\n*\n', '', added('d4'))).toBe('[White "x"]\n\n1. d4 *\n');
    expect(changed('1. e4 ; yes', 'e4', added('e5'))).toBe('1. e4 ; yes\n1... e5');
  });

  it('are promoted, and go back', () => {
    const SHORT = '1. e4 e5 (1... c5 {S} 2. Nf3) (1... e6) 2. Nf3 *';
    const once = changed(SHORT, 'e4 c5 Nf3', changes.promote);
    expect(once).toBe('1. e4 c5 {S} (1... e5 2. Nf3) (1... e6) 2. Nf3 *');
    expect(changed(once, 'e4 e5', changes.promote)).toBe(SHORT);
    expect(changed(SHORT, 'e4 e6', changes.promote)).toBe('1. e4 e6 (1... e5 2. Nf3) (1... c5 {S} 2. Nf3) *');
    expect(changed('1. e4 (1. d4 d5 (1... Nf6 2. c4)) e5 *', 'd4 Nf6 c4', changes.promote)).toBe('1. e4 (1. d4 Nf6 (1... d5) 2. c4) e5 *');
    expect(changed('1. e4 (1. d4 d5 (1... Nf6 2. c4)) e5 *', 'd4 Nf6', changes.makeMain)).toBe('1. d4 (1. e4 e5) 1... Nf6 (1... d5) 2. c4 *');
    expect(changed('1. e4 {x} e5 (1... c5) *', 'e4 c5', changes.promote)).toBe('1. e4 {x} 1... c5 (1... e5) *');
    expect(changed('1. e4 ({So} 1. d4) 1... e5 *', 'd4', changes.promote)).toBe('{So} 1. d4 (1. e4 e5) *');
    expect(changed('1. e4 e5 ({So} 1... c5) 2. Nf3 *', 'e4 c5', changes.promote)).toBe('1. e4 {So} 1... c5 (1... e5 2. Nf3) *');
  });

  it('are deleted from a move on, or whole', () => {
    expect(changed('1. e4 e5 2. Nf3 Nc6 1-0', 'e4 e5 Nf3', changes.deleteFrom)).toBe('1. e4 e5 1-0');
    expect(changed(GAME, 'e4 c5 Nf3 d6', changes.deleteVariation)).toBe(GAME.replace(/\(1\.\.\. c5[^]*d6\)\n/, '').replace('e5 (1... e6)', 'e5\n(1... e6)').replace('e5 \n', 'e5\n'));
    expect(changed(GAME, 'e4 c5 c3', changes.deleteFrom)).toBe(GAME.replace(' (2. c3 d5 (2... Nf6)) 2... d6', ' d6'));
    expect(changed('1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *', 'e4 e5', changes.deleteFrom)).toBe('1. e4 c5 2. Nf3 *');
    expect(changed('1. e4 (1. d4) {a} (1. c4) {b} (1. f4) {c} *', 'c4', changes.deleteFrom)).toBe('1. e4 (1. d4) {a} {b} (1. f4) {c} *');
    expect(changed('1. e4 *', 'e4', changes.deleteFrom)).toBe('*');
    expect(changed('1. e4 *', 'e4', changes.deleteVariation)).toBe('1. e4 *');
    const text = read(GAME);
    changes.deleteVariations(text);
    expect(writeMoveText(text, 0)).toContain('} e5 {Then} 2. Nf3');
    expect(writeMoveText(text, 0)).toContain('3. Bb5 ( {nothing} ) a6 1-0');
  });
});

it('a line on the board is found in the text, however its moves are written', () => {
  const text = read('1. e2e4 e7-e5 2. Ng1f3 Nc6 3. Bb5 a6 (3... Nf6 4. 0-0 -- 5. d4) *');
  const line: Step[] = [{ fen: START_FEN, uci: '', san: '' }];
  for (const san of ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'Nf6', 'O-O', '--', 'd4']) line.push(playWritten(line.at(-1)!.fen, san)!);
  expect(pathAlong(text.moves, line).map(({ data }) => data.san)).toEqual(['e2e4', 'e7-e5', 'Ng1f3', 'Nc6', 'Bb5', 'Nf6', '0-0', '--', 'd4']);
  expect(stepsFrom(START_FEN, text.moves.children[0]).map(({ uci }) => uci)).toEqual(['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1b5', 'a7a6']);
  expect(pathAlong(text.moves, line.slice(0, 1))).toEqual([]);
});

describe('random changes of random games', () => {
  /** The tree, with the variations of each move in no order. */
  const unordered = (node: Node<WrittenMove>): unknown => {
    const [first, ...others] = node.children.map((move) => JSON.stringify([moveOf(move), unordered(move)]));
    return [first, ...others.sort()];
  };

  it('are read again as they were made, here and by chessops', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const below = numbers(seed);
      let pgn = TEXTS[seed % TEXTS.length] as string;
      for (let nth = 0; nth < 30; nth++) {
        const text = read(pgn);
        change(text, below);
        const written = writeMoveText(text, 0);
        const again = read(written);
        expect([seed, nth, pgn, writeMoveText(again, 0)]).toEqual([seed, nth, pgn, written]);
        expect([seed, nth, pgn, unordered(again.moves)]).toEqual([seed, nth, pgn, unordered(text.moves)]);
        const parsed = parsePgn(written.replace(/; ?([^\r\n]*)/g, '{$1}'))[0];
        expect([seed, nth, written, treeOf(again.moves)]).toEqual([seed, nth, written, parsed ? treeOfChessops(parsed.moves) : []]);
        pgn = written;
      }
    }
  });
});
