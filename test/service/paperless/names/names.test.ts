import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  DmsDestination,
  DocumentMetadata,
  UploadMetadata,
} from '../../../../service/paperless/destination.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { createNames } from '../../../../service/paperless/names/names.ts';
import type { MetadataProblem } from '../../../../service/paperless/names/look-up.ts';
import { usableCodes } from '../../../../service/scan/stages/code-references.ts';
import type { SampleDmsOptions } from '../../../../simulators/sample-dms/options.ts';
import {
  createNetworkFaultProxy,
  type NetworkFaultProxy,
} from '../../../support/network-fault-proxy.ts';
import { rejection } from '../../../support/rejection.ts';
import { createDmsBench, NEVER, TOKEN, type DmsBench } from '../dms-bench.ts';

const test = suite('names of a document-management system');

async function withBench(
  options: Partial<SampleDmsOptions>,
  body: (bench: DmsBench) => Promise<void>,
): Promise<void> {
  const bench = await createDmsBench(options);
  try {
    await body(bench);
  } finally {
    await bench.close();
  }
}

/** No list is asked for again because a busy machine was slow. */
const PATIENT_AGES_MS = { fresh: 600_000, again: 600_000, silent: 600_000 };

interface Proxied {
  readonly dms: DmsBench['dms'];
  readonly proxy: NetworkFaultProxy;
  /** By way of the proxy; what is missing is created. */
  readonly destination: DmsDestination;
}

function withProxy(body: (proxied: Proxied) => Promise<void>): Promise<void> {
  return withBench({ objects: OBJECTS }, async ({ dms, destination, sample }) => {
    const proxy = await createNetworkFaultProxy({ port: sample.port });
    const base_url = `http://127.0.0.1:${proxy.port}`;
    try {
      await body({ dms, proxy, destination: destination({ base_url, create_missing: true }) });
    } finally {
      await proxy.close();
    }
  });
}

const OBJECTS: NonNullable<SampleDmsOptions['objects']> = {
  tags: [
    { id: 1, name: 'Inbox' },
    { id: 2, name: 'Tax' },
    { id: 3, name: '2026' },
    { id: 4, name: 'Twin' },
    { id: 5, name: 'Twin' },
  ],
  correspondents: [{ id: 7, name: 'City Utilities' }],
  document_types: [{ id: 8, name: 'Invoice' }],
  storage_paths: [{ id: 9, name: 'Work' }],
  custom_fields: [
    { id: 1, name: 'Reference', data_type: 'string' },
    { id: 2, name: 'Amount', data_type: 'monetary' },
    { id: 3, name: 'Paid', data_type: 'boolean' },
    {
      id: 4,
      name: 'Room',
      data_type: 'select',
      select_options: [
        { id: 'a1', label: 'Kitchen' },
        { id: 'b2', label: 'Cellar' },
      ],
    },
  ],
};

/** The problems of `check`, as one line each. */
async function problemsOf(
  { dms, destination }: DmsBench,
  metadata: DocumentMetadata,
): Promise<readonly MetadataProblem[]> {
  const options = { signal: NEVER, create: false };
  return (await dms.names.check(destination(), metadata, options)).problems;
}

test('names become the ids of the system, and ids stay', () =>
  withBench({ objects: OBJECTS }, async ({ dms, destination }) => {
    const resolved = await dms.names.resolve(
      destination(),
      {
        title: 'Tea',
        tags: ['tax', 1, 'Tax', '2026'],
        correspondent: 'City Utilities',
        document_type: 8,
        storage_path: 'work',
        custom_fields: { Reference: 'R-1', 2: 'EUR12.50', Room: 'Cellar' },
      },
      NEVER,
    );
    assert.equal(resolved, {
      title: 'Tea',
      tags: [2, 1, 3],
      correspondent: 7,
      document_type: 8,
      storage_path: 9,
      custom_fields: { 1: 'R-1', 2: 'EUR12.50', 4: 'b2' },
    });
  }));

const PROBLEMS: readonly (readonly [string, DocumentMetadata, RegExp, readonly string[]])[] = [
  [
    'a slip of the pen',
    { tags: ['Txa'] },
    /no tag named "Txa" in http.*Did you mean "Tax"\?/,
    ['Tax'],
  ],
  [
    'a part of the name',
    { correspondent: 'Utilities' },
    /Did you mean "City Utilities"\?/,
    ['City Utilities'],
  ],
  ['a name like none', { document_type: 'Zebra' }, /no document type named "Zebra".*Create it/, []],
  ['an id in quotes', { tags: ['1'] }, /write 1 without quotes/, ['Inbox']],
  ['a name that two have', { tags: ['Twin'] }, /several tags named "Twin".*4, 5.*Give the id/, []],
  ['an id that is not there', { storage_path: 99 }, /no storage path with the id 99/, []],
  ['one of several ids', { tags: [1, 77] }, /no tag with the id 77/, []],
  [
    'a custom field',
    { custom_fields: { Refrence: 'x' } },
    /no custom field named "Refrence".*"Reference"/,
    ['Reference'],
  ],
  [
    'a number in a text field',
    { custom_fields: { 1: 17 } },
    /"Reference" cannot have the value 17\. Give text/,
    [],
  ],
  ['text in a yes-or-no field', { custom_fields: { Paid: 'yes' } }, /Give true or false/, []],
  [
    'a choice that there is not',
    { custom_fields: { Room: 'Attic' } },
    /one of Kitchen, Cellar/,
    [],
  ],
  ['an amount without cents in words', { custom_fields: { Amount: 'ten' } }, /EUR12\.50/, []],
];

test('what the system does not have is said in words that help', () =>
  withBench({ objects: OBJECTS }, async (bench) => {
    for (const [what, metadata, message, near] of PROBLEMS) {
      const [problem, ...more] = await problemsOf(bench, metadata);
      assert.match(problem?.message ?? '', message, what);
      assert.equal(problem?.near, near, what);
      assert.equal(more, [], what);
    }
    assert.equal(bench.sample.documents(), []);
  }));

test('a tag that was created since is found', () =>
  withBench({ objects: OBJECTS }, async ({ dms, destination, sample }) => {
    const names = createNames(dms.accessTo, { fresh: 60_000, again: 0, silent: 0 });
    assert.is((await names.list(destination(), 'tags', NEVER)).objects?.length, 5);
    await fetch(`${sample.url}/api/tags/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${TOKEN}` },
      body: '{"name":"New"}',
    });
    assert.is((await names.list(destination(), 'tags', NEVER)).objects?.length, 5);
    assert.equal((await names.resolve(destination(), { tags: ['New'] }, NEVER)).tags, [6]);
  }));

test('more names than one page holds are all found', () =>
  withBench(
    {
      objects: { tags: Array.from({ length: 2500 }, (_, at) => ({ id: at + 1, name: `t${at}` })) },
    },
    async ({ dms, destination }) => {
      const { tags } = await dms.names.resolve(destination(), { tags: ['t0', 't2499'] }, NEVER);
      assert.equal(tags, [1, 2500]);
    },
  ));

test('a user who may view nothing: ids are checked all the same, names need the permission', () =>
  withBench(
    { objects: OBJECTS, tokens: [{ token: TOKEN, permissions: ['add_document'] }] },
    async (bench) => {
      assert.equal(await problemsOf(bench, { tags: [1, 2], custom_fields: { 1: 'x' } }), []);
      const [wrong] = await problemsOf(bench, { tags: [1, 77] });
      assert.match(wrong?.message ?? '', /no tag with the id 77/);
      const [value] = await problemsOf(bench, { custom_fields: { 1: 17 } });
      assert.match(value?.message ?? '', /custom fields \(500\).*type of its field/);
      const [name] = await problemsOf(bench, { tags: ['Tax'] });
      assert.is(name?.kind, 'forbidden');
      assert.match(name?.message ?? '', /may not view tags.*give the id/);
    },
  ));

test('a system that went away leaves the ids that were known; one that was never there says why', async () => {
  const bench = await createDmsBench({ objects: OBJECTS });
  const { destination } = bench;
  const dms = createDms(async () => TOKEN);
  await dms.names.resolve(destination(), { tags: ['Tax'] }, NEVER);
  await bench.close();
  const fresh = createDms(async () => TOKEN);
  assert.equal((await dms.names.resolve(destination(), { tags: ['Tax'] }, NEVER)).tags, [2]);
  assert.equal((await fresh.names.resolve(destination(), { tags: [2] }, NEVER)).tags, [2]);
  const error = await rejection(fresh.names.resolve(destination(), { tags: ['Tax'] }, NEVER));
  assert.match(String(error), /The tag "Tax" cannot be looked up\. Connection refused at http/);
});

test('nothing is created, unless the destination says so', () =>
  withBench({ objects: OBJECTS }, async ({ dms, destination }) => {
    const metadata = { tags: ['Brand new'], correspondent: 'Newcomer' };
    const error = await rejection(dms.names.resolve(destination(), metadata, NEVER));
    assert.match(String(error), /no tag named "Brand new"/);
    const creating = destination({ create_missing: true });
    const looked = await dms.names.check(creating, metadata, { signal: NEVER, create: false });
    assert.equal(looked.problems, []);
    assert.is((await dms.names.list(destination(), 'tags', NEVER)).objects?.length, 5);
    const made = await dms.names.resolve(creating, metadata, NEVER);
    assert.equal([made.tags, made.correspondent], [[6], 8]);
    assert.equal(await dms.names.resolve(creating, metadata, NEVER), made);
    const path = await rejection(dms.names.resolve(creating, { storage_path: 'New' }, NEVER));
    assert.match(String(path), /no storage path named "New"/);
  }));

test('what was just created is known, although the system does not answer after that', () =>
  withProxy(async ({ dms, destination, proxy }) => {
    const names = createNames(dms.accessTo, PATIENT_AGES_MS);
    await names.list(destination, 'tags', NEVER);
    proxy.setToxic(undefined, { kind: 'down' });
    for (const document of [1, 2]) {
      const codes = { tags: ['New'] };
      const usable = await usableCodes(codes, destination, { names, signal: NEVER });
      assert.equal(usable.warnings, [], `document ${document}`);
      const { tags } = await names.resolve(destination, usable.metadata, NEVER);
      assert.equal(tags, [6], `document ${document}`);
    }
  }));

test('what was created is found when the answer was lost, also after a look that failed too', () =>
  withProxy(async ({ dms, destination, proxy }) => {
    const names = createNames(dms.accessTo, PATIENT_AGES_MS);
    await names.list(destination, 'tags', NEVER);
    const lost = { kind: 'reset', to: 'client', bytes: 0 } as const;
    proxy.setToxic(lost, undefined);
    assert.equal((await names.resolve(destination, { tags: ['New'] }, NEVER)).tags, [6]);
    proxy.setToxic(lost, { kind: 'down' });
    const error = await rejection(names.resolve(destination, { tags: ['Newer'] }, NEVER));
    assert.match(String(error), /cannot be created.*without an answer/);
    proxy.setToxic(undefined);
    assert.equal((await names.resolve(destination, { tags: ['Newer'] }, NEVER)).tags, [7]);
  }));

test('a system that is silent is not asked for its list again after each name that it did not create', () =>
  withProxy(async ({ dms, destination, proxy }) => {
    const names = createNames(dms.accessTo, { ...PATIENT_AGES_MS, again: 0 });
    await names.list(destination, 'tags', NEVER);
    proxy.setToxic({ kind: 'down' });
    const before = proxy.connections();
    const { problems } = await names.find(destination, { tags: ['A', 'B', 'C'] }, NEVER);
    assert.is(problems.length, 3);
    // One for the list, and one for each name.
    assert.is(proxy.connections() - before, 4);
  }));

test('what two documents lack at the same moment is created once, for both', () =>
  withBench({ objects: OBJECTS }, async ({ dms, destination }) => {
    const creating = destination({ create_missing: true });
    const resolve = (): Promise<UploadMetadata> =>
      dms.names.resolve(creating, { tags: ['New'] }, NEVER);
    const both = await Promise.all([resolve(), resolve()]);
    assert.equal(
      both.map(({ tags }) => tags),
      [[6], [6]],
    );
  }));

test('a user who may not create is told so', () =>
  withBench(
    { objects: OBJECTS, tokens: [{ token: TOKEN, permissions: ['add_document', 'view_tag'] }] },
    async ({ dms, destination }) => {
      const creating = destination({ create_missing: true });
      const error = await rejection(dms.names.resolve(creating, { tags: ['New'] }, NEVER));
      assert.match(String(error), /cannot be created.*may not add tags/);
    },
  ));

test.run();
