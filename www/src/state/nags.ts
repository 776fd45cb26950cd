// Numeric annotation glyphs (NAGs): the sign that books print, and its words for screen readers.
import { say } from './say';

export interface Nag {
  glyph: string;
  words: string;
  /** Whether the sign judges the move; other signs judge the position. */
  ofMove: boolean;
}

const ofMoves = (): Readonly<Record<number, readonly [string, string]>> => ({
  1: ['!', say('good move')],
  2: ['?', say('mistake')],
  3: ['!!', say('brilliant move')],
  4: ['??', say('blunder')],
  5: ['!?', say('interesting move')],
  6: ['?!', say('dubious move')],
  7: ['□', say('only move')],
  8: ['□', say('only move')],
});

/** Signs of positions, as far as usual fonts have them. Where White and Black have numbers of their own, both print the same sign. */
const ofPositions = (): Readonly<Record<number, readonly [string, string]>> => ({
  10: ['=', say('equal position')],
  11: ['=', say('equal, quiet position')],
  12: ['=', say('equal, active position')],
  13: ['∞', say('unclear position')],
  14: ['+=', say('White is slightly better')],
  15: ['=+', say('Black is slightly better')],
  16: ['±', say('White is better')],
  17: ['∓', say('Black is better')],
  18: ['+−', say('White is winning')],
  19: ['−+', say('Black is winning')],
  20: ['+−', say('White has a crushing advantage')],
  21: ['−+', say('Black has a crushing advantage')],
  22: ['⊙', say('White is in zugzwang')],
  23: ['⊙', say('Black is in zugzwang')],
  26: ['○', say('White has more space')],
  27: ['○', say('Black has more space')],
  32: ['⟳', say('White is ahead in development')],
  33: ['⟳', say('Black is ahead in development')],
  36: ['↑', say('White has the initiative')],
  37: ['↑', say('Black has the initiative')],
  40: ['→', say('White has the attack')],
  41: ['→', say('Black has the attack')],
  44: ['=∞', say('White has compensation')],
  45: ['=∞', say('Black has compensation')],
  132: ['⇆', say('White has counterplay')],
  133: ['⇆', say('Black has counterplay')],
  136: ['⊕', say('White is in time trouble')],
  137: ['⊕', say('Black is in time trouble')],
  138: ['⊕', say('White is in time trouble')],
  139: ['⊕', say('Black is in time trouble')],
  140: ['∆', say('with the idea')],
  141: ['∇', say('against')],
  142: ['≥', say('better is')],
  143: ['≤', say('worse is')],
  145: ['RR', say('editorial comment')],
  146: ['N', say('novelty')],
});

const known = new Map<number, Nag>();

/** The sign of a number; a number without a sign stands as PGN writes it. */
export function nagOf(number: number): Nag {
  let nag = known.get(number);
  if (!nag) {
    const ofMove = ofMoves()[number];
    const [glyph, words] = ofMove ?? ofPositions()[number] ?? [`$${number}`, say(`annotation ${number}`)];
    known.set(number, (nag = { glyph, words, ofMove: ofMove !== undefined }));
  }
  return nag;
}
