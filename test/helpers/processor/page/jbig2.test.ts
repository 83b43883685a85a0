import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeJbig2 } from '../../../../helpers/processor/page/jbig2.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';
import { jobContext } from '../support/job-context.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { pageTiff, pageWork, recognized } from '../support/page-samples.ts';

const test = withFixture(suite('JBIG2'), async () => {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  return {
    directory,
    image: await pageTiff(directory, 'invoice', { height: 200, bilevel: true }),
    encode: async (script: string, timeoutMs = 10_000): Promise<string | null> => {
      const context = await jobContext(directory, { programs: { jbig2: script }, timeoutMs });
      return encodeJbig2(path.join(directory, 'x'), context);
    },
    close: () => temporary.remove(),
  };
});

test('what the encoder prints is the stream, byte by byte', async ({ encode }) => {
  const file = await encode(String.raw`printf '\000\377\012'; [ "$1" = -p ] && [ $# = 2 ]`);
  assert.ok(file !== null);
  assert.equal([...(await readFile(file ?? ''))], [0, 255, 10]);
});

test('an encoder that fails, crashes, hangs or is not there gives no stream', async ({
  encode,
}) => {
  assert.is(await encode('echo half; exit 1'), null);
  assert.is(await encode('kill -SEGV $$'), null);
  assert.is(await encode('sleep 600', 300), null);
  assert.is(await encode('exec /nonexistent'), null);
});

test('a page whose encoder fails is compressed the other way', async ({ directory, image }) => {
  const searchPath = await fakePrograms(directory, { jbig2: 'kill -SEGV $$' });
  const work = pageWork(directory, image.file, { searchPath, jbig2: true });
  const page = await recognized(work);
  assert.is((await imagesOf(page.pdf))[0]?.encoding, 'ccitt');
});

test('a page that the encoder took has its stream', async ({ directory, image }) => {
  const searchPath = await fakePrograms(directory, { jbig2: 'echo a stream' });
  const work = pageWork(directory, image.file, { searchPath, jbig2: true });
  const page = await recognized(work);
  assert.is((await imagesOf(page.pdf))[0]?.encoding, 'jbig2');
});

const hasEncoder = await access('/usr/bin/jbig2').then(
  () => true,
  () => false,
);

if (hasEncoder) {
  test('the real encoder is a third smaller than group 4', async ({ directory, image }) => {
    const sizes: number[] = [];
    for (const jbig2 of [false, true]) {
      const work = pageWork(directory, image.file, { jbig2 });
      sizes.push((await readFile((await recognized(work)).pdf)).length);
    }
    assert.ok((sizes[1] ?? 0) < (sizes[0] ?? 0), sizes.join(' '));
  });
}

test.run();
