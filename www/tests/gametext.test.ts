// The text of a game: what it says joins the engine's moves, whatever state the text is in.
import { describe, expect, it } from 'vitest';
import { parseSan } from 'chessops/san';
import type { GameView } from '../src/engine/protocol';
import { areaUnder, clocksOf, clockTime, evaluationInWords, evaluationsIn, movesBelow, pathThrough, seriesOf, signsIn } from '../src/state/gamegraph';
import { gameElsewhere, lichessAnalysis } from '../src/state/elsewhere';
import { findMove, lineTo, readGameText, readGameTextInSlices, type Variation } from '../src/state/gametext';
import { movesOf, rowsOf } from '../src/state/movelist';
import { nagOf } from '../src/state/nags';
import { openingOf, openingsAlong, readOpenings, variationOf } from '../src/state/openings';
import { START_FEN } from '../src/state/replay.svelte';
import { playMove, positionOf, type Step } from '../src/state/rules';

/** A game as the engine gives it, from its moves. */
function game(moves: string, start = START_FEN): GameView {
  const plies: Step[] = [];
  for (const san of moves.split(' ').filter(Boolean)) {
    const fen = plies.at(-1)?.fen ?? start;
    const move = parseSan(positionOf(fen)!, san)!;
    const uci = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const square = (at: number) => `${uci[at & 7]}${(at >> 3) + 1}`;
    if ('role' in move) throw new Error('a drop');
    plies.push(playMove(fen, square(move.from) + square(move.to) + (move.promotion ? move.promotion[0] : ''))!);
  }
  return {
    row: { id: 0, white: '', black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: plies.length, ending: '', time_class: '', round: '', time_control: '', annotator: '' },
    start_fen: start, plies, matches: [], images: [],
  };
}

const RUY = 'e4 e5 Nf3 Nc6 Bb5 a6';
const words = (variation: Variation): string => variation.moves.map((move) => [move.san, ...move.variations.map((inner) => `(${words(inner)})`)].join(' ')).join(' ');

describe('comments', () => {
  it('stand before and after moves, and before the game', () => {
    const text = readGameText('[Event "{x; y"]\n\n{The start} 1. e4 {best} {by test} e5 ; to the end\n2. Nf3 Nc6 *', game(RUY));
    expect([text.start.after, text.plies[0]?.after, text.plies[1]?.after, text.agreesTo]).toEqual([['The start'], ['best', 'by test'], ['to the end'], 4]);
    expect([text.plies.length, text.plies[5]?.after, text.hasProse]).toEqual([6, [], true]);
  });

  it('lose their commands, also unknown and broken ones', () => {
    const text = readGameText('1. e4 { [%clk 0:10:02.2][%timestamp 78] } e5 {[%eval nonsense] fine [%csl Gz9]} 2. Nf3 {[%eval 0.3 open} *', game(RUY));
    expect(text.plies.map(({ after }) => after.join('|'))).toEqual(['', 'fine', '[%eval 0.3 open', '', '', '']);
    expect([text.plies[0]?.clock, text.plies[1]?.evaluation]).toEqual([602.2, null]);
  });

  it('come without headers, and with empty lines between moves', () => {
    const text = readGameText('1. e4 e5\n\n  \n2. Nf3 {still\n\nhere} Nc6 3. Bb5 a6 *', game(RUY));
    expect([text.agreesTo, text.plies[2]?.after]).toEqual([6, ['still\n\nhere']]);
  });

  it('an unclosed brace takes the rest of the text', () => {
    const text = readGameText('1. e4 e5 {open; 2. Nf3 (2. d4) Nc6', game('e4 e5'));
    expect([text.plies[1]?.after, text.agreesTo]).toEqual([['open; 2. Nf3 (2. d4) Nc6'], 2]);
  });
});

describe('evaluations, clocks and shapes', () => {
  const text = readGameText('1. e4 {[%eval 0.35] [%clk 1:30:00]} e5 {[%eval #-4] [%clk 1:29:50]} 2. Nf3 {[%csl Ge5,Rf7][%cal Yf3e5] [%clk 1:29:00]} Nc6 {[%eval -23.1,12]} *', game(RUY));

  it('belong to the position after the move', () => {
    expect(text.plies[0]).toMatchObject({ evaluation: { pawns: 0.35 }, clock: 5400 });
    expect(text.plies[1]).toMatchObject({ evaluation: { mate: -4 } });
    expect(text.plies[2]?.shapes).toEqual([{ orig: 'e5', brush: 'green' }, { orig: 'f7', brush: 'red' }, { orig: 'f3', dest: 'e5', brush: 'yellow' }]);
    expect(text.hasProse).toBe(false);
  });

  it('make curves with gaps, cut at the edge', () => {
    expect(seriesOf(evaluationsIn(text))).toEqual([null, 0.35, -10, null, -10, null, null]);
    const clocks = clocksOf(text, START_FEN);
    expect(clocks?.white).toEqual([null, 5400, 5400, 5340, 5340, 5340, 5340]);
    expect(clocks?.black.slice(0, 3)).toEqual([null, null, 5390]);
    expect(pathThrough([null, 1, 2, null, 3], (value) => value)).toBe('M1 1.00L2 2.00M4 3.00');
    expect(areaUnder([null, 1, 2, null], (value) => value, 0)).toBe('M1 0L1 1.00L2 2.00L2 0Z');
    expect(seriesOf(evaluationsIn(readGameText('1. e4', game(RUY))))).toBeNull();
    expect(clocksOf(readGameText('1. e4', game(RUY)), START_FEN)).toBeNull();
    expect(clocksOf(readGameText('1. e4 {[%emt 0:00:07]} e5', game(RUY)), START_FEN)).toMatchObject({ kind: 'used', most: 7 });
  });

  it('have the inaccuracies, mistakes and blunders that the text marks', () => {
    const marked = readGameText('1. e4 $1 e5 $10 $6 2. Nf3 $4 Nc6 $5 3. Bb5 $2', game(RUY));
    expect([...signsIn(marked)]).toEqual([[2, 6], [3, 4], [5, 2]]);
  });

  it('are written for players', () => {
    expect([5025, 723, 9.84, 59.9, 0, 7].map(clockTime)).toEqual(['1:23:45', '12:03', '0:09.8', '0:59', '0:00', '0:07']);
    expect([{ pawns: 0.35 }, { pawns: -1.2 }, { mate: -4 }].map(evaluationInWords)).toEqual(['+0.35', '−1.20', 'mate in 4 for Black']);
    expect(movesBelow(80, START_FEN, 8)).toEqual([5, 10, 15, 20, 25, 30, 35, 40].map((number) => ({ ply: number * 2 - 1, number })));
  });
});

describe('variations', () => {
  const NESTED = '1. e4 e5 (1... c5! {Sicilian} 2. Nf3 (2. c3 d5 (2... Nf6)) 2... d6) 2. Nf3 $14 Nc6 (2... d6) (2... Nf6 3. Nxe5 {Petrov}) 3. Bb5 a6 *';
  const text = readGameText(NESTED, game(RUY));

  it('nest as in the PGN', () => {
    expect(text.plies[1]?.variations.map(words)).toEqual(['c5 Nf3 (c3 d5 (Nf6)) d6']);
    expect(text.plies[3]?.variations.map(words)).toEqual(['d6', 'Nf6 Nxe5']);
    expect(text.plies[1]?.variations.map(movesOf)).toEqual([6]);
    expect(text.plies[2]?.nags.map(nagOf)).toEqual([{ glyph: '+=', words: 'White is slightly better', ofMove: false }]);
    expect(text.moves.find(({ san }) => san === 'c5')).toMatchObject({ nags: [1], after: ['Sicilian'] });
  });

  it('lead to the board, and go on to their end', () => {
    const knight = text.moves.find(({ san, variation }) => san === 'Nf6' && variation.depth === 3)!;
    const line = lineTo(knight);
    expect([line.root, line.steps.map(({ san }) => san), line.played]).toEqual([1, ['c5', 'c3', 'Nf6'], 3]);
    const nf3 = text.moves.find(({ san, variation }) => san === 'Nf3' && variation.depth === 1)!;
    expect(lineTo(nf3)).toMatchObject({ root: 1, played: 2 });
    expect(lineTo(nf3).steps.map(({ san }) => san)).toEqual(['c5', 'Nf3', 'd6']);
    for (const move of text.moves) {
      const { root, steps, played } = lineTo(move);
      expect(findMove(text, root, steps.slice(0, played))).toBe(move);
    }
    expect(findMove(text, 0, [playMove(START_FEN, 'd2d4')!])).toBeNull();
  });

  it('have illegal moves as text, and null moves as moves', () => {
    const odd = readGameText('1. e4 e5 (1... c5 2. Ke3 d6) (1... -- 2. d4) 2. Nf3 *', game(RUY));
    const [illegal, threat] = odd.plies[1]!.variations;
    expect(illegal?.moves.map(({ san, step }) => [san, step !== null])).toEqual([['c5', true], ['Ke3', false], ['d6', false]]);
    expect(threat?.moves.map(({ san, step }) => [san, step?.uci])).toEqual([['--', ''], ['d4', 'd2d4']]);
    expect(lineTo(illegal!.moves[0]!).steps).toHaveLength(1);
  });

  it('castle as the engine writes it', () => {
    const castled = readGameText('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 (3... Nf6 4. 0-0) *', game(RUY));
    expect(castled.moves.at(-1)?.step).toMatchObject({ uci: 'e1g1', san: 'O-O' });
  });

  it('a variation may come before the move of the game', () => {
    const odd = readGameText('(1. d4) 1. e4 e5 2. Nf3', game(RUY));
    expect([odd.agreesTo, odd.plies[0]?.variations.map(words)]).toEqual([3, ['d4']]);
  });
});

describe('the moves of the engine are the game', () => {
  it('and text that differs is left out from there on', () => {
    const text = readGameText('1. e4 {one} e5 2. Nc3 {two} Nc6', game(RUY));
    expect([text.agreesTo, text.plies[0]?.after, text.plies[2]?.after]).toEqual([2, ['one'], []]);
    for (const bad of ['', '{', '((((', ')))', '1-0', '[Event "x"]', '\uFEFF', '(((1. e4', '$999999 {', '1. -- e5']) expect(readGameText(bad, game(RUY)).plies).toHaveLength(6);
  });

  it('and odd ways of writing a move are the same move', () => {
    const text = readGameText('1. e2-e4! e7e5 2. Ng1f3 {here} Nb8-c6 3. Bf1b5+ a7a6', game(RUY));
    expect([text.agreesTo, text.plies[2]?.after]).toEqual([6, ['here']]);
  });

  it('and a position that nobody can play on has its comments', () => {
    const none = { ...game(RUY), start_fen: '8/8/8/8/8/8/8/8 w - - 0 1' };
    expect(readGameText('1. e4 {yes} (1. d4)', none)).toMatchObject({ agreesTo: 1, plies: [{ after: ['yes'] }, {}, {}, {}, {}, {}] });
  });
});

describe('long texts', () => {
  it('half a megabyte of comments, and ten thousand variations inside each other', { timeout: 60_000 }, () => {
    const shuffle = 'Nf3 Nf6 Ng1 Ng8 '.repeat(75).trim();
    const moves = shuffle.split(' ');
    const pgn = moves.map((san, at) => `${san} {${'a comment '.repeat(170)}} (${at % 2 === 0 ? 'e4' : 'e5'} ${at % 2 === 0 ? 'e5' : 'e4'})`).join(' ');
    expect(pgn.length).toBeGreaterThan(500_000);
    const played = game(shuffle);
    const start = performance.now();
    const text = readGameText(pgn, played);
    // It takes a fraction of a second. The limit is wide for a busy machine, and still refuses time that grows with the square.
    expect(performance.now() - start).toBeLessThan(5000);
    expect([text.agreesTo, text.moves.length]).toEqual([300, 600]);
    const deep = readGameText('1. e4 '.concat('(1. d4 '.repeat(10_000)), game(RUY));
    expect(deep.moves.length).toBe(10_000);
  });

  it('are read in slices, and dropped when nobody wants them', { timeout: 60_000 }, async () => {
    const pgn = `1. e4 ${'(1. d4 d5 2. c4 e6) '.repeat(3000)} e5`;
    expect((await readGameTextInSlices(pgn, game(RUY), () => true))?.moves.length).toBe(12_000);
    expect(await readGameTextInSlices(pgn, game(RUY), () => false)).toBeNull();
  });
});

describe('the list of moves', () => {
  const kinds = (moves: string, pgn: string) => rowsOf(game(moves), readGameText(pgn, game(moves))).map((row) => (row.kind === 'text' ? row.comments.join() || '()' : `${row.number} ${row.white} ${row.black}`));

  it('is two columns without comments', () => {
    expect(kinds(RUY, '1. e4! e5 {[%eval 0.1]} 2. Nf3 Nc6 3. Bb5 a6')).toEqual(['1. 1 2', '2. 3 4', '3. 5 6']);
  });

  it('is split by a comment or a variation', () => {
    expect(kinds(RUY, '{a} 1. e4 {b} e5 2. Nf3 Nc6 (2... d6) 3. Bb5')).toEqual(['a', '1. 1 0', 'b', '1. 0 2', '2. 3 4', '()', '3. 5 6']);
  });
});

describe('pages elsewhere', () => {
  const link = (headers: string) => readGameText(`${headers}\n\n1. e4`, game(RUY)).link;

  it('come from the headers, if lichess or chess.com is there', () => {
    expect(link('[Site "https://lichess.org/AbCd1234"]')).toBe('https://lichess.org/AbCd1234');
    expect(link('[Site "Chess.com"]\n[Link "https://www.chess.com/game/live/123"]')).toBe('https://www.chess.com/game/live/123');
    for (const other of ['https://lichess.org', 'https://example.org/lichess.org/1', 'javascript:alert(1)//lichess.org', 'https://evil-lichess.org/abc', 'lichess.org/x']) expect(link(`[Site "${other}"]`)).toBe('');
  });

  it('go to the ply, and to the position', () => {
    expect(gameElsewhere('https://lichess.org/AbCd1234', 12)).toEqual({ name: 'lichess', address: 'https://lichess.org/AbCd1234#12' });
    expect(gameElsewhere('https://www.chess.com/game/live/123', 12)).toEqual({ name: 'chess.com', address: 'https://www.chess.com/game/live/123' });
    expect(gameElsewhere('', 3)).toBeNull();
    expect(lichessAnalysis(START_FEN)).toBe('https://lichess.org/analysis/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1');
  });
});

describe('the names of openings', () => {
  const TABLE = 'C20\tKing’s Pawn Game\te4 e5\nC40\tKing’s Knight Opening\te4 e5 Nf3\nC60\tRuy Lopez\te4 e5 Nf3 Nc6 Bb5\nX00\tbroken\te4 e5 Ke3\nA04\tZukertort Opening\tNf3\n';

  it('belong to positions, whatever way leads there, and stay until a deeper one', async () => {
    const table = await readOpenings(TABLE);
    const along = (moves: string) => openingsAlong(table, [START_FEN, ...game(moves).plies.map(({ fen }) => fen)]);
    expect(along('e4 e5 Nf3 Nc6 Bb5 a6')).toEqual(['', '', 'C20 King’s Pawn Game', 'C40 King’s Knight Opening', 'C40 King’s Knight Opening', 'C60 Ruy Lopez', 'C60 Ruy Lopez']);
    expect(along('Nf3 Nc6 e4 e5 Bb5').at(-1)).toBe('C60 Ruy Lopez');
    expect(openingOf(table, game('e4 e5 Nf3 d6').plies.map(({ fen }) => fen))).toBe('C40 King’s Knight Opening');
    expect(openingOf(table, [START_FEN])).toBe('');
    expect(table.size).toBe(4);
  });
});

it('a move leads to a variation of the opening, or to another opening', () => {
  const sicilian = 'B20 Sicilian Defense';
  for (const [name, before, said] of [
    ['B90 Sicilian Defense: Najdorf Variation', sicilian, 'Najdorf Variation'],
    ['B90 Sicilian Defense: Najdorf Variation, English Attack', 'B90 Sicilian Defense: Najdorf Variation', 'English Attack'],
    ['C00 French Defense', sicilian, 'French Defense'],
    ['B20 Sicilian Defense', '', 'Sicilian Defense'],
    ['A00 Sicilian Defensekeepers', sicilian, 'Sicilian Defensekeepers'],
  ] as const)
    expect(variationOf(name, before)).toBe(said);
});
