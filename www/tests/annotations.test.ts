// The text of the game on the board: fetched once after the game, late texts are dropped, failures leave the game alone.
import { beforeEach, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import type { GameView } from '../src/engine/protocol';
import { Annotations } from '../src/state/annotations.svelte';
import { Replay, START_FEN } from '../src/state/replay.svelte';
import { playLine } from '../src/state/rules';
import { Hand } from './hand';

const game = (id: number): GameView => ({
  row: { id, white: '', black: '', white_elo: 0, black_elo: 0, result: '*', eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: 2, ending: '', time_class: '', round: '', time_control: '', annotator: '' },
  start_fen: START_FEN, plies: playLine(START_FEN, ['e2e4', 'e7e5']), matches: [], images: [],
});
const PGN = '1. e4 {first [%clk 1:00:00] [%csl Ge4]} e5 (1... c5 {Sicilian [%cal Gb8c6]} 2. Nf3 Nc6) *';

let port: Hand;
let replay: Replay;
let annotations: Annotations;
beforeEach(() => {
  vi.stubGlobal('localStorage', undefined);
  port = new Hand();
  replay = new Replay(new EngineClient(() => port));
  annotations = new Annotations(replay);
});

/** Shows a game, and waits until its text has been requested. */
async function shown(id: number, ply = 0, line: string[] = []): Promise<void> {
  const show = replay.show(id, '', ply, line);
  await port.next('game', game(id));
  await show;
  annotations.follow(replay.game);
}
const requested = () => vi.waitFor(() => expect(port.open('pgn')).toHaveLength(1));
const read = () => vi.waitFor(() => expect(annotations.text).not.toBeNull());

it('comes after the game, once', async () => {
  await shown(1);
  expect(port.open('pgn')).toEqual([]);
  await requested();
  void replay.fetchPgn();
  await port.next('pgn', PGN);
  await read();
  expect(port.asked.filter(({ method }) => method === 'pgn')).toHaveLength(1);
  replay.go(1);
  expect([annotations.here?.after, annotations.shapes, annotations.clocks]).toEqual([['first'], [{ orig: 'e4', brush: 'green' }], { white: '1:00:00', black: '' }]);
  // The same game with another query keeps its text.
  const { text } = annotations;
  await shown(1);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(annotations.text).toBe(text);
  expect(port.open('pgn')).toEqual([]);
});

it('is dropped when another game is on the board', async () => {
  await shown(1);
  await requested();
  await shown(2);
  await port.next('pgn', PGN);
  expect([annotations.text, replay.pgn]).toEqual([null, '']);
  await requested();
  await port.next('pgn', '1. e4 {second} e5 *');
  await read();
  replay.go(1);
  expect(annotations.here?.after).toEqual(['second']);
  replay.clear();
  expect([annotations.text, annotations.shapes]).toEqual([null, []]);
});

it('that fails leaves the game as it is', async () => {
  await shown(1);
  await requested();
  await port.fail(port.open('pgn')[0] ?? -1, 'gone');
  expect([annotations.text, replay.game?.row.id]).toEqual([null, 1]);
});

it('marks the present move of a variation, and a line of the address goes on as the variation does', async () => {
  await shown(1, 1, ['c7c5', 'g1f3']);
  await requested();
  await port.next('pgn', PGN);
  await read();
  await vi.waitFor(() => expect(replay.sideline?.steps).toHaveLength(3));
  expect([annotations.present?.san, replay.sideline?.played]).toEqual(['Nf3', 2]);
  replay.back();
  expect([annotations.present?.san, annotations.shapes]).toEqual(['c5', [{ orig: 'b8', dest: 'c6', brush: 'green' }]]);
  replay.forward();
  replay.forward();
  expect(annotations.present?.san).toBe('Nc6');
  annotations.enter(annotations.text!.moves[0]!);
  expect([replay.last?.san, replay.ply]).toEqual(['c5', 1]);
  replay.play(playLine(replay.fen, ['b1c3'])[0]!);
  expect([annotations.present, annotations.here]).toEqual([null, null]);
});
