import { warning } from '../../../helpers/warnings.ts';
import { messageOf } from '../../../helpers/error-code.ts';
import { beforeAbort } from '../../../helpers/before-abort.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { DmsDestination, DocumentMetadata } from '../../paperless/destination.ts';
import { mergeMetadata } from '../../paperless/upload/upload-form.ts';
import type { DmsAccess } from '../../paperless/ask-dms.ts';
import type { Dms } from '../../paperless/dms.ts';
import { createFreeSerialNumbers } from '../../paperless/serial-number.ts';
import { dryRun } from '../../paperless/dry-run.ts';
import type { MetadataProblem } from '../../paperless/names/problems.ts';
import { systemOf } from '../../paperless/endpoint.ts';
import type { Profile } from '../../profiles/profile.ts';

export type Deliverable = Pick<Profile, 'destinations' | 'require_destinations'> & {
  readonly metadata: DocumentMetadata;
};

/** Time limits of the checks before feeding, in milliseconds. */
export interface CheckTimes {
  /** For checking all destinations together, including reading their secrets. */
  readonly all: number;
  /**
   * Used instead of `all` if the profile requires every destination: a disk may have to wake up.
   */
  readonly required: number;
  /**
   * For a test upload whose failure only causes a warning. A working system answers within 30 ms.
   * Leaves time for TCP's second connection attempt, after 1 s.
   */
  readonly testUpload: number;
  readonly connect: number;
}

export const CHECK_TIMES: CheckTimes = {
  all: 3000,
  required: 15_000,
  testUpload: 2000,
  connect: 1500,
};

interface Checked {
  readonly destination: DmsDestination;
  readonly problems: readonly MetadataProblem[];
  /** Why the destination accepts no documents now. */
  readonly broken: string | undefined;
  /** A warning if another document already has the serial number. */
  readonly without?: string | undefined;
}

/**
 * Returns warnings about destinations that do not work now. Throws Failure `metadata_not_found` or
 * `invalid_body` for unusable metadata, and `destination_unavailable` if the profile requires every
 * destination and one does not work.
 */
export async function checkDestinations(
  { destinations, metadata, require_destinations }: Deliverable,
  dms: Dms,
  deadline: AbortSignal,
  times: CheckTimes,
): Promise<string[]> {
  const timeout = AbortSignal.timeout(require_destinations ? times.required : times.all);
  const signal = AbortSignal.any([deadline, timeout]);
  const checks = destinations.map((destination) => {
    // A slow system causes no warning, because the delivery has until the deadline.
    const broken = require_destinations ? 'It did not answer in time. Check its log.' : undefined;
    const late = { destination, problems: [], broken };
    const options = { metadata, isRequired: require_destinations, dms, signal, times };
    return beforeAbort(signal, checkOne(destination, options), () => late).then((one) =>
      // An aborted check reports the abort, which is not the real problem.
      signal.aborted ? { ...one, broken } : one,
    );
  });
  const checked = await Promise.all(checks);
  refuse(checked);
  const broken = checked.filter((one) => one.broken !== undefined);
  const [first] = broken;
  if (first && require_destinations) {
    throw new Failure(
      'destination_unavailable',
      `The profile requires ${systemOf(first.destination)}, so nothing was fed. ${first.broken}`,
      { facts: { destinations: broken.map(({ destination }) => systemOf(destination)) } },
    );
  }
  return checked.flatMap(({ destination, broken: cause, without }) => [
    ...(cause ? [warning('destination_down', { system: systemOf(destination), cause })] : []),
    ...(without ? [without] : []),
  ]);
}

async function checkOne(
  destination: DmsDestination,
  { metadata, isRequired, dms, signal, times }: CheckOptions,
): Promise<Checked> {
  const { accessTo, names } = dms;
  const access = await accessTo(destination, signal, 'patient').catch(messageOf);
  if (typeof access === 'string') return { destination, problems: [], broken: access };
  const merged = mergeMetadata(destination, metadata);
  const [{ problems, noAnswer }, broken, { warning: without }] = await Promise.all([
    names(signal).check(destination, merged),
    isRequired ? brokenLink(access) : brokenLinkSoon(access, times),
    createFreeSerialNumbers(accessTo, signal)(merged, destination),
  ]);
  return { destination, problems, broken: broken ?? noAnswer, without };
}

interface CheckOptions {
  readonly metadata: DocumentMetadata;
  readonly isRequired: boolean;
  readonly dms: Dms;
  readonly signal: AbortSignal;
  readonly times: CheckTimes;
}

/** Returns why a system accepts no documents, or undefined if it does. */
async function brokenLink(access: DmsAccess): Promise<string | undefined> {
  const ran = await dryRun(access, {});
  return ran.kind === 'broken' ? ran.problem : undefined;
}

/** Like `brokenLink`, but a system that is slower than `times.testUpload` is not reported. */
async function brokenLinkSoon(
  access: DmsAccess,
  { testUpload: waitMs, connect }: CheckTimes,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(waitMs);
  const soon = { lookup: connect, connect, secureConnect: connect };
  const timeouts = { ...access.timeouts, ...soon };
  const signal = AbortSignal.any([access.signal, late]);
  const broken = await brokenLink({ ...access, timeouts, signal });
  return late.aborted ? undefined : broken;
}

/** Throws if a destination would refuse the metadata. Ignores names that could not be looked up. */
function refuse(checked: readonly Checked[]): void {
  const found = checked.flatMap(({ destination, problems }) =>
    problems
      .filter(({ kind }) => kind !== 'unavailable')
      .map(({ kind, field, value, message, near }) => ({
        kind,
        fact: { field, value, expected: message, near, destination: systemOf(destination) },
      })),
  );
  if (found.length === 0) return;
  const isMissing = found.some(({ kind }) => kind !== 'value');
  const messages = [...new Set(found.map(({ fact }) => fact.expected))].join(' ');
  throw new Failure(isMissing ? 'metadata_not_found' : 'invalid_body', messages, {
    facts: { fields: found.map(({ fact }) => fact) },
  });
}
