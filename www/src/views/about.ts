// The publisher's text as elements: Markdown, read by marked and cleaned by DOMPurify. It comes from a host that may be anybody's,
// so only text, lists, tables and links are left: nothing that runs, nothing that is fetched, nothing that looks like the page.
// HTML in it is left out before anything parses it, because a browser reports inline scripts that it only parses.
import createPurifier from 'dompurify';
import { Marked } from 'marked';

const TAGS = ['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];
const ATTRIBUTES = ['href', 'title', 'start'];
/** The page has two levels of headings above the text. */
const LEVELS_ABOVE = 2;
const LEAST_LEVEL = 6;

/** The elements of a text. Every link opens another tab and tells it nothing. */
export function aboutElements(text: string): DocumentFragment {
  const marked = new Marked({
    async: false,
    gfm: true,
    walkTokens: (token) => {
      if (token.type === 'heading') token['depth'] = Math.min(LEAST_LEVEL, Number(token['depth']) + LEVELS_ABOVE);
    },
    renderer: { html: () => '', image: () => '' },
  });
  const purifier = createPurifier(window);
  purifier.addHook('afterSanitizeAttributes', (element) => {
    if (element.tagName !== 'A') return;
    element.setAttribute('rel', 'noopener noreferrer nofollow');
    element.setAttribute('target', '_blank');
  });
  return purifier.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  });
}
