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
export const transforms = again(() => import('../transforms/Transforms.svelte'));
export const tablebase = again(() => import('../tables/Tablebase.svelte'));
export const tableTab = again(() => import('../tables/TableTab.svelte'));
export const tableNote = again(() => import('../tables/TableNote.svelte'));

export const embedBar = again(() => import('./EmbedBar.svelte'));
export const fileGate = again(() => import('./FileGate.svelte'));
export const libraryGate = again(() => import('./LibraryGate.svelte'));
export const libraryPage = again(() => import('../library/LibraryPage.svelte'));

export const cards = again(() => import('../query/Cards.svelte'));
export const understood = again(() => import('../query/Understood.svelte'));
export const filterForm = again(() => import('../query/FilterForm.svelte'));

export const playerGames = again(() => import('../library/PlayerGames.svelte'));
export const engineTab = again(() => import('../game/EngineTab.svelte'));
export const looksPanel = again(() => import('./LooksPanel.svelte'));
export const training = again(() => import('../training/Training.svelte'));
export const mine = again(() => import('../mine/Mine.svelte'));

export const gameEditor = again(() => import('../game/GameEditor.svelte'));
export const movesEditor = again(() => import('../game/MovesEditor.svelte'));
export const editList = again(() => import('../library/EditList.svelte'));

export const help = again(() => import('./Help.svelte'));
export const library = again(() => import('../library/Library.svelte'));
export const mask = again(() => import('../query/MaskPanel.svelte'));
export const collections = again(() => import('../collections/Collections.svelte'));
export const exports = again(() => import('../library/ExportPanel.svelte'));

export const positions = again(() => import('../results/Positions.svelte'));
export const heatmap = again(() => import('../results/Heatmap.svelte'));
export const heatOverlay = again(() => import('../results/HeatOverlay.svelte'));
export const structures = again(() => import('../results/Structures.svelte'));
export const explorer = again(() => import('../explorer/Explorer.svelte'));
export const counts = again(() => import('../results/Counts.svelte'));
export const resultTable = again(() => import('../results/ResultTable.svelte'));

export const analysis = again(() => import('../game/AnalysisPanel.svelte'));
export const evaluations = again(() => import('../game/EvaluationsPanel.svelte'));
export const miniBoard = again(() => import('../game/MiniBoard.svelte'));
export const copyItems = again(() => import('./CopyItems.svelte'));

/** Loads the search page as soon as the first paint is done, so that it is there when the games are. */
export function preloadSearchPage(): void {
  // A failure is reported where the part is shown.
  requestAnimationFrame(() => setTimeout(() => void searchPage().catch(() => undefined)));
}
