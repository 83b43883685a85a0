import type { DmsDestination } from '../paperless/destination.ts';
import { mergeMetadata } from '../paperless/upload/upload-form.ts';
import { askDms, type DmsAccess } from '../paperless/ask-dms.ts';
import type { Dms } from '../paperless/dms.ts';
import { dryRun, CHAIN, type DryRun, type Link } from '../paperless/dry-run.ts';
import { systemOf } from '../paperless/endpoint.ts';
import { askUploadLimit } from '../paperless/upload-limit.ts';
import { askOnce, fail, ok, warn, type Check, type Found } from './check.ts';

export interface UsedDestination {
  readonly profile: string;
  /** The displayed name, in German. */
  readonly label: string;
  readonly destination: DmsDestination;
}

export interface SystemCheckOptions {
  readonly secret: Check;
  readonly dms: Dms;
  readonly signal: AbortSignal;
}

/** The message for each step of the chain, if it works. */
const LINK_WORDS: Readonly<Record<Link, string>> = {
  name: 'The host name is known.',
  tcp: 'It accepts connections.',
  tls: 'Its certificate is good.',
  api: 'It answers as Paperless-ngx does.',
  version: 'It has an API version that the service knows.',
  token: 'The token is good.',
  permission: 'The user of the token may add documents.',
};

/** A larger difference causes a warning. Clocks that are set correctly differ by less. */
const CLOCK_SECONDS = 120;

/** Slower answers only cause a warning, because uploads wait for minutes. */
const SLOW_MS = 2500;

/** Timeout of the test upload. Leaves time for later checks. */
const TEST_UPLOAD_TIMEOUT_MS = 6500;

/** Paperless-ngx 3.0.5 takes 3.7 s to notice that no worker answers. */
const WORKER_ANSWER_MS = 5000;

const OLDEST: readonly [number, number] = [2, 16];

/**
 * Checks a system, from its host name to the names in each profile. The destinations in `used` have
 * the same address and secret.
 */
export function systemChecks(
  used: readonly [UsedDestination, ...UsedDestination[]],
  { secret, dms, signal }: SystemCheckOptions,
): Check[] {
  const [{ destination }] = used;
  const subject = systemOf(destination);
  const access = askOnce(() => dms.accessTo(destination, signal));
  const ran = askOnce(async () => {
    const asked = await access();
    const timeouts = {
      ...asked.timeouts,
      socket: TEST_UPLOAD_TIMEOUT_MS,
      response: TEST_UPLOAD_TIMEOUT_MS,
    };
    const began = performance.now();
    const found = await dryRun({ ...asked, timeouts }, {});
    tookMs = Math.round(performance.now() - began);
    return found;
  });
  let tookMs = 0;
  const links = CHAIN.filter((link) => link !== 'tls' || subject.startsWith('https:'));
  const chain: Check[] = [];
  for (const link of links) {
    const needs = chain.at(-1) ?? secret;
    const run = async (): Promise<Found> => {
      const found = linkFound(link, await ran());
      return link === 'api' && found.status === 'ok' && tookMs > SLOW_MS ? slow(tookMs) : found;
    };
    chain.push({ id: `dms.${link}`, subject, needs, run });
  }
  const needs = chain.at(-1);
  const reached = async (): Promise<Reached> => {
    const found = await ran();
    if (found.kind === 'broken') throw new Error('a check ran without the one that it needs');
    return found;
  };
  const rest: readonly (readonly [string, Check['run']])[] = [
    ['release', async () => release(await reached())],
    ['clock', async () => clock(subject, await reached())],
    ['upload_limit', async () => uploadLimit(await access())],
    ['worker', async () => worker(await access())],
  ];
  return [
    ...chain,
    ...rest.map(([what, run]) => ({ id: `dms.${what}`, subject, needs, run })),
    ...used.map((one) => ({
      id: 'dms.metadata',
      subject: `${one.profile} → ${subject}`,
      needs,
      run: () => metadata(one, dms.names, signal),
    })),
  ];
}

/** Only a warning: a slow system delays documents, but does not lose them. */
function slow(tookMs: number): Found {
  const found = `${(tookMs / 1000).toFixed(1)} s`;
  const remedy =
    'Documents are filed all the same. If it is always so, give it more memory or a faster disk.';
  return warn(`It took ${found} to answer.`, remedy, {
    found,
    expected: `at most ${SLOW_MS / 1000} s`,
  });
}

function linkFound(link: Link, ran: DryRun): Found {
  const isBroken = ran.kind === 'broken' && ran.link === link;
  return isBroken ? fail(ran.problem) : ok(LINK_WORDS[link]);
}

type Reached = Extract<DryRun, { kind: 'reached' }>;

function release({ version: found }: Reached): Found {
  if (found === undefined) return unknown('It does not say which release it is.');
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (!isOld) return ok(`It is Paperless-ngx ${found}.`, found);
  const expected = `${OLDEST.join('.')} or newer`;
  const what = `Paperless-ngx ${found} is older than what the service is tried with.`;
  return warn(what, `Update it to ${expected}.`, { found, expected });
}

function clock(subject: string, { date }: Reached): Found {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return unknown('It does not say what time it is.');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  if (seconds <= CLOCK_SECONDS) return ok('Its clock and the clock of this machine agree.');
  const what = `The clocks of this machine and of ${subject} differ by ${seconds} s.`;
  const findings = { found: `${seconds} s`, expected: `at most ${CLOCK_SECONDS} s` };
  return warn(what, 'Set both, or let NTP through.', findings);
}

async function uploadLimit(access: DmsAccess): Promise<Found> {
  const { answer, megabytes } = await askUploadLimit(access);
  if (answer === 'accepted') return ok(`Uploads of ${megabytes} MB are let through.`);
  if (answer === 'unsaid')
    return skipped('It does not say how large an upload may be before it has read it.');
  if (answer === 'unknown') return unknown('The connection failed when an upload was announced.');
  const what = `The reverse proxy before Paperless-ngx refuses uploads of ${megabytes} MB.`;
  const findings = { found: '413', expected: `${megabytes} MB` };
  return warn(what, 'Raise its limit, in nginx with client_max_body_size 1g.', findings);
}

/** The check is skipped if the token has no permission, or the release does not report workers. */
async function worker(access: DmsAccess): Promise<Found> {
  const timeouts = { ...access.timeouts, socket: WORKER_ANSWER_MS, response: WORKER_ANSWER_MS };
  const asked = await askDms({ ...access, timeouts }, '/api/status/');
  if (asked.kind === 'forbidden')
    return skipped('The user of the token may not ask whether the worker of Paperless-ngx runs.');
  if (asked.kind !== 'value') return unknown(asked.problem);
  const { tasks }: { tasks?: unknown } = Object(asked.value);
  const { redis_status: redis, celery_status: celery }: Record<string, unknown> = Object(tasks);
  if (typeof redis !== 'string' || typeof celery !== 'string')
    return skipped('It does not say whether its worker runs.');
  if (redis === 'OK' && celery === 'OK') return ok('It files what it gets.');
  const what = 'Paperless-ngx accepts documents but does not file them.';
  const findings = { found: `redis ${redis}, celery ${celery}`, expected: 'redis OK, celery OK' };
  return warn(what, 'Check its broker (Redis) and its worker (Celery).', findings);
}

async function metadata(
  { profile, label, destination }: UsedDestination,
  names: Dms['names'],
  signal: AbortSignal,
): Promise<Found> {
  const merged = mergeMetadata(destination, {});
  const { problems, noAnswer } = await names(signal).check(destination, merged);
  if (problems.length > 0) {
    const messages = problems.map(({ message }) => message).join(' ');
    const names = problems.map(({ value }) => `„${value}“`).join(', ');
    const isMissing = problems.every(({ kind }) => kind === 'missing');
    const key = isMissing ? 'dms.metadata.missing' : undefined;
    return fail(`Profile "${profile}": ${messages}`, undefined, { key, facts: { label, names } });
  }
  if (noAnswer !== undefined) return unknown(noAnswer);
  return ok('It has every tag, correspondent, document type and storage path of the profile.');
}

/** The result of a check that does not matter here. */
function skipped(what: string): Found {
  return { status: 'skipped', what };
}

function unknown(what: string): Found {
  return { status: 'unknown', what };
}
