import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, truncate } from 'node:fs/promises';
import { connect, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findUpload, type FoundTask } from '../../../../service/paperless/upload/find-upload.ts';
import {
  createUploadForm,
  mergeMetadata,
} from '../../../../service/paperless/upload/upload-form.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import { dismissTasks } from '../../../support/dismiss-tasks.ts';
import { heldBytes } from '../../../support/held-bytes.ts';
import { serve } from '../../../support/serve.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { assertEnds, createBench, errorOf, SENTINEL, deadline } from './delivery-bench.ts';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';

const test = withFixture('delivering a document', () => createBench());

for (const version of ['2.20', '3.0'] as const) {
  const taking = withFixture(`Paperless-ngx ${version}`, () => createBench({ version }));
  taking('accepts a document with all its metadata', async (bench) => {
    const document = await bench.document('Größe"2026.pdf');
    const delivery = await bench.deliver({
      document,
      destination: bench.destination({ tags: [3], correspondent: 1 }),
      metadata: {
        title: 'Invoice {{ 1+1 }}',
        created: '2026-11-20',
        tags: [3, 4],
        correspondent: 2,
        document_type: 1,
        storage_path: 3,
        archive_serial_number: 17,
        custom_fields: { 1: 'R-1', 2: 'EUR42.00' },
      },
    });
    await bench.dms.idle();
    const [stored] = bench.dms.documents();
    const [task] = bench.dms.tasks();
    assert.equal(delivery, {
      entry: { status: 'submitted', task_id: task?.task_id },
      outcome: 'accepted',
    });
    assert.equal(await readFile(stored?.path ?? ''), await readFile(document.path));
    const { path: _path, added: _added, md5: _md5, ...facts } = stored ?? {};
    assert.equal(facts, {
      id: 1,
      title: 'Invoice { { 1+1 } }',
      created: '2026-11-20',
      tags: [3, 4],
      correspondent: 2,
      document_type: 1,
      storage_path: 3,
      archive_serial_number: 17,
      custom_fields: { 1: 'R-1', 2: 'EUR42.00' },
      original_file_name: 'Größe 2026.pdf',
      bytes: document.bytes,
      sha256: document.sha256,
    });
  });
}

test('the request is exactly what Paperless-ngx needs', async ({ dms, deliver }) => {
  await deliver();
  const { headers } = dms.uploads()[0] ?? {};
  assert.is(headers?.['transfer-encoding'], undefined);
  assert.match(headers?.['content-length'] ?? '', /^\d+$/);
  assert.match(headers?.['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.is(headers?.accept, 'application/json; version=9');
  assert.is(headers?.['accept-language'], 'en');
  assert.is(headers?.['accept-encoding'], 'identity');
  assert.is(headers?.authorization, `Token ${SENTINEL}`);
  assert.is(headers?.connection, 'close');
});

test('a log line names the document, the destination and the task', async ({
  captured,
  dms,
  deliver,
}) => {
  await deliver();
  const [line, ...more] = captured.lines();
  assert.equal(more, []);
  const { task_id = '' } = dms.uploads()[0] ?? {};
  assert.is(line?.['task_id'], task_id);
  assert.is(line?.['task_url'], `${dms.url}/api/tasks/?task_id=${task_id}`);
  assert.is(line?.['outcome'], 'accepted');
});

test('a proxy that breaks all versions is named', async ({ dms, deliver }) => {
  dms.setFault({ kind: 'answer', status: 406, body: '{"detail":"Invalid version."}' });
  const delivery = await deliver();
  assertEnds(
    delivery,
    'refused: Paperless-ngx has no API version that this service knows, or a reverse proxy changes the Accept header (406 Invalid version). Check both.',
  );
  assert.is(dms.uploads().length, 2);
});

test('a document with a changed size is not sent', async ({ dms, deliver, document }) => {
  const file = await document();
  const delivery = await deliver({ document: { ...file, bytes: file.bytes + 1 } });
  assert.is(
    errorOf(delivery),
    'document-0001.pdf cannot be uploaded. Check the scan directory. (its file has 200 bytes instead of 201)',
  );
  assert.is(dms.uploads().length, 0);
});

test('a document with changed bytes is not sent', async ({ dms, deliver, document }) => {
  const file = await document();
  const { sha256 } = await document('another.pdf');
  const delivery = await deliver({ document: { ...file, sha256 } });
  assertEnds(delivery, 'refused: document-0001.pdf cannot be uploaded. … SHA-256 differs…');
  assert.is(dms.uploads().length, 0);
});

test('a deadline that passes while connecting', async ({ deliver, destination }) => {
  const { signal, pass } = deadline();
  // Accepts the connection but never answers the TLS handshake.
  const silent = await serve(
    createTcpServer((socket) => void socket.on('error', () => {}).once('data', pass)),
  );
  const base_url = silent.url.replace('http', 'https');
  const delivery = await deliver({ destination: destination({ base_url }), signal });
  await silent.close();
  assertEnds(delivery, `refused: The deadline passed while connecting to ${base_url}.`);
});

test('a trusted certificate lets the document through', async (bench) => {
  const trusted = getCACertificates('default');
  const certificate = createSelfSignedCertificate();
  setDefaultCACertificates([...trusted, certificate.cert]);
  const server = createServer(certificate, (socket) => {
    const upstream = connect(bench.dms.port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => socket.destroy()).pipe(socket);
  });
  const { close, url } = await serve(server);
  try {
    const base_url = url.replace('http', 'https');
    const document = await bench.document('large.pdf', 3_000_000);
    const destination = bench.destination({ base_url });
    assert.is((await bench.deliver({ document, destination })).outcome, 'accepted');
    assert.is(bench.dms.uploads()[0]?.sha256, document.sha256);
    bench.dms.setFault({ kind: 'reset', when: 'after_body' });
    assert.is((await bench.deliver({ document, destination })).outcome, 'unknown');
  } finally {
    await close();
    setDefaultCACertificates(trusted);
  }
});

const form = withFixture('the form of an upload', () => createBench());

/** Size of a document of a hundred colour pages. */
const LARGE_BYTES = 120_000_000;

/** Memory limit: far below LARGE_BYTES, and far above what reading in chunks needs. */
const MEMORY_BYTES = 40_000_000;

/** Bytes between memory measurements, each of which needs a slow garbage collection. */
const MEASURED_EVERY_BYTES = 20_000_000;

form('the parts are the fields with one per tag, then the PDF', async ({ document }) => {
  const file = await document('Größe.pdf');
  const { body: parts } = await createUploadForm(file, {
    tags: [1, 2],
    custom_fields: { 1: 'R-1', 2: null },
  });
  const body = await text(parts());
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

form('a large document is never completely in memory', async ({ document }) => {
  const file = await document('large.pdf');
  await truncate(file.path, LARGE_BYTES);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file.path), hash);
  const sha256 = hash.digest('hex');
  const { body, headers } = await createUploadForm({ ...file, bytes: LARGE_BYTES, sha256 }, {});
  const before = heldBytes();
  let [bytes, measuredAt, peak] = [0, 0, before];
  for await (const chunk of body()) {
    bytes += chunk.length;
    if (bytes - measuredAt < MEASURED_EVERY_BYTES) continue;
    measuredAt = bytes;
    peak = Math.max(peak, heldBytes());
  }
  assert.is(String(bytes), headers['Content-Length']);
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

form('the request overrides the profile, and the tags of both are sent once each', () => {
  const requested = { correspondent: 7, document_type: 8, storage_path: 9 };
  const merged = mergeMetadata(DESTINATION, { ...requested, tags: [4, 9, 9] });
  assert.equal(merged, { ...requested, tags: [3, 4, 9] });
});

/** A fault, the state of the upload's task found afterwards, and whether a document is found. */
const CASES: readonly (readonly [Fault | undefined, FoundTask['state'] | undefined, boolean])[] = [
  [undefined, 'succeeded', true],
  // Redis lost the task, which still looks as if it were waiting.
  [{ kind: 'lost_task' }, 'under_way', false],
  [{ kind: 'held_task', status: 'PENDING' }, 'under_way', false],
  [{ kind: 'held_task', status: 'RECEIVED' }, 'under_way', false],
  [{ kind: 'held_task', status: 'STARTED' }, 'under_way', false],
  [{ kind: 'held_task', status: 'RETRY' }, 'under_way', false],
  [{ kind: 'forgotten_task' }, undefined, false],
  // The parts of a split document have other names and checksums.
  [{ kind: 'split_task' }, 'succeeded', false],
  [{ kind: 'failed_task', reason: 'Given ASN 5 already exists!' }, 'dropped', false],
];

const SYSTEMS = {
  '2.20': { version: '2.20' },
  '3.0': { version: '3.0' },
  'a later release, without version 9 of the API': { version: '3.0', oldest_api: 10 },
} as const;

for (const [system, options] of Object.entries(SYSTEMS)) {
  const finding = withFixture(`finding an upload in ${system}`, () => createBench(options));
  for (const [fault, state, isStored] of CASES) {
    const status = fault?.kind === 'held_task' ? fault.status : '';
    for (const how of ['id', 'name'] as const) {
      finding(`${fault?.kind} ${status} by its ${how}: ${state}`, async (bench) => {
        const document = await bench.document();
        bench.dms.setFault(fault);
        assert.is((await bench.deliver({ document })).outcome, 'accepted');
        await bench.dms.idle();
        const taskId = bench.dms.tasks()[0]?.task_id;
        const sought = how === 'id' ? { taskId } : {};
        const { task, documentId } = await findUpload(await bench.access(), document, sought);
        assert.equal(task, state && { id: taskId, state });
        assert.is(documentId, isStored ? 1 : undefined);
      });
    }
  }

  finding('a dismissed task does not count', async (bench) => {
    const document = await bench.document();
    bench.dms.setFault({ kind: 'lost_task' });
    await bench.deliver({ document });
    await dismissTasks(bench.dms);
    const { task } = await findUpload(await bench.access(), document);
    assert.is(task?.state, 'dropped');
  });

  finding('a relevant task precedes newer irrelevant ones', async (bench) => {
    const document = await bench.document();
    const reason = 'no space';
    for (const fault of [{ kind: 'lost_task' }, { kind: 'failed_task', reason }] as const) {
      bench.dms.setFault(fault);
      await bench.deliver({ document });
    }
    await bench.dms.idle();
    const [first, second] = bench.dms.tasks();
    const access = await bench.access();
    assert.is((await findUpload(access, document)).task?.id, first?.task_id);
    const sought = { taskId: second?.task_id };
    assert.is((await findUpload(access, document, sought)).task?.id, second?.task_id);
    const others = { otherTasks: [String(first?.task_id)] };
    assert.is((await findUpload(access, document, others)).task?.id, second?.task_id);
  });
}

const permissions = ['add_document', 'view_document', 'view_paperlesstask'];
const ofAnother = withFixture('finding an upload of another user', () =>
  createBench({ tokens: [SENTINEL, { token: 'another', id: 2, permissions }] }),
);

ofAnother('finds nothing if the user of the token cannot see the document', async (bench) => {
  const document = await bench.document();
  await bench.deliver({ document });
  await bench.dms.idle();
  const found = await findUpload(await bench.access('another'), document);
  assert.equal(found, { documentId: undefined, task: undefined });
});
