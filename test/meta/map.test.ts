import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('the map of the tests');

const ROOT = join(import.meta.dirname, '../..');

/** The names in backticks of the last column of a table; `edited-pages` stands beside the name before it. */
function namedTests(file: string, heading: string): string[] {
  const [, part = ''] = readFileSync(join(ROOT, file), 'utf8').split(`\n## ${heading}\n`);
  const rows = part.split('\n## ')[0]?.match(/^\|.*`.*\|$/gm) ?? [];
  return rows.flatMap((row) => {
    let folder = '';
    const names = [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(
      ([, name = '']) => name,
    );
    return names.map((name) => {
      if (name.includes('/')) folder = name.slice(0, name.lastIndexOf('/'));
      return name.includes('/') ? name : `${folder}/${name}`;
    });
  });
}

for (const [file, heading] of [
  ['docs/reliability.md', 'Which test proves what'],
  ['test/README.md', 'Breaking it on purpose'],
] as const) {
  test(`every test that ${file} names is there`, () => {
    const names = namedTests(file, heading);
    assert.ok(names.length > 20, `${names.length}`);
    assert.equal(
      names.filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`))),
      [],
    );
  });
}

test.run();
