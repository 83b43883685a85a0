import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startDms, type DmsClient } from './dms-client.ts';

const test = suite('sample DMS, tasks and documents');

async function get(client: DmsClient, path: string, version?: number): Promise<unknown> {
  const accept = version === undefined ? '*/*' : `application/json; version=${version}`;
  const response = await client.request(path, { headers: { accept } });
  return response.json();
}

interface OldTask {
  readonly status: string;
  readonly related_document: unknown;
  readonly result: string;
  readonly type: string;
}

async function oldTasks(client: DmsClient): Promise<readonly OldTask[]> {
  return (await get(client, '/api/tasks/', 9)) as readonly OldTask[];
}

test('2.20 lists tasks plainly, with the document as a string', async () => {
  const client = await startDms({ version: '2.20' });
  const { body: id } = await client.upload();
  await client.dms.idle();
  const [task] = (await get(client, `/api/tasks/?task_id=${String(id)}`)) as [OldTask];
  assert.is(task.status, 'SUCCESS');
  assert.is(task.related_document, '1');
  assert.is(task.type, 'auto_task');
  assert.is(task.result, 'Success. New document id 1 created');
  await client.close();
});

test('3.0 lists tasks plainly in version 9, with the document as a number', async () => {
  const client = await startDms();
  await client.upload();
  await client.dms.idle();
  const [task] = await oldTasks(client);
  assert.is(task?.related_document, 1);
  assert.is(task?.type, 'manual_task');
  await client.close();
});

test('3.0 pages tasks in version 10', async () => {
  const client = await startDms();
  await client.upload([['title', '{%']]);
  await client.upload();
  await client.dms.idle();
  const page = (await get(client, '/api/tasks/')) as { count: number; results: Task[] };
  assert.is(page.count, 2);
  assert.equal(
    page.results.map(({ status, related_document_ids }) => [status, related_document_ids]),
    [
      ['failure', []],
      ['success', [1]],
    ],
  );
  assert.equal(page.results[1]?.result_data, { document_id: 1 });
  assert.match(JSON.stringify(page.results[0]?.result_data), /error_message/);
  await client.close();
});

interface Task {
  readonly status: string;
  readonly related_document_ids: readonly number[];
  readonly result_data: unknown;
}

test('an unknown task is an empty list', async () => {
  const client = await startDms();
  assert.equal(await get(client, '/api/tasks/?task_id=x', 9), []);
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
  ['a name of more than 253 bytes', [[], { filename: `${'ü'.repeat(125)}.pdf` }], /Errno 36/],
  ['bytes of no type', [[], { content: '\0\u0001' }], /Unsupported mime type/],
];

for (const [title, upload, result] of LOST) {
  test(`${title} is accepted, and lost`, async () => {
    const client = await startDms();
    assert.is((await client.upload(...upload)).status, 200);
    await client.dms.idle();
    const [task] = await oldTasks(client);
    assert.is(task?.status, 'FAILURE');
    assert.match(task?.result ?? '', result);
    assert.equal(client.dms.documents(), []);
    await client.close();
  });
}

const TITLES: readonly (readonly [string, string])[] = [
  ['plain {x}', 'plain {x}'],
  ['{{ 1+1 }} of {{ 3 }}', '2 of 3'],
  ["{{ 'a' }}{{ 4-1 }}{{ 2*3 }}", 'a36'],
  ['a{# hidden #}b', 'ab'],
  ['{{ undefined }}', 'a'],
  ['x'.repeat(200), 'x'.repeat(127)],
];

for (const [given, stored] of TITLES) {
  test(`the title ${given.slice(0, 30)} is stored as ${stored.slice(0, 30)}`, async () => {
    const client = await startDms();
    await client.upload([['title', given]]);
    await client.dms.idle();
    assert.is(client.dms.documents()[0]?.title, stored);
    await client.close();
  });
}

test('2.20 refuses a document that it has, 3.0 stores it again', async () => {
  for (const [version, count] of [
    ['2.20', 1],
    ['3.0', 2],
  ] as const) {
    const client = await startDms({ version });
    await client.upload();
    await client.upload();
    await client.dms.idle();
    assert.is(client.dms.documents().length, count);
    const [, second] = await oldTasks(client);
    const duplicate = 'a.pdf: Not consuming a.pdf: It is a duplicate of a (#1).';
    assert.is(second?.result === duplicate, version === '2.20');
    await client.close();
  }
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

test('a document is found by its checksum: MD5 on 2.20, SHA-256 on 3.0', async () => {
  for (const version of ['2.20', '3.0'] as const) {
    const client = await startDms({ version });
    await client.upload();
    await client.upload([], { content: '%PDF-other' });
    await client.dms.idle();
    const { md5 = '', sha256 = '' } = client.dms.documents()[0] ?? {};
    const path = '/api/documents/?fields=id,title&checksum__iexact=';
    const counts = await Promise.all(
      [md5.toUpperCase(), sha256].map(async (hash) => get(client, path + hash)),
    );
    const found = {
      count: 1,
      next: null,
      previous: null,
      all: [1],
      results: [{ title: 'a', id: 1 }],
    };
    const none = { count: 0, next: null, previous: null, all: [], results: [] };
    assert.equal(counts, version === '2.20' ? [found, none] : [none, found]);
    await client.close();
  }
});

test('a document can be looked at, and downloaded as it was sent', async () => {
  const client = await startDms();
  await client.upload([['tags', '3']], { content: '%PDF-1.7\nmine' });
  await client.dms.idle();
  const shown = (await get(client, '/api/documents/1/')) as Record<string, unknown>;
  assert.equal([shown['tags'], shown['correspondent'], shown['path']], [[3], null, undefined]);
  const file = await client.request('/api/documents/1/download/');
  assert.is(await file.text(), '%PDF-1.7\nmine');
  assert.is(file.headers.get('content-type'), 'application/pdf');
  assert.is((await client.request('/api/documents/2/')).status, 404);
  assert.is((await client.request('/api/documents/2/download/')).status, 404);
  assert.equal(await get(client, '/api/statistics/'), {
    documents_total: 1,
    documents_inbox: null,
  });
  assert.is((await client.request('/api/statistics/', { method: 'DELETE' })).status, 405);
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

test('the log-in page answers without a token, and everything else leads there', async () => {
  const client = await startDms();
  const headers = { authorization: '' };
  assert.is((await client.request('/accounts/login/', { headers })).status, 200);
  const answers = await Promise.all(
    ['/', '/api/nothing/', '/api/'].map((path) => client.request(path, { headers })),
  );
  assert.equal(
    answers.map((answer) => [answer.status, answer.headers.get('location')]),
    [
      [302, '/accounts/login/?next=%2F'],
      [302, '/accounts/login/?next=%2Fapi%2Fnothing%2F'],
      [302, 'schema/view/'],
    ],
  );
  assert.is((await client.request('/api/statistics/', { headers })).status, 401);
  await client.close();
});

test('a user name and a password are exchanged for the token', async () => {
  const client = await startDms({ login: { username: 'admin', password: 'right' } });
  const ask = async (body: string): Promise<unknown> =>
    (await client.request('/api/token/', { method: 'POST', body })).json();
  const form = (password: string): string => `username=admin&password=${password}`;
  assert.equal(await ask(form('right')), { token: client.dms.token });
  assert.equal(await ask(JSON.stringify({ username: 'admin', password: 'right' })), {
    token: client.dms.token,
  });
  assert.equal(await ask(form('wrong')), {
    non_field_errors: ['Unable to log in with provided credentials.'],
  });
  assert.equal(await ask('username=admin'), { password: ['This field is required.'] });
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
