// The first script of the page: its language, then everything else.
import { loadLanguage } from './language';
import './app.css';

// The second script shares modules with this one, so this one must not wait for it.
void loadLanguage().then(() => import('./start'));
