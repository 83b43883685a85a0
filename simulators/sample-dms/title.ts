/** Longest stored title, in code points. The rest is cut off silently. */
const TITLE_CODE_POINTS = 127;

export type RenderedTitle =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'crash'; readonly message: string };

/**
 * The real system expands titles as Jinja templates, even those from the API: an expression is evaluated, a comment vanishes, and a
 * syntax error loses the document. Here every title with a pair of Jinja does what the worst one does. Without a title, a document
 * has the stem of its file name.
 */
export function renderTitle(title: string | undefined, fileStem: string): RenderedTitle {
  if (/\{[{%#]/.test(title ?? '')) {
    return { kind: 'crash', message: "'NoneType' object is not subscriptable" };
  }
  const characters = Array.from(title ?? fileStem).slice(0, TITLE_CODE_POINTS);
  return { kind: 'title', title: characters.join('') };
}
