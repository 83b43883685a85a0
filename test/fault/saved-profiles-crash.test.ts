import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createSavedProfiles,
  type SavedProfiles,
} from '../../service/profiles/saved/saved-profiles.ts';
import type { ProfileStore } from '../../service/profiles/store.ts';
import { Failure } from '../../helpers/failure.ts';
import { createPart } from '../support/appliance/part.ts';
import { createButtonStore } from '../support/button-store.ts';
import { sendTo, type TestAnswer } from '../support/send-to.ts';
import { assert, EVENT_MS, failure, withFixture, within } from '../support/suite.ts';
import { dieDuring, MOMENT_IN_WORDS } from './storage-support/dying.ts';
import {
  failing,
  interceptFileOperations,
  type Around,
} from './storage-support/file-operations.ts';

const withFaults = await interceptFileOperations();

const OLD = { based_on: 'default', label: 'Old' };
const NEW = { based_on: 'default', label: 'New', description: 'x'.repeat(400) };

interface Opened {
  readonly store: ProfileStore;
  readonly saved: SavedProfiles;
}

interface Case {
  readonly savedDir: string;
  /** Starts a store like a new service, which knows only what is on disk. */
  readonly open: () => Promise<Opened>;
}

const test = withFixture('saving and removing buttons', async (directory) => {
  const stores: ProfileStore[] = [];
  let cases = 0;
  return {
    directory,
    newCase: async (): Promise<Case> => {
      cases += 1;
      const own = path.join(directory, `own-${cases}`);
      const savedDir = path.join(directory, `saved-${cases}`);
      await mkdir(own);
      await writeFile(path.join(own, 'default.yaml'), 'name: default\ndestinations: []\n');
      const open = async (): Promise<Opened> => {
        const store = await createButtonStore(own, savedDir);
        stores.push(store);
        return { store, saved: createSavedProfiles(savedDir, store) };
      };
      await (await open()).saved.put('a', OLD, undefined);
      return { savedDir, open };
    },
    close: async () => {
      for (const store of stores) store.close();
    },
  };
});

const labelsIn = (store: ProfileStore): Record<string, unknown> =>
  Object.fromEntries(store.buttons().map(({ name, saved }) => [name, saved.label]));

/** Changes to a directory with button `a`, and the labels after each change. */
const CHANGES: readonly (readonly [
  what: string,
  change: (saved: SavedProfiles) => Promise<unknown>,
  after: object,
])[] = [
  ['a new button', (saved) => saved.put('b', NEW, undefined), { a: 'Old', b: 'New' }],
  ['a replaced button', (saved) => saved.put('a', NEW, '*'), { a: 'New' }],
  ['a removed button', (saved) => saved.remove('a', undefined), {}],
];
const BEFORE = { a: 'Old' };

const PASSING_ERRORS = ['EIO', 'EMFILE'] as const;

/** Fewer operations mean that interception is broken. */
const FEWEST = { before: 8, half: 1 };

for (const [what, change, after] of CHANGES) {
  for (const moment of ['before', 'half'] as const) {
    test(`${what}, killed ${MOMENT_IN_WORDS[moment]}: the change is complete or absent`, async ({
      newCase,
    }) => {
      let at = 1;
      for (let isDead = true; isDead; at += 1) {
        const { savedDir, open } = await newCase();
        const { saved } = await open();
        const work = (): Promise<unknown> => change(saved);
        isDead = await dieDuring({ withFaults, root: savedDir, at, moment, work });
        const restarted = await open();
        const labels = labelsIn(restarted.store);
        const told = `died ${moment} operation ${at}: ${JSON.stringify(labels)}`;
        const isAfter = JSON.stringify(labels) === JSON.stringify(after);
        assert.ok(isAfter || (isDead && JSON.stringify(labels) === JSON.stringify(BEFORE)), told);
        assert.equal(restarted.store.problems(), [], told);
        await restarted.saved.put('next', OLD, undefined);
        const names = (await readdir(savedDir)).toSorted();
        assert.equal(
          names,
          [...Object.keys(labels), 'next'].map((name) => `${name}.json`),
          told,
        );
      }
      assert.ok(
        at > (what === 'a removed button' && moment === 'half' ? 1 : FEWEST[moment]),
        `only ${at} operations`,
      );
    });
  }

  for (const isLasting of [false, true]) {
    test(`${what}, with an error ${isLasting ? 'from' : 'at'} each operation: the list shows what is on disk`, async ({
      newCase,
    }) => {
      let at = 1;
      for (let isHit = true; isHit; at += 1) {
        isHit = false;
        const { savedDir, open } = await newCase();
        const { store, saved } = await open();
        const code = PASSING_ERRORS[at % PASSING_ERRORS.length] ?? 'EIO';
        const around = failing(code, { at, lasting: isLasting }, () => {
          isHit = true;
        });
        const error: unknown = await withFaults(savedDir, around, () =>
          change(saved).then(
            () => undefined,
            (reason: unknown) => reason,
          ),
        );
        const told = `${code} at operation ${at}`;
        const onDisk = labelsIn((await open()).store);
        if (error === undefined) assert.equal(onDisk, after, told);
        else {
          assert.is(error instanceof Failure && error.code, 'insufficient_storage', told);
          assert.ok([BEFORE, after].some((one) => JSON.stringify(one) === JSON.stringify(onDisk)));
        }
        // If reading the directory failed, the store repeats it within a second.
        if (isLasting || error === undefined) await store.reload();
        assert.equal(labelsIn(store), onDisk, told);
        // The same request again succeeds, or finds the change already made.
        const again = await change(saved).then(
          () => 'done',
          (reason: Failure) => reason.code,
        );
        assert.ok(again === 'done' || again === 'profile_not_found', `${told}: ${again}`);
        assert.equal(labelsIn(store), after, told);
      }
      assert.ok(at > FEWEST.before, `only ${at} operations`);
    });
  }
}

test('on a disk that does not answer: each change is refused in time, and one that waited is never made', async ({
  newCase,
}) => {
  const { savedDir, open } = await newCase();
  const { store } = await open();
  const late = new AbortController();
  const limits = [late.signal, late.signal];
  const never = new AbortController().signal;
  const saved = createSavedProfiles(savedDir, store, () => limits.shift() ?? never);
  const [begun, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const around: Around = async (_, { whole }) => {
    begun.resolve();
    await answers.promise;
    return whole();
  };
  await withFaults(savedDir, around, async () => {
    const refused = [
      failure('insufficient_storage', saved.put('b', NEW, undefined)),
      failure('insufficient_storage', saved.remove('a', undefined)),
    ];
    await begun.promise;
    late.abort();
    for (const { message } of await Promise.all(refused))
      assert.match(message, /did not answer in time.*GET \/profiles shows/);
    answers.resolve();
    await saved.put('c', NEW, undefined);
  });
  // The first change was under way. The second one waited for it.
  assert.equal(labelsIn(store), { a: 'Old', b: 'New', c: 'New' });
});

/** The service itself, without a scanner or a processor. */
function startedIn(directory: string): ReturnType<typeof createPart> {
  const inside = (name: string): string => path.join(directory, name);
  return createPart('the service', 'service/main.ts', () => ({
    PORT: '0',
    PROFILES_DIR: inside('profiles'),
    SAVED_PROFILES_DIR: inside('saved'),
    OUTPUT_DIR: inside('scans'),
    SCANNER_SOCKET: inside('scanner.sock'),
    PROCESSOR_URL: 'http://127.0.0.1:9',
    SECRETS_DIR: inside('secrets'),
  }));
}

function change(directory: string, name: RegExp): Promise<void> {
  return within(
    EVENT_MS,
    new Promise((resolve) => {
      const watcher = watch(directory, (_, changed) => {
        if (!name.test(changed ?? '')) return;
        watcher.close();
        resolve();
      });
    }),
    `a change like ${name}`,
  );
}

const HEADERS = { 'Content-Type': 'application/json', 'If-Match': '*' };

for (const [when, method, name] of [
  ['a temporary file is written', 'PUT', /\.tmp$/],
  ['the file is replaced', 'PUT', /^a\.json$/],
  ['the file is removed', 'DELETE', /^a\.json$/],
] as const) {
  test(`a real service that is killed when ${when} starts with a whole button or none`, async ({
    directory,
  }) => {
    const [profiles, savedDir, secrets] = ['profiles', 'saved', 'secrets'].map((one) =>
      path.join(directory, one),
    ) as [string, string, string];
    for (const one of [profiles, savedDir, secrets]) await mkdir(one);
    await writeFile(path.join(profiles, 'default.yaml'), 'name: default\ndestinations: []\n');
    await writeFile(path.join(savedDir, 'a.json'), JSON.stringify(OLD));
    const service = startedIn(directory);
    const send = (request: object): Promise<TestAnswer> =>
      sendTo(service.port(), { path: '/profiles/a', headers: HEADERS, ...request });
    await service.start();
    try {
      const changed = change(savedDir, name);
      const lost = send({ method, body: method === 'PUT' ? JSON.stringify(NEW) : '' }).catch(
        () => undefined,
      );
      await changed;
      await service.stop('SIGKILL');
      await lost;
      await service.start();
      const { json } = await sendTo(service.port(), { path: '/profiles' });
      const { profiles: listed, problems } = json as {
        profiles: { name: string; label: unknown; usable: boolean }[];
        problems: unknown[];
      };
      const button = listed.find((one) => one.name === 'a');
      assert.equal(problems, []);
      if (method === 'DELETE') assert.is(button, undefined);
      else assert.ok(button?.usable && ['Old', 'New'].includes(String(button.label)));
      const { status } = await send({
        method: 'PUT',
        path: '/profiles/b',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(OLD),
      });
      assert.is(status, 201);
      const files = (await readdir(savedDir)).toSorted();
      assert.equal(files, button ? ['a.json', 'b.json'] : ['b.json']);
      for (const file of files) JSON.parse(await readFile(path.join(savedDir, file), 'utf8'));
    } finally {
      await service.stop();
    }
  });
}
