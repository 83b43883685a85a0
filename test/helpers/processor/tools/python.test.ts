import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findPythonScript } from '../../../../helpers/processor/tools/python.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';

const test = withFixture(suite('finding a Python script'), async () => {
  const temporary = await temporaryDirectory();
  const inside = (name: string): string => path.join(temporary.path, name);
  await Promise.all(['first', 'second'].map((name) => mkdir(inside(name))));
  return {
    searchPath: `${inside('first')}:${inside('nowhere')}:${inside('second')}`,
    inside,
    close: () => temporary.remove(),
  };
});

test('is the first program of that name, where Debian’s Python runs it', async ({
  searchPath,
  inside,
}) => {
  await writeFile(inside('second/tool'), '#!/usr/bin/python3\nprint()\n');
  assert.is(await findPythonScript('tool', searchPath), inside('second/tool'));
  await writeFile(inside('first/tool'), '#!/usr/bin/python3');
  assert.is(await findPythonScript('tool', searchPath), inside('first/tool'));
});

test('is nothing where another program comes first', async ({ searchPath, inside }) => {
  await writeFile(inside('second/tool'), '#!/usr/bin/python3\n');
  for (const start of [
    '#!/bin/sh\n',
    '#!/usr/bin/python3.9\n',
    '#!/usr/bin/python3 -O\n',
    '\x7fELF',
    '',
  ]) {
    await writeFile(inside('first/tool'), start);
    assert.is(await findPythonScript('tool', searchPath), undefined, JSON.stringify(start));
  }
});

test('is nothing where there is none', async ({ searchPath }) => {
  assert.is(await findPythonScript('tool', searchPath), undefined);
});

test('Debian’s OCRmyPDF is one', async () => {
  assert.is(await findPythonScript('ocrmypdf', '/usr/bin:/bin'), '/usr/bin/ocrmypdf');
});

test.run();
