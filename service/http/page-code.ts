import { parse, type Program, type Token } from 'acorn';

export interface Code {
  readonly text: string;
  readonly program: Program;
  readonly tokens: readonly Token[];
  /** Offsets after which the parser inserted a semicolon. */
  readonly semicolons: ReadonlySet<number>;
  readonly commas: ReadonlySet<number>;
}

export type Change = readonly [start: number, end: number, text: string];

export function parseModule(text: string): Code {
  const tokens: Token[] = [];
  const semicolons = new Set<number>();
  const commas = new Set<number>();
  const program = parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: tokens,
    onInsertedSemicolon: (end) => semicolons.add(end),
    onTrailingComma: (start) => commas.add(start),
  });
  return { text, program, tokens, semicolons, commas };
}

/** Removes comments, newlines and trailing commas: about half of a module. */
export function compact(code: Code, changes: readonly Change[] = []): string {
  const changed = new Map(changes.map((change) => [change[0], change]));
  const kept: string[] = [];
  let after = 0;
  let replaced = 0;
  for (const { start, end } of code.tokens) {
    const isApart = start > after;
    after = end;
    if (start < replaced || code.commas.has(start)) continue;
    const [, changedEnd = 0, text = code.text.slice(start, end)] = changed.get(start) ?? [];
    replaced = changedEnd;
    if (text === '') continue;
    add(kept, text, isApart);
    if (code.semicolons.has(end)) kept.push(';');
  }
  return kept.join('');
}

function add(kept: string[], token: string, isApart: boolean): void {
  // JavaScript needs no semicolon here, except for an empty statement, which no module has.
  if (token === '}' && kept.at(-1) === ';') kept.pop();
  if (isApart && !mayTouch(kept.at(-1) ?? '', token)) kept.push(' ');
  kept.push(token);
}

function mayTouch(one: string, other: string): boolean {
  if (/[\w$]$/.test(one)) return !/^[\w$]/.test(other);
  return !/[-+/]$/.test(one) || !/^[-+/*]/.test(other);
}
