import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMultipartForm } from '../../../service/streaming/multipart-form.ts';
import { lookAtFile } from '../../../service/streaming/stored-content.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

const test = withFixture(suite('a multipart form'), async () => {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'page.pdf');
  await writeFile(file, '%PDF-1.7');
  return { content: await lookAtFile(file), close: () => temporary.remove() };
});

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString('utf8');
  return text;
}

test('is read by another implementation as it was written', async ({ content }) => {
  const { headers, body } = createMultipartForm([
    ['tags', '1'],
    ['page', { name: 'Größe "x".pdf', content }],
    ['tags', 'zwei'],
    ['page', { name: 'b.pdf', content }],
  ]);
  const form = await new Response(await textOf(body()), { headers }).formData();
  assert.equal(form.getAll('tags'), ['1', 'zwei']);
  const files = form.getAll('page') as File[];
  assert.equal(
    files.map(({ name, type }) => [name, type]),
    [
      ['Größe "x".pdf', 'application/pdf'],
      ['b.pdf', 'application/pdf'],
    ],
  );
  assert.equal(await Promise.all(files.map((file) => file.text())), ['%PDF-1.7', '%PDF-1.7']);
});

test('tells its exact length, and can be read again', async ({ content }) => {
  const { headers, body } = createMultipartForm([
    ['title', 'Größe'],
    ['document', { name: 'a.pdf', content }],
  ]);
  const text = await textOf(body());
  assert.is(headers['Content-Length'], String(Buffer.byteLength(text)));
  assert.is(await textOf(body()), text);
});

test('a name cannot break out of its header', async ({ content }) => {
  const { body } = createMultipartForm([['x', { name: 'a"\r\nX-Y: z', content }]]);
  assert.match(await textOf(body()), 'filename="a%22%0D%0AX-Y: z"\r\n');
});

test.run();
