import { tokTypes, type Program } from 'acorn';
import path from 'node:path';
import { compact, parseModule, type Change, type Code } from './page-code.ts';
import { shortNames } from './page-names.ts';

/** The browser loads this file and everything that it imports at the start. */
const ENTRY = 'main.js';
const LATER = 'later.js';
/** Contains the modules of the set-up, which is seldom opened. */
const SET_UP = 'set-up.js';
/** Languages stay separate files, because a browser loads only one. */
const LANGUAGE = /^texts\/(?:later-|set-up-)?(?:english|german)\.js$/;

interface Module {
  readonly constant: string;
  readonly imports: readonly string[];
  readonly later: readonly string[];
  readonly code: string;
}

/**
 * Links all modules into `main.js`, `later.js` and `set-up.js`: a quarter smaller, and one request
 * instead of twenty. `sources` are by path below `service/page/`. Throws for syntax that the page
 * does not use.
 */
export function linkModules(sources: ReadonlyMap<string, string>): Map<string, string> {
  const names = [...sources.keys()].toSorted();
  const constantOf = (name: string): string => `$${names.indexOf(name)}`;
  const modules = new Map<string, Module>();
  const linked = new Map<string, string>();
  const codes = new Map([...sources].map(([name, text]) => [name, parseModule(text)]));
  const exportOf = shortExports(codes);
  for (const [name, code] of codes) {
    if (LANGUAGE.test(name))
      linked.set(name, compact(code, shortNames(code.program, false).changes));
    else modules.set(name, toFunction(name, code, { constantOf, exportOf }));
  }
  const start = inOrder(modules, [ENTRY], []);
  const entries = start.flatMap((one) => one.later);
  const shared = new Set(modulesOf(modules, [ENTRY]));
  for (const file of new Set(entries.map(fileOf))) {
    const own = entries.filter((one) => fileOf(one) === file);
    const later = inOrder(modules, own, start);
    const needed = later.flatMap(({ imports }) => modulesOf(modules, imports));
    const from = new Set(needed.filter((one) => start.includes(one)));
    from.forEach((one) => shared.add(one));
    const exported = constantsOf(new Set(modulesOf(modules, own)));
    const code = `import{${constantsOf(from)}}from'./${ENTRY}';${codeOf(later)}`;
    linked.set(file, `${code}export{${exported}};`);
  }
  linked.set(ENTRY, `${codeOf(start)}export{${constantsOf(shared)}};`);
  return linked;
}

/** The file with a module that is imported with `import()`. */
function fileOf(name: string): string {
  return name.startsWith('set-up/') ? SET_UP : LATER;
}

function modulesOf(modules: ReadonlyMap<string, Module>, names: readonly string[]): Module[] {
  return names.flatMap((name) => modules.get(name) ?? []);
}

function constantsOf(modules: ReadonlySet<Module>): string {
  return String([...modules].map(({ constant }) => constant));
}

function codeOf(modules: readonly Module[]): string {
  return modules.map(({ code }) => code).join('');
}

/** Sorts modules after their imports. Leaves out modules in `there`. */
function inOrder(
  modules: ReadonlyMap<string, Module>,
  entries: readonly string[],
  there: readonly Module[],
): Module[] {
  const ordered: Module[] = [];
  const open = new Set<string>();
  const visit = (name: string): void => {
    const found = modules.get(name);
    if (!found) throw new Error(`The control page has no module ${name}.`);
    if (ordered.includes(found) || there.includes(found)) return;
    if (open.has(name)) throw new Error(`${name} is imported by a module that it imports.`);
    open.add(name);
    found.imports.forEach(visit);
    ordered.push(found);
  };
  entries.forEach(visit);
  return ordered;
}

interface Names {
  readonly constantOf: (name: string) => string;
  readonly exportOf: (module: string, name: string) => string;
}

/** Gives exports short names, except in modules that are loaded with `import()`. */
function shortExports(codes: ReadonlyMap<string, Code>): Names['exportOf'] {
  const exported = new Map<string, readonly string[]>();
  const loaded = new Set<string>();
  for (const [name, code] of codes) {
    exported.set(
      name,
      exportsIn(code.program).flatMap(({ names }) => names),
    );
    for (const { from } of dynamicImportsIn(code)) loaded.add(pathFrom(name, from));
  }
  return (module, name) => {
    const index = exported.get(module)?.indexOf(name) ?? 0;
    if (index === -1) throw new Error(`${module} does not export ${name}.`);
    return loaded.has(module) ? name : `_${index}`;
  };
}

function pathFrom(name: string, from: unknown): string {
  return path.posix.join(path.posix.dirname(name), String(from));
}

function toFunction(name: string, code: Code, { constantOf, exportOf }: Names): Module {
  const pathOf = (from: unknown): string => pathFrom(name, from);
  const imports = importsIn(code.program);
  const exports = exportsIn(code.program);
  const calls = dynamicImportsIn(code);
  const short = shortNames(code.program, true);
  const named = (one: string, variable: string): string => {
    const now = short.of(variable);
    return one === now ? one : `${one}:${now}`;
  };
  const changes = [
    ...imports.map(({ start, end, names, from }): Change => {
      const variables = names.map(([imported, local]) =>
        named(exportOf(pathOf(from), imported), local),
      );
      return [start, end, `const{${String(variables)}}=${constantOf(pathOf(from))};`];
    }),
    ...exports.map(({ start, end }): Change => [start, end, '']),
    ...calls.map(({ start, end, from }): Change => {
      const to = pathOf(from);
      const then = `import('./${fileOf(to)}').then(e=>e.${constantOf(to)})`;
      return [start, end, LANGUAGE.test(to) ? `import('./${to}')` : then];
    }),
    ...short.changes,
  ];
  const exported = exports.flatMap(({ names }) =>
    names.map((one) => named(exportOf(name, one), one)),
  );
  const constant = constantOf(name);
  const body = `${compact(code, changes)}return{${String(exported)}};`;
  return {
    constant,
    imports: imports.map(({ from }) => pathOf(from)),
    later: calls.map(({ from }) => pathOf(from)).filter((to) => !LANGUAGE.test(to)),
    code: `const ${constant}=await(async()=>{${body}})();`,
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Import extends Place {
  readonly from: unknown;
  readonly names: readonly (readonly [imported: string, local: string])[];
}

function importsIn({ body }: Program): Import[] {
  return body.flatMap((node) => {
    if (node.type !== 'ImportDeclaration') return [];
    const { start, end, source, specifiers } = node;
    const names = specifiers.map((one) => {
      if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier')
        return [one.imported.name, one.local.name] as const;
      throw new Error(`Only names can be imported from ${source.raw}.`);
    });
    return [{ start, end, from: source.value, names }];
  });
}

interface Export extends Place {
  readonly names: readonly string[];
}

function exportsIn({ body }: Program): Export[] {
  return body.flatMap((node): Export[] => {
    if (node.type === 'ImportDeclaration' || !/^(?:Import|Export)/.test(node.type)) return [];
    if (node.type !== 'ExportNamedDeclaration' || node.source)
      throw new Error('A module of the control page exports names of its own.');
    const { start, end, declaration, specifiers } = node;
    if (declaration)
      return [{ start, end: start + 'export'.length, names: declaredBy(declaration) }];
    const names = specifiers.map(({ local, exported }) => {
      if (
        local.type === 'Identifier' &&
        exported.type === 'Identifier' &&
        local.name === exported.name
      )
        return local.name;
      throw new Error('A module of the control page exports its names as they are.');
    });
    return [{ start, end, names }];
  });
}

type Named = Extract<Program['body'][number], { type: 'ExportNamedDeclaration' }>;

/** Rejects `let`, because an importing module would not see later values. */
function declaredBy(declaration: NonNullable<Named['declaration']>): string[] {
  if (declaration.type === 'FunctionDeclaration') return [declaration.id.name];
  if (declaration.type !== 'VariableDeclaration' || declaration.kind !== 'const')
    throw new Error('A module of the control page exports functions and constants.');
  return declaration.declarations.map(({ id }) => {
    if (id.type === 'Identifier') return id.name;
    throw new Error('A module of the control page exports whole values.');
  });
}

/** Searches the code, because comments contain `import()` too, for types. */
function dynamicImportsIn({ text, tokens }: Code): Omit<Import, 'names'>[] {
  return tokens.flatMap(({ type, start }, index) => {
    const [parenthesis, from, close] = tokens.slice(index + 1, index + 4);
    if (type !== tokTypes._import || parenthesis?.type !== tokTypes.parenL) return [];
    if (from?.type !== tokTypes.string || close?.type !== tokTypes.parenR)
      throw new Error('A module of the control page is loaded by its name.');
    return [{ start, end: close.end, from: text.slice(from.start + 1, from.end - 1) }];
  });
}
