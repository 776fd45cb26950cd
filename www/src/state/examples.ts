// Questions to begin with: what a player would ask, and how it is written.

export interface Example {
  says: string;
  query: string;
}

/** The three on the welcome page. */
export const FIRST_EXAMPLES: readonly Example[] = [
  { says: 'Where do the queens come off?', query: 'queens_off' },
  { says: 'Who has the bishop pair without queens?', query: '{ queens_off and white bishop_pair }' },
  { says: 'Which knights reached e5?', query: 'white knight on e5' },
];

/** Those below the query line. */
export const EXAMPLES: readonly Example[] = [
  { says: 'No queens on the board', query: 'queens_off' },
  { says: 'Both at the same position', query: '{ queens_off and white bishop_pair }' },
  { says: 'A man on a square', query: 'white knight on e5' },
  { says: 'Eight plies in a row', query: '{ queens_off and white bishop_pair } for 8' },
  { says: 'A rook each, pawns, nothing else', query: 'endgame rook' },
  { says: 'The pawns of the Carlsbad structure', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"' },
  { says: 'Each side has one', query: 'both isolated_pawn' },
  { says: 'One step from promotion', query: 'passed_pawn on 7' },
  { says: 'Counting and comparing', query: 'count(white rook) >= 2 and points(white) - points(black) >= 3' },
  { says: 'A rook on its seventh rank', query: 'black rook_on_seventh' },
  { says: 'Somebody castled queenside', query: 'castled_long' },
];
