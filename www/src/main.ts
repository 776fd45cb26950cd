// The first script of the page: its language, then everything else.
import { loadLanguage } from './language';
import './app.css';

await loadLanguage();
await import('./start');
