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
  { says: 'One after the other', query: 'castled_long then queens_off' },
  { says: 'Won, with the queens off early', query: 'result 1-0 and queens_off before move 20' },
  { says: 'Each side has one', query: 'both isolated_pawn' },
  { says: 'One step from promotion', query: 'passed_pawn on 7' },
  { says: 'Counting and comparing', query: 'count(white rook) >= 2 and points(white) - points(black) >= 3' },
  { says: 'A rook on its seventh rank', query: 'black rook_on_seventh' },
  { says: 'Somebody castled queenside', query: 'castled_long' },
];

/** A part of the language, for the help. */
export interface Lesson {
  title: string;
  says: string;
  examples: readonly Example[];
}

/** The language in parts. What an engine cannot read is not shown. */
export const LESSONS: readonly Lesson[] = [
  {
    title: 'Sides',
    says: 'A side stands before a predicate; without one, either is meant.',
    examples: [
      { says: 'White has bishops of both colours', query: 'white bishop_pair' },
      { says: 'White or Black has', query: 'isolated_pawn' },
      { says: 'each side has one, at the same position', query: 'both isolated_pawn' },
      { says: 'neither side has one, at some position', query: 'neither passed_pawn' },
      { says: 'there is none', query: 'no white pawn on e' },
      { says: 'the side that won', query: 'winner passed_pawn on 7' },
      { says: 'the side to move', query: 'mover check' },
    ],
  },
  {
    title: 'Squares',
    says: 'Squares, files, ranks and named regions stand after on and empty; several mean all their squares together.',
    examples: [
      { says: 'a square', query: 'white knight on e5' },
      { says: 'files, from a to c', query: 'passed_pawn on a..c' },
      { says: 'ranks, seen from White', query: 'white pawn on 6..7' },
      { says: 'a named region: centre, kingside, queenside, light, dark', query: 'knight on centre' },
      { says: 'nothing stands there', query: 'empty e4 e5' },
    ],
  },
  {
    title: 'When and how often',
    says: 'A condition holds at some position of the game, unless words around it say when and how often.',
    examples: [
      { says: 'so many moves in a row', query: 'white knight on e5 for 4 moves' },
      { says: 'both at once, eight plies in a row', query: '{ queens_off and white bishop_pair } for 8' },
      { says: 'at no position', query: 'never castled' },
      { says: 'it begins, and early', query: 'became queens_off before move 20' },
      { says: 'so many times', query: 'check at least 5 times' },
      { says: 'where the game ends', query: 'endgame rook at end' },
    ],
  },
  {
    title: 'One after the other',
    says: 'then asks for an order: what stands behind it holds later in the game.',
    examples: [
      { says: 'first the one, later the other', query: 'castled_long then queens_off' },
      { says: 'within so many plies', query: 'queens_off then within 20 check' },
    ],
  },
  {
    title: 'Counting',
    says: 'Men can be counted and weighed: pawn 1, knight and bishop 3, rook 5, queen 9.',
    examples: [
      { says: 'at least two rooks', query: 'count(white rook) >= 2' },
      { says: 'three points up', query: 'points(white) - points(black) >= 3' },
      { says: 'exactly these men', query: 'material KRPvKR' },
      { says: 'a rook each, pawns, nothing else', query: 'endgame rook' },
    ],
  },
  {
    title: 'Boards',
    says: 'Men on their squares, as in a FEN; the mask paints such a board.',
    examples: [
      { says: 'what stands on some squares: ? is anything, . is empty, [Nn] one of these', query: 'board "????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?"' },
      { says: 'the pawns of both sides exactly', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"' },
      { says: 'a whole position', query: 'fen "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R"' },
    ],
  },
  {
    title: 'Images',
    says: 'under behind a board asks for it and for its images: mirror, flips, rotations, shifts, colour flip, or one transform by its name. The page of transforms shows them.',
    examples: [
      { says: 'such a king, on either wing, White’s or Black’s', query: 'board "????????/????????/????????/????????/????????/????????/?????PPP/??????K?" under mirror, colour flip' },
      { says: 'the structure for either side', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8" under colour flip' },
      { says: 'this mate in any corner', query: 'board "????????/????????/????????/????????/????????/1k??????/?q??????/K???????" under flips, rotations, colour flip' },
    ],
  },
  {
    title: 'Games',
    says: 'Facts about a game: they hold for all its positions.',
    examples: [
      { says: 'White won', query: 'result 1-0' },
      { says: 'a player; * is anything', query: 'white "Kasparov*"' },
      { says: 'both players are rated so', query: 'elo >= 2500' },
      { says: 'openings by their codes', query: 'eco B80-B99' },
      { says: 'openings by name', query: 'opening "sicilian"' },
      { says: 'years', query: 'year 1985..1995' },
      { says: 'how it ended', query: 'ended checkmate' },
    ],
  },
];
