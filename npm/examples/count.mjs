// A script for Node: node count.mjs FILE QUERY prints how many games and positions match, then the first games and positions.
// With npm, the package is imported by its name: import { open } from 'plyfold';
import { open, PlyfoldError } from '../dist/node.js';

const [file, query] = process.argv.slice(2);
try {
  const games = await open(file);
  const result = await games.query(query);
  console.log(`${result.games} of ${games.games} games, ${result.positions} positions`);
  let listed = 0;
  for await (const game of result.each()) {
    console.log(`${game.number} ${game.white} – ${game.black} ${game.result}`);
    if (++listed === 3) break;
  }
  for await (const { game, ply, fen } of result.eachPosition()) {
    console.log(`game ${game}, ply ${ply}: ${fen}`);
    break;
  }
  games.close();
} catch (error) {
  if (!(error instanceof PlyfoldError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
