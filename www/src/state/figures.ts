// The engine's figures about a search, for those who want to know.
import type { EngineInfo, QueryResult } from '../engine/protocol';
import { say } from './say';
import { bytes, count, counted, share } from './words';

export interface Figure {
  name: string;
  value: string;
  /** The name of the value for tests. */
  test?: string;
}

/** A scan of fewer positions says nothing about the speed. */
const FEW = 100_000;

export function enginesFigures(engine: Pick<EngineInfo, 'build' | 'threads' | 'reason'>, result: QueryResult | null): Figure[] {
  const figures: Figure[] = [];
  if (result) {
    const { games_total, plies_total, plies_looked_at, elapsed_ms, memory_bytes } = result;
    figures.push({ name: say('Searched'), value: `${counted(games_total, ['# game', '# games'])}, ${counted(plies_total, ['# position', '# positions'])}` });
    // The result of some queries follows from the headers and the material of the games alone.
    if (plies_looked_at > 0) figures.push({ name: say('Replayed'), value: `${counted(plies_looked_at, ['# position', '# positions'])} (${share(plies_looked_at, plies_total)})`, test: 'looked' });
    if (plies_total >= FEW && elapsed_ms > 0) figures.push({ name: say('Speed'), value: say(`${count((plies_total / elapsed_ms) * 1000)} positions a second`) });
    if (memory_bytes > 0) figures.push({ name: say('Memory'), value: bytes(memory_bytes) });
  }
  const threads = engine.build === 'threads' ? counted(engine.threads, ['# thread', '# threads']) : say(`1 thread: ${engine.reason}`);
  return [...figures, { name: say('Threads'), value: threads, test: 'badge' }];
}
