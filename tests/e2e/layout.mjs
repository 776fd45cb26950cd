// What a layout must never have: panels that overlap, texts that are cut, a page that scrolls sideways.

/** What is wrong with the layout, in sentences, and how many rows are visible. Runs in the page. */
export function look() {
  const wrong = [];
  const { innerWidth: width, innerHeight: height } = window;
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const box = (element) => element.getBoundingClientRect();

  const PANELS = ['header', '.ask form', '.tools', '.status', '.board-panel > .player', '.board-frame', '.strip', '.buttons', '.game-panel', '[role=tablist]', '[role=tabpanel]:not(.game-panel)', '.zone', '.questions'];
  const panels = PANELS.flatMap((name) => all(name).map((element) => ({ name, place: box(element) })));
  for (const [nth, { name, place }] of panels.entries()) {
    for (const other of panels.slice(nth + 1)) {
      const across = Math.min(place.right, other.place.right) - Math.max(place.left, other.place.left);
      const down = Math.min(place.bottom, other.place.bottom) - Math.max(place.top, other.place.top);
      if (across > 0.5 && down > 0.5) wrong.push(`${name} and ${other.name} overlap by ${across.toFixed(1)} × ${down.toFixed(1)} px`);
    }
    if (place.left < -0.5 || place.right > width + 0.5) wrong.push(`${name} sticks out sideways`);
  }

  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page scrolls sideways by ${root.scrollWidth - root.clientWidth} px`);

  // Texts that must be whole. A row of tabs may scroll within itself, but each tab is whole.
  const WHOLE = '[role=tab], .button:not(.corpus), .moves, [data-test=status], .status strong, .row .number, thead th button, [role=columnheader] button, .corpus .name';
  for (const element of all(WHOLE)) {
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) wrong.push(`"${element.textContent.trim()}" is cut: ${element.scrollWidth} of ${element.clientWidth} px`);
  }
  for (const list of all('[data-test=games-table], [data-test=explorer], [data-test=counts]')) {
    if (list.scrollWidth > list.clientWidth + 1) wrong.push(`${list.dataset.test} scrolls sideways: ${list.scrollWidth} of ${list.clientWidth} px`);
  }
  // A panel that is larger than the section around it is cut as well.
  const panel = document.querySelector('.results [role=tabpanel]');
  if (panel && seen(panel) && box(panel).bottom > box(panel.parentElement).bottom + 0.5) wrong.push('the results are cut at the bottom');

  const frame = document.querySelector('.board-frame');
  const board = frame && seen(frame) ? box(frame) : null;
  if (board && (board.width % 8 !== 0 || Math.abs(board.width - board.height) > 0.01)) wrong.push(`the board has ${board.width} × ${board.height} px`);
  const isBoardWhole = board !== null && board.top >= -0.5 && board.left >= -0.5 && board.bottom <= height + 0.5 && board.right <= width + 0.5;

  /** Rows that are completely within the window and within the list that scrolls them. */
  const rows = (list, row) =>
    all(list).flatMap((view) => {
      const place = box(view);
      const bottom = Math.min(place.bottom, height) + 0.5;
      const head = view.querySelector('.head, thead');
      const top = Math.max(head ? box(head).bottom : place.top, 0) - 0.5;
      return [...view.querySelectorAll(row)].filter((one) => seen(one) && box(one).top >= top && box(one).bottom <= bottom);
    }).length;
  return {
    wrong,
    isBoardWhole,
    moves: rows('.game-panel > ol', 'li'),
    results: rows('[data-test=games-table]', '.all > * > .row') + rows('[data-test=explorer]', 'tbody tr'),
  };
}

/** Waits until board and lists have taken their sizes: a few frames after a change of the window. */
export function settle(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        let last = '';
        let alike = 0;
        const look = () => {
          const now = ['.page', '.board-frame', '[role=tabpanel]'].map((name) => JSON.stringify(document.querySelector(name)?.getBoundingClientRect())).join();
          alike = now === last ? alike + 1 : 0;
          last = now;
          if (alike === 3) done();
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
}
