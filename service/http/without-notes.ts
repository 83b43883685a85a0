import { parse, type Token } from 'acorn';

/**
 * A JavaScript module without its comments and indents, which are half of it: the same tokens with one blank or line end between them
 * where there was white space. Throws a SyntaxError for what is no module.
 */
export function withoutNotes(code: string): string {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  let end = 0;
  let kept = '';
  for (const token of tokens) {
    kept += between(code.slice(end, token.start)) + code.slice(token.start, token.end);
    end = token.end;
  }
  return `${kept}\n`;
}

/** A line end may end a statement, and a comment may hold one. */
function between(gap: string): string {
  if (gap === '') return '';
  return gap.includes('\n') ? '\n' : ' ';
}
