// Starts the page once its language is there: engine, state, views and service worker.
import { mount } from 'svelte';
import { EngineClient } from './engine/client';
import { startWorker } from './engine/start';
import { keepOffline } from './offline';
import { App } from './state/app.svelte';
import { preloadSearchPage } from './views/chunks';
import Page from './views/Page.svelte';

const target = document.getElementById('app');
if (target) {
  const app = new App(new EngineClient(startWorker));
  mount(Page, { target, props: { app } });
  void app.start();
  preloadSearchPage();
  keepOffline(() => app.library.importing.phase === 'idle', app.update);
}
