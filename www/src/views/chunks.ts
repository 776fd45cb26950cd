// The parts of the page that are chunks of their own. The service worker stores them with the rest of the site.

export const searchPage = () => import('./SearchPage.svelte');
export const transforms = () => import('./Transforms.svelte');

export const help = () => import('./Help.svelte');
export const library = () => import('./Library.svelte');
export const mask = () => import('./MaskPanel.svelte');
export const saved = () => import('./SavedPanel.svelte');
export const sets = () => import('./SetsPanel.svelte');
export const exports = () => import('./ExportPanel.svelte');

export const positions = () => import('./Positions.svelte');
export const heatmap = () => import('./Heatmap.svelte');
export const structures = () => import('./Structures.svelte');
export const explorer = () => import('./Explorer.svelte');
export const counts = () => import('./Counts.svelte');

/** Loads the search page as soon as the first paint is done, so that it is there when the games are. */
export function preloadSearchPage(): void {
  // A failure is reported where the part is shown.
  requestAnimationFrame(() => setTimeout(() => void searchPage().catch(() => undefined)));
}
