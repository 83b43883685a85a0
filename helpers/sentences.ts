/** The facts of a template: `{name}` is a string, `{#name}` a number. */
type FactNames<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | FactNames<Rest>
  : never;

export type FactsOf<Template extends string> = {
  readonly [
    Name in FactNames<Template> as Name extends `#${infer Plain}` ? Plain : Name
  ]: Name extends `#${string}` ? number : string;
};

/** A sentence as code and facts, for translation. */
export interface ParsedSentence {
  readonly code: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

/**
 * Templates by code, or by `code/variant`. `{system}` has no blanks, and quoted facts and `{kind}`
 * have no quotation marks, so that `createReader` can parse sentences.
 */
export type Sentences = Readonly<Record<string, string>>;

const FACT = /"\{(\w+)\}"|\{(#?)(\w+)\}/g;

export function fill<Template extends string>(
  template: Template,
  facts: FactsOf<Template>,
): string {
  const values: Readonly<Record<string, unknown>> = facts;
  return template.replace(FACT, (_, quoted?: string, _mark?: string, name?: string) => {
    if (quoted === undefined) return String(values[name ?? '']);
    return `"${String(values[quoted]).replaceAll('"', "'")}"`;
  });
}

/**
 * Parses sentences made by `fill`. Records store sentences, so sentences of all earlier versions
 * must stay readable. Returns undefined for unknown sentences.
 */
export function createReader(sentences: Sentences): (text: string) => ParsedSentence | undefined {
  const readers = Object.entries(sentences).map(([key, template]) => ({
    code: key.split('/', 1)[0] ?? key,
    ...patternOf(template),
  }));
  return (text) => {
    for (const { code, head, tail, pattern, isNumber } of readers) {
      // Comparing head and tail first leaves one or two patterns to try.
      const found = text.startsWith(head) && text.endsWith(tail) ? pattern.exec(text) : null;
      if (!found) continue;
      const facts = Object.entries(found.groups ?? {}).map(([name, value]) => [
        name,
        isNumber.has(name) ? Number(value) : value,
      ]);
      return { code, facts: Object.fromEntries(facts) };
    }
    return undefined;
  };
}

const WITHIN: Readonly<Record<string, string>> = { system: '\\S+', kind: '[^"]*' };

interface Pattern {
  readonly pattern: RegExp;
  /** The fixed text at both ends. */
  readonly head: string;
  readonly tail: string;
  readonly isNumber: ReadonlySet<string>;
}

function patternOf(template: string): Pattern {
  const isNumber = new Set<string>();
  let source = '';
  let from = 0;
  for (const match of template.matchAll(FACT)) {
    const [all, quoted, mark, name = ''] = match;
    source += escaped(template.slice(from, match.index));
    from = match.index + all.length;
    if (quoted !== undefined) source += `"(?<${quoted}>[^"]*)"`;
    else if (mark === '#') source += `(?<${name}>-?\\d+(?:\\.\\d+)?)`;
    else source += `(?<${name}>${WITHIN[name] ?? '.*?'})`;
    if (mark === '#') isNumber.add(name);
  }
  const tail = template.slice(from);
  const [head = ''] = template.split(/[{"]/, 1);
  return { pattern: new RegExp(`^${source}${escaped(tail)}$`, 's'), head, tail, isNumber };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
