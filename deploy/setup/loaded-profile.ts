import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Service } from '../terminal/ask-service.ts';

/** In milliseconds. The service polls profiles every second. */
const PROFILE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;

/** Answers within two polling intervals, in which the service may still report the old file. */
const MAX_ANSWERS = 8;

/**
 * Waits until the service has loaded the written profile. Returns the rejected fields; none if the
 * service does not respond, which the test scan reports.
 */
export async function refusedFields(service: Service, profile: string): Promise<readonly string[]> {
  const giveUp = Date.now() + PROFILE_WITHIN_MS;
  for (let answers = 0; ; answers += 1) {
    const answer = await ask(service, '/profiles').catch(() => undefined);
    const known = answer?.ok === true ? ((await answer.json()) as Known) : NOTHING;
    const refused = known.problems.filter(({ file }) => path.parse(file).name === profile);
    const isRead = refused.length > 0 || known.profiles.some(({ name }) => name === profile);
    if (!isRead) answers = 0;
    if (answers >= MAX_ANSWERS || Date.now() > giveUp)
      return refused.map(({ field }) => field ?? '');
    await sleep(LOOK_EVERY_MS);
  }
}

interface Known {
  readonly profiles: readonly { readonly name: string }[];
  readonly problems: readonly { readonly file: string; readonly field: string | null }[];
}

const NOTHING: Known = { profiles: [], problems: [] };
