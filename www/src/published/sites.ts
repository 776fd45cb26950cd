// The games of a player at lichess.org or chess.com, by their public interfaces, which let any page read them. The user names the
// player and agrees to the host.
import type { Progress, Site } from '../engine/protocol';
import { fetchFile } from './linkedfile';
import { hostOf } from './otherhost';

const SITES: Record<Site, string> = { lichess: 'lichess.org', chesscom: 'api.chess.com' };

interface Task {
  progress: (bytes: number) => void;
  isCancelled: () => boolean;
}

/** All games of a player, as files. Fails as `fetchFile` does, or if the player has none. */
export async function gamesOfPlayer(site: Site, player: string, { report, isCancelled }: { report: (progress: Progress) => void; isCancelled: () => boolean }): Promise<File[]> {
  const begun = performance.now();
  const name = encodeURIComponent(player);
  let before = 0;
  const bring = async (address: string, as: string): Promise<File> => {
    const told: Task = { progress: (bytes) => report({ kind: 'fetch', bytes_done: before + bytes, elapsed_ms: performance.now() - begun }), isCancelled };
    const file = await fetchFile(hostOf(address), address, told);
    before += file.size;
    return new File([file], as);
  };
  if (site === 'lichess') return [await bring(`https://${SITES.lichess}/api/games/user/${name}?clocks=true&evals=true`, `${player}.pgn`)];
  const months = monthsIn(await (await bring(`https://${SITES.chesscom}/pub/player/${name}/games/archives`, 'archives.json')).text());
  if (months.length === 0) throw { code: 'host', message: `${SITES.chesscom} has no games of ${player}` };
  const files = [];
  // Asked for several at once, this host refuses.
  for (const month of months) files.push(await bring(`https://${SITES.chesscom}/pub/player/${name}/games/${month}/pgn`, `${player} ${month.replace('/', '-')}.pgn`));
  return files;
}

/** The months of an answer such as `{"archives": ["https://api.chess.com/pub/player/someone/games/2024/05"]}`, as `2024/05`. */
export function monthsIn(answer: string): string[] {
  let archives: unknown;
  try {
    archives = (JSON.parse(answer) as { archives?: unknown }).archives;
  } catch {
    return [];
  }
  // Only the months are taken of what the host says, so that it names no other address.
  return Array.isArray(archives) ? archives.flatMap((one) => (typeof one === 'string' ? (/\/games\/(\d{4}\/\d{2})$/.exec(one)?.[1] ?? []) : [])) : [];
}
