import { messageOf } from '../../helpers/error-code.ts';
import type { DmsDestination } from '../paperless/destination.ts';
import { mergeMetadata } from '../paperless/upload/upload-form.ts';
import { askDms, type DmsAccess } from '../paperless/ask-dms.ts';
import type { Dms } from '../paperless/dms.ts';
import { dryRun, LINKS, type DryRun, type Link } from '../paperless/dry-run.ts';
import { systemOf } from '../paperless/names/find-object.ts';
import { askUploadLimit } from '../paperless/upload-limit.ts';
import { fail, ok, skipped, unknown, warn, type Check } from './check.ts';

/** A destination, and the profiles that deliver there. */
export interface UsedDestination {
  readonly profile: string;
  readonly destination: DmsDestination;
}

/** What is right about each link, in words; and what is looked at besides. */
const LINK_WORDS: Readonly<Record<Link, string>> = {
  name: 'The host name is known.',
  tcp: 'It accepts connections.',
  tls: 'Its certificate is good.',
  api: 'It answers as Paperless-ngx does.',
  version: 'It has an API version that the service knows.',
  token: 'The token is good.',
  permission: 'The user of the token may add documents.',
};

/** Two clocks of one household differ by less, in seconds. */
const CLOCK_SECONDS = 120;

/** Paperless-ngx 3.0.5 took 3.7 s to find that no worker answers it. In milliseconds. */
const WORKER_ANSWER_MS = 5000;

/** The oldest release with the version of the API that the service asks for. */
const OLDEST: readonly [number, number] = [2, 16];

/**
 * The chain to one system: name, connection, TLS, API, version, token and permission, its clock, the limit of a proxy before it,
 * its worker, and what each profile names there. `used` is never empty; all have the address and the secret of the first.
 */
export async function checkSystem(
  used: readonly UsedDestination[],
  { accessTo, names, recentProblems }: Dms,
  signal: AbortSignal,
): Promise<Check[]> {
  const [first] = used;
  if (!first) return [];
  const { destination } = first;
  const subject = systemOf(destination);
  const access = await accessTo(destination, signal).catch(messageOf);
  if (typeof access === 'string') return tokenMissing(subject, destination);
  const ran = await dryRun(access, {});
  if (signal.aborted)
    return [unknown({ id: 'dms', subject }, 'The system did not answer in time.')];
  recentProblems.note(destination, ran.kind === 'broken' ? ran.problem : undefined);
  const links = checkLinks(subject, ran);
  if (ran.kind === 'broken') {
    const rest = used.map((one) => skipped(metadataOf(one), `${subject} cannot be used`));
    return [...links, ...rest];
  }
  const [limit, worker, ...metadata] = await Promise.all([
    checkLimit(access),
    checkWorker(access),
    ...used.map((one) => checkMetadata(one, names, signal)),
  ]);
  return [
    ...links,
    checkRelease(subject, ran),
    checkTime(subject, ran),
    limit,
    worker,
    ...metadata,
  ];
}

/** Its secret has a check of its own, which says what is wrong. */
function tokenMissing(subject: string, { token_secret }: DmsDestination): Check[] {
  return [skipped({ id: 'dms.token', subject }, `the secret ${token_secret} cannot be used`)];
}

function checkLinks(subject: string, ran: DryRun): Check[] {
  const links = LINKS.filter((link) => link !== 'tls' || subject.startsWith('https:'));
  const broken = ran.kind === 'broken' ? links.indexOf(ran.link) : links.length;
  return links.map((link, index) => {
    const about = { id: `dms.${link}`, subject };
    if (index < broken) return ok(about, LINK_WORDS[link]);
    if (index > broken || ran.kind !== 'broken') return skipped(about, `see dms.${links[broken]}`);
    return fail(about, ran.problem);
  });
}

type Reached = Extract<DryRun, { kind: 'reached' }>;

function checkRelease(subject: string, { version }: Reached): Check {
  const about = { id: 'dms.release', subject };
  if (version === undefined) return unknown(about, 'It does not say which release it is.');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  const expected = `${OLDEST.join('.')} or newer`;
  if (!isOld) return ok(about, `It is Paperless-ngx ${version}.`, { found: version, expected });
  return warn(
    about,
    `Paperless-ngx ${version} is older than what the service is tried with. Update it to ${expected}.`,
    { found: version, expected },
  );
}

function checkTime(subject: string, { date }: Reached): Check {
  const about = { id: 'dms.clock', subject };
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return unknown(about, 'It does not say what time it is.');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  if (seconds <= CLOCK_SECONDS) return ok(about, 'Its clock and the clock of this machine agree.');
  return warn(
    about,
    `The clocks of this machine and of ${subject} differ by ${seconds} s. Set both, or let NTP through.`,
    { found: `${seconds} s`, expected: `at most ${CLOCK_SECONDS} s` },
  );
}

async function checkLimit(access: DmsAccess): Promise<Check> {
  const about = { id: 'dms.upload_limit', subject: access.endpoint.name };
  const { answer, megabytes } = await askUploadLimit(access);
  if (answer === 'accepted') return ok(about, `Uploads of ${megabytes} MB are let through.`);
  if (answer === 'unknown') {
    return unknown(about, 'It does not say how large an upload may be before it has read it.');
  }
  return warn(
    about,
    `The reverse proxy before Paperless-ngx refuses uploads of ${megabytes} MB. Raise its limit, in nginx with client_max_body_size 1g.`,
    { found: '413', expected: `${megabytes} MB` },
  );
}

/** Only administrators may ask; for all others nothing is wrong. */
async function checkWorker(access: DmsAccess): Promise<Check> {
  const about = { id: 'dms.worker', subject: access.endpoint.name };
  const timeouts = { ...access.timeouts, socket: WORKER_ANSWER_MS, response: WORKER_ANSWER_MS };
  const asked = await askDms({ ...access, timeouts }, '/api/status/');
  if (asked.kind === 'forbidden') {
    return unknown(
      about,
      'Only an administrator of Paperless-ngx may ask whether its worker runs.',
    );
  }
  if (asked.kind !== 'value') return unknown(about, asked.problem);
  const { tasks }: { tasks?: unknown } = Object(asked.value);
  const { redis_status: redis, celery_status: celery }: Record<string, unknown> = Object(tasks);
  if (typeof redis !== 'string' || typeof celery !== 'string') {
    return unknown(about, 'It does not say whether its worker runs.');
  }
  if (redis === 'OK' && celery === 'OK') return ok(about, 'It files what it gets.');
  const found = `redis ${redis}, celery ${celery}`;
  return warn(
    about,
    'Paperless-ngx accepts documents but does not file them. Check its broker (Redis) and its worker (Celery).',
    { found, expected: 'redis OK, celery OK' },
  );
}

function metadataOf({ profile, destination }: UsedDestination): Pick<Check, 'id' | 'subject'> {
  return { id: 'dms.metadata', subject: `${profile} → ${systemOf(destination)}` };
}

async function checkMetadata(
  used: UsedDestination,
  names: Dms['names'],
  signal: AbortSignal,
): Promise<Check> {
  const about = metadataOf(used);
  const merged = mergeMetadata(used.destination, {});
  const { problems, silence } = await names.check(used.destination, merged, {
    signal,
    create: false,
  });
  if (problems.length > 0) {
    const messages = problems.map(({ message }) => message).join(' ');
    return fail(about, `Profile "${used.profile}": ${messages}`);
  }
  if (silence !== undefined) return unknown(about, silence);
  return ok(
    about,
    'It has every tag, correspondent, document type and storage path of the profile.',
  );
}
