/**
 * Runs as root before the other containers start, and gives their user access to the directories of
 * docker-compose.yml. Never fails: each container reports what it cannot access.
 */
import { messageOf } from '../../helpers/error-code.ts';
import { CONTAINER_ID, giveToContainers, letContainersRead } from './container-access.ts';

/** Mount points in the container, with the `.env` variable that sets their source. */
const READ = {
  PROFILES: '/prepare/profiles',
  SECRETS: '/prepare/secrets',
  SANE_CONFIG: '/prepare/sane.d',
};
const WRITTEN = {
  SCANS: '/var/lib/scan-service/scans',
  SAVED_PROFILES: '/var/lib/scan-service/saved-profiles',
  SETTINGS: '/var/lib/scan-service/settings',
};

for (const [name, directory] of Object.entries(READ)) {
  await attempt(name, async () => {
    const changed = await letContainersRead(directory);
    if (changed.length > 0) say(`The containers can now read ${name} (group ${CONTAINER_ID}).`);
  });
}
for (const [name, directory] of Object.entries(WRITTEN)) {
  await attempt(name, async () => {
    if (await giveToContainers(directory)) return;
    say(`The containers cannot write to ${name}. Run: ${advice(name)}`);
  });
}

async function attempt(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(`The permissions of ${name} cannot be changed (${messageOf(error)}). Run: ${advice(name)}`);
  }
}

/** What to type on the machine itself instead. */
function advice(name: string): string {
  return `sudo chown -R :${CONTAINER_ID} <${name}> && sudo chmod -R g+rX${name in WRITTEN ? 'w' : ''} <${name}>`;
}

function say(text: string): void {
  console.log(text);
}
