// What chess.com says of a player's months.
import { expect, it } from 'vitest';
import { monthsIn } from '../src/published/sites';

it('takes the months of the archives, and no other address', () => {
  const archives = ['https://api.chess.com/pub/player/someone/games/2024/05', 'https://api.chess.com/pub/player/someone/games/2024/06', 'https://elsewhere.example/x', 7];
  expect(monthsIn(JSON.stringify({ archives }))).toEqual(['2024/05', '2024/06']);
  expect(monthsIn('{}')).toEqual([]);
  expect(monthsIn('<html>')).toEqual([]);
});
