// Which outputs of the engine are shown as tables.

/** Outputs that have a view of their own. */
const DRAWN: ReadonlySet<string> = new Set(['heatmap', 'structures', 'counts', 'partition', 'next_moves']);

export function isTable(output: string): boolean {
  return !DRAWN.has(output);
}
