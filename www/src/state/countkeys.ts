// The keys that matches are counted by, in a player's words. Queries and files have the engine's names.
import { say } from './say';

/** A key in words: its name and what it means. */
interface KeyWords {
  name: string;
  meaning: string;
}

const words = (): Readonly<Record<string, KeyWords>> => ({
  castling: { name: say('castling'), meaning: say('where each side has castled') },
  endgame: { name: say('endgame'), meaning: say('pieces besides kings and pawns, the stronger side first, as in R+P v B; P stands for any pawns') },
  result: { name: say('result'), meaning: say('the results of the games') },
  eco: { name: say('ECO code'), meaning: say('the ECO code of the game') },
  opening: { name: say('opening'), meaning: say('the opening and its variation') },
  opening_family: { name: say('opening without variations'), meaning: say('the opening without its variations, such as Sicilian Defense') },
  player: { name: say('player'), meaning: say('either player; a game counts for both') },
  white: { name: say('white'), meaning: say('the white player') },
  black: { name: say('black'), meaning: say('the black player') },
  event: { name: say('event'), meaning: say('the tournament or match') },
  year: { name: say('year'), meaning: say('the year of the game') },
  elo: { name: say('elo'), meaning: say('the average rating of both players, in bands of 100') },
  plies: { name: say('plies'), meaning: say('the length of the game in plies') },
  ending: { name: say('ending'), meaning: say('how the games ended') },
  time_class: { name: say('time class'), meaning: say('the time class of the games') },
  kings: { name: say('kings'), meaning: say('the squares of both kings, White’s first') },
  white_king: { name: say('white king'), meaning: say('the square of White’s king') },
  black_king: { name: say('black king'), meaning: say('the square of Black’s king') },
  material: { name: say('material'), meaning: say('the pieces of both sides, White’s first, as in KRPPvKRP') },
  ply: { name: say('ply'), meaning: say('the number of the ply that led to the position') },
  move: { name: say('move'), meaning: say('the number of the move in the score') },
  eval: { name: say('evaluation'), meaning: say('the evaluation in the PGN in centipawns, in bands of 100') },
  clock_time: { name: say('clock'), meaning: say('the seconds left to the player who moved, in bands') },
  judgement: { name: say('judgement'), meaning: say('whether the last move was an inaccuracy, a mistake or a blunder, by the evaluations in the PGN') },
  tb: { name: say('tablebase'), meaning: say('who wins by best play, as the endgame tables here say') },
  named_structure: { name: say('structure with a name'), meaning: say('the pawn structures with a name, such as the Carlsbad structure') },
  structure: { name: say('structure'), meaning: say('the pawns of both sides, as in 8/pp3ppp/4p3/8/3P4/8/PP3PPP/8') },
});

/** `white king` for `white_king`; a number of the query language stays as it is. */
export function keyInWords(key: string): string {
  return words()[key]?.name ?? key.replaceAll('_', ' ');
}

/** What the values of a key are; what the engine says about a key that this page does not know. */
export function keyMeaning(key: string, summary: string): string {
  return words()[key]?.meaning ?? summary.replaceAll('`', '');
}
