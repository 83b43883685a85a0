import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeForm } from '../../../service/http-client/multipart-form.ts';
import { openStoredFile } from '../../../service/http-client/stored-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

const test = withFixture(suite('a multipart form'), async () => {
  const temporary = await temporaryDirectory();
  const file = path.join(temporary.path, 'page.pdf');
  await writeFile(file, '%PDF-1.7');
  const fileOf = (name: string): Promise<File> =>
    openStoredFile(file, { type: 'application/pdf', name });
  return { fileOf, close: () => temporary.remove() };
});

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString('utf8');
  return text;
}

test('is read by another implementation as it was written', async ({ fileOf }) => {
  const written = new FormData();
  written.append('tags', '1');
  written.append('page', await fileOf('Größe "x".pdf'));
  written.append('tags', 'zwei');
  written.append('page', await fileOf('b.pdf'));
  const { headers, body } = encodeForm(written);
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

test('a name cannot break out of its header', async ({ fileOf }) => {
  const form = new FormData();
  form.append('x', await fileOf('a"\r\nX-Y: z'));
  const { body } = encodeForm(form);
  assert.match(await textOf(body()), 'filename="a%22%0D%0AX-Y: z"\r\n');
});

test.run();
