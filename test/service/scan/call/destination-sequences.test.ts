import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { identityOf } from '../../../../service/paperless/destination.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import {
  DEFAULT_REDELIVERY,
  type Redelivery,
} from '../../../../service/archive/upload-decision.ts';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import { seededRandom } from '../../../fault/support/seeded-random.ts';
import { dismissTasks } from '../../../support/dismiss-tasks.ts';
import { assert } from '../../../support/suite.ts';
import {
  createWorld,
  SECRETS,
  WORLD_TOKENS,
  type Copy,
  type Place,
  type World,
} from './destination-world.ts';
import { scanTests } from './scan-bench.ts';

/**
 * Random changes of destinations between the calls of a scan. For a longer run: SEQUENCES=1000. To
 * repeat one: SEED=<the number in its title> SEQUENCES=1.
 */
const SEQUENCES = Number(process.env['SEQUENCES'] ?? 40);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const CALLS = 8;

const WORDS: readonly Partial<Redelivery>[] = [
  {},
  {},
  {},
  {},
  { redeliver_failed: false },
  { resend_unknown: true },
  { resend_submitted: ['document-0001.pdf'] },
  { resend_submitted: ['document-0001.pdf', 'document-0002.pdf'] },
  { resend_unknown: true, resend_submitted: ['document-0002.pdf'] },
  { add_destinations: true },
  { add_destinations: true, resend_unknown: true },
];

const FAULTS: readonly (Fault | undefined)[] = [
  undefined,
  undefined,
  { kind: 'answer', status: 400, body: '{}' },
  { kind: 'answer', status: 400, body: '{}' },
  { kind: 'answer', status: 500 },
  { kind: 'answer', status: 500, store: true },
  { kind: 'reset', when: 'after_body', store: true },
  { kind: 'reset', when: 'mid_body' },
  { kind: 'held_task', status: 'PENDING' },
  { kind: 'held_task', status: 'STARTED' },
  { kind: 'held_task', status: 'RETRY' },
  { kind: 'lost_task' },
  { kind: 'forgotten_task' },
  { kind: 'failed_task', reason: 'no space' },
];

type Below = (limit: number) => number;

const test = scanTests('destinations in random sequences', WORLD_TOKENS);

/** A system and an account, with a random spelling of the address. */
function randomPlace({ systems }: World, below: Below): Place {
  const { url = '' } = systems[below(systems.length)] ?? {};
  const spellings = [url, `${url}/`, url.toUpperCase(), url.replace('127.0.0.1', 'localhost')];
  const token_secret = SECRETS[below(SECRETS.length)] ?? 'one';
  return { kind: 'dms', base_url: spellings[below(4)] ?? url, token_secret };
}

function distinct(places: readonly Place[], below: Below): Place[] {
  const chosen = new Map(places.map((place) => [identityOf(place), place]));
  return [...chosen.values()].toSorted(() => below(2) - 0.5);
}

/** An earlier list, the last list with a change, or a random one. */
function nextPlaces(world: World, earlier: readonly Place[][], below: Below): Place[] {
  const kind = below(6);
  const last = earlier.at(-1) ?? [];
  if (kind < 3 && earlier.length > 0) return earlier[below(earlier.length)] ?? [];
  if (kind < 5 && last.length > 0) {
    const changed = randomPlace(world, below);
    return distinct(last.with(below(last.length), changed), below);
  }
  return distinct(
    Array.from({ length: below(4) }, () => randomPlace(world, below)),
    below,
  );
}

async function passTime({ systems, wrong, disk }: World, below: Below): Promise<void> {
  disk.losesEnds = below(10) === 0;
  wrong.clear();
  for (const secret of SECRETS) if (below(6) === 0) wrong.add(secret);
  for (const system of systems) {
    if (below(4) === 0) system.releaseTasks();
    if (below(8) === 0) await dismissTasks(system);
    await system.idle();
    system.setFault(FAULTS[below(FAULTS.length)], 1 + below(3));
  }
}

interface Calls {
  readonly profile: Profile;
  readonly redelivery: Redelivery;
  readonly count: number;
}

/** A call that a full disk or another call stopped has no result. */
async function makeCalls(
  { scans }: World,
  id: string | undefined,
  { profile, redelivery, count }: Calls,
): Promise<{ readonly id: string; readonly results: ScanResult[] }> {
  const calls =
    id === undefined
      ? [scans.scan({ profile, metadata: {} })]
      : Array.from({ length: count }, () => scans.resume(id, { profile, redelivery }));
  const results: ScanResult[] = [];
  let known = id;
  for (const call of await Promise.allSettled(calls)) {
    if (call.status === 'fulfilled') results.push(call.value);
    const failed: unknown = call.status === 'rejected' ? call.reason : undefined;
    const { code, facts } = failed instanceof Failure ? failed : { code: String(failed) };
    if (call.status === 'rejected') {
      assert.ok(['insufficient_storage', 'scan_in_progress'].includes(code), code);
    }
    known ??= results[0]?.scan_id ?? String(facts?.['scan_id']);
  }
  return { id: String(known), results };
}

function checkCopies(
  before: readonly Copy[],
  added: readonly Copy[],
  { profile, redelivery }: Pick<Calls, 'profile' | 'redelivery'>,
): void {
  const identities = profile.destinations.map(identityOf);
  for (const { identity, document } of added) {
    const said = `${document} at ${identity.replace('\n', ' ')}`;
    assert.ok(identities.includes(identity), `${said}, which the profile does not name`);
    const had = before.filter((copy) => copy.document === document);
    if (had.some((copy) => copy.identity === identity)) {
      const isAsked = redelivery.resend_unknown || redelivery.resend_submitted.includes(document);
      assert.ok(isAsked, `${said} twice, and nobody asked`);
    } else if (!redelivery.add_destinations) {
      const left = had.filter((copy) => !identities.includes(copy.identity));
      assert.equal(left, [], `${said}, and one that has it left the profile`);
    }
  }
}

function checkEntries(
  { documents }: ScanResult,
  { destinations: places }: Pick<Profile, 'destinations'>,
  copies: readonly Copy[],
): void {
  for (const { filename, destinations } of documents) {
    for (const [index, entry] of destinations.entries()) {
      const place = places[index];
      assert.ok(place, 'an entry without a destination');
      if (entry.status === 'failed') continue;
      const { identity } = copies.find(({ task }) => task === entry.task_id) ?? {};
      assert.is(identity, identityOf(place), `${filename} is submitted, and was not sent there`);
    }
  }
}

async function playSequence(world: World, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below: Below = (limit) => Math.floor(random() * limit);
  const earlier: Place[][] = [];
  let id: string | undefined;
  const play = async (
    places: Place[],
    said: Partial<Redelivery>,
    count = 1,
  ): Promise<ScanResult[]> => {
    const assembly = { page_grouping: 'per_page' };
    const profile = world.bench.profile({ destinations: places, assembly });
    const redelivery = { ...DEFAULT_REDELIVERY, ...said };
    const before = world.copies();
    const made = await makeCalls(world, id, { profile, redelivery, count });
    ({ id } = made);
    const copies = world.copies();
    checkCopies(before, copies.slice(before.length), { profile, redelivery });
    assert.equal(world.early(), [], 'sent again while it was being worked on');
    for (const result of made.results) checkEntries(result, profile, copies);
    return made.results;
  };
  for (let call = 0; call < CALLS; call += 1) {
    await passTime(world, below);
    earlier.push(nextPlaces(world, earlier, below));
    await play(
      earlier.at(-1) ?? [],
      WORDS[below(WORDS.length)] ?? {},
      1 + (below(3) === 0 ? 1 : 0),
    );
  }
  world.wrong.clear();
  world.disk.losesEnds = false;
  for (const system of world.systems) system.setFault(undefined);
  const places = earlier.at(-1) ?? [];
  await play(places, {});
  const [last] = await play(places, { add_destinations: true });
  for (const { filename, outcomes } of last?.documents ?? []) {
    const refused = outcomes.filter((outcome) => outcome === 'refused');
    assert.equal(refused, [], `${filename} is held back although everything works`);
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed += 1) {
  test(`SEED=${seed}: at most once to each destination, unless requested`, async (bench) => {
    await playSequence(await createWorld(bench), seed);
  });
}
