import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createSavedProfiles } from '../../service/profiles/saved/saved-profiles.ts';
import { createScanBench } from '../service/scan/call/scan-bench.ts';
import { createButtonStore } from '../support/button-store.ts';
import { feedPages, type Feed } from '../support/scan-parts.ts';
import type { TestAnswer } from '../support/send-to.ts';
import { assert, withFixture } from '../support/suite.ts';
import { startTestApp } from '../support/test-app.ts';
import { mountTmpfs } from './storage-support/tmpfs.ts';

/** Size of the disk: a scan requires 128 MB free to start. */
const DISK = '160m';

const PROFILES: Readonly<Record<string, object>> = {
  default: {},
  card: { source: 'Flatbed', assembly: { page_grouping: 'card' } },
};

/** As large as a recognized page, which needs more than the room that is reserved for events. */
const PDF = Buffer.alloc(100 * 1024);

/** Method and path, then body and headers. In path and body, `{id}` stands for the newest scan. */
type Request = readonly [request: string, body?: object, headers?: object];

interface Bench {
  readonly ask: (...request: Request) => Promise<TestAnswer>;
  readonly fill: () => void;
  readonly free: () => void;
  /** Fills the disk once the sheet of the next call is stored. */
  readonly fillAfterFeeding: () => void;
  /** The settings of each scan that was fed. */
  readonly fed: () => readonly object[];
  close(): Promise<void>;
}

const test = withFixture<Bench>('a full disk', async () => {
  const disk = await mountTmpfs(DISK);
  const bench = await createScanBench(['token'], disk.path);
  const [own, savedDir] = [path.join(disk.path, 'own'), path.join(disk.path, 'saved')];
  await mkdir(own);
  const destinations = [{ kind: 'dms', base_url: bench.dms.url }];
  for (const [name, fields] of Object.entries(PROFILES)) {
    const profile = { name, destinations, paths: { output_dir: bench.root }, ...fields };
    await writeFile(path.join(own, `${name}.yaml`), JSON.stringify(profile));
  }
  const store = await createButtonStore(own, savedDir);
  let isFilling = false;
  const feed: Feed = async (request, options) => {
    const fed = await feedPages(1)(request, options);
    if (isFilling) disk.leave(0);
    isFilling = false;
    return fed;
  };
  const recognize = async (pageFile: string): Promise<void> => {
    await writeFile(`${pageFile}.pdf`, PDF);
    await rm(`${pageFile}.pdf`);
  };
  const { scans, archive, parts } = await bench.start({ feed, recognize });
  const saved = createSavedProfiles(savedDir, store);
  const app = await startTestApp({ ...scans, archive, store, saved });
  return {
    ask: async (request, body = {}, headers = {}) => {
      const [newest] = (await archive.list(1)).scans;
      const named = (text: string): string => text.replaceAll('{id}', newest?.id ?? 'none');
      const [method = '', url = ''] = named(request).split(' ');
      return app.send({
        method,
        path: url,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(method !== 'GET' && method !== 'DELETE' && { body: named(JSON.stringify(body)) }),
      });
    },
    fill: () => disk.leave(0),
    free: disk.free,
    fillAfterFeeding: () => {
      isFilling = true;
    },
    fed: () => parts.fed,
    close: async () => {
      store.close();
      await app.close();
      await bench.close();
      await disk.close();
    },
  };
});

interface Case {
  /** Requests sent before the disk is filled. */
  readonly first?: readonly Request[];
  readonly when: 'before it' | 'while it is fed';
  readonly call: Request;
  /** The answer to `call` on the full disk: its status and error code. */
  readonly full: readonly [status: number, error?: string];
  /** How often the scanner has been asked to feed by then. */
  readonly fed: number;
  /** A GET request while the disk is full, and some fields of its answer. */
  readonly shows: readonly [path: string, fields: object];
  /** The request once there is room again: by default `call`. */
  readonly next?: Request;
  readonly answer: readonly [status: number, fields: object];
}

const FULL = [507, 'insufficient_storage'] as const;

const SETTINGS = { mode: 'Color', resolution: 600 };
const WITH_SETTINGS: Request = ['POST /scan', { settings: SETTINGS }];

const BUTTON = { based_on: 'default', label: 'Old', settings: SETTINGS };
const SAVED: Request = ['PUT /profiles/a', BUTTON];

const HELD: Request = ['POST /scan', { hold: true }];
const AGAIN: Request = ['POST /scan', { continue_scan: '{id}', replaces: 1 }];

const FRONT: Request = ['POST /scan', { profile: 'card' }];
const BACK: Request = ['POST /scan', { continue_scan: '{id}' }];
const RESUMED: Request = ['POST /scans/{id}/resume'];

/** By call: the answer on a full disk, what it leaves, and the answer once there is room again. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  'POST /scan with settings': [
    {
      when: 'before it',
      call: WITH_SETTINGS,
      full: FULL,
      fed: 0,
      shows: ['/scans', { scans: [], next: null }],
      answer: [200, { state: 'finished', page_count: 1 }],
    },
    {
      when: 'while it is fed',
      call: WITH_SETTINGS,
      full: FULL,
      fed: 1,
      shows: ['/scans/{id}', { state: 'failed', asked_settings: SETTINGS }],
      next: RESUMED,
      answer: [200, { state: 'finished', page_count: 1 }],
    },
  ],
  'PUT /profiles/{name}': [
    {
      when: 'before it',
      call: SAVED,
      full: FULL,
      fed: 0,
      shows: ['/profiles/a', { error: 'profile_not_found' }],
      answer: [201, { label: 'Old' }],
    },
    {
      first: [SAVED],
      when: 'before it',
      call: ['PUT /profiles/a', { ...BUTTON, label: 'New' }, { 'If-Match': '*' }],
      full: FULL,
      fed: 0,
      shows: ['/profiles/a', { Label: 'Old' }],
      answer: [200, { label: 'New' }],
    },
  ],
  'DELETE /profiles/{name}': [
    {
      first: [SAVED],
      when: 'before it',
      call: ['DELETE /profiles/a'],
      full: [204],
      fed: 0,
      shows: ['/profiles/a', { error: 'profile_not_found' }],
      answer: [404, { error: 'profile_not_found' }],
    },
  ],
  'POST /scan with replaces': [
    {
      first: [HELD],
      when: 'before it',
      call: AGAIN,
      full: FULL,
      fed: 1,
      shows: ['/scans/{id}', { state: 'held', page_count: 1, dropped_pages: [] }],
      answer: [200, { state: 'held', dropped_pages: [{ page: 1, reason: 'replaced' }] }],
    },
    {
      first: [HELD],
      when: 'while it is fed',
      call: AGAIN,
      full: FULL,
      fed: 2,
      shows: ['/scans/{id}', { state: 'held' }],
      next: RESUMED,
      answer: [200, { state: 'finished' }],
    },
  ],
  'POST /scan of a card': [
    {
      when: 'before it',
      call: FRONT,
      full: FULL,
      fed: 0,
      shows: ['/scans', { scans: [], next: null }],
      answer: [200, { state: 'held', page_count: 1 }],
    },
    {
      first: [FRONT],
      when: 'before it',
      call: BACK,
      full: FULL,
      fed: 1,
      shows: ['/scans/{id}', { state: 'held', page_count: 1 }],
      answer: [200, { state: 'finished', page_count: 2 }],
    },
    {
      first: [FRONT],
      when: 'while it is fed',
      call: BACK,
      full: FULL,
      fed: 2,
      shows: ['/scans/{id}', { state: 'failed' }],
      next: RESUMED,
      answer: [200, { state: 'finished', page_count: 2 }],
    },
  ],
};

for (const [title, cases] of Object.entries(CASES)) {
  for (const [
    index,
    { when, first = [], call, full, fed, shows, next, answer },
  ] of cases.entries()) {
    test(`${title}, full ${when} (${index + 1}): ${full.join(' ')}, and with room ${answer[0]}`, async (bench) => {
      for (const request of first) await bench.ask(...request);
      if (when === 'before it') bench.fill();
      else bench.fillAfterFeeding();
      const refused = await bench.ask(...call);
      assert.equal([refused.status, refused.json?.['error']], [full[0], full[1]], refused.text);
      if (full === FULL) assert.match(String(refused.json?.['message']), /[Ff]ree some space/);
      assert.is(bench.fed().length, fed);
      const [path, fields] = shows;
      assert.equal(onlyOf(await bench.ask(`GET ${path}`), fields), fields);
      bench.free();
      const { status, ...given } = await bench.ask(...(next ?? call));
      const [expected, wanted] = answer;
      assert.equal([status, onlyOf(given, wanted)], [expected, wanted], given.text);
    });
  }
}

/** Number of crops: more than fit into the free part of the last disk block of the record. */
const CROPS = 400;

test('PATCH of a page with a crop, full before it: 507 once it does not fit, and earlier ones are kept', async ({
  ask,
  fill,
  free,
}) => {
  await ask(...HELD);
  fill();
  const cropping = (number: number): Request => {
    const crop = { x: 0, y: 0, width: 0.5 + number / 1000, height: 0.5, angle: 0 };
    return ['PATCH /scans/{id}/pages/1', { crop }];
  };
  const widthOf = ({ json = {} }: TestAnswer): unknown =>
    (json['page_states'] as readonly { readonly crop: { readonly width: number } | null }[])[0]
      ?.crop?.width;
  let kept: unknown;
  let refused: TestAnswer | undefined;
  for (let number = 0; number < CROPS && refused === undefined; number += 1) {
    const answer = await ask(...cropping(number));
    if (answer.status === 200) kept = widthOf(answer);
    else refused = answer;
  }
  assert.equal([refused?.status, refused?.json?.['error']], FULL, refused?.text);
  assert.is(widthOf(await ask('GET /scans/{id}')), kept);
  free();
  assert.is(widthOf(await ask(...cropping(CROPS))), 0.9);
  assert.is(widthOf(await ask('GET /scans/{id}')), 0.9);
});

/** Reduces an answer to the fields that `wanted` has. */
function onlyOf({ json = {} }: Pick<TestAnswer, 'json'>, wanted: object): object {
  return Object.fromEntries(Object.keys(wanted).map((field) => [field, json[field]]));
}
