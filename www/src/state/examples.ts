// Example queries, each with the question that it answers.
import { say } from './say';

export interface Example {
  says: string;
  query: string;
}

/** Questions about the demo games, in plain words, on the welcome page. */
export const firstQuestions = (): readonly string[] => [say('Karpov with an isolated queen’s pawn'), say('queen sacrifices by Tal'), say('rook endgames won by Capablanca')];

/** A part of the query language, for the help. */
export interface Lesson {
  title: string;
  says: string;
  examples: readonly Example[];
}

/** The query language in parts. The help leaves out examples that the engine cannot read. */
export const lessons = (): readonly Lesson[] => [
  {
    title: say('Sides'),
    says: say('Write a side before a predicate; the default is either.'),
    examples: [
      { says: say('White has bishops on light and dark squares'), query: 'white bishop_pair' },
      { says: say('White or Black has one'), query: 'isolated_pawn' },
      { says: say('both sides have one, at the same position'), query: 'both isolated_pawn' },
      { says: say('neither side has one, at some position'), query: 'neither passed_pawn' },
      { says: say('White has none there'), query: 'no white pawn on e' },
      { says: say('the side that won'), query: 'winner passed_pawn on 7' },
      { says: say('the side to move'), query: 'mover check' },
    ],
  },
  {
    title: say('Squares'),
    says: say('Write squares, files, ranks and named regions after on and empty; several of them are combined.'),
    examples: [
      { says: say('a square'), query: 'white knight on e5' },
      { says: say('files, from a to c'), query: 'passed_pawn on a..c' },
      { says: say('ranks, as White counts them'), query: 'white pawn on 6..7' },
      { says: say('a named region: centre, kingside, queenside, light, dark'), query: 'knight on centre' },
      { says: say('these squares are empty'), query: 'empty e4 e5' },
    ],
  },
  {
    title: say('When and how often'),
    says: say('A condition must hold at some position of the game; more words say when and how often.'),
    examples: [
      { says: say('this many moves in a row'), query: 'white knight on e5 for 4 moves' },
      { says: say('both at the same position, for eight plies in a row'), query: '{ queens_off and white bishop_pair } for 8' },
      { says: say('at no position'), query: 'never castled' },
      { says: say('it begins to hold, and early'), query: 'became queens_off before move 20' },
      { says: say('this many times'), query: 'check at least 5 times' },
      { says: say('at the end of the game'), query: 'endgame rook at end' },
    ],
  },
  {
    title: say('One after the other'),
    says: say('The condition after then must hold later in the game.'),
    examples: [
      { says: say('first one condition, later the other'), query: 'castled_long then queens_off' },
      { says: say('at most this many plies later'), query: 'queens_off then within 20 check' },
    ],
  },
  {
    title: say('Moves'),
    says: say('A condition on a move holds after the ply at which it is played. Pieces, squares and a direction say which move.'),
    examples: [
      { says: say('a piece comes to a square'), query: 'white plays knight to e5' },
      { says: say('a bishop captures on h7, and mate follows'), query: 'white bishop captures on h7 then within 20 white gives_mate' },
      { says: say('a knight instead of a queen'), query: 'promotes to knight' },
      { says: say('a piece that did not move gives check'), query: 'gives_discovered_check' },
      { says: say('a quiet move along a diagonal'), query: 'plays queen along a diagonal quiet' },
    ],
  },
  {
    title: say('Evaluations and clocks'),
    says: say('What the text says beside the moves, for instance in games from lichess.'),
    examples: [
      { says: say('White is three pawns ahead, by the evaluation in the text'), query: 'eval >= 3' },
      { says: say('Black was winning and lost'), query: 'eval <= -3 and result 1-0' },
      { says: say('less than ten seconds left'), query: 'clock_time(white) < 10' },
      { says: say('a move that took two minutes'), query: 'time_spent >= 120' },
    ],
  },
  {
    title: say('Endgame tables'),
    says: say('What positions of few pieces are worth by best play. The tab Tablebase makes the tables in seconds, or takes them from files and hosts.'),
    examples: [
      { says: say('White wins, if both sides play their best'), query: 'white tb win' },
      { says: say('a move of the later loser threw a win away'), query: 'loser threw_away win' },
      { says: say('the winner of the game was lost by the tables'), query: 'winner tb loss' },
      { says: say('White mates in at most ten moves'), query: 'tb_dtm(white) <= 10' },
    ],
  },
  {
    title: say('Counting'),
    says: say('Count pieces, or add up their points: pawn 1, knight and bishop 3, rook 5, queen 9.'),
    examples: [
      { says: say('at least two rooks'), query: 'count(white rook) >= 2' },
      { says: say('White is three points ahead'), query: 'points(white) - points(black) >= 3' },
      { says: say('exactly these pieces'), query: 'material KRPvKR' },
      { says: say('one rook each, pawns, nothing else'), query: 'endgame rook' },
    ],
  },
  {
    title: say('Boards'),
    says: say('Pieces on squares, as in a FEN; you can paint such a board with the button Board.'),
    examples: [
      { says: say('some of the squares: ? matches anything, . an empty square, [Nn] one of these pieces'), query: 'board "????????/?????ppp/????????/????????/????????/????????/?????PPP/??????K?"' },
      { says: say('exactly the pawns of both sides'), query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8"' },
      { says: say('a whole position'), query: 'fen "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R"' },
    ],
  },
  {
    title: say('Mirrored and turned'),
    says: say('under after a board also finds it mirrored and turned: mirror, flips, rotations, shifts, colour flip, or one transform by name. The page Transforms shows them.'),
    examples: [
      { says: say('such a king of either colour, on either wing'), query: 'board "????????/????????/????????/????????/????????/????????/?????PPP/??????K?" under mirror, colour flip' },
      { says: say('the structure for either side'), query: 'structure "8/pp3ppp/2p5/3p4/3P4/4P3/PP3PPP/8" under colour flip' },
      { says: say('this mate in any corner'), query: 'board "????????/????????/????????/????????/????????/1k??????/?q??????/K???????" under flips, rotations, colour flip' },
    ],
  },
  {
    title: say('Games'),
    says: say('These conditions on the header hold for all positions of a game.'),
    examples: [
      { says: say('White won'), query: 'result 1-0' },
      { says: say('a player; * is anything'), query: 'white "Kasparov*"' },
      { says: say('both players have such a rating'), query: 'elo >= 2500' },
      { says: say('openings by ECO code'), query: 'eco B80-B99' },
      { says: say('openings by name'), query: 'opening "sicilian"' },
      { says: say('years'), query: 'year 1985..1995' },
      { says: say('how it ended'), query: 'ended checkmate' },
      { says: say('the winner was rated lower by 200 or more'), query: 'winner elo <= loser elo - 200' },
      { says: say('a player’s title'), query: 'white title GM' },
      { says: say('the round'), query: 'round "1*"' },
    ],
  },
  {
    title: say('What the PGN says'),
    says: say('Evaluations, clocks and comments beside the moves. A move without them matches nothing here.'),
    examples: [
      { says: say('the winner blundered, by the evaluations'), query: 'winner blunder' },
      { says: say('White is three pawns ahead or more'), query: 'eval >= 3' },
      { says: say('a player is short of time'), query: 'time_trouble' },
      { says: say('the move has such a sign'), query: 'nag "!!"' },
      { says: say('a comment on the move; * is anything'), query: 'comment "*novelty*"' },
    ],
  },
];
