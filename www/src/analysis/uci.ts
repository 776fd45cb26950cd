// What a chess engine writes under the Universal Chess Interface, and what the page reads of it.

/** An evaluation from the view of the side to move. A mate in a negative number of moves is one that the side suffers. */
export interface UciScore {
  kind: 'cp' | 'mate';
  value: number;
  /** Whether the value is exact, at least this, or at most this. */
  bound: 'exact' | 'lower' | 'upper';
}

/** One line of a running search. */
export interface Info {
  depth: number;
  /** 1 is the best line. */
  multipv: number;
  score: UciScore;
  nodes: number;
  nodesPerSecond: number;
  /** The moves of the line, in UCI notation. */
  pv: string[];
}

export type Message = { kind: 'uciok' } | { kind: 'readyok' } | { kind: 'info'; info: Info } | { kind: 'bestmove'; move: string | null } | { kind: 'broken'; text: string };

const MOVE = /^[a-h][1-8][a-h][1-8][qrbn]?$/;

/** Lines that Stockfish and its runtime write when they end. */
const BROKEN = /^Aborted\(|failed to allocate|memory access out of bounds|unreachable/i;

/** Reads one line; null if the page needs nothing of it. */
export function parseLine(line: string): Message | null {
  const words = line.trim().split(/\s+/);
  if (BROKEN.test(line.replace(/^info string /, ''))) return { kind: 'broken', text: line };
  if (words[0] === 'uciok') return { kind: 'uciok' };
  if (words[0] === 'readyok') return { kind: 'readyok' };
  if (words[0] === 'bestmove') return { kind: 'bestmove', move: MOVE.test(words[1] ?? '') ? (words[1] as string) : null };
  if (words[0] !== 'info') return null;
  const info = parseInfo(words);
  return info && { kind: 'info', info };
}

/** A line with an evaluation and moves; null for all others, such as `info string …` and `info currmove …`. */
function parseInfo(words: readonly string[]): Info | null {
  const scoreAt = words.indexOf('score');
  const pvAt = words.indexOf('pv');
  if (words[1] === 'string' || scoreAt < 0 || pvAt < 0) return null;
  const number = (name: string) => {
    const at = words.indexOf(name);
    return at < 0 || at > pvAt ? 0 : Number(words[at + 1]) || 0;
  };
  const kind = words[scoreAt + 1];
  const value = Number(words[scoreAt + 2]);
  if ((kind !== 'cp' && kind !== 'mate') || !Number.isFinite(value)) return null;
  const bound = words.includes('lowerbound') ? 'lower' : words.includes('upperbound') ? 'upper' : 'exact';
  const pv = words.slice(pvAt + 1);
  const end = pv.findIndex((word) => !MOVE.test(word));
  return {
    depth: number('depth'),
    multipv: number('multipv') || 1,
    score: { kind, value, bound },
    nodes: number('nodes'),
    nodesPerSecond: number('nps'),
    pv: end < 0 ? pv : pv.slice(0, end),
  };
}

/** The command for a position. A FEN may lack its last fields; an engine needs all of them. */
export function positionCommand(fen: string): string {
  const fields = fen.trim().split(/\s+/);
  const missing = ['', 'w', '-', '-', '0', '1'].slice(fields.length);
  return `position fen ${[...fields, ...missing].join(' ')}`;
}
