/** Names of the facts in a template: `{name}` is text, `{#name}` a number. */
type FactNames<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | FactNames<Rest>
  : never;

/** What a template is filled with. */
export type FactsOf<Template extends string> = {
  readonly [
    Name in FactNames<Template> as Name extends `#${infer Plain}` ? Plain : Name
  ]: Name extends `#${string}` ? number : string;
};

/** What a sentence says: its code and its facts, for those who say it in another language. */
export interface Said {
  readonly code: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

/**
 * Templates of sentences by their keys. A code that is said in several ways has a key for each: `code/way`. Quoted text has no
 * quotation marks in it, `{kind}` neither, and `{system}` no blanks, so that a sentence can be read back.
 */
export type Sentences = Readonly<Record<string, string>>;

const FACT = /"\{(\w+)\}"|\{(#?)(\w+)\}/g;

/** The sentence of a template. */
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
 * The inverse of `fill`, for all sentences of a catalogue: sentences are what is recorded, so that records of every version are
 * understood. Undefined for a sentence that is none of them.
 */
export function createReader(sentences: Sentences): (text: string) => Said | undefined {
  const readers = Object.entries(sentences).map(([key, template]) => ({
    code: key.split('/', 1)[0] ?? key,
    ...patternOf(template),
  }));
  return (text) => {
    for (const { code, head, tail, pattern, isNumber } of readers) {
      // Most are told apart by their ends: the pattern is tried on one or two.
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

/** Facts that are known to lack something. */
const WITHIN: Readonly<Record<string, string>> = { system: '\\S+', kind: '[^"]*' };

interface Pattern {
  readonly pattern: RegExp;
  /** What the sentence begins and ends with. */
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
