// The predicates of the form: a short list of the language's, in groups, each with its words.
import { say } from './say';

/** Which sides may stand before a predicate: none, one of them, which a move has, or both as well. */
export type PatternSides = 'none' | 'one' | 'both';

const both = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'both' as PatternSides]));
const one = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'one' as PatternSides]));
const none = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'none' as PatternSides]));

/** Each group, with its predicates and their sides. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, PatternSides>>>> = {
  pawns: both('isolated_pawn', 'isolated_queens_pawn', 'doubled_pawn', 'backward_pawn', 'hanging_pawns', 'passed_pawn', 'protected_passed_pawn', 'connected_passed_pawn', 'outside_passed_pawn', 'pawn_majority'),
  structures: {
    ...both('carlsbad', 'maroczy_bind', 'hedgehog', 'stonewall', 'benoni_structure', 'french_chain', 'slav_structure', 'caro_kann_structure', 'najdorf_structure', 'scheveningen_structure', 'gruenfeld_centre', 'kings_indian_chain', 'ruy_lopez_chain'),
    ...none('locked_centre'),
  },
  pieces: { ...both('bishop_pair', 'fianchetto', 'outpost', 'rook_on_open_file', 'rook_on_half_open_file', 'rook_on_seventh', 'doubled_rook', 'battery', 'hanging_piece'), ...none('queens_off', 'opposite_coloured_bishops', 'same_coloured_bishops') },
  kings: { ...both('castled_short', 'castled_long', 'king_in_centre', 'check', 'double_check'), ...none('opposite_castling') },
  motifs: { ...both('fork', 'pinned', 'skewer'), ...one('plays_discovered_attack', 'traps_piece', 'underpromotes', 'perpetual') },
  sacrifices: one('sacrifices', 'exchange_sacrifice', 'queen_sacrifice'),
  mates: { ...both('checkmate', 'stalemate'), ...one('smothered_mate', 'back_rank_mate', 'arabian_mate', 'bodens_mate', 'anastasia_mate') },
  games: { ...none('upset', 'won_from_lost'), ...one('blunder', 'mistake', 'time_trouble') },
};

/** The names of all of them. */
export const PATTERNS: readonly string[] = Object.values(GROUPS).flatMap((group) => Object.keys(group));

/** The sides of a predicate; undefined if the form does not have it. */
export function patternNamed(name: string): PatternSides | undefined {
  return Object.values(GROUPS).find((group) => name in group)?.[name];
}

/** The groups in words. */
export function patternGroups(): { words: string; names: readonly string[] }[] {
  const words: Record<string, string> = {
    pawns: say('Pawns'),
    structures: say('Structures'),
    pieces: say('Pieces'),
    kings: say('Kings'),
    motifs: say('Motifs'),
    sacrifices: say('Sacrifices'),
    mates: say('Mates'),
    games: say('Course of the game'),
  };
  return Object.entries(GROUPS).map(([group, patterns]) => ({ words: words[group] ?? group, names: Object.keys(patterns) }));
}

const patternsInWords = (): Readonly<Record<string, string>> => ({
  isolated_pawn: say('isolated pawn'),
  isolated_queens_pawn: say('isolated queen’s pawn'),
  passed_pawn: say('passed pawn'),
  doubled_pawn: say('doubled pawns'),
  backward_pawn: say('backward pawn'),
  hanging_pawns: say('hanging pawns'),
  bishop_pair: say('bishop pair'),
  opposite_coloured_bishops: say('opposite-coloured bishops'),
  queens_off: say('queens off'),
  fianchetto: say('fianchetto'),
  outpost: say('outpost'),
  rook_on_seventh: say('rook on the seventh'),
  rook_on_open_file: say('rook on an open file'),
  castled_short: say('castled kingside'),
  castled_long: say('castled queenside'),
  opposite_castling: say('castled on opposite sides'),
  king_in_centre: say('king in the centre'),
  locked_centre: say('locked centre'),
  fork: say('fork'),
  pinned: say('pinned piece'),
  double_check: say('in double check'),
  checkmate: say('checkmated'),
  stalemate: say('stalemated'),
  connected_passed_pawn: say('connected passed pawns'),
  outside_passed_pawn: say('outside passed pawn'),
  doubled_rook: say('doubled rooks'),
  sacrifices: say('sacrifice'),
  exchange_sacrifice: say('exchange sacrifice'),
  queen_sacrifice: say('queen sacrifice'),
  plays_discovered_attack: say('discovered attack'),
  traps_piece: say('trapped piece'),
  smothered_mate: say('smothered mate'),
  back_rank_mate: say('back-rank mate'),
  blunder: say('blunder'),
  time_trouble: say('time trouble'),
  won_from_lost: say('won from a lost position'),
  upset: say('the lower rated won'),
  protected_passed_pawn: say('protected passed pawn'),
  pawn_majority: say('pawn majority'),
  same_coloured_bishops: say('bishops of the same colour'),
  rook_on_half_open_file: say('rook on a half-open file'),
  battery: say('battery'),
  skewer: say('skewer'),
  hanging_piece: say('hanging piece'),
  check: say('in check'),
  perpetual: say('perpetual check'),
  underpromotes: say('underpromotion'),
  arabian_mate: say('Arabian mate'),
  bodens_mate: say('Boden’s mate'),
  anastasia_mate: say('Anastasia’s mate'),
  mistake: say('mistake'),
  carlsbad: say('Carlsbad structure'),
  maroczy_bind: say('Maróczy bind'),
  hedgehog: say('Hedgehog'),
  stonewall: say('Stonewall'),
  benoni_structure: say('Benoni structure'),
  french_chain: say('French chain'),
  slav_structure: say('Slav structure'),
  caro_kann_structure: say('Caro-Kann structure'),
  najdorf_structure: say('Najdorf structure'),
  scheveningen_structure: say('Scheveningen structure'),
  gruenfeld_centre: say('Grünfeld centre'),
  kings_indian_chain: say('King’s Indian chain'),
  ruy_lopez_chain: say('Ruy Lopez chain'),
});

/** A predicate of the form in a player's words. */
export function patternInWords(name: string): string {
  return patternsInWords()[name] ?? name;
}
