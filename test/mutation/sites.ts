import { parsers } from 'prettier/plugins/typescript';

export interface Mutant {
  readonly file: string;
  /** Kind, line text, and index among equal lines: stable as long as the line is unchanged. */
  readonly key: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly [field: string]: unknown;
}

type Change = readonly [kind: string, start: number, end: number, replacement: string];

/** A Map, because product code contains `toString`, which every object has. */
const OPPOSITES: ReadonlyMap<string, string> = new Map(
  [
    ['<', '<='],
    ['>', '>='],
    ['===', '!=='],
    ['&&', '||'],
    ['+', '-'],
    ['some', 'every'],
    ['min', 'max'],
  ].flatMap(([one = '', other = '']) => [
    [one, other],
    [other, one],
  ]),
);

/** All possible mutants of a file. Types, strings and imports stay unchanged. */
export async function findMutants(file: string, text: string): Promise<Mutant[]> {
  const tree: Node = await parsers.typescript.parse(text, { filepath: file } as never);
  const seen = new Map<string, number>();
  return nodesOf(tree)
    .flatMap((node) => changesOf(node, text))
    .map(([kind, start, end, replacement]) => {
      const before = text.slice(0, start).split('\n');
      const same = `${file} | ${kind} | ${text.split('\n')[before.length - 1]?.trim()}`;
      const nth = (seen.get(same) ?? 0) + 1;
      seen.set(same, nth);
      return { file, key: `${same} | ${nth}`, line: before.length, start, end, replacement };
    });
}

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== 'object' || value === null || !('type' in value)) return [];
  const node = value as Node;
  if (node.type.startsWith('TS') && !/As|Satisfies|NonNull/.test(node.type)) return [];
  if (node.type === 'ImportDeclaration') return [];
  return [node, ...Object.values(node).flatMap(nodesOf)];
}

function changesOf(node: Node, text: string): Change[] {
  const [start, end] = node.range;
  const inner = (field: string): Node => node[field] as Node;
  const source = ({ range }: Node): string => text.slice(...range);
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression':
      return [['negate', ...inner('test').range, `!(${source(inner('test'))})`]];
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const operator = node['operator'] as string;
      const at = text.indexOf(operator, inner('left').range[1]);
      const opposite = OPPOSITES.get(operator);
      return opposite === undefined ? [] : [['operator', at, at + operator.length, opposite]];
    }
    case 'MemberExpression': {
      const opposite = OPPOSITES.get(source(inner('property')));
      return opposite === undefined ? [] : [['method', ...inner('property').range, opposite]];
    }
    case 'Literal':
      if (typeof node['value'] === 'boolean')
        return [['constant', start, end, String(!node['value'])]];
      return typeof node['value'] === 'number'
        ? [['constant', start, end, `(${text.slice(start, end)} + 1)`]]
        : [];
    case 'ExpressionStatement':
      return [['drop', start, end, ';']];
    case 'AwaitExpression':
      return [['await', start, end, `(${source(inner('argument'))})`]];
    case 'ReturnStatement':
      return node['argument'] === null ? [] : [['return', start, end, 'return undefined;']];
    case 'SpreadElement':
      return [['spread', start, end, '...[]']];
    default:
      return [];
  }
}

export function choose<T>(all: readonly T[], count: number, seed: number): T[] {
  const left = [...all];
  let state = seed;
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    chosen.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1));
  }
  return chosen;
}
