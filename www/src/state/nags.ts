// Numeric annotation glyphs (NAGs): the sign that books print, and its words for screen readers.

export interface Nag {
  glyph: string;
  words: string;
  /** Whether the sign judges the move; other signs judge the position. */
  ofMove: boolean;
}

const OF_MOVES: Record<number, [string, string]> = {
  1: ['!', 'good move'],
  2: ['?', 'mistake'],
  3: ['!!', 'brilliant move'],
  4: ['??', 'blunder'],
  5: ['!?', 'interesting move'],
  6: ['?!', 'dubious move'],
  7: ['□', 'only move'],
  8: ['□', 'only move'],
};

/** Signs of positions, as far as usual fonts have them. Where White and Black have numbers of their own, both print the same sign. */
const OF_POSITIONS: Record<number, [string, string]> = {
  10: ['=', 'equal position'],
  11: ['=', 'equal, quiet position'],
  12: ['=', 'equal, active position'],
  13: ['∞', 'unclear position'],
  14: ['+=', 'White is slightly better'],
  15: ['=+', 'Black is slightly better'],
  16: ['±', 'White is better'],
  17: ['∓', 'Black is better'],
  18: ['+−', 'White is winning'],
  19: ['−+', 'Black is winning'],
  20: ['+−', 'White has a crushing advantage'],
  21: ['−+', 'Black has a crushing advantage'],
  22: ['⊙', 'White is in zugzwang'],
  23: ['⊙', 'Black is in zugzwang'],
  26: ['○', 'White has more space'],
  27: ['○', 'Black has more space'],
  32: ['⟳', 'White is ahead in development'],
  33: ['⟳', 'Black is ahead in development'],
  36: ['↑', 'White has the initiative'],
  37: ['↑', 'Black has the initiative'],
  40: ['→', 'White has the attack'],
  41: ['→', 'Black has the attack'],
  44: ['=∞', 'White has compensation'],
  45: ['=∞', 'Black has compensation'],
  132: ['⇆', 'White has counterplay'],
  133: ['⇆', 'Black has counterplay'],
  136: ['⊕', 'White is in time trouble'],
  137: ['⊕', 'Black is in time trouble'],
  138: ['⊕', 'White is in time trouble'],
  139: ['⊕', 'Black is in time trouble'],
  140: ['∆', 'with the idea'],
  141: ['∇', 'against'],
  142: ['≥', 'better is'],
  143: ['≤', 'worse is'],
  145: ['RR', 'editorial comment'],
  146: ['N', 'novelty'],
};

/** The sign of a number; a number without a sign stands as PGN writes it. */
export function nagOf(number: number): Nag {
  const ofMove = OF_MOVES[number];
  const [glyph, words] = ofMove ?? OF_POSITIONS[number] ?? [`$${number}`, `annotation ${number}`];
  return { glyph, words, ofMove: ofMove !== undefined };
}
