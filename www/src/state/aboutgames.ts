// Whether a query is only about games as a whole. The page asks this at its first paint, so this file knows no more of the language than
// it needs; what it does not know is a query about positions.

const ABOUT_GAMES = [
  /^(?:(?:player|white|black|winner|loser) )?""$/,
  /^(?:(?:white|black|either|both|winner|loser|average) )?elo ?[<>=\d .]+$/,
  /^(?:year|date|plies) ?[<>=\d .]+$/,
  /^(?:opening|event|site|round) ""$/,
  /^result (?:1-0|0-1|1\/2-1\/2|draw|drawn|decisive|\*)$/,
  /^(?:draw|decisive|upset)$/,
  /^eco [a-e\d ,.-]+$/,
  /^time_class [a-z, ]+$/,
];

/** Whether all conditions of a query are those of whole games, so that all of their positions match. */
export function isAboutGames(query: string): boolean {
  const text = query.trim().toLowerCase().replace(/"[^"]*"/g, '""');
  return text !== '' && text.split(/\s+and\s+/).every((part) => ABOUT_GAMES.some((one) => one.test(part)));
}
