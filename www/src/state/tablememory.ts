// Whether this browser had tables on the last visit. The first script knows no more of tables than this.
import { keep, kept } from './kept';

const KEY = 'plyfold.tables';

export function hadTables(): boolean {
  return kept(KEY) !== null;
}

export function rememberTables(areThere: boolean): void {
  keep(KEY, areThere ? '1' : null);
}
