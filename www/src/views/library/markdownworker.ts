// The publisher's text from Markdown to HTML, in a worker that the page ends when it takes too long: the text comes from a host that
// may be anybody's, and some texts of 64 KiB take a reader of Markdown half a minute. HTML in it is left out before anything parses
// it, because a browser reports inline scripts that it only parses.
import { Marked } from 'marked';

/** The HTML of a text, which must still be cleaned; null if it cannot be read. */
export type MarkdownReply = string | null;

/** The page has two levels of headings above the text. */
const LEVELS_ABOVE = 2;
const LEAST_LEVEL = 6;
/** Elements inside each other; more look like nothing, and take the browser long. */
const MOST_NESTED = 50;

function htmlOf(text: string): string | null {
  const marked = new Marked({
    async: false,
    gfm: true,
    walkTokens: (token) => {
      if (token.type === 'heading') token['depth'] = Math.min(LEAST_LEVEL, Number(token['depth']) + LEVELS_ABOVE);
    },
    renderer: { html: () => '', image: () => '' },
  });
  const html = marked.parse(text) as string;
  return nestingOf(html) > MOST_NESTED ? null : html;
}

/** How deep elements lie in each other. */
function nestingOf(html: string): number {
  let depth = 0;
  let most = 0;
  for (const [tag] of html.matchAll(/<\/?[a-z]+/g)) {
    // These have no end.
    if (tag === '<br' || tag === '<hr' || tag === '<input') continue;
    depth += tag.startsWith('</') ? -1 : 1;
    most = Math.max(most, depth);
  }
  return most;
}

self.onmessage = ({ data }: MessageEvent<string>) => {
  let reply: MarkdownReply = null;
  try {
    reply = htmlOf(data);
  } catch {
    // Quotes in quotes in quotes need more stack than there is.
  }
  self.postMessage(reply);
};
