// Whether this browser had tables on the last visit. The first script knows no more of tables than this.
const KEY = 'plyfold.tables';

export function hadTables(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

export function rememberTables(areThere: boolean): void {
  try {
    if (areThere) localStorage.setItem(KEY, '1');
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is switched off: the tables are found once the user opens them.
  }
}
