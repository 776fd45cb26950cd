// The first script of the page: its language, then everything else.
import { loadLanguage } from './language';
import './app.css';
import './shared.css';

// The second script shares modules with this one, so this one must not wait for it.
loadLanguage()
  .then(() => import('./start'))
  .catch(() => {
    // No part of the page is there yet, and perhaps no catalog.
    document.body.append('plyfold could not be loaded. Check the connection, then reload the page.');
  });
