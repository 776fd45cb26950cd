// What is wrong with a query, in the language of the page. The engine names the mistakes that players make most; others it says itself, in
// English.
import type { QueryProblem } from '../engine/protocol';
import { say } from './say';

/** A sentence in which words of the language stand between backticks. */
export interface SaidProblem {
  text: string;
  isEnglish: boolean;
}

export function problemInWords(problem: QueryProblem): SaidProblem {
  const [first = '', second = '', ...others] = problem.arguments;
  const said = sentences()[problem.id]?.(first, second, others) ?? null;
  if (said !== null) return { text: said, isEnglish: false };
  const { message } = problem;
  const whole = message.charAt(0).toUpperCase() + message.slice(1);
  return { text: /[.?!]$/.test(whole) ? whole : `${whole}.`, isEnglish: true };
}

/** The sentence of each mistake that the engine names, made of what it names; null for what only the engine says. */
const sentences = (): Readonly<Record<string, (first: string, second: string, others: readonly string[]) => string | null>> => ({
  'unknown-word': (first, second) => (second ? say(`“${first}” means nothing here. Did you mean \`${second}\`?`) : say(`“${first}” means nothing here. The name of a player stands between quotes.`)),
  expected: (first, second) => made(expectedInWords(second), (what) => say(`${what} is expected here, not \`${first}\`.`)),
  'missing-at-end': (first) => made(expectedInWords(first), (what) => say(`${what} is missing at the end.`)),
  'not-joined': () => say('Between these two conditions, `and`, `or` or `then` is missing.'),
  'never-opened': () => say('This bracket was never opened.'),
  'never-closed': () => say('This quote is not closed: `"` is missing.'),
  'unknown-sign': (first) => say(`The sign \`${first}\` means nothing in a question.`),
  'in-braces': (first) => say(`Between braces everything holds in one position, and \`${first}\` needs several: write it outside the braces.`),
  'unknown-name': (first, second, others) => made(unknownName(first)[second], (sentence) => withSimilar(sentence, others)),
  'unknown-opening': (first, second, others) => withSimilar(say(`No opening has the name “${first}”.`), [second, ...others]),
});

/** The sentence with a part, if there is the part. */
function made(part: string | null | undefined, make: (part: string) => string): string | null {
  return part == null ? null : make(part);
}

/** What the engine calls a thing that it expects; a bracket and other words of the language stand between backticks. */
function expectedInWords(what: string): string | null {
  if (/^`[^`]*`$/.test(what)) return what;
  const known: Readonly<Record<string, string>> = {
    'a condition': say('A condition'),
    'a predicate': say('The name of a pattern or a piece'),
    'a region': say('A square, a file or a rank'),
    'a rank': say('A rank from 1 to 8'),
    'a rank from 1 to 8': say('A rank from 1 to 8'),
    'a file': say('A file from a to h'),
    'a file from a to h': say('A file from a to h'),
    'a piece': say('A piece'),
    'a side': say('A side such as `white`'),
    'one side': say('A side such as `white`'),
    'what is attacked or defended': say('A piece or a square that is attacked or defended'),
    'a phase of the game': say('A phase of the game such as `endgame`'),
    'a material such as `KRPvKR`': say('Pieces such as `KRPvKR`'),
    'the material of both sides, as in `RvBN` or `R+2P v BN`,': say('Pieces such as `RvBN`'),
    'a title such as `GM`': say('A title such as `GM`'),
    'a number': say('A number'),
    'a number of plies or moves': say('A number of plies or moves'),
    'a number of plies': say('A number of plies'),
    'a comparison': say('A comparison such as `>=`'),
    'a name in quotes': say('A name between quotes'),
    'the name of an opening in quotes': say('The name of an opening between quotes'),
    'a result': say('A result such as `1-0`'),
    'an ECO code such as `B90`': say('A code such as `B90`'),
    'a date such as `1990` or `1990.05.01`': say('A date such as `1990` or `1990.05.01`'),
  };
  return known[what] ?? null;
}

const unknownName = (name: string): Readonly<Record<string, string>> => ({
  player: say(`None of these games has a player with the name “${name}”.`),
  event: say(`None of these games has an event with the name “${name}”.`),
  site: say(`None of these games has a site with the name “${name}”.`),
});

/** Buttons beside the sentence have the similar names. */
function withSimilar(sentence: string, similar: readonly string[]): string {
  return similar.some((name) => name !== '') ? `${sentence} ${say('Did you mean one of these?')}` : sentence;
}
