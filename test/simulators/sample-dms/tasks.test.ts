import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DmsVersion } from '../../../simulators/sample-dms/options.ts';
import { PDF, startDms, TOKEN, type DmsClient } from './dms-client.ts';

const test = suite('sample DMS, tasks and documents');

async function get(client: DmsClient, path: string, version?: number): Promise<unknown> {
  const accept = version === undefined ? '*/*' : `application/json; version=${version}`;
  const response = await client.request(path, { headers: { accept } });
  return response.json();
}

/** The named facts of the newest task, up to version 9. */
async function newestTask(client: DmsClient, ...names: readonly string[]): Promise<unknown[]> {
  const [task] = (await get(client, '/api/tasks/', 9)) as [unknown];
  return names.map((name) => Object(task)[name]);
}

const SHAPES: readonly (readonly [DmsVersion, unknown[], unknown[]])[] = [
  ['2.18', ['auto_task', '1'], ['FAILURE', '1', undefined]],
  ['2.20', ['auto_task', '1'], ['FAILURE', '1', undefined]],
  ['3.0', ['manual_task', 1], ['FAILURE', 1, [{ id: 1, title: 'a', deleted_at: null }]]],
];

for (const [version, made, duplicate] of SHAPES) {
  test(`${version} says which document a task made, or is a duplicate of`, async () => {
    const client = await startDms({ version, refuses_duplicates: true });
    const { body: id } = await client.upload();
    await client.dms.idle();
    assert.equal(await newestTask(client, 'type', 'related_document'), made);
    const result = 'Success. New document id 1 created';
    assert.equal(await newestTask(client, 'task_id', 'status', 'result'), [id, 'SUCCESS', result]);
    await client.upload();
    await client.dms.idle();
    const names = ['status', 'related_document', 'duplicate_documents'];
    assert.equal(await newestTask(client, ...names), duplicate);
    const [text] = await newestTask(client, 'result');
    assert.match(
      String(text),
      version === '3.0' ? /document #1$/ : /: It is a duplicate of a \(#1\)\.$/,
    );
    assert.equal(await get(client, '/api/tasks/?task_id=x', 9), []);
    await client.close();
  });
}

test('3.0 pages tasks in version 10, the newest first', async () => {
  const client = await startDms({ refuses_duplicates: true });
  await client.upload([['title', '{%']]);
  await client.upload();
  await client.upload();
  await client.dms.idle();
  const page = (await get(client, '/api/tasks/?page_size=2')) as { next: string; results: Task[] };
  const { results: last } = (await get(client, page.next.slice(client.dms.url.length))) as {
    results: Task[];
  };
  assert.equal(
    [...page.results, ...last].map((task) => [task.status, task.related_document_ids]),
    [
      ['failure', [1]],
      ['success', [1]],
      ['failure', []],
    ],
  );
  assert.equal(
    page.results.map((task) => task.result_data),
    [{ duplicate_of: 1, duplicate_in_trash: false }, { document_id: 1 }],
  );
  assert.match(JSON.stringify(last[0]?.result_data), /"error_message":"a\.pdf: Error/);
  await client.close();
});

interface Task {
  readonly status: string;
  readonly related_document_ids: readonly number[];
  readonly result_data: unknown;
}

test('a user sees only tasks of their own, with the permission for it', async () => {
  const user = { token: 'user', permissions: ['add_document', 'view_paperlesstask'] };
  const client = await startDms({ tokens: [user, TOKEN, { token: 'blind', permissions: [] }] });
  const ids = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Token ${token}`, accept: 'application/json; version=9' };
    const response = await client.request('/api/tasks/', { headers });
    return response.status === 200
      ? ((await response.json()) as readonly { id: number }[]).map(({ id }) => id)
      : response.status;
  };
  await client.upload();
  assert.equal(await ids('user'), [1]);
  assert.equal(await ids(TOKEN), [1]);
  assert.is(await ids('blind'), 403);
  await client.close();
});

test('a task is pending until the worker has it', async () => {
  const client = await startDms();
  const statuses: string[] = [];
  client.dms.events.once('upload_ended', () => {
    statuses.push(...client.dms.tasks().map((task) => task.status));
  });
  await client.upload();
  await client.dms.idle();
  assert.is(statuses.length, 1);
  assert.is(client.dms.tasks()[0]?.status, 'SUCCESS');
  await client.close();
});

const LOST: readonly (readonly [string, Parameters<DmsClient['upload']>, RegExp])[] = [
  ['a title with a syntax error', [[['title', '{% if']]], /'NoneType' object is not subscriptable/],
  ['a title with an unclosed pair', [[['title', '{{ x']]], /'NoneType' object/],
  ['a title with an empty pair', [[['title', '{{ }}']]], /'NoneType' object/],
  ['a name of more than 255 bytes', [[], { filename: `${'ü'.repeat(126)}.pdf` }], /Errno 36/],
  ['bytes of no type', [[], { content: '\0\u0001' }], /Unsupported mime type/],
  ['a truncated PDF', [[], { content: '%PDF-1.7\nsample\n' }], /InputFileError: $/],
];

for (const [title, upload, result] of LOST) {
  test(`${title} is accepted, and lost`, async () => {
    const client = await startDms();
    assert.is((await client.upload(...upload)).status, 200);
    await client.dms.idle();
    assert.is(client.dms.tasks()[0]?.status, 'FAILURE');
    assert.match(client.dms.tasks()[0]?.result ?? '', result);
    assert.equal(client.dms.documents(), []);
    await client.close();
  });
}

test('a long ASCII name is cut to 255 characters with its extension', async () => {
  const client = await startDms();
  await client.upload([], { filename: `${'x'.repeat(300)}.pdf` });
  await client.dms.idle();
  assert.is(client.dms.documents()[0]?.original_file_name, `${'x'.repeat(251)}.pdf`);
  await client.close();
});

/** A title, what 2.18 stores and what later versions store. */
const TITLES: readonly (readonly [string, string, string])[] = [
  ['plain {x}', 'a', 'plain {x}'],
  ['{filename}', 'a', '{filename}'],
  ['{{ filename }} {{x}', 'a', ''],
  ['{{ 1+1 }} of {{ 3 }}', '{ 1+1 } of { 3 }', '2 of 3'],
  ["{{ 'b' }}{{ 4-1 }}{{ 2*3 }}", "{ 'b' }{ 4-1 }{ 2*3 }", 'b36'],
  ['a{# hidden #}b', 'a', 'ab'],
  ['{{ undefined }}', '{ undefined }', 'a'],
  ['{ {', 'a', '{ {'],
  ['}}', '}', '}}'],
  ['x'.repeat(200), 'x'.repeat(127), 'x'.repeat(127)],
];

for (const [given, old, later] of TITLES) {
  test(`the title ${given.slice(0, 30)} is expanded`, async () => {
    for (const version of ['2.18', '3.0'] as const) {
      const client = await startDms({ version });
      await client.upload([['title', given]]);
      await client.dms.idle();
      assert.is(client.dms.documents()[0]?.title ?? '', version === '2.18' ? old : later);
      await client.close();
    }
  });
}

test('3.0 stores a document that it has again', async () => {
  const client = await startDms();
  await client.upload();
  await client.upload();
  await client.dms.idle();
  assert.is(client.dms.documents().length, 2);
  await client.close();
});

test('an archive serial number is taken once', async () => {
  const client = await startDms();
  await client.upload([['archive_serial_number', '77']]);
  await client.upload([['archive_serial_number', '77']]);
  await client.dms.idle();
  assert.is(client.dms.documents().length, 1);
  assert.match(client.dms.tasks()[1]?.result ?? '', /Given ASN 77 already exists!$/);
  await client.close();
});

test('a document is found by its title, its file name or its checksum: MD5 on 2.20, SHA-256 on 3.0', async () => {
  for (const version of ['2.20', '3.0'] as const) {
    const client = await startDms({ version });
    await client.upload([['title', 'Mine']]);
    await client.upload([], { content: `${PDF}other`, filename: 'other.pdf' });
    await client.dms.idle();
    const { md5 = '', sha256 = '' } = client.dms.documents()[0] ?? {};
    const queries = [
      `checksum__iexact=${md5.toUpperCase()}`,
      `checksum__iexact=${sha256}`,
      'title__iexact=mine',
      'original_filename__istartswith=a.',
    ];
    const lists = await Promise.all(
      queries.map((query) => get(client, `/api/documents/?fields=id,title&${query}`, 9)),
    );
    const results = [{ id: 1, title: 'Mine' }];
    const found = { count: 1, next: null, previous: null, all: [1], results };
    const none = { count: 0, next: null, previous: null, all: [], results: [] };
    const byChecksum = version === '2.20' ? [found, none] : [none, found];
    assert.equal(lists, [...byChecksum, found, found]);
    await client.close();
  }
});

test('a document can be looked at, and downloaded as it was sent', async () => {
  const client = await startDms();
  await client.upload([
    ['tags', '3'],
    ['custom_fields', '{"1":"R-1"}'],
  ]);
  await client.dms.idle();
  const shown = Object(await get(client, '/api/documents/1/'));
  assert.equal([shown.tags, shown.correspondent, shown.path], [[3], null, undefined]);
  assert.equal(shown.custom_fields, [{ field: 1, value: 'R-1' }]);
  const file = await client.request('/api/documents/1/download/');
  assert.is(await file.text(), PDF);
  assert.is(file.headers.get('content-type'), 'application/pdf');
  assert.is((await client.request('/api/documents/2/')).status, 404);
  assert.is((await client.request('/api/documents/2/download/')).status, 404);
  await client.close();
});

test('a store of an earlier run is gone on with', async () => {
  const client = await startDms();
  await client.upload();
  await client.dms.idle();
  const later = await startDms({ storeDir: client.storeDir });
  await later.upload();
  await later.dms.idle();
  assert.equal(
    later.dms.documents().map(({ id }) => id),
    [1, 2],
  );
  await later.close();
  await client.close();
});

test('a fault ends after the number of uploads it is set for', async () => {
  const client = await startDms();
  client.dms.setFault({ kind: 'answer', status: 503, body: '{}' }, 2);
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await client.upload()).status);
  assert.equal(statuses, [503, 503, 200]);
  client.dms.setFault({ kind: 'answer', status: 503, body: '{}' });
  client.dms.setFault(undefined);
  assert.is((await client.upload()).status, 200);
  await client.close();
});

test.run();
