// The explorer beside the board: where it begins, and how it follows the game on the board.
import type { App } from './app.svelte';
import { START_FEN } from './replay.svelte';

/** The board rests if no move follows for so long. */
const REST_MS = 120;

export class Follower {
  private readonly app: App;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App) {
    this.app = app;
  }

  /** Where the explorer begins if it was nowhere: with a game that the user chose, or with the first position of a player's games. */
  begin(): void {
    const { chosen, explorer, replay, search } = this.app;
    if (explorer.here) return;
    if (chosen !== null && replay.game) explorer.following = true;
    else if (search.isAboutGames) {
      explorer.begin(START_FEN);
      explorer.among = true;
    }
  }

  /** The explorer takes the line of the board, and asks for its moves once the board rests. */
  follow(): void {
    const { explorer, replay } = this.app;
    if (!explorer.following || !replay.game) return;
    explorer.follow(replay.line);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => void this.app.askExplorer(), REST_MS);
  }

  /** Goes to where the game leaves the opening, unless the user has moved meanwhile: a question about whole games has no better place. */
  async skipOpening(id: number): Promise<void> {
    const { openingName, replay } = this.app;
    const { game } = replay;
    await openingName.fetch();
    if (game?.row.id === id && replay.game === game && replay.ply === 0 && !replay.sideline) replay.go(openingName.leftAt);
  }
}
