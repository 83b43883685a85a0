import type { Release } from './options.ts';

/** Longest stored title, in code points. The rest is cut off silently. */
const TITLE_CODE_POINTS = 127;

export type RenderedTitle =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'crash'; readonly message: string };

/**
 * The real system treats titles as templates, even those from the API. This supports enough of it to show what happens to titles
 * that were not meant as templates. For any other expression the title becomes the stem of the file name.
 */
export function renderTitle(
  title: string | undefined,
  fileStem: string,
  engine: Release['title'] = 'Jinja2',
): RenderedTitle {
  if (title === undefined) return rendered(fileStem);
  return engine === 'Jinja2' ? renderJinja(title, fileStem) : renderFormat(title, fileStem);
}

/** Jinja: `{{ 1+1 }}` becomes 2, comments disappear, and the document is lost on a syntax error. */
function renderJinja(title: string, fileStem: string): RenderedTitle {
  const withoutComments = title.replaceAll(/\r\n?/g, '\n').replaceAll(/\{#.*?#\}/gs, '');
  const syntaxError = '\u0000';
  let unknownName = false;
  const filled = withoutComments.replaceAll(/\{\{(.*?)\}\}/gs, (_, expression: string) => {
    if (/^\s*$|[{}]/.test(expression)) return syntaxError;
    const value = evaluate(expression.trim(), fileStem);
    unknownName ||= value === undefined;
    return value ?? '';
  });
  if (/\{[{%#]|\0/.test(filled)) {
    return { kind: 'crash', message: "'NoneType' object is not subscriptable" };
  }
  return rendered(unknownName ? fileStem : filled);
}

function evaluate(expression: string, fileStem: string): string | undefined {
  if (/^(original_)?filename$/.test(expression)) return fileStem;
  const sum = /^(\d+)\s*([-+*])\s*(\d+)$/.exec(expression);
  if (sum !== null) {
    const [left, right] = [Number(sum[1]), Number(sum[3])];
    if (sum[2] === '+') return String(left + right);
    return String(sum[2] === '-' ? left - right : left * right);
  }
  if (/^\d+$/.test(expression)) return expression;
  return /^'([^']*)'$/.exec(expression)?.[1];
}

/** Python's `str.format`: double braces become single ones, and a single brace loses the title. */
function renderFormat(title: string, fileStem: string): RenderedTitle {
  let lost = false;
  const filled = title.replaceAll(/\{\{|\}\}|\{(\w*)\}|[{}]/g, (match, name?: string) => {
    if (match === '{{' || match === '}}') return match.charAt(0);
    if (name === 'filename' || name === 'original_filename') return fileStem;
    lost = true;
    return '';
  });
  return rendered(lost ? fileStem : filled.trim());
}

function rendered(title: string): RenderedTitle {
  return { kind: 'title', title: Array.from(title).slice(0, TITLE_CODE_POINTS).join('') };
}
