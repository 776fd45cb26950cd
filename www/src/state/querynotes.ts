// Notes on a query that prevent a misunderstanding of its numbers: conditions that may each hold at a position of
// their own. The engine says whether the query has windows.
import type { Painted } from '../engine/protocol';

export interface QueryNotes {
  /** The query with all conditions at one position, where these conditions may hold at different ones; otherwise empty. */
  together: string;
  /** Whether conditions that could hold at one position may each hold at their own. */
  isApart: boolean;
  /** Whether words such as `for` and `then` choose games. */
  hasWindows: boolean;
}

export const NO_NOTES: QueryNotes = { together: '', isApart: false, hasWindows: false };

const JOINTS = ['and', 'or', 'then'];
/** Words that make a condition say something about all positions, or about none. */
const WHOLE_GAME = ['not', 'never', 'always'];
/** Words of the grammar that begin a condition on a position. */
const OF_POSITIONS = ['count', 'points', 'material', 'imbalance', 'endgame', 'structure', 'board', 'fen', 'empty', 'ply', 'move'];
/** Words after which `ply` and `move` are part of a window. */
const WHEN = ['before', 'after', 'from', 'until', 'at', 'between', 'for', 'within'];

interface Word {
  text: string;
  class: Painted['class'];
}

export function notesOf(query: string, painted: readonly Painted[], hasWindows: boolean): QueryNotes {
  const words = outside(painted.map((one) => ({ text: query.slice(one.from, one.to).toLowerCase(), class: one.class })));
  const isApart = runs(words).some((run) => run.filter(isOfOnePosition).length > 1);
  const mayJoin = isApart && !hasWindows && !/[{}]/.test(query);
  return { together: mayJoin ? `{ ${query.trim()} }` : '', isApart, hasWindows };
}

/** The words outside braces; braces with all that is in them are one word. */
function outside(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  let depth = 0;
  for (const word of words) {
    const before = depth;
    if (word.class === 'bracket' && word.text === '{') depth++;
    if (word.class === 'bracket' && word.text === '}') depth = Math.max(0, depth - 1);
    if (before === 0 && depth === 1) kept.push({ text: '{}', class: 'predicate' });
    else if (before === 0) kept.push(word);
  }
  return kept;
}

/** The conditions between `or` and `then`, each as its words. */
function runs(words: readonly Word[]): Word[][][] {
  const made: Word[][][] = [[[]]];
  for (const word of words) {
    const isJoint = word.class === 'keyword' && JOINTS.includes(word.text) && !isRange(word, made.at(-1)?.at(-1) ?? []);
    if (!isJoint) made.at(-1)?.at(-1)?.push(word);
    else if (word.text === 'and') made.at(-1)?.push([]);
    else made.push([[]]);
  }
  return made;
}

/** Whether `and` belongs to a `between` before it: `between 20 and 40`, `between king and queen`. */
function isRange(word: Word, before: readonly Word[]): boolean {
  const number = (text: string) => before.filter((one) => one.text === text).length;
  const isWritten = ['..', '-', 'to'].includes(before.at(-2)?.text ?? '');
  return word.text === 'and' && number('between') > number('and') && !isWritten;
}

function isOfOnePosition(condition: readonly Word[]): boolean {
  if (condition.some((word) => WHOLE_GAME.includes(word.text) || word.text === 'ended')) return false;
  return condition.some((word, at) => {
    if (word.class === 'predicate') return true;
    if (word.class !== 'keyword' || !OF_POSITIONS.includes(word.text)) return false;
    const before = condition[at - 1]?.text ?? '';
    return word.text === 'endgame' ? before !== 'in' : !WHEN.includes(before);
  });
}
