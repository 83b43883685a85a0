import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { identityOf } from '../../../../service/paperless/destination.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import type { Scans } from '../../../../service/scan/call/scans.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../../../../service/scan/stages/deliver.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import type { SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import { seededRandom } from '../../../fault/support/seeded-random.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import { assert } from '../../../support/suite.ts';
import { type ScanBench, scanTests } from './scan-bench.ts';

/**
 * Random sequences of adding, removing, swapping, renaming, failing and correcting destinations between the calls of a scan. Longer by
 * hand: SEQUENCES=1000; one again: SEED=<the number in its title> SEQUENCES=1.
 */
const SEQUENCES = Number(process.env['SEQUENCES'] ?? 40);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const CALLS = 6;

/** What a person may say in a call. */
const WORDS: readonly Partial<Redelivery>[] = [
  {},
  {},
  {},
  { redeliver_failed: false },
  { resend_unknown: true },
  { resend_submitted: ['document-0001.pdf'] },
  { add_destinations: true },
];

const FAULTS: readonly (Fault | undefined)[] = [
  undefined,
  undefined,
  { kind: 'answer', status: 400, body: '{}' },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 500, store: true },
  { kind: 'reset', when: 'after_body', store: true },
  { kind: 'reset', when: 'mid_body' },
];

/** Accounts that the tokens of a system are for, and one whose token is wrong. */
const ACCOUNTS = ['one', 'two', 'wrong'];

interface World {
  readonly bench: ScanBench;
  readonly scans: Scans;
  readonly systems: readonly SampleDms[];
}

type Below = (limit: number) => number;
type Place = Readonly<Record<'kind' | 'base_url' | 'token_secret', string>>;

const test = scanTests('destinations in random sequences', [
  'token-one',
  { token: 'token-two', id: 2 },
]);

/** Some of the systems and accounts, each in one of its spellings, in any order. */
function randomPlaces({ systems }: World, below: Below): Place[] {
  const all = systems.flatMap(({ url }) => ACCOUNTS.map((token_secret) => ({ url, token_secret })));
  const chosen = new Map<string, Place>();
  for (let count = below(4); count > 0; count -= 1) {
    const { url, token_secret } = all[below(all.length)] ?? { url: '', token_secret: '' };
    const spellings = [url, `${url}/`, url.toUpperCase(), url.replace('127.0.0.1', 'localhost')];
    const place = { kind: 'dms', base_url: spellings[below(4)] ?? url, token_secret } as const;
    chosen.set(identityOf(place), place);
  }
  return [...chosen.values()].toSorted(() => below(2) - 0.5);
}

/** What reached a system: the task that it became, the account that it was sent to, and the document by the name of the system. */
function sentTo({ systems }: World): { task: string; account: string; document: string }[] {
  return systems.flatMap(({ uploads, port }) =>
    uploads()
      .filter(({ task_id }) => task_id !== undefined)
      .map(({ task_id = '', headers: { host, authorization }, filename }) => ({
        task: task_id,
        account: `${port} ${authorization}`,
        document: `${host} ${authorization} ${filename}`,
      })),
  );
}

/** The account of a place, however its address is spelled. */
function accountOf({ base_url, token_secret }: Pick<Place, 'base_url' | 'token_secret'>): string {
  return `${new URL(base_url).port} Token token-${token_secret}`;
}

async function playSequence(world: World, seed: number): Promise<void> {
  const { bench, scans, systems } = world;
  const random = seededRandom(seed);
  const below: Below = (limit) => Math.floor(random() * limit);
  /** What each destination accepted, by identity and document: it stays so. */
  const accepted = new Set<string>();
  /** Whether a person has asked for something to be sent again: a second upload is then allowed. */
  let mayRepeat = false;
  let id: string | undefined;
  for (let call = 0; call < CALLS; call += 1) {
    for (const system of systems) system.setFault(FAULTS[below(FAULTS.length)], 1 + below(3));
    const assembly = { page_grouping: 'per_page' };
    const profile = bench.profile({ destinations: randomPlaces(world, below), assembly });
    const said = WORDS[below(WORDS.length)] ?? {};
    mayRepeat ||= said.resend_unknown === true || said.resend_submitted !== undefined;
    const redelivery = { ...DEFAULT_REDELIVERY, ...said };
    const result: ScanResult =
      id === undefined
        ? await scans.scan({ profile, metadata: {} })
        : await scans.resume(id, { profile, redelivery });
    id = result.scan_id;
    const sent = sentTo(world);
    for (const { filename, destinations } of result.documents) {
      for (const [index, entry] of destinations.entries()) {
        const place = profile.destinations[index];
        assert.ok(place, 'an entry without a destination');
        const key = `${identityOf(place)} ${filename}`;
        if (entry.status === 'submitted') {
          const account = sent.find(({ task }) => task === entry.task_id)?.account;
          assert.is(account, accountOf(place), `${key} is submitted, and was not sent there`);
          accepted.add(key);
        } else if (!mayRepeat) {
          assert.not.ok(accepted.has(key), `${key} was accepted, and failed now: ${entry.error}`);
        }
      }
    }
    const documents = sent.map(({ document }) => document);
    if (!mayRepeat) assert.equal(documents, [...new Set(documents)], 'one has it twice');
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed += 1) {
  test(`SEED=${seed}: at most once to a system and account, and submitted only where something was sent`, async (bench) => {
    const { scans } = await bench.start({
      feed: feedPages(2),
      dms: () => createDms(async (name) => `token-${name}`),
    });
    await playSequence({ bench, scans, systems: [bench.dms, await bench.another()] }, seed);
  });
}
