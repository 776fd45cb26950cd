// A plain page: the reader chooses a PGN file, and the page lists the games in which the queens left early.
// Where npm is not used, the address of the package on any host stands here instead.
import { open, PlyfoldError } from '../dist/plyfold.js';

const told = document.querySelector('#told');
const list = document.querySelector('#games');
const input = document.querySelector('#file');

input.addEventListener('change', async (event) => {
  const [file] = event.target.files;
  try {
    const games = await open(file, { onProgress: (progress) => (told.textContent = `${progress.games} games read`) });
    const result = await games.query('queens_off before 20', { heatmap: true });
    told.textContent = `${result.games} of ${games.games} games, ${result.positions} positions`;
    list.replaceChildren();
    for await (const game of result.each()) {
      const item = document.createElement('li');
      item.textContent = `${game.white} – ${game.black}, ${game.result}`;
      list.append(item);
      if (list.childElementCount === 10) break;
    }
    games.close();
  } catch (error) {
    if (!(error instanceof PlyfoldError)) throw error;
    told.textContent = error.message;
  }
});

// The page is ready.
input.disabled = false;
