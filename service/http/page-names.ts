import type { AnyNode, Identifier, Program } from 'acorn';
import type { Change } from './page-code.ts';

export interface ShortNames {
  readonly changes: readonly Change[];
  readonly of: (name: string) => string;
}

/** In `{ name }`, the variable is a property too: it must become `{ name: a }`. */
interface Place {
  readonly node: Identifier;
  readonly isProperty: boolean;
  /** Undefined for a name that the module does not declare, such as `document`. */
  readonly short: number | undefined;
}

/** A block or function, with its variables and the numbers of their short names. */
interface Scope {
  readonly own: ReadonlyMap<string, number>;
  readonly around: Scope | undefined;
  /** How many short names this scope and those around it use. */
  readonly taken: number;
}

/** Renames variables, but not properties, globals or, unless `isWhole`, top-level names. */
export function shortNames(program: Program, isWhole: boolean): ShortNames {
  const places: Place[] = [];
  const names = isWhole ? namesOfModule(program) : [];
  const scope = within(undefined, names);
  for (const part of program.body) visit(part, scope, (place) => places.push(place));
  const kept = places.filter(({ short }) => short === undefined).map(({ node }) => node.name);
  const short = unusedNames(new Set(kept));
  const nameOf = (name: string, number: number | undefined): string => {
    const now = number === undefined ? name : short[number];
    if (now === undefined) throw new Error('A module of the control page has too many variables.');
    return now;
  };
  return {
    changes: places.flatMap(({ node: { name, start, end }, isProperty, short: number }) => {
      const now = nameOf(name, number);
      return now === name ? [] : [[start, end, isProperty ? `${name}:${now}` : now]];
    }),
    of: (name) => nameOf(name, numberOf(name, scope)),
  };
}

const LETTERS = 'etnsrioalcdupmfhgbvwykxjqzETNSRIOALCDUPMFHGBVWYKXJQZ'.split('');
const KEYWORDS = ['as', 'do', 'if', 'in', 'is', 'of'];

function unusedNames(kept: ReadonlySet<string>): string[] {
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return [...LETTERS, ...pairs].filter((name) => !kept.has(name) && !KEYWORDS.includes(name));
}

function visit(node: AnyNode, around: Scope | undefined, found: (place: Place) => void): void {
  if (node.type === 'FunctionDeclaration' && node.id) visit(node.id, around, found);
  const scope = within(around, declaredBy(node));
  const find = (named: Identifier, isProperty: boolean): void =>
    found({ node: named, isProperty, short: numberOf(named.name, scope) });
  if (node.type === 'Identifier') find(node, false);
  else if (node.type === 'Property' && node.shorthand && node.key.type === 'Identifier') {
    find(node.key, true);
    if (node.value.type === 'AssignmentPattern') visit(node.value.right, scope, found);
  } else for (const part of partsOf(node)) visit(part, scope, found);
}

function within(around: Scope | undefined, names: readonly string[]): Scope | undefined {
  if (names.length === 0) return around;
  const { taken = 0 } = around ?? {};
  const own = new Map(names.map((name, index) => [name, taken + index]));
  return { own, around, taken: taken + names.length };
}

function numberOf(name: string, scope: Scope | undefined): number | undefined {
  return scope?.own.get(name) ?? (scope && numberOf(name, scope.around));
}

/** The identifiers in these are not variables, or linking replaces them. */
const OTHERS = ['ImportDeclaration', 'ExportSpecifier', 'MetaProperty'];

function partsOf(node: AnyNode): AnyNode[] {
  if (OTHERS.includes(node.type)) return [];
  const isComputed = 'computed' in node && node.computed;
  const left = isComputed ? [] : ['key', 'property', 'label'];
  if (node.type === 'FunctionDeclaration') left.push('id');
  return Object.entries(node)
    .filter(([name]) => !left.includes(name))
    .flatMap(([, part]: [string, unknown]) => (Array.isArray(part) ? part : [part]))
    .filter(isNode);
}

function isNode(part: unknown): part is AnyNode {
  return typeof part === 'object' && part !== null && 'type' in part && 'start' in part;
}

function declaredBy(node: AnyNode): string[] {
  if (node.type === 'BlockStatement') return node.body.flatMap(declaredIn);
  if ('params' in node) {
    const own = node.type === 'FunctionExpression' && node.id ? [node.id.name] : [];
    return [...own, ...node.params.flatMap(namesIn)];
  }
  if (node.type === 'CatchClause') return node.param ? namesIn(node.param) : [];
  if (node.type === 'ForStatement') return node.init ? declaredIn(node.init) : [];
  if (node.type === 'ForOfStatement' || node.type === 'ForInStatement')
    return declaredIn(node.left);
  if (node.type === 'SwitchStatement')
    return node.cases.flatMap((one) => one.consequent.flatMap(declaredIn));
  return [];
}

function namesOfModule({ body }: Program): string[] {
  return body.flatMap((node) => {
    if (node.type === 'ImportDeclaration') return node.specifiers.map(({ local }) => local.name);
    if (node.type !== 'ExportNamedDeclaration') return declaredIn(node);
    return node.declaration ? declaredIn(node.declaration) : [];
  });
}

function declaredIn(node: AnyNode): string[] {
  if (node.type === 'FunctionDeclaration') return node.id ? [node.id.name] : [];
  if (node.type !== 'VariableDeclaration') return [];
  if (node.kind === 'var') throw new Error('A module of the control page has no `var`.');
  return node.declarations.flatMap(({ id }) => namesIn(id));
}

/** Returns the variables in a pattern such as `{ a, b: [c = 1], ...d }`. */
function namesIn(pattern: AnyNode): string[] {
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'AssignmentPattern') return namesIn(pattern.left);
  if (pattern.type === 'RestElement') return namesIn(pattern.argument);
  if (pattern.type === 'ArrayPattern')
    return pattern.elements.flatMap((one) => (one ? namesIn(one) : []));
  if (pattern.type !== 'ObjectPattern') throw new Error(`${pattern.type} declares nothing.`);
  return pattern.properties.flatMap((one) => namesIn(one.type === 'Property' ? one.value : one));
}
