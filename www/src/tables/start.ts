// Starts the worker of tables. It is a separate file so that unit tests need no worker.
import { withPool } from '../engine/pool';
import type { TablePort } from './client';

export function startTables(): TablePort {
  return withPool(new Worker(new URL('./tablesworker.ts', import.meta.url), { type: 'module', name: 'tables' })) as unknown as TablePort;
}
