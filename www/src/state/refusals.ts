// The list of games that could not be read, as a text file: one line a game, tab-separated, with a
// head line, so that it opens in an editor and in a spreadsheet alike.
import type { Refusal } from '../engine/protocol';

export function refusalsAsText(refusals: readonly Refusal[], altogether: number): string {
  const lines = refusals.map((one) => [one.file, one.game, one.byte, one.ply, one.reason].join('\t'));
  const rest = altogether > refusals.length ? [`… and ${altogether - refusals.length} more that are not listed`] : [];
  return [['file', 'game', 'byte', 'ply', 'reason'].join('\t'), ...lines, ...rest, ''].join('\n');
}
