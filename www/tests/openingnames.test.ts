// One name for each ECO code.
import { expect, it } from 'vitest';
import { namesByCode } from '../src/state/openingnames';

it('names what the openings of a code have in common', () => {
  const names = namesByCode(
    [
      'eco\tname',
      'B90\tSicilian Defense: Najdorf Variation',
      'B90\tSicilian Defense: Najdorf Variation, English Attack',
      'B20\tSicilian Defense',
      'B20\tSicilian Defense: Wing Gambit',
      'C65\tRuy Lopez: Berlin Defense, Anti-Berlin',
      'A00\tGrob Opening',
      'A00\tGrob Opening: Double Grob',
      'A00\tPolish Opening',
      'A00\tAmar Opening',
      'A80\tDutch Defense: A',
      'A80\tDutch Defense: B',
      "A80\tQueen's Pawn Game",
      'A08\tKing’s Indian Attack, with Bf5',
      'A08\tRéti Opening',
      'nonsense',
    ].join('\n'),
  );
  expect(Object.fromEntries(names)).toEqual({
    B90: 'Sicilian Defense: Najdorf Variation',
    B20: 'Sicilian Defense',
    C65: 'Ruy Lopez: Berlin Defense, Anti-Berlin',
    A00: 'Grob Opening, Polish Opening and others',
    A80: 'Dutch Defense',
    A08: 'King’s Indian Attack: with Bf5, Réti Opening',
  });
});
