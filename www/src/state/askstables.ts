// Whether a query or a key may ask endgame tables, for the page, which does not wait for the engine to say so.

/** Recognises the words of the language that ask tables. A player may be called so, too; then tables are read for nothing. */
export function mayAskTables(text: string): boolean {
  return /\b(?:tb|tb_dtm|threw_away|half_points_lost)\b/i.test(text);
}
