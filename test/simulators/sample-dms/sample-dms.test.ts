import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { dismissTasks } from '../../support/dismiss-tasks.ts';
import { assert, suite, temporaryDirectory } from '../../support/suite.ts';
import { OBJECTS, PDF, RECORDED, USERS } from './recorded-answers.ts';

/** Compares the sample DMS with recorded answers, and tests how it processes accepted uploads. */
const test = suite('sample DMS');

async function withSample(
  options: Partial<SampleDmsOptions>,
  body: (dms: SampleDms, storeDir: string) => Promise<void>,
): Promise<void> {
  const directory = await temporaryDirectory();
  const storeDir = directory.path;
  const dms = await createSampleDms({
    tokens: USERS,
    objects: OBJECTS ?? {},
    storeDir,
    ...options,
  });
  try {
    await body(dms, storeDir);
  } finally {
    await dms.close();
    await directory.remove();
  }
}

for (const { what, version, method = 'GET', path, ...row } of RECORDED) {
  test(`answers ${JSON.stringify(what)} with ${row.status} as Paperless-ngx does`, () =>
    withSample(version ? { version } : {}, async (dms) => {
      const response = await fetch(`${dms.url}${path}`, {
        method,
        redirect: 'manual',
        headers: { authorization: 'Token admin', ...row.headers },
        ...(row.body !== undefined && { body: row.body }),
      });
      const text = await response.text();
      assert.is(response.status, row.status, text);
      if (typeof row.answer === 'string') assert.ok(text.includes(row.answer), text);
      else assert.equal(JSON.parse(text), row.answer);
      for (const [name, value] of Object.entries(row.with ?? {})) {
        assert.is(response.headers.get(name), value, name);
      }
      assert.equal(dms.tasks(), [], 'nothing was accepted');
    }));
}

/** Invalid values by field id. The real system words each problem differently. */
const VALUES: readonly (readonly [string, unknown])[] = [
  ['2', 'EUR42'],
  ['3', '21.11.2026'],
  ['3', '2026-02-30'],
  ['4', 'no address'],
  ['5', 5.5],
  ['5', true],
  ['6', 'b'],
  ['7', 5],
  ['7', [1]],
];

test('values that the real system refuses are refused', () =>
  withSample({}, async (dms) => {
    for (const [id, value] of VALUES) {
      const custom_fields = JSON.stringify({ [id]: value });
      const response = await post(dms, { custom_fields });
      assert.equal(await response.json(), { custom_fields: ['Not a valid value.'] }, custom_fields);
    }
    assert.equal(dms.tasks(), []);
  }));

async function upload(
  dms: SampleDms,
  fields: Readonly<Record<string, string>> = {},
  file: { readonly content?: string; readonly filename?: string } = {},
): Promise<void> {
  const response = await post(dms, fields, file);
  assert.is(response.status, 200, await response.clone().text());
  assert.is(await response.json(), dms.tasks().at(-1)?.task_id);
  await dms.idle();
}

async function post(
  dms: SampleDms,
  fields: Readonly<Record<string, string>>,
  { content = PDF, filename = 'a.pdf' } = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('document', new Blob([content]), filename);
  // Sends bytes, since fetch sends a form without Content-Length.
  const encoded = new Response(form);
  return fetch(`${dms.url}/api/documents/post_document/`, {
    method: 'POST',
    headers: {
      authorization: 'Token admin',
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    body: await encoded.arrayBuffer(),
  });
}

async function get(dms: SampleDms, path: string, token = 'admin'): Promise<unknown> {
  const headers = {
    authorization: `Token ${token}`,
    accept: 'application/json; version=9',
  };
  return (await fetch(`${dms.url}${path}`, { headers })).json();
}

test('a body without a length is an empty form', () =>
  withSample({}, async (dms) => {
    const response = await fetch(`${dms.url}/api/documents/post_document/`, {
      method: 'POST',
      headers: {
        authorization: 'Token admin',
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: new Blob(['--x--\r\n']).stream(),
      duplex: 'half',
    });
    assert.equal(await response.json(), { document: ['No file was submitted.'] });
  }));

const LOST: readonly (readonly [string, Parameters<typeof upload>[1], object, RegExp])[] = [
  ['a title with a pair of Jinja', { title: '{% if' }, {}, /'NoneType' object/],
  ['a name of more than 255 bytes', {}, { filename: `${'ü'.repeat(126)}.pdf` }, /Errno 36/],
  ['half of a PDF', {}, { content: PDF.slice(0, -6) }, /InputFileError: $/],
  ['a serial number in use', { archive_serial_number: '7' }, {}, /Given ASN 7 already exists!$/],
];

for (const [what, fields, file, result] of LOST) {
  test(`${what} is accepted, then lost`, () =>
    withSample({}, async (dms) => {
      await upload(dms, { archive_serial_number: '7' }, { content: `${PDF}first\n%%EOF\n` });
      await upload(dms, fields, file);
      assert.is(dms.tasks()[1]?.status, 'FAILURE');
      assert.match(dms.tasks()[1]?.result ?? '', result);
      assert.is(dms.documents().length, 1);
    }));
}

test('an existing document is refused by 2.20, and stored again by 3.0', async () => {
  for (const [version, count] of [
    ['2.20', 1],
    ['3.0', 2],
  ] as const) {
    await withSample({ version }, async (dms) => {
      await upload(dms);
      await upload(dms);
      assert.is(dms.documents().length, count);
    });
  }
});

test('a tag implies its parent, and is listed with parent and children', () =>
  withSample({}, async (dms) => {
    await upload(dms, { tags: '3' });
    assert.equal(dms.documents()[0]?.tags, [3, 2]);
    const { results } = (await get(dms, '/api/tags/?name__iexact=TAX')) as {
      results: { parent: unknown; children: { id: number; parent: unknown }[] }[];
    };
    const [tax] = results;
    assert.is(tax?.parent, null);
    assert.equal(
      tax?.children.map(({ id, parent }) => [id, parent]),
      [[3, 2]],
    );
  }));

test('users see their own, unowned and shared objects', () =>
  withSample({}, async (dms) => {
    const count = async (token: string): Promise<number> =>
      ((await get(dms, '/api/tags/', token)) as { count: number }).count;
    assert.equal(await Promise.all(['admin', 'scanner', 'noadd'].map(count)), [6, 5, 3]);
  }));

test('a held task keeps its status until released, even if dismissed', () =>
  withSample({}, async (dms) => {
    const shown = async (): Promise<unknown> => {
      const [task] = (await get(dms, '/api/tasks/')) as { status: string; acknowledged: boolean }[];
      return [task?.status, task?.acknowledged];
    };
    dms.setFault({ kind: 'held_task', status: 'RETRY' });
    await upload(dms);
    assert.equal(await shown(), ['RETRY', false]);
    await dismissTasks(dms);
    assert.equal(await shown(), ['RETRY', true]);
    dms.releaseTasks();
    await dms.idle();
    assert.equal(await shown(), ['SUCCESS', true]);
  }));

test('a forgotten task is in no list', () =>
  withSample({}, async (dms) => {
    dms.setFault({ kind: 'forgotten_task' });
    await upload(dms);
    assert.equal(await get(dms, '/api/tasks/'), []);
    assert.equal(await get(dms, `/api/tasks/?task_id=${dms.tasks()[0]?.task_id}`), []);
  }));

test('documents of an earlier run are kept', () =>
  withSample({}, async (dms, storeDir) => {
    await upload(dms);
    await withSample({ storeDir }, async (later) => {
      await upload(later);
      assert.equal(
        later.documents().map(({ id }) => id),
        [1, 2],
      );
    });
  }));
