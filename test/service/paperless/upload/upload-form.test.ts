import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import {
  createUploadForm,
  mergeMetadata,
} from '../../../../service/paperless/upload/upload-form.ts';
import { heldBytes } from '../../../support/held-bytes.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { createBench } from './delivery-bench.ts';

const test = withFixture('upload form', () => createBench());

/** A scan of some hundred colour pages. */
const LARGE_BYTES = 300_000_000;

/** Far below LARGE_BYTES, far above what reading in pieces takes. */
const MEMORY_BYTES = 60_000_000;

/** How often it is measured: a garbage collection takes some milliseconds. */
const MEASURED_EVERY_BYTES = 20_000_000;

async function collect(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

test('the parts are the fields, one per tag, then the PDF', async ({ document }) => {
  const file = await document('Größe.pdf');
  const form = await createUploadForm(file, { tags: [1, 2], custom_fields: { 1: 'R-1', 2: null } });
  const body = await collect(form.body());
  const names = [...body.matchAll(/form-data; (.*)/g)].map((match) => match[1]?.trimEnd());
  assert.equal(names, [
    'name="tags"',
    'name="tags"',
    'name="custom_fields"',
    'name="document"; filename="Größe.pdf"',
  ]);
  assert.match(body, /\r\n\r\n\{"1":"R-1","2":null\}\r\n/);
  assert.match(body, /Content-Type: application\/pdf\r\n\r\n%PDF-1\.7\n/);
});

test('a large document is never in memory as a whole', async ({ document }) => {
  const file = await document('large.pdf');
  await truncate(file.path, LARGE_BYTES);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file.path), hash);
  const sha256 = hash.digest('hex');
  const form = await createUploadForm({ ...file, bytes: LARGE_BYTES, sha256 }, {});
  const before = heldBytes();
  let [bytes, measuredAt, peak] = [0, 0, before];
  for await (const chunk of form.body()) {
    bytes += chunk.length;
    if (bytes - measuredAt < MEASURED_EVERY_BYTES) continue;
    measuredAt = bytes;
    peak = Math.max(peak, heldBytes());
  }
  assert.is(String(bytes), form.headers['Content-Length']);
  assert.ok(peak - before < MEMORY_BYTES, `${peak - before} bytes more`);
});

const DESTINATION = {
  kind: 'dms',
  base_url: 'http://paperless:8000',
  token_secret: 'dms_api_token',
  tags: [3, 4],
  correspondent: 1,
  document_type: 2,
  storage_path: 5,
} as const;

test('the request comes before the profile', () => {
  const requested = { correspondent: 7, document_type: 8, storage_path: 9 };
  assert.equal(mergeMetadata(DESTINATION, requested), { ...requested, tags: [3, 4] });
});

test('tags of both are sent, each once, those of the profile first', () => {
  assert.equal(mergeMetadata(DESTINATION, { tags: [4, 9, 9] }).tags, [3, 4, 9]);
});
