// The parts of the page that are chunks of their own. The service worker stores them with the rest of the site.

/** How long a part that did not arrive waits before the second try. */
const PAUSE_MS = 500;

/** Tries a second time, because a phone loses its connection for moments. */
function again<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return load();
    }
  };
}

export const searchPage = again(() => import('./SearchPage.svelte'));
export const transforms = again(() => import('./Transforms.svelte'));
export const tablebase = again(() => import('./Tablebase.svelte'));
export const tableTab = again(() => import('./TableTab.svelte'));
export const tableNote = again(() => import('./TableNote.svelte'));

export const embedBar = again(() => import('./EmbedBar.svelte'));
export const fileGate = again(() => import('./FileGate.svelte'));
export const libraryGate = again(() => import('./LibraryGate.svelte'));
export const libraryPage = again(() => import('./LibraryPage.svelte'));

export const cards = again(() => import('./Cards.svelte'));
export const understood = again(() => import('./Understood.svelte'));
export const filterForm = again(() => import('./FilterForm.svelte'));

export const playerGames = again(() => import('./PlayerGames.svelte'));
export const engineTab = again(() => import('./EngineTab.svelte'));
export const looksPanel = again(() => import('./LooksPanel.svelte'));
export const mine = again(() => import('./Mine.svelte'));

export const help = again(() => import('./Help.svelte'));
export const library = again(() => import('./Library.svelte'));
export const mask = again(() => import('./MaskPanel.svelte'));
export const saved = again(() => import('./SavedPanel.svelte'));
export const sets = again(() => import('./SetsPanel.svelte'));
export const exports = again(() => import('./ExportPanel.svelte'));

export const positions = again(() => import('./Positions.svelte'));
export const heatmap = again(() => import('./Heatmap.svelte'));
export const structures = again(() => import('./Structures.svelte'));
export const explorer = again(() => import('./Explorer.svelte'));
export const counts = again(() => import('./Counts.svelte'));
export const resultTable = again(() => import('./ResultTable.svelte'));

export const analysis = again(() => import('./AnalysisPanel.svelte'));
export const evaluations = again(() => import('./EvaluationsPanel.svelte'));
export const copyItems = again(() => import('./CopyItems.svelte'));

/** Loads the search page as soon as the first paint is done, so that it is there when the games are. */
export function preloadSearchPage(): void {
  // A failure is reported where the part is shown.
  requestAnimationFrame(() => setTimeout(() => void searchPage().catch(() => undefined)));
}
