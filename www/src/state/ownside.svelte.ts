// The user's own side: who the user may be, after an import; and the board from that side.
import type { NamedGames } from '../engine/protocol';
import type { App } from './app.svelte';

/** Games are a player's own if they are so many, and such a share of an import. */
const LEAST_GAMES = 10;
const LEAST_SHARE = 0.6;

export class OwnSide {
  /** The player of most of the imported games, who may be the user; null if that is known, or nobody has that many. */
  likely = $state.raw<NamedGames | null>(null);

  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Finds out whether the imported games are mostly those of one player, who is likely the user. */
  async askWhoIAm(): Promise<void> {
    const { client, library, me } = this.app;
    const { current } = library;
    this.likely = null;
    if (me.name !== '' || !current) return;
    // Without an answer, nobody is asked.
    const [most] = await client.call('names', { field: 'player', text: '', most: 1 }).catch(() => []);
    if (most && most.games >= LEAST_GAMES && most.games > current.games * LEAST_SHARE && library.current === current) this.likely = most;
  }

  /** The user has this name in the games. */
  iAm(name: string): void {
    this.app.me.set(name);
    this.likely = null;
    this.app.pages.openMine();
  }

  /** The user's own side stands below. */
  turnToMe(): void {
    const { me, replay } = this.app;
    const row = replay.game?.row;
    if (!row || me.name === '' || (row.white === me.name) === (row.black === me.name)) return;
    replay.flipped = row.black === me.name;
  }
}
