// Adding a condition to a query that is already there. A number on the heatmap counts positions,
// so the new condition must hold at the same position as the old query: both go inside one pair of
// braces. This only moves brackets around; what the words mean is the engine's business.
import type { Structure } from '../engine/protocol';
import { pawnPlacement } from './squares';

/** The query that holds where `query` and `condition` hold at one position. */
export function addCondition(query: string, condition: string): string {
  return atOnePosition(query, condition) ?? addApart(query, condition);
}

/** The same, or null where `query` speaks of several positions. */
export function atOnePosition(query: string, condition: string): string | null {
  const old = query.trim();
  if (old === '') return condition.includes(' and ') ? `{ ${condition} }` : condition;
  const inner = bracedWhole(old) ?? (old.includes('{') || words(old).includes('for') ? null : old);
  // Braces somewhere in the middle, or plies in a row: several positions are meant, and the new one would be one more.
  if (inner === null) return null;
  return `{ ${needsBrackets(inner) ? `(${inner})` : inner} and ${condition} }`;
}

/** The query that asks for `condition` besides `query`, each at its own position. */
export function addApart(query: string, condition: string): string {
  const old = query.trim();
  return old === '' ? condition : `${needsBrackets(old) ? `(${old})` : old} and ${condition}`;
}

/** The condition that exactly these pawns stand, and no others. */
export function structureCondition(structure: Structure): string {
  const placement = pawnPlacement(structure.white, structure.black);
  return `structure "${placement.replace(/1+/g, (empty) => String(empty.length))}"`;
}

/** The text between the braces when one pair of them encloses the whole query, else null. */
function bracedWhole(query: string): string | null {
  if (!query.startsWith('{') || !query.endsWith('}')) return null;
  return query.indexOf('}') === query.length - 1 ? query.slice(1, -1).trim() : null;
}

/** Whether an `and` behind the text would bind closer than what is in it. */
function needsBrackets(text: string): boolean {
  return hasWord(text, 'or') || hasWord(text, 'then');
}

/** Whether the word stands at the top level of the text, outside parentheses. */
function hasWord(text: string, word: string): boolean {
  let depth = 0;
  for (const token of words(text)) {
    if (token === '(' || token === '{') depth++;
    else if (token === ')' || token === '}') depth--;
    else if (depth === 0 && token === word) return true;
  }
  return false;
}

/** The words and brackets of a query, without what stands in quotes. */
function words(text: string): string[] {
  return text.replace(/"[^"]*"/g, ' ').toLowerCase().match(/[a-z_]+|[(){}]/g) ?? [];
}
