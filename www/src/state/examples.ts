// Example queries, each with the question that it answers.

export interface Example {
  says: string;
  query: string;
}

/** The examples on the welcome page. */
export const FIRST_EXAMPLES: readonly Example[] = [
  { says: 'Where do the queens come off?', query: 'queens_off' },
  { says: 'Who has the bishop pair without queens?', query: '{ queens_off and white bishop_pair }' },
  { says: 'Which knights reached e5?', query: 'white knight on e5' },
];

/** The examples below the query field. */
export const EXAMPLES: readonly Example[] = [
  { says: 'No queens on the board', query: 'queens_off' },
  { says: 'Both at the same position', query: '{ queens_off and white bishop_pair }' },
  { says: 'A piece on a square', query: 'white knight on e5' },
  { says: 'Eight plies in a row', query: '{ queens_off and white bishop_pair } for 8' },
  { says: 'One rook each, and pawns', query: 'endgame rook' },
  { says: 'The pawns of the Carlsbad structure', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"' },
  { says: 'One after the other', query: 'castled_long then queens_off' },
  { says: 'White won, and the queens came off early', query: 'result 1-0 and queens_off before move 20' },
  { says: 'Both sides have one', query: 'both isolated_pawn' },
  { says: 'One step from promotion', query: 'passed_pawn on 7' },
  { says: 'Counting and comparing', query: 'count(white rook) >= 2 and points(white) - points(black) >= 3' },
  { says: 'A rook on its seventh rank', query: 'black rook_on_seventh' },
  { says: 'A side castled queenside', query: 'castled_long' },
];

/** A part of the query language, for the help. */
export interface Lesson {
  title: string;
  says: string;
  examples: readonly Example[];
}

/** The query language in parts. The help leaves out examples that the engine cannot read. */
export const LESSONS: readonly Lesson[] = [
  {
    title: 'Sides',
    says: 'Write a side before a predicate; the default is either.',
    examples: [
      { says: 'White has bishops on light and dark squares', query: 'white bishop_pair' },
      { says: 'White or Black has one', query: 'isolated_pawn' },
      { says: 'both sides have one, at the same position', query: 'both isolated_pawn' },
      { says: 'neither side has one, at some position', query: 'neither passed_pawn' },
      { says: 'White has none there', query: 'no white pawn on e' },
      { says: 'the side that won', query: 'winner passed_pawn on 7' },
      { says: 'the side to move', query: 'mover check' },
    ],
  },
  {
    title: 'Squares',
    says: 'Write squares, files, ranks and named regions after on and empty; several of them are combined.',
    examples: [
      { says: 'a square', query: 'white knight on e5' },
      { says: 'files, from a to c', query: 'passed_pawn on a..c' },
      { says: 'ranks, as White counts them', query: 'white pawn on 6..7' },
      { says: 'a named region: centre, kingside, queenside, light, dark', query: 'knight on centre' },
      { says: 'these squares are empty', query: 'empty e4 e5' },
    ],
  },
  {
    title: 'When and how often',
    says: 'A condition must hold at some position of the game; more words say when and how often.',
    examples: [
      { says: 'this many moves in a row', query: 'white knight on e5 for 4 moves' },
      { says: 'both at the same position, for eight plies in a row', query: '{ queens_off and white bishop_pair } for 8' },
      { says: 'at no position', query: 'never castled' },
      { says: 'it begins to hold, and early', query: 'became queens_off before move 20' },
      { says: 'this many times', query: 'check at least 5 times' },
      { says: 'at the end of the game', query: 'endgame rook at end' },
    ],
  },
  {
    title: 'One after the other',
    says: 'The condition after then must hold later in the game.',
    examples: [
      { says: 'first one condition, later the other', query: 'castled_long then queens_off' },
      { says: 'at most this many plies later', query: 'queens_off then within 20 check' },
    ],
  },
  {
    title: 'Counting',
    says: 'Count pieces, or add up their points: pawn 1, knight and bishop 3, rook 5, queen 9.',
    examples: [
      { says: 'at least two rooks', query: 'count(white rook) >= 2' },
      { says: 'White is three points ahead', query: 'points(white) - points(black) >= 3' },
      { says: 'exactly these pieces', query: 'material KRPvKR' },
      { says: 'one rook each, pawns, nothing else', query: 'endgame rook' },
    ],
  },
  {
    title: 'Boards',
    says: 'Pieces on squares, as in a FEN; you can paint such a board with the mask.',
    examples: [
      { says: 'some of the squares: ? matches anything, . an empty square, [Nn] one of these pieces', query: 'board "????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?"' },
      { says: 'exactly the pawns of both sides', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"' },
      { says: 'a whole position', query: 'fen "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R"' },
    ],
  },
  {
    title: 'Images',
    says: 'under after a board also finds its images: mirror, flips, rotations, shifts, colour flip, or one transform by name. The page Transforms shows them.',
    examples: [
      { says: 'such a king of either colour, on either wing', query: 'board "????????/????????/????????/????????/????????/????????/?????PPP/??????K?" under mirror, colour flip' },
      { says: 'the structure for either side', query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8" under colour flip' },
      { says: 'this mate in any corner', query: 'board "????????/????????/????????/????????/????????/1k??????/?q??????/K???????" under flips, rotations, colour flip' },
    ],
  },
  {
    title: 'Games',
    says: 'These conditions on the header hold for all positions of a game.',
    examples: [
      { says: 'White won', query: 'result 1-0' },
      { says: 'a player; * is anything', query: 'white "Kasparov*"' },
      { says: 'both players have such a rating', query: 'elo >= 2500' },
      { says: 'openings by ECO code', query: 'eco B80-B99' },
      { says: 'openings by name', query: 'opening "sicilian"' },
      { says: 'years', query: 'year 1985..1995' },
      { says: 'how it ended', query: 'ended checkmate' },
    ],
  },
];
