import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleModules } from '../../../service/http/page-modules.ts';
import { assert, rejection, withFixture } from '../../support/suite.ts';

interface Fixture {
  /** Writes files by their paths, and resolves with the directory. */
  readonly write: (under: string, files: Iterable<readonly [string, string]>) => Promise<string>;
}

const test = withFixture<Fixture>('the modules of the control page as they are sent', (directory) =>
  Promise.resolve({
    write: async (under, files) => {
      const root = path.join(directory, under);
      for (const [name, code] of files) {
        await mkdir(path.dirname(path.join(root, name)), { recursive: true });
        await writeFile(path.join(root, name), code);
      }
      return root;
    },
  }),
);

const MODULES: readonly (readonly [string, string])[] = [
  [
    'main.js',
    `import { log, log as note } from './log.js'; // comment
     import { twice } from './parts/twice.js';
     globalThis.pageTest = {
       started: log('main', twice(2)),
       more: async () => {
         const { third } = await import('./parts/third.js');
         return note('more', third(), (await import('./texts/english.js')).texts);
       },
     };`,
  ],
  [
    'log.js',
    'const said = []; function log(...words) { said.push(words); return said; } export { log };',
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
  ['package.json', '{ "type": "module" }'],
];

interface Started {
  readonly started: readonly unknown[];
  readonly more: () => Promise<readonly unknown[]>;
}

test('are one file for the start and one for each later import, evaluated once in order', async ({
  write,
}) => {
  const sent = await bundleModules(await write('page', MODULES));
  assert.equal([...sent.keys()].toSorted(), ['main.js', 'parts/third.js', 'texts/english.js']);
  const served = await write('sent', [...sent, ['package.json', '{ "type": "module" }']]);
  await import(pathToFileURL(path.join(served, 'main.js')).href);
  const { started, more } = (globalThis as unknown as { readonly pageTest: Started }).pageTest;
  assert.equal(started, [['twice'], ['main', 4]]);
  const said = JSON.stringify(await more());
  assert.is(said, '[["twice"],["main",4],["third"],["more",6,{}]]');
});

test('have no comments or line ends, and no syntax that old browsers lack', async ({ write }) => {
  const main = `/* one */ class A { static { document.title = 'x'; } } // two
    new A();`;
  const sent = await bundleModules(await write('page', [['main.js', main]]));
  const code = sent.get('main.js') ?? '';
  assert.match(code, /document\.title/);
  assert.not.match(code, /one|two|static\{|\n./);
});

const REFUSED: readonly (readonly [what: string, code: string, why: RegExp])[] = [
  ['syntax', 'const', /log\.js/],
  ['a missing module', `import { missing } from './missing.js';`, /missing\.js/],
  ['a missing later module', `void import('./missing.js');`, /missing\.js/],
  ['a missing export', `import { wrong } from './parts/twice.js'; wrong();`, /wrong/],
  ['a cycle', `import './main.js';`, /[Cc]ircular/],
];

for (const [what, code, why] of REFUSED) {
  test(`are refused for ${what}`, async ({ write }) => {
    const broken = ['log.js', `${code}\nexport const log = () => [];`] as const;
    const directory = await write('page', [...MODULES, broken]);
    assert.match(String(await rejection(bundleModules(directory))), why);
  });
}
