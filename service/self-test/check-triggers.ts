import { describeTrigger } from '../profiles/trigger.ts';
import type { TriggerStatus } from '../trigger/triggers.ts';
import { fail, ok, warn, type Check, type Found } from './check.ts';

/** Most households scan at least once a day. */
const DAY_MS = 24 * 60 * 60_000;

export interface TriggerCheckOptions {
  readonly triggers: { readonly status: () => readonly TriggerStatus[] };
  readonly uptime?: () => number;
}

/** Checks that scanners report the sensors of triggers, according to earlier readings. */
export function triggerChecks({
  triggers,
  uptime = () => performance.now(),
}: TriggerCheckOptions): Check[] {
  return triggers.status().map((status) => ({
    id: 'trigger',
    subject: status.profile,
    run: async () => look(status, uptime()),
  }));
}

function look(status: TriggerStatus, at: number): Found {
  const { trigger, takenBy, reading, failure } = status;
  const waits = describeTrigger(trigger);
  if (takenBy !== undefined) {
    const what = `The same scanner starts profile ${takenBy} by ${waits} already.`;
    return fail(what, 'Take the trigger out of one of the two, or give each a function number.');
  }
  if (failure)
    return warn(
      `The sensors cannot be read. ${failure.what}`,
      failure.remedy ?? 'See the service log.',
    );
  if (reading === undefined)
    return { status: 'unknown', what: 'The sensors have not been read yet.' };
  if (status.on === undefined && status.off === undefined) return missing(status);
  return at - status.since < DAY_MS ? ok(`Waiting for ${waits}.`) : afterDay(status, waits);
}

/** The problem if the scanner answers but never reported the sensor. */
function missing({ trigger, reading }: TriggerStatus): Found {
  const { device, sensors = {} } = reading ?? {};
  if ('button' in trigger) {
    const names = Object.keys(sensors).join(', ');
    const what = `${device} reports no button "${trigger.button}".`;
    const remedy =
      names === ''
        ? 'It reports none at all: start scans in another way.'
        : `It reports: ${names}.`;
    return fail(what, remedy, { found: names, expected: trigger.button });
  }
  const what = `${device} does not report whether there is paper in its feeder.`;
  const byAddress =
    'A network scanner must be named by its address, "airscan:escl:…", or in airscan.conf; others may not be able to.';
  return fail(what, `Take the trigger out of the profile. ${byAddress}`);
}

/** Warns, a day after the start, about a sensor that never changed: stuck or not supported. */
function afterDay({ trigger, on, off }: TriggerStatus, waits: string): Found {
  const remedy =
    'Put paper in and take it out: if this stays, the scanner does not report it, and the trigger never fires.';
  if (off === undefined) {
    const what = `The scanner has reported ${waits} without a break since the service started, a day ago or more.`;
    return warn(what, remedy);
  }
  if ('paper' in trigger && on === undefined) {
    return warn('The scanner has reported an empty feeder for a day or more.', remedy);
  }
  return ok(`Waiting for ${waits}.`);
}
