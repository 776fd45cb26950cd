// The table of the address: for each of its fields, what the page writes there, and what a visit does with it before the
// engine gets a request. Every field of a place stands here once; the compiler sees that none is missing.
import { NOWHERE, type Place, type Tab } from './address';
import type { Explorer } from './explorer.svelte';
import { LANGUAGE } from './queryversion';
import { isOfBoard, type Panels } from './panels.svelte';
import type { Replay } from './replay.svelte';
import type { Route } from './route.svelte';
import type { Step } from './rules';
import type { Search } from './search.svelte';
import type { Transforms } from './transforms.svelte';

/** The pages: the search, the transforms, the tables, one's own games, or training. */
export type PageName = 'search' | 'transforms' | 'tablebase' | 'mine' | 'training';

/** What the address is about: the stores, and what the page shows of them. `App` is one. */
export interface Shown {
  readonly route: Route;
  readonly search: Search;
  readonly replay: Replay;
  readonly explorer: Explorer;
  readonly transforms: Transforms;
  readonly panels: Panels;
  page: PageName;
  /** The game that the user selected; null while the board shows the first match by itself. */
  chosen: number | null;
  /** The position on the page of tables; empty before there is one. */
  tabled: string;
}

interface Field<Value> {
  /** The only view, or the only page, with this field in its address. Elsewhere the field has its value of `NOWHERE`. */
  tab?: Tab;
  page?: PageName;
  /** The value that the page shows. */
  read(shown: Shown): Value;
  /** Makes the page show a value. Without this, the visit itself does it, once the engine has replied. */
  show?(shown: Shown, value: Value): void;
}

const FIELDS: { readonly [Name in keyof Place]: Field<Place[Name]> } = {
  corpus: { read: ({ route }) => route.corpus },
  query: { read: ({ route }) => route.question.query, show: ({ search }, query) => search.take(query) },
  words: { read: ({ route, search }) => (search.query === route.question.query ? search.words : ''), show: ({ search }, words) => words !== '' && search.take(search.text, words) },
  language: { read: () => LANGUAGE },
  within: { read: ({ route }) => route.question.within, show: ({ search }, within) => (search.within = within) },
  parts: { read: ({ route }) => route.question.parts, show: ({ search }, parts) => (search.parts = parts) },
  everywhere: { read: ({ route }) => route.question.everywhere, show: ({ search }, everywhere) => (search.everywhere = everywhere) },
  tab: { read: ({ panels }) => panels.tab, show: ({ panels, search }, tab) => (panels.tab = search.tab = tab) },
  beside: { read: ({ panels }) => panels.other, show: ({ panels, search }, beside) => (panels.other = search.beside = isOfBoard(beside) === isOfBoard(panels.tab) ? '' : beside) },
  key: {
    tab: 'counts',
    read: ({ search }) => search.key,
    show({ search }, key) {
      search.key = key;
      search.keyTrouble = '';
    },
  },
  position: { tab: 'explorer', read: ({ explorer }) => (explorer.following ? '' : explorer.position), show: ({ explorer }, position) => explorer.visit(position, lineOf(history.state)) },
  follow: { tab: 'explorer', read: ({ explorer }) => explorer.following, show: ({ explorer }, follow) => (explorer.following = follow) },
  among: { tab: 'explorer', read: ({ explorer }) => explorer.among, show: ({ explorer }, among) => (explorer.among = among) },
  rating: { tab: 'explorer', read: ({ explorer }) => explorer.filter.ratings, show: ({ explorer }, ratings) => explorer.narrow({ ratings }) },
  years: { tab: 'explorer', read: ({ explorer }) => explorer.filter.dates, show: ({ explorer }, dates) => explorer.narrow({ dates }) },
  classes: { tab: 'explorer', read: ({ explorer }) => explorer.filter.classes, show: ({ explorer }, classes) => explorer.narrow({ classes }) },
  player: { tab: 'explorer', read: ({ explorer }) => explorer.filter.player, show: ({ explorer }, player) => explorer.narrow({ player }) },
  colour: { tab: 'explorer', read: ({ explorer }) => (explorer.filter.player ? explorer.filter.colour : 'player'), show: ({ explorer }, colour) => explorer.narrow({ colour }) },
  every: { tab: 'positions', read: ({ search }) => search.everyPosition, show: ({ search }, every) => (search.everyPosition = every) },
  game: { read: ({ chosen }) => chosen, show: (shown, game) => (shown.chosen = game) },
  ply: { read: ({ route }) => route.moment.ply },
  line: { read: ({ route }) => route.moment.line },
  carried: { read: () => '' },
  seen: { read: () => '' },
  turned: { page: 'transforms', read: ({ transforms }) => transforms.turned, show: ({ transforms }, turned) => turned && transforms.visit(turned) },
  tabled: { page: 'tablebase', read: ({ tabled }) => tabled, show: (shown, tabled) => (shown.tabled = tabled ?? shown.tabled) },
  mine: { page: 'mine', read: () => true },
  training: { page: 'training', read: () => true },
};

const NAMES = Object.keys(FIELDS) as (keyof Place)[];

/** The place that the page shows. */
export function readPlace(shown: Shown): Place {
  const place = { ...NOWHERE };
  const read = <Name extends keyof Place>(name: Name) => {
    const field = FIELDS[name];
    const isThere = (field.tab === undefined || (field.tab === 'explorer' ? shown.panels.hasExplorer : shown.panels.isShown(field.tab))) && (field.page ?? shown.page) === shown.page;
    if (isThere) place[name] = field.read(shown);
  };
  NAMES.forEach(read);
  return place;
}

/** Makes the page show a place, as far as that needs no engine. */
export function showPlace(shown: Shown, place: Place): void {
  const show = <Name extends keyof Place>(name: Name) => FIELDS[name].show?.(shown, place[name]);
  shown.page = pageOf(place);
  NAMES.forEach(show);
}

/** Whether a place is on the page of the search. */
export function isSearch(place: Place): boolean {
  return pageOf(place) === 'search';
}

function pageOf({ turned, tabled, mine, training }: Place): PageName {
  if (training) return 'training';
  if (mine) return 'mine';
  if (turned) return 'transforms';
  return tabled === null ? 'search' : 'tablebase';
}

/** The explorer's line in an entry of the history; empty for any other state. */
function lineOf(state: unknown): readonly Step[] {
  const line: unknown = typeof state === 'object' && state !== null && 'line' in state ? state.line : null;
  return Array.isArray(line) ? (line as Step[]) : [];
}
