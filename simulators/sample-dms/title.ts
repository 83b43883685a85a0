/** Longest title that is stored, in code points; what is beyond is cut off silently. */
const TITLE_CODE_POINTS = 127;

export type RenderedTitle =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'crash'; readonly message: string };

/**
 * Titles are Jinja templates on the real system, those given by the API too. This knows enough of Jinja to show what
 * that does to a title nobody meant as a template: `{{ 1+1 }}` becomes 2, a comment vanishes, an unknown name makes the
 * title the name of the file, and a syntax error loses the document.
 */
export function renderTitle(title: string | undefined, fileStem: string): RenderedTitle {
  if (title === undefined || title.trim() === '') return rendered(fileStem);
  const withoutComments = title.replace(/\{#.*?#\}/gs, '');
  let unknownName = false;
  const filled = withoutComments.replace(/\{\{(.*?)\}\}/gs, (_, expression: string) => {
    const value = evaluate(expression.trim());
    unknownName ||= value === undefined;
    return value ?? '';
  });
  if (/\{[{%#]/.test(filled)) {
    return { kind: 'crash', message: "'NoneType' object is not subscriptable" };
  }
  return rendered(unknownName ? fileStem : filled);
}

function evaluate(expression: string): string | undefined {
  const sum = /^(\d+)\s*([-+*])\s*(\d+)$/.exec(expression);
  if (sum !== null) {
    const [left, right] = [Number(sum[1]), Number(sum[3])];
    if (sum[2] === '+') return String(left + right);
    return String(sum[2] === '-' ? left - right : left * right);
  }
  if (/^\d+$/.test(expression)) return expression;
  return /^'([^']*)'$/.exec(expression)?.[1];
}

function rendered(title: string): RenderedTitle {
  return { kind: 'title', title: Array.from(title).slice(0, TITLE_CODE_POINTS).join('') };
}
