import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDocumentForm } from '../../../service/processor/processor-client.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

const test = withFixture(suite('the form of a document'), async () => {
  const temporary = await temporaryDirectory();
  const pages = ['page-0001.pdf', 'page-0002.pdf'].map((name) => path.join(temporary.path, name));
  for (const [index, page] of pages.entries()) await writeFile(page, `%PDF-${index + 1}`);
  return { directory: temporary.path, pages, close: () => temporary.remove() };
});

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

test('holds the options and the pages in their order', async ({ pages }) => {
  const options = { title: 'Größe "x"', output_type: 'pdf' };
  const { headers, body } = await createDocumentForm(pages, options);
  const text = await textOf(body());
  const response = new Response(text, { headers });
  const form = await response.formData();
  assert.equal([...form.keys()], ['options', 'page', 'page']);
  assert.equal(JSON.parse(form.get('options') as string), options);
  const parts = form.getAll('page') as File[];
  assert.equal(await Promise.all(parts.map((part) => part.text())), ['%PDF-1', '%PDF-2']);
  assert.equal(
    parts.map((part) => part.type),
    ['application/pdf', 'application/pdf'],
  );
  assert.equal(
    parts.map((part) => part.name),
    ['page-0001.pdf', 'page-0002.pdf'],
  );
});

test('knows its exact length, and can be sent twice', async ({ pages }) => {
  const { headers, body } = await createDocumentForm(pages, { title: 'Ä' });
  const [first, second] = [await textOf(body()), await textOf(body())];
  assert.is(first, second);
  const length = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length');
  assert.is(Number(length?.[1]), Buffer.byteLength(first));
});

test('a page that is not there is an error', async ({ directory }) => {
  const error = await rejection(createDocumentForm([path.join(directory, 'none.pdf')], {}));
  assert.instance(error, Error);
});

test('a page that is replaced while it is sent is an error, and not a mixture', async ({
  pages,
}) => {
  const { body } = await createDocumentForm(pages, {});
  await writeFile(pages[1] ?? '', 'something longer than before');
  assert.instance(await rejection(textOf(body())), Error);
});

test.run();
