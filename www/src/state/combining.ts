// How collections are combined.
import { say } from './say';

/** How the user can combine two sets, and the sign in the expression; `not` takes one set. The first three are what most need. */
export const OPERATORS = [
  { name: 'and', sign: '&' },
  { name: 'or', sign: '|' },
  { name: 'without', sign: '-' },
  { name: 'xor', sign: '^' },
  { name: 'not', sign: '~' },
] as const;
export const PLAIN_OPERATORS = OPERATORS.slice(0, 3);
export type Operator = (typeof OPERATORS)[number]['name'];

/** An operator and its meaning in words. */
export function operatorInWords(operator: Operator): { name: string; meaning: string } {
  const words: Record<Operator, { name: string; meaning: string }> = {
    and: { name: say('and'), meaning: say('games of both') },
    or: { name: say('or'), meaning: say('games of either') },
    without: { name: say('without'), meaning: say('games of the first that are not in the second') },
    xor: { name: say('one of both'), meaning: say('games of exactly one of them') },
    not: { name: say('not'), meaning: say('all games that are not in it') },
  };
  return words[operator];
}

/** The expression of a combination. */
export function expressionOf(one: string, operator: Operator, two: string): string {
  const sign = OPERATORS.find((known) => known.name === operator)?.sign ?? '&';
  return operator === 'not' ? `~@${one}` : `@${one} ${sign} @${two}`;
}
