// Starts the page once its language is there: engine, state, views and service worker.
import { mount } from 'svelte';
import { takeWorker } from './early';
import { EngineClient } from './engine/client';
import { keepOffline } from './offline';
import { App } from './state/app.svelte';
import { preloadSearchPage } from './views/page/chunks';
import Page from './views/page/Page.svelte';

const target = document.getElementById('app');
if (target) {
  const app = new App(new EngineClient(takeWorker));
  mount(Page, { target, props: { app } });
  const started = app.start();
  // On a first visit the engine comes before the search page, which is needed once there are games.
  if (app.isFirstVisit) void started.then(preloadSearchPage);
  else preloadSearchPage();
  // A frame in somebody's article keeps no site for later. On the first visit to a library, the copy of the site would take the
  // connection from the first answers; the visitor is then at work, and the page is not reloaded.
  if (!app.isEmbedded && app.published.isWanted && !navigator.serviceWorker?.controller) app.published.onceSettled(() => keepOffline(() => false, app.update));
  else if (!app.isEmbedded) keepOffline(() => app.library.importing.phase === 'idle', app.update);
}
