// Results as tables: the contents of the fields and the file formats.
import { expect, it } from 'vitest';
import { asCsv, asJson, gamesTable } from '../src/state/tables';

it('CSV quotes what must be quoted', () => {
  expect(asCsv({ columns: ['a', 'b'], rows: [['x, y', 'say "no"'], ['two\nlines', null], [0, '']] })).toBe('a,b\r\n"x, y","say ""no"""\r\n"two\nlines",\r\n0,\r\n');
});

it('no field of a CSV file is run by a spreadsheet', () => {
  const field = (cell: string | number) => asCsv({ columns: [], rows: [[cell]] }).slice(2, -2);
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

it('a table of games has the columns that some game has', () => {
  const row = { id: 4, white: 'A', black: 'B', white_elo: 0, black_elo: 2500, result: '1-0' as const, eco: '', opening: '', eco_tag: '', date: '', event: '', site: '', plies: 9, ending: '', time_class: '', round: '', time_control: '', annotator: '' };
  const annotated = gamesTable([row, { ...row, round: '3', annotator: 'Müller' }]);
  for (const { columns, rows } of [gamesTable([row]), annotated]) expect(rows.every((cells) => cells.length === columns.length)).toBe(true);
  expect(gamesTable([row]).rows[0]?.slice(0, 5)).toEqual([5, 'A', 'B', null, 2500]);
  expect(gamesTable([row]).columns.at(-1)).toBe('time_class');
  expect(annotated.columns.slice(-3)).toEqual(['time_class', 'round', 'annotator']);
  expect(annotated.rows.map((cells) => cells.slice(-2))).toEqual([['', ''], ['3', 'Müller']]);
});
