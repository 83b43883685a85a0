import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DOCUMENT_NAME, pageNumber } from '../../../service/archive/file-names.ts';

const test = suite('names in a scan directory');

test('a page is known by its number', () => {
  assert.is(pageNumber('page-0001.tif'), 1);
  assert.is(pageNumber('page-0200.tif'), 200);
  assert.is(pageNumber('page-9999.tif'), 9999);
});

for (const name of [
  'page-1.tif',
  'page-00001.tif',
  'page-0001.tif.part',
  'page-0001.tiff',
  'PAGE-0001.tif',
  'xpage-0001.tif',
  'page-0001.tif\n',
  'page-000١.tif',
  'document-0001.pdf',
  '__proto__',
  '',
]) {
  test(`${JSON.stringify(name)} is no page`, () => assert.is(pageNumber(name), undefined));
}

test('a document is known by its whole name', () => {
  assert.ok(DOCUMENT_NAME.test('document-0001.pdf'));
  for (const name of ['document-0001.pdf.tmp', 'document-1.pdf', '../document-0001.pdf']) {
    assert.not.ok(DOCUMENT_NAME.test(name), name);
  }
});

test.run();
