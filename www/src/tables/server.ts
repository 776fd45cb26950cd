// Positions asked of a running `egtgen serve`, or of any server that speaks like lila-tablebase: one request for each
// position, sent only to the address that the user has named.
import { Patience, PATIENCE_MS } from '../engine/patience';
import type { TableFailure, TableLine, TableMove, TableValue, TableVerdict } from './protocol';

/** What such a server says of a position or of the position after a move. */
interface Standing {
  category: string;
  /** Plies to mate, negative for the side that is mated; null where it is not known. */
  dtm: number | null;
  checkmate: boolean;
}

interface ServerMove extends Standing {
  uci: string;
  zeroing: boolean;
}

interface ServerAnswer extends Standing {
  moves: ServerMove[];
}

/** How many requests are under way at a time. */
const AT_ONCE = 6;
/** The most plies of a best line: as long as any win with five pieces. */
const MOST_PLIES = 260;

/** The value of a standing for the side to move; null if the server does not know it. */
export function valueOf({ category, dtm, checkmate }: Standing): TableValue | null {
  if (checkmate) return { result: 'loss', moves: 0 };
  if (category === 'draw') return { result: 'draw', moves: null };
  const moves = dtm === null || dtm === 0 ? null : Math.ceil(Math.abs(dtm) / 2);
  if (category.endsWith('win')) return { result: 'win', moves };
  return category.endsWith('loss') ? { result: 'loss', moves } : null;
}

/** The value before a move, for the side that moves. */
function before({ result, moves }: TableValue): TableValue {
  if (result === 'loss') return { result: 'win', moves: moves === null ? null : moves + 1 };
  return { result: result === 'win' ? 'loss' : 'draw', moves };
}

/** `KBNvK`: the pieces of a FEN, the side with more of them first. */
export function materialOf(fen: string): string {
  const letters = (fen.split(' ')[0] ?? '').replace(/[^a-zA-Z]/g, '');
  const side = (own: RegExp) => [...letters].filter((letter) => own.test(letter)).map((letter) => letter.toUpperCase()).sort((one, two) => 'KQRBNP'.indexOf(one) - 'KQRBNP'.indexOf(two)).join('');
  const [white, black] = [side(/[A-Z]/), side(/[a-z]/)];
  return white.length >= black.length ? `${white}v${black}` : `${black}v${white}`;
}

export class TableServer {
  /** The address of its endpoint. */
  private readonly endpoint: URL;

  constructor(address: string) {
    let endpoint: URL;
    try {
      endpoint = new URL(address);
    } catch {
      throw { code: 'host', message: `"${address}" is not an address; an example is http://127.0.0.1:9999` } satisfies TableFailure;
    }
    if (endpoint.pathname === '/') endpoint.pathname = '/tablebase';
    this.endpoint = endpoint;
  }

  async verdict(fen: string): Promise<TableVerdict> {
    const answer = await this.ask(fen);
    const value = valueOf(answer);
    if (!value) throw { code: 'missing', message: materialOf(fen) } satisfies TableFailure;
    const moves = answer.moves.flatMap((move): TableMove[] => {
      const after = valueOf(move);
      return after ? [{ uci: move.uci, zeroing: move.zeroing, value: before(after) }] : [];
    });
    return { fen, material: materialOf(fen), value, moves };
  }

  /** Best play up to mate; `play` gives the position after a move. */
  async line(fen: string, play: (fen: string, uci: string) => string | null): Promise<TableLine> {
    const moves: string[] = [];
    let at: string | null = fen;
    while (at !== null && moves.length < MOST_PLIES) {
      const [best]: TableMove[] = (await this.verdict(at)).moves;
      if (!best || best.value.moves === null) break;
      moves.push(best.uci);
      at = play(at, best.uci);
    }
    return { moves };
  }

  async values(fens: readonly (string | null)[]): Promise<(TableValue | null)[]> {
    const values: (TableValue | null)[] = fens.map(() => null);
    const left = [...fens.entries()];
    const work = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [nth, fen] = next;
        if (fen !== null) values[nth] = await this.ask(fen).then(valueOf, (failure: TableFailure) => (failure.code === 'bad-input' ? null : Promise.reject(failure)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return values;
  }

  private async ask(fen: string): Promise<ServerAnswer> {
    const url = new URL(this.endpoint);
    url.searchParams.set('fen', fen);
    const { host } = url;
    const patience = new Patience(this.endpoint.href, PATIENCE_MS);
    let response: Response;
    let answer: (ServerAnswer & { error?: string }) | null;
    try {
      response = await fetch(url, { signal: patience.signal, referrerPolicy: 'no-referrer', credentials: 'omit', redirect: 'error' });
      answer = (await response.json().catch(() => null)) as typeof answer;
      if (patience.silence) throw patience.silence;
    } catch {
      throw { code: 'host', message: patience.silence?.message ?? `${host} does not answer, sends this page on to another address, or does not let it read its answers (CORS)` } satisfies TableFailure;
    } finally {
      patience.end();
    }
    if (response.status === 400) throw { code: 'bad-input', message: answer?.error ?? 'the server cannot read this position' } satisfies TableFailure;
    if (!response.ok || !Array.isArray(answer?.moves)) throw { code: 'host', message: `${host} answers, but not as a tablebase does (status ${response.status})` } satisfies TableFailure;
    return answer;
  }
}
