// The look of `<plyfold-search>`. It follows the page's font and `color-scheme`; the page may set the custom properties.

export const STYLE = `
:host { display: block; font: inherit; color: CanvasText; color-scheme: light dark; container-type: inline-size; }
:host([hidden]) { display: none; }
form { display: flex; gap: .5em; }
label { flex: 1; display: flex; gap: .5em; align-items: center; }
input, button { font: inherit; color: inherit; background: Field; border: 1px solid GrayText; border-radius: 4px; padding: .35em .6em; }
input { flex: 1; min-width: 0; font-family: ui-monospace, monospace; }
button { cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 2px solid var(--plyfold-accent, Highlight); outline-offset: 1px; }
.status { margin: .5em 0; min-height: 1.4em; font-variant-numeric: tabular-nums; }
.status.wrong { font-weight: 600; }
.columns { display: grid; gap: 1em; }
@container (min-width: 36em) { .columns { grid-template-columns: 1fr 1fr; } }
.found { max-height: 26em; overflow-y: auto; }
ol { list-style: none; margin: 0; padding: 0; }
li button { width: 100%; text-align: left; border: 0; border-radius: 0; border-bottom: 1px solid color-mix(in srgb, GrayText 40%, transparent); background: none; }
li button[aria-pressed=true] { background: color-mix(in srgb, var(--plyfold-accent, Highlight) 25%, transparent); }
li small { display: block; color: color-mix(in srgb, CanvasText 75%, Canvas); }
figure { margin: 0; }
.board { display: grid; grid-template-columns: repeat(8, 1fr); aspect-ratio: 1; max-width: 26em; font-size: min(10cqi, 2.6em); line-height: 1; user-select: none; }
@container (min-width: 36em) { .board { font-size: min(5cqi, 2.6em); } }
.board span { display: grid; place-items: center; background: var(--plyfold-light, #ecdcc0); color: #111; overflow: hidden; }
.board span.dark { background: var(--plyfold-dark, #b08a63); }
figcaption { margin: .5em 0; min-height: 1.4em; }
.steps { display: flex; gap: .5em; }
[hidden] { display: none !important; }
`;
