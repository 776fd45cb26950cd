// Results as tables: the contents of the fields and the file formats.
import { expect, it } from 'vitest';
import { asCsv, asJson, gamesTable, groupsTable, heatTable, nextTable, positionsTable, structuresTable } from '../src/state/tables';

it('CSV quotes what must be quoted', () => {
  expect(asCsv({ columns: ['a', 'b'], rows: [['x, y', 'say "no"'], ['two\nlines', null], [0, '']] })).toBe('a,b\n"x, y","say ""no"""\n"two\nlines",\n0,\n');
});

it('no field of a CSV file is run by a spreadsheet', () => {
  const field = (cell: string | number) => asCsv({ columns: [], rows: [[cell]] }).slice(1, -1);
  for (const runs of ['=1+1', '+A1', '-A1', '-1-1', '@SUM(1)', '\tx', '\uff1d1+1', '-', '--', '-1.', '+.5', '-1e5', '=-3']) expect(field(runs)).toBe(`'${runs}`);
  expect(field('=HYPERLINK("http://x",1)')).toBe('"\'=HYPERLINK(""http://x"",1)"');
  expect(field('\r=1')).toBe('"\'\r=1"');
  for (const plain of ['-3', '+12', '-0.25', '0', '1-0', 'a=b', 'Anna', "'=1", '']) expect(field(plain)).toBe(plain);
  expect(field(-3)).toBe('-3');
});

it('JSON comes back as objects', () => {
  const table = { columns: ['a', 'b'], rows: [['x', 1], ['"', null]] };
  expect(JSON.parse(asJson(table))).toEqual([{ a: 'x', b: 1 }, { a: '"', b: null }]);
  expect(JSON.parse(asJson({ columns: [], rows: [] }))).toEqual([]);
});

it('every table has as many fields in a row as columns', () => {
  const results = { games: 2, white: 1, draw: 0, black: 0, unknown: 1 };
  const row = { id: 4, white: 'A', black: 'B', white_elo: 0, black_elo: 2500, result: '1-0' as const, eco: '', date: '', event: '', site: '', plies: 9, ending: '', time_class: '', round: '', time_control: '', annotator: '' };
  const heat = heatTable(Float64Array.from({ length: 768 }, (_, at) => at));
  const tables = [
    gamesTable([row]),
    positionsTable([{ game: 4, ply: 2, fen: '8/8 w', san: 'e5', move_number: 1 }]),
    heat,
    structuresTable([{ white: '000000000000ff00', black: '0000000000000000', count: 3, condition: '' }]),
    groupsTable({ key: 'year', ordered: true, distinct: 1, positions: 3, groups: [{ name: '1985', positions: 3, condition: null, ...results }] }),
    nextTable({ ...results, positions: 3, moves: [{ ...results, code: 1, san: 'e4', uci: 'e2e4', times: 2, fen: '', elo: 0, performance: null, last_played: '' }] }),
  ];
  for (const { columns, rows } of tables) expect(rows.every((cells) => cells.length === columns.length)).toBe(true);
  expect(gamesTable([row]).rows[0]?.slice(0, 5)).toEqual([5, 'A', 'B', null, 2500]);
  // The columns that only some headers have are left out if no game has them.
  const annotated = gamesTable([row, { ...row, round: '3', annotator: 'Müller' }]);
  expect(gamesTable([row]).columns.at(-1)).toBe('time_class');
  expect(annotated.columns.slice(-3)).toEqual(['time_class', 'round', 'annotator']);
  expect(annotated.rows.map((cells) => cells.slice(-2))).toEqual([['', ''], ['3', 'Müller']]);
  expect(heat.rows).toHaveLength(768);
  expect(heat.rows.at(-1)).toEqual(['black', 'king', 'h8', 767]);
  expect(structuresTable([{ white: '0000000000000100', black: '0000000000000000', count: 3, condition: '' }]).rows[0]?.slice(4)).toEqual(['a2', '']);
});
