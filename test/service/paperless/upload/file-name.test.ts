import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeFileName } from '../../../../service/paperless/upload/file-name.ts';

const test = suite('file name');

const CASES: readonly (readonly [string, string, string])[] = [
  ['a plain name stays', 'document-0001.pdf', 'document-0001.pdf'],
  ['Unicode stays', 'Größe 你好.pdf', 'Größe 你好.pdf'],
  ['decomposed Unicode is composed', 'Gro\u0308ße.pdf', 'Größe.pdf'],
  ['a missing extension is added', 'scan', 'scan.pdf'],
  ['an extension in capitals becomes the small one', 'scan.PDF', 'scan.pdf'],
  ['another extension is kept as part of the name', 'scan.tif', 'scan.tif.pdf'],
  ['directories are no part of it', '../etc/passwd', '.. etc passwd.pdf'],
  ['nothing breaks the header', 'a"b\r\nc\\d.pdf', 'a b c d.pdf'],
  ['an empty name gets one', '.pdf', 'document.pdf'],
  ['half a surrogate pair is replaced', 'a\ud800.pdf', 'a\ufffd.pdf'],
];

for (const [title, name, expected] of CASES) {
  test(title, () => {
    assert.is(safeFileName(name), expected);
  });
}

for (const character of ['x', 'ö', '你', '😀']) {
  test(`a name of many ${character} has at most 200 bytes and no half character`, () => {
    const name = safeFileName(`${character.repeat(300)}.pdf`);
    const bytes = Buffer.byteLength(name);
    assert.ok(bytes <= 200 && bytes > 195, `${bytes} bytes`);
    assert.is(name, `${character.repeat((bytes - 4) / Buffer.byteLength(character))}.pdf`);
  });
}

test.run();
