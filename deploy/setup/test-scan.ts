import { describeAnswer } from '../terminal/outcome.ts';
import { followToEnd } from '../terminal/follow-scan.ts';
import { eventLine } from '../terminal/progress.ts';
import type { Questions } from './questions.ts';

/** The service looks at the profiles every second. */
const PROFILE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;

/** Scans with the profile, and says page by page how far it is. Returns whether it ended well. */
export async function testScan(
  baseUrl: string,
  profile: string,
  { questions, token }: { readonly questions: Questions; readonly token: string | undefined },
): Promise<boolean> {
  const service = { baseUrl, token };
  await untilLoaded(service, profile);
  const answer = await followToEnd(service, { kind: 'scan', body: { profile } }, (event) => {
    const line = eventLine(event);
    if (line !== undefined) questions.say(line);
  });
  questions.say(describeAnswer(answer, { command: 'npm run scan --', baseUrl: undefined }));
  if (answer.body['error'] === 'output_dir_in_use') {
    questions.say(`The appliance is running already. Scan with it:\n  npm run scan -- ${profile}`);
  }
  return answer.status === 200;
}

/** Waits until the service has the profile as it was written. A profile that it refuses is reported by the scan. */
async function untilLoaded(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string | undefined },
  profile: string,
): Promise<void> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const giveUp = Date.now() + PROFILE_WITHIN_MS;
  // Twice the interval at which it looks: an earlier profile of that name may be loaded.
  let looks = 0;
  while (Date.now() < giveUp && looks < 8) {
    const answer = await fetch(`${baseUrl}/profiles/${profile}`, { headers }).catch(
      () => undefined,
    );
    looks = answer?.status === 404 ? 0 : looks + 1;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_EVERY_MS);
    });
  }
}
