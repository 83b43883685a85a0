import { jsonAnswer, type Answer } from './answer.ts';
import { pythonInteger } from './python-values.ts';

export type Filtered<One> =
  | { readonly kind: 'found'; readonly items: One[] }
  | { readonly kind: 'refused'; readonly answer: Answer };

type Test = (value: string, wanted: string) => boolean;

const TEXT_TESTS: Readonly<Record<string, Test>> = {
  iexact: (value, wanted) => value === wanted,
  icontains: (value, wanted) => value.includes(wanted),
  istartswith: (value, wanted) => value.startsWith(wanted),
  iendswith: (value, wanted) => value.endsWith(wanted),
};

/**
 * Filters items by the query: `id`, `id__in` (separated by commas), and filters such as `name__iexact` for each of `texts`. Empty
 * values and unknown parameters are ignored.
 */
export function filterItems<One extends { readonly id: number }>(
  items: readonly One[],
  query: URLSearchParams,
  texts: readonly (keyof One & string)[],
): Filtered<One> {
  let found = [...items];
  for (const [parameter, given] of query) {
    const wanted = given.trim();
    if (wanted === '') continue;
    if (parameter === 'id' || parameter === 'id__in') {
      const parts = parameter === 'id' ? [wanted] : wanted.split(',');
      const ids = parts.filter((part) => part.trim() !== '').map(pythonInteger);
      if (ids.includes(undefined)) return refused(parameter, 'Enter a number.');
      found = found.filter(({ id }) => ids.includes(id));
    }
    const [name, operator = ''] = parameter.split('__');
    const text = texts.find((candidate) => candidate === name);
    const test = TEXT_TESTS[operator];
    if (text === undefined || test === undefined) continue;
    if (wanted.includes('\0')) return refused(parameter, 'Null characters are not allowed.');
    const lower = asciiLower(wanted);
    found = found.filter((item) => test(asciiLower(String(item[text])), lower));
  }
  return { kind: 'found', items: found };
}

/** SQLite, which Paperless-ngx has by default, knows the case of ASCII letters only. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function refused(parameter: string, message: string): { kind: 'refused'; answer: Answer } {
  return { kind: 'refused', answer: jsonAnswer(400, { [parameter]: [message] }) };
}
