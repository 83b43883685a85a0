import type {
  DocumentMetadata,
  UploadMetadata,
} from '../../../../service/paperless/destination.ts';
import type { MetadataProblem } from '../../../../service/paperless/names/problems.ts';
import type { SampleDmsOptions } from '../../../../simulators/sample-dms/options.ts';
import { matchesPattern } from '../../../support/matches-pattern.ts';
import { createNetworkFaultProxy } from '../../../support/network-fault-proxy.ts';
import { assert, rejection, withFixture } from '../../../support/suite.ts';
import { createBench, SENTINEL, type Bench } from '../upload/delivery-bench.ts';

const test = withFixture('names of a document-management system', () =>
  createBench({ objects: OBJECTS }),
);

async function withBench(
  options: Partial<SampleDmsOptions>,
  body: (bench: Bench) => Promise<void>,
): Promise<void> {
  const bench = await createBench({ objects: OBJECTS, ...options });
  try {
    await body(bench);
  } finally {
    await bench.close();
  }
}

const ROOMS = [
  { id: 'a1', label: 'Kitchen' },
  { id: 'b2', label: 'Cellar' },
];
const manyTags = (count: number): { tags: { id: number; name: string }[] } => ({
  tags: Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `t${at}` })),
});
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
    { id: 4, name: 'Room', data_type: 'select', select_options: ROOMS },
  ],
};

async function problemsOf(
  { names, destination }: Bench,
  metadata: DocumentMetadata,
): Promise<readonly MetadataProblem[]> {
  return (await names().check(destination(), metadata)).problems;
}

test('names become ids of the system, and ids stay', async ({ names, destination }) => {
  const resolved = await names().resolve(destination(), {
    title: 'Tea',
    tags: ['tax', 1, 'Tax', '2026'],
    correspondent: 'City Utilities',
    document_type: 8,
    storage_path: 'work',
    custom_fields: { Reference: 'R-1', 2: 'EUR12.50', Room: 'Cellar' },
  });
  assert.equal(resolved, {
    title: 'Tea',
    tags: [2, 1, 3],
    correspondent: 7,
    document_type: 8,
    storage_path: 9,
    custom_fields: { 1: 'R-1', 2: 'EUR12.50', 4: 'b2' },
  });
});

/** The expected message (see `matchesPattern`), the metadata and the similar names. */
const PROBLEMS: Readonly<Record<string, readonly [DocumentMetadata, near?: string]>> = {
  '…no tag named "Txa" in http…Did you mean "Tax"?': [{ tags: ['Txa'] }, 'Tax'],
  '…Did you mean "City Utilities"?': [{ correspondent: 'Utilities' }, 'City Utilities'],
  '…no document type named "Zebra"…Create it…': [{ document_type: 'Zebra' }],
  '…write 1 without quotes…': [{ tags: ['1'] }, 'Inbox'],
  '…several tags named "Twin"…4, 5…Give the id…': [{ tags: ['Twin'] }],
  '…no storage path with the id 99…': [{ storage_path: 99 }],
  '…no tag with the id 77…': [{ tags: [1, 77] }],
  '…no custom field named "Refrence"…"Reference"…': [
    { custom_fields: { Refrence: 'x' } },
    'Reference',
  ],
  '…"Reference" cannot have the value 17. Give text…': [{ custom_fields: { 1: 17 } }],
  '…Give true or false…': [{ custom_fields: { Paid: 'yes' } }],
  '…one of Kitchen, Cellar…': [{ custom_fields: { Room: 'Attic' } }],
  '…EUR12.50…': [{ custom_fields: { Amount: 'ten' } }],
};

test('unknown names are reported with helpful messages', async (bench) => {
  for (const [said, [metadata, ...near]] of Object.entries(PROBLEMS)) {
    const [problem, ...more] = await problemsOf(bench, metadata);
    assert.ok(matchesPattern(said, problem?.message ?? ''), problem?.message);
    assert.equal([problem?.near, more], [near, []], said);
  }
  assert.equal(bench.dms.documents(), []);
});

test('names on further pages are found', () =>
  withBench({ objects: manyTags(2500) }, async ({ names, destination }) => {
    const { tags } = await names().resolve(destination(), { tags: ['t0', 't2499'] });
    assert.equal(tags, [1, 2500]);
  }));

test('a user without view permissions: ids are still checked, names need the permission', () =>
  withBench({ tokens: [{ token: SENTINEL, permissions: ['add_document'] }] }, async (bench) => {
    assert.equal(await problemsOf(bench, { tags: [1, 2], custom_fields: { 1: 'x' } }), []);
    const [wrong] = await problemsOf(bench, { tags: [1, 77] });
    assert.match(wrong?.message ?? '', /no tag with the id 77/);
    const [value] = await problemsOf(bench, { custom_fields: { 1: 17 } });
    assert.match(value?.message ?? '', /custom fields \(500\).*type of its field/);
    const [name] = await problemsOf(bench, { tags: ['Tax'] });
    assert.is(name?.kind, 'forbidden');
    assert.match(name?.message ?? '', /may not view tags.*give the id/);
  }));

test('ids need no request; an unreachable system explains why names cannot be looked up', async () => {
  const bench = await createBench();
  const { destination, names } = bench;
  await bench.close();
  const lists = names();
  assert.equal((await lists.resolve(destination(), { tags: [2] })).tags, [2]);
  const error = await rejection(lists.resolve(destination(), { tags: ['Tax', 'Receipts'] }));
  assert.match(String(error), /The tag "Tax" cannot be looked up\. Connection refused at http/);
  assert.not.match(String(error), /Receipts/, 'what is in the way is said once');
});

test('nothing is created unless the destination allows it', async ({ names, destination, dms }) => {
  const metadata = { tags: ['Brand new'], correspondent: 'Newcomer' };
  const error = await rejection(names().resolve(destination(), metadata));
  assert.match(String(error), /no tag named "Brand new"/);
  const creating = destination({ create_missing: true });
  const looked = await names().check(creating, metadata);
  assert.equal(looked.problems, []);
  assert.is(dms.objects().tags.length, 5);
  const made = await names().resolve(creating, metadata);
  assert.equal([made.tags, made.correspondent], [[6], 8]);
  assert.equal(await names().resolve(creating, metadata), made);
  const path = await rejection(names().resolve(creating, { storage_path: 'New' }));
  assert.match(String(path), /no storage path named "New"/);
});

test('all names refused by the system are reported', async ({ names, destination }) => {
  const tags = ['x'.repeat(129), 'y'.repeat(129)];
  const creating = destination({ create_missing: true });
  const error = String(await rejection(names().resolve(creating, { tags })));
  for (const tag of tags) assert.ok(error.includes(tag), error);
});

test('new names stay known even if the system stops answering', async () => {
  const bench = await createBench({ objects: OBJECTS });
  const [lists, creating] = [bench.names(), bench.destination({ create_missing: true })];
  assert.equal((await lists.resolve(creating, { tags: ['New'] })).tags, [6]);
  await bench.close();
  assert.equal((await lists.resolve(creating, { tags: ['New'] })).tags, [6]);
});

test('a created name is found if the answer was lost', async ({ names, destination, dms }) => {
  const { port, setToxic, close } = await createNetworkFaultProxy({ port: dms.port });
  const creating = destination({ base_url: `http://127.0.0.1:${port}`, create_missing: true });
  const lists = names();
  // The requests are: the lookup of the name, the list, then the creation, whose answer is lost.
  await lists.list(creating, 'tags');
  await lists.check(creating, { tags: ['New'] });
  setToxic({ kind: 'reset', to: 'client', bytes: 0 }, undefined);
  assert.equal((await lists.resolve(creating, { tags: ['New'] })).tags, [6]);
  await close();
});

test('a name is found in any case and Unicode form, however the database compares', () =>
  withBench(
    { objects: { tags: [{ id: 1, name: 'Cafe\u0301' }] } },
    async ({ names, destination }) => {
      for (const name of ['Caf\u00e9', 'CAF\u00c9', 'cafe\u0301']) {
        assert.equal((await names().resolve(destination(), { tags: [name] })).tags, [1], name);
      }
    },
  ));

test('among two thousand tags at 3 ms each, a named one is found quickly', () =>
  withBench({ ms_per_object: 3, objects: manyTags(2000) }, async ({ names, destination }) => {
    const began = performance.now();
    const asked = { tags: ['t7', 't1999', 3] };
    const { problems, noAnswer } = await names().check(destination(), asked);
    assert.equal([problems, noAnswer], [[], undefined]);
    // Reading the whole list takes 6 s.
    assert.ok(performance.now() - began < 3000);
  }));

test('a name missing for two documents is created once', async ({ names, destination }) => {
  const creating = destination({ create_missing: true });
  const resolve = (): Promise<UploadMetadata> => names().resolve(creating, { tags: ['New'] });
  const both = await Promise.all([resolve(), resolve()]);
  assert.equal(
    both.map(({ tags }) => tags),
    [[6], [6]],
  );
});

test('a user without permission to create is warned before anything is created', () =>
  withBench(
    { tokens: [{ token: SENTINEL, permissions: ['add_document', 'view_tag'] }] },
    async ({ names, destination }) => {
      const creating = destination({ create_missing: true });
      const error = await rejection(names().resolve(creating, { tags: ['New'] }));
      assert.match(String(error), /cannot be created.*may not add tags/);
      const [problem] = (await names().check(creating, { tags: ['New'] })).problems;
      assert.is(problem?.kind, 'forbidden');
    },
  ));
