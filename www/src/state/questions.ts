// Three questions about the open games, in plain words: of the user, or else of the player with most games, and of the opening with
// most games.
import type { EngineClient } from '../engine/client';
import { namesOf } from './names.svelte';
import { say } from './say';

/** Questions that the engine reads as plain words. `own` is the name of the user; empty if it is not known. */
export async function questionsOf(client: EngineClient, own: string): Promise<string[]> {
  const most = async (field: 'player' | 'opening') => (await namesOf(client, field, '', 1))[0]?.name ?? '';
  const isHere = own !== '' && (await namesOf(client, 'player', own, 1)).some(({ name }) => name === own);
  const player = shortName(isHere ? own : await most('player'));
  const opening = shortOpening(await most('opening'));
  return [player && say(`${player} lost`), player && say(`rook endgames of ${player}`), opening && say(`White wins in the ${opening}`)].filter(Boolean);
}

/** The surname of `Carlsen, Magnus`, and the whole of a name without a comma. */
function shortName(name: string): string {
  return name.replace(/,.*$/, '').trim();
}

/** `Sicilian Defense` for `Sicilian Defense: Najdorf Variation`. */
function shortOpening(name: string): string {
  return name.replace(/[:,].*$/, '').trim();
}
