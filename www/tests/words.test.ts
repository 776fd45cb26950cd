// Numbers and names as the page prints them.
import { expect, it } from 'vitest';
import { refusalsAsText } from '../src/state/refusals';
import { bytes, corpusName, count, counted, duration, elapsed, large, moveBefore, moveNumber, resultText, share, yearOf } from '../src/state/words';
import { START_FEN } from '../src/state/replay.svelte';

it('groups and counts', () => {
  expect(count(2914)).toBe('2,914');
  expect(counted(1, ['# game', '# games'])).toBe('1 game');
  expect(counted(0, ['# game', '# games'])).toBe('0 games');
  expect(large(741_956)).toBe('741,956');
  expect(large(2_517_412)).toBe('2.52 M');
  expect(bytes(144_000_000)).toBe('144.0 MB');
});

it('tells time', () => {
  expect([3.14159, 38.4, 1234, 125_000].map(duration)).toEqual(['3.1 ms', '38 ms', '1.2 s', '2 min 5 s']);
});

it('takes shares, of nothing too', () => {
  expect([share(1, 3), share(1, 30), share(1, 3000), share(0, 5), share(0, 0)]).toEqual(['33 %', '3.3 %', '0.03 %', '0 %', '0 %']);
});

it('numbers moves as the score does', () => {
  expect([1, 2, 45].map((ply) => moveNumber(START_FEN, ply))).toEqual(['1.', '1…', '23.']);
  expect([1, 2].map((ply) => moveNumber('8/8/8/4k3/8/8/8/K7 b - - 0 40', ply))).toEqual(['40…', '41.']);
});

it('names a corpus after its files', () => {
  expect(corpusName(['master-30k.pgn.zst'])).toBe('master-30k');
  expect(corpusName(['a.pgn', 'b.pgn', 'c.pgn'])).toBe('a and 2 more');
  expect(corpusName(['.pgn'])).toBe('games');
  expect([corpusName(['club.zip']), corpusName(['club.tar.gz'])]).toEqual(['club', 'club']);
});

const CORPUS = { id: 'a', name: 'a', games: 3, plies: 30, size_bytes: 100, created_ms: 0, kept: 'device' } as const;
const REPORT = { corpus: CORPUS, refusals: [], refused: 0, in_part: 0, notes: [], skipped: [], elapsed_ms: 1, bytes: 1, storage_note: '', memory_bytes: 0 };

it('gives an account of an import as a table', () => {
  const refusal = { file: 'a.pgn', byte: 120, game: 3, ply: 7, reason: 'illegal move Nf9', kept_in_part: true };
  const note = { kind: 'tag', games: 2, file: 'a.pgn', game: 1, byte: 30 };
  const text = refusalsAsText({ ...REPORT, refusals: [refusal], refused: 4, in_part: 1, notes: [note] });
  expect(text.split('\n')).toEqual([
    'file\tgame\tbyte\tply\tkept\treason',
    'a.pgn\t3\t120\t7\tin part\tillegal move Nf9',
    '… and 4 more that are not listed',
    '2 games: a line among the tags is no tag; it is kept in the text alone (first: a.pgn, game 1, byte 30)',
    '',
  ]);
});

it('names a position by the move that led there', () => {
  expect(moveBefore('8/8/8/8/8/8/8/K1k5 b - - 0 29', 'Rxc1')).toBe('29. Rxc1');
  expect(moveBefore('8/8/8/8/8/8/8/K1k5 w - - 0 30', 'Kg7')).toBe('29… Kg7');
  expect(moveBefore('8/8/8/8/8/8/8/K1k5 w - - 0 30', '')).toBe('after 29…');
  expect([yearOf('1972.07.11'), yearOf('????.??.??'), resultText('1/2-1/2')]).toEqual(['1972', '', '½-½']);
});

it('tells the time of a search in a plain word', () => {
  expect([0.3, 38, 996, 1234, 125_000].map(elapsed)).toEqual(['under 0.01 s', '0.04 s', '1.00 s', '1.2 s', '2 min 5 s']);
});
