// The list of games that could not be read, as a text file: one line per game, tab-separated, with a
// header line, so that both editors and spreadsheets can open it.
import type { Refusal } from '../engine/protocol';
import { say } from './say';

export function refusalsAsText(refusals: readonly Refusal[], altogether: number): string {
  const lines = refusals.map((one) => [one.file, one.game, one.byte, one.ply, one.reason].join('\t'));
  const rest = altogether > refusals.length ? [say(`… and ${altogether - refusals.length} more that are not listed`)] : [];
  return [['file', 'game', 'byte', 'ply', 'reason'].join('\t'), ...lines, ...rest, ''].join('\n');
}
