// The account of an import: the games that could not be read, or only in part, as a text file with one line per game, tab-separated, with a
// header line, so that both editors and spreadsheets can open it; and what else was not understood, in words.
import type { ImportNote, ImportReport } from '../engine/protocol';
import { say } from './say';
import { count, counted } from './words';

export function refusalsAsText({ refusals, refused, in_part, notes }: ImportReport): string {
  const lines = refusals.map((one) => [one.file, one.game, one.byte, one.ply, one.kept_in_part ? 'in part' : 'refused', one.reason].join('\t'));
  const rest = refused + in_part > refusals.length ? [say(`… and ${count(refused + in_part - refusals.length)} more that are not listed`)] : [];
  return [['file', 'game', 'byte', 'ply', 'kept', 'reason'].join('\t'), ...lines, ...rest, ...notes.map(noteInWords), ''].join('\n');
}

/** What was not understood of some games, and where the first of them is. */
export function noteInWords({ kind, games, file, game, byte }: ImportNote): string {
  const of = counted(games, ['# game', '# games']);
  return say(`${of}: ${meanings()[kind] ?? kind} (first: ${file}, game ${count(game)}, byte ${count(byte)})`);
}

const meanings = (): Readonly<Record<string, string>> => ({
  tag: say('a line among the tags is no tag; it is kept in the text alone'),
  after_result: say('moves behind the result are kept in the text alone'),
  date: say('a part of the date cannot be told'),
  time_control: say('the time control cannot be read'),
  clock: say('clock times have no unit, so they count as unknown'),
  encoding: say('a name is not UTF-8, so its letters are a guess'),
  command: say('an evaluation or a time in a comment cannot be read'),
});
