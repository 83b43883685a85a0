import path from 'node:path';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import { assert, suite } from '../../../support/suite.ts';

const PYTHON_DIR = path.resolve(import.meta.dirname, '../../../../helpers/processor/python');
const TIMEOUT_MS = 60_000;

/** Prints the words of a text layer that was made of `content`, as it is and placed anew by the motion that leaves all in place. */
const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
from text_layer import text_layer, words_of
content = sys.argv[2].encode()
layers = [text_layer(content, motion, 300, (3508, 3508)) for motion in (None, [1, 0, 0, 1, 0, 0])]
print(json.dumps([[word[3] for word in words_of(layer)] for layer in layers]))
`;

/** What Tesseract writes for words one after the other. */
function contentOf(words: readonly string[]): string {
  const shown = words.map((word) => {
    const digits = Buffer.from(word, 'utf16le').swap16().toString('hex').toUpperCase();
    return `/f-0-0 12 Tf 100 Tz [ <${digits}> ] TJ`;
  });
  return `BT\n3 Tr 1 0 0 1 72 700 Tm ${shown.join(' 40 0 Td ')}\nET\n`;
}

const test = suite('the text of a page');

test('its letters are composed, and it has mu in Greek words and the sign for a millionth elsewhere', async () => {
  const content = contentOf(['\u00b5\u03b5\u0301\u03c4\u03c1\u03bf', 'u\u0308ber', '5\u00b5m']);
  const ended = await runProgram(
    {
      file: '/usr/bin/python3',
      args: ['-B', '-c', SCRIPT, PYTHON_DIR, content],
      cwd: '/',
      env: programEnvironment(),
    },
    { timeoutMs: TIMEOUT_MS },
  );
  assert.is(ended.exitCode, 0, ended.stderr);
  const expected = ['\u03bc\u03ad\u03c4\u03c1\u03bf', '\u00fcber', '5\u00b5m'];
  assert.equal(JSON.parse(ended.stdout), [expected, expected]);
});
