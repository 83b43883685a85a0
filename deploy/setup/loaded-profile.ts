import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Service } from '../terminal/ask-service.ts';

/** In milliseconds. The service polls profiles every second. */
const PROFILE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;

/** Looks in two polling intervals, during which the service may still report the previous file. */
const LOOKS = 8;

/**
 * Waits until the service has loaded the written profile. Returns the rejected fields; none if the
 * service does not respond, which the test scan reports.
 */
export async function refusedFields(service: Service, profile: string): Promise<readonly string[]> {
  const giveUp = Date.now() + PROFILE_WITHIN_MS;
  for (let looks = 0; ; looks += 1) {
    const answer = await ask(service, '/profiles').catch(() => undefined);
    const known = answer?.ok === true ? ((await answer.json()) as Known) : NOTHING;
    const refused = known.problems.filter(({ file }) => path.parse(file).name === profile);
    const isRead = refused.length > 0 || known.profiles.some(({ name }) => name === profile);
    if (!isRead) looks = 0;
    if (looks >= LOOKS || Date.now() > giveUp) return refused.map(({ field }) => field ?? '');
    await sleep(LOOK_EVERY_MS);
  }
}

interface Known {
  readonly profiles: readonly { readonly name: string }[];
  readonly problems: readonly { readonly file: string; readonly field: string | null }[];
}

const NOTHING: Known = { profiles: [], problems: [] };
