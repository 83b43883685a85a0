import { mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { compact, parseModule } from '../../../service/http/page-code.ts';
import { linkModules } from '../../../service/http/page-modules.ts';
import { shortNames } from '../../../service/http/page-names.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('the modules of the control page as they are sent');

function sent(text: string, isWhole = true): string {
  const code = parseModule(text);
  return compact(code, shortNames(code.program, isWhole).changes);
}

test('comments, newlines and trailing commas are removed, and inserted semicolons written out', () => {
  assert.is(
    sent('/* a */ const { x,\n } = y // b\nlet z = 1\n++z', false),
    'const{x}=y;let z=1;++z;',
  );
  assert.is(
    sent('const a = `/* no\n  note */ ${b} c`;', false),
    'const a=`/* no\n  note */ ${b} c`;',
  );
  assert.is(sent('a = b - -c + +d / /e/;', false), 'a=b- -c+ +d/ /e/;');
  assert.throws(() => parseModule('const'), /SyntaxError|Unexpected/);
});

const SAME = [
  'function same(same) { return same + 1; } const other = (same) => same; result = [same(1), other(2), (function same(same) { return same; })(3)];',
  'const one = 1; { const one = 2; { const two = 3; result = [one, two]; } }',
  'const make = ({ a = 1, b: [c, ...d], ...rest }) => ({ a, c, d, rest, make: typeof make }); result = make({ b: [2, 3, 4], e: 5 });',
  'let count = 0; for (let count = 5; count < 7; count += 1); for (const count of [1]) result = count; result += count;',
  'const key = "name"; const thing = { key, [key]: key, name2: { key } }; result = [thing.key, thing[key], thing?.name2.key];',
  'function outer(value) { return inner(value) + 1; function inner(value) { return value * 2; } } result = outer(4);',
  'result = (function again(left) { return left === 0 ? "end" : again(left - 1); })(3);',
  'let caught; try { throw new Error("x"); } catch ({ message }) { caught = message; } result = caught;',
  'around: for (const around of [1, 2]) { for (;;) { result = around; continue around; } }',
  'switch (1) { case 1: { result = "a"; break; } default: const later = 2; result = later; }',
  'const { length: size = 0, ...others } = "abc"; let swapped = 1; ({ swapped = 3 } = {}); result = [size, swapped, Object.keys(others)];',
  'const t = 1; const e = () => typeof n; result = [t, e()];',
  'const text = (name) => `${name}: ${((name) => name)("inner")}`; result = text("outer");',
];

test('short names change no value', () => {
  for (const code of SAME) {
    const [before, after] = [code, sent(code)].map((text) =>
      // oxlint-disable-next-line typescript/no-implied-eval -- code of this test
      new Function('result', `'use strict'; ${text}; return result;`)(),
    );
    assert.equal(after, before, sent(code));
    assert.is.not(sent(code), compact(parseModule(code)));
  }
});

test('globals keep their names, even those that a short name would shadow', () => {
  assert.is(sent('const long = e; document.title = t(long);'), 'const n=e;document.title=t(n);');
  assert.throws(() => sent('var a = 1;'), /no `var`/);
});

const MODULES = new Map([
  [
    'main.js',
    `import { log, log as note } from './log.js';
     import { twice } from './parts/twice.js';
     export const started = log('main', twice(2));
     export const setUp = async () => (await import('./set-up/set-up.js')).set();
     export const more = async () => {
       const { third } = await import('./parts/third.js');
       return note('more', third(), (await import('./texts/english.js')).texts);
     };`,
  ],
  [
    'log.js',
    'const said = []; function log(...words) { return [...said.splice(0, 0, words), said].at(-1); } export { log };',
  ],
  [
    'parts/twice.js',
    `import { log } from '../log.js'; log(await 'twice'); export function twice(log) { return log * 2; }`,
  ],
  [
    'parts/third.js',
    `import { twice } from './twice.js'; import { log } from '../log.js'; log('third'); export const third = () => twice(3);`,
  ],
  ['texts/english.js', 'export const texts = { hello: (name) => name };'],
  [
    'set-up/set-up.js',
    `import { log } from '../log.js'; export const set = async () => log((await import('../texts/set-up-german.js')).words);`,
  ],
  ['texts/set-up-german.js', 'export const words = "nur hier";'],
]);

test('modules are evaluated in the order of their imports, each once', async ({ file }) => {
  const linked = linkModules(MODULES);
  const files = ['later.js', 'main.js', 'set-up.js', 'texts/english.js', 'texts/set-up-german.js'];
  assert.equal([...linked.keys()].toSorted(), files);
  await mkdir(file('texts'));
  await writeFile(file('package.json'), '{ "type": "module" }');
  for (const [name, code] of linked) await writeFile(file(name), code);
  const main = await import(pathToFileURL(file('main.js')).href);
  const [own] = Object.values<Record<string, unknown>>(main).filter((one) => '_2' in one);
  assert.equal(own?.['_0'], [['main', 4], ['twice']]);
  const more = own?.['_2'] as (() => Promise<unknown[]>) | undefined;
  const said = await more?.();
  assert.equal(JSON.parse(JSON.stringify(said)), [
    ['more', 6, {}],
    ['third'],
    ['main', 4],
    ['twice'],
  ]);
  const setUp = own?.['_1'] as (() => Promise<unknown[]>) | undefined;
  assert.equal((await setUp?.())?.[0], ['nur hier'], 'it shares the modules of the start');
});

const REFUSED: [code: string, why: RegExp][] = [
  [`import './log.js';\nimport * as all from './log.js';`, /Only names/],
  [`import { missing } from './missing.js';`, /no module missing\.js/],
  [`import { missing } from './parts/twice.js';`, /does not export missing/],
  ['export let changing = 1;', /functions and constants/],
  ['export const { part } = {};', /whole values/],
  ['export default 1;', /names of its own/],
  [`export * from './log.js';`, /names of its own/],
  ['const a = 1; export { a as b };', /as they are/],
  ['const name = "./log.js"; import(name);', /by its name/],
  [`import { started } from './main.js';`, /imported by a module that it imports/],
];

test('a module that cannot be linked is refused', () => {
  for (const [code, why] of REFUSED)
    assert.throws(
      () => linkModules(new Map([...MODULES, ['log.js', `${code}\nexport const log = 0;`]])),
      why,
    );
});
