import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  pageNamed,
  PAGES_DIR,
  pagesTagged,
  readManifest,
  stackOf,
  type Manifest,
} from '../../../simulators/pages/manifest.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The images are in every clone of the repository. */
const MAX_TOTAL_BYTES = 6 * 1024 * 1024;

const test = suite<{ manifest: Manifest }>('shipped pages');

test.before(async (context) => {
  context.manifest = await readManifest();
});

test('are what the manifest says, image for image', async ({ manifest }) => {
  const files = (await readdir(PAGES_DIR)).filter((name) => /\.(?:jpg|png)$/.test(name));
  assert.equal(files.toSorted(), manifest.pages.map(({ file }) => file).toSorted());
  assert.ok(files.length >= 14);
  const names = new Set(manifest.pages.map(({ name }) => name));
  assert.is(names.size, manifest.pages.length);
});

test('are A4 at 300 dpi, but for those on small paper', async ({ manifest }) => {
  for (const { file, mode, tags } of manifest.pages) {
    const { width, height, density, channels } = await sharp(path.join(PAGES_DIR, file)).metadata();
    assert.is(density, 300, file);
    if (!tags.includes('small-paper')) assert.equal([width, height], [2480, 3508], file);
    if (file.endsWith('.jpg')) assert.is(channels, mode === 'gray' ? 1 : 3, file);
  }
});

test('have a text, and only the blank ones an empty one', async ({ manifest }) => {
  for (const { text, tags } of manifest.pages) {
    const words = (await readFile(path.join(PAGES_DIR, text), 'utf8')).split(/\s+/).filter(Boolean);
    if (tags.includes('blank')) assert.is(words.length, 0, text);
    else assert.ok(words.length > 50, text);
    assert.not(
      words.some((word) => /<|&\w+;/.test(word)),
      text,
    );
  }
});

test('take no more room than they should', async () => {
  const names = await readdir(PAGES_DIR);
  const files = await Promise.all(names.map((name) => stat(path.join(PAGES_DIR, name))));
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  assert.ok(bytes <= MAX_TOTAL_BYTES, `${bytes} bytes`);
});

test('can be found by name and by tag', ({ manifest }) => {
  assert.is(pageNamed(manifest, 'letter-german').language, 'deu');
  assert.ok(pagesTagged(manifest, 'clean').length >= 10);
  assert.ok(pagesTagged(manifest, 'blank').length >= 2);
  assert.throws(() => pageNamed(manifest, 'nope'), /No page "nope"/);
});

test('make stacks of files that exist', async ({ manifest }) => {
  assert.is(stackOf(manifest, 'demo').length, 6);
  const ten = stackOf(manifest, 'ten');
  assert.is(new Set(ten).size, 10);
  for (const stack of Object.keys(manifest.stacks)) {
    for (const paper of stackOf(manifest, stack)) {
      const sides = typeof paper === 'string' ? [paper] : [paper.front, paper.back ?? paper.front];
      for (const side of sides) assert.ok((await stat(side)).isFile());
    }
  }
  assert.throws(() => stackOf(manifest, 'nope'), /No stack "nope"; there are: demo, ten/);
});

test('a stack may hold a sheet without a back', ({ manifest }) => {
  const stacks = { one: [{ front: 'form' }] };
  assert.equal(stackOf({ ...manifest, stacks }, 'one', '/pages'), [{ front: '/pages/form.png' }]);
});

test('a manifest that is wrong is refused', async () => {
  const directory = await temporaryDirectory();
  await writeFile(`${directory.path}/manifest.json`, '{}');
  const refused = await readManifest(directory.path).then(
    () => '',
    (error: unknown) => String(error),
  );
  assert.match(refused, '"pages" is required');
  await directory.remove();
});

test.run();
