// The publisher's text as elements: Markdown, read by marked in a worker and cleaned by DOMPurify. It comes from a host that may be
// anybody's, so only text, lists, tables and links are left: nothing that runs, nothing that is fetched, nothing that looks like the
// page.
import createPurifier from 'dompurify';
import type { MarkdownReply } from './markdownworker';

const TAGS = ['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];
const ATTRIBUTES = ['href', 'title', 'start'];
/** A text that takes longer is shown as it was written. */
const PATIENCE_MS = 2000;

/** The elements of a text; null if it takes too long to read. Every link opens another tab and tells it nothing. */
export async function aboutElements(text: string): Promise<DocumentFragment | null> {
  const html = await htmlOf(text);
  return html === null ? null : cleaned(html);
}

function htmlOf(text: string): Promise<MarkdownReply> {
  const worker = new Worker(new URL('./markdownworker.ts', import.meta.url), { type: 'module' });
  return new Promise<MarkdownReply>((resolve) => {
    setTimeout(() => resolve(null), PATIENCE_MS);
    worker.onmessage = ({ data }: MessageEvent<MarkdownReply>) => resolve(data);
    worker.onerror = () => resolve(null);
    worker.postMessage(text);
  }).finally(() => worker.terminate());
}

function cleaned(html: string): DocumentFragment {
  const purifier = createPurifier(window);
  purifier.addHook('afterSanitizeAttributes', (element) => {
    if (element.tagName !== 'A') return;
    element.setAttribute('rel', 'noopener noreferrer nofollow');
    element.setAttribute('target', '_blank');
  });
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  });
}
