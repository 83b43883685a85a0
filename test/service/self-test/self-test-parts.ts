import { EventEmitter } from 'node:events';
import path from 'node:path';
import { createDms } from '../../../service/paperless/dms.ts';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import { loadProfiles } from '../../../service/profiles/load.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { createProfileMismatches } from '../../../service/profiles/profile-summary.ts';
import type { SelfTestParts } from '../../../service/self-test/self-test.ts';

export const placesIn = (
  directory: string,
): Record<'profiles' | 'secrets' | 'scans' | 'socket', string> => ({
  profiles: path.join(directory, 'profiles'),
  secrets: path.join(directory, 'secrets'),
  scans: path.join(directory, 'scans'),
  socket: path.join(directory, 'run/scanner.sock'),
});

/**
 * Reads profiles, secrets and scans of an appliance as the service does. Scanner and processor are
 * simulated and healthy.
 */
export async function partsIn(directory: string): Promise<SelfTestParts> {
  const places = placesIn(directory);
  const schema = profileSchema({ output_dir: places.scans });
  const loaded = await loadProfiles(places.profiles, schema, ['eng']);
  const profiles = [...loaded.profiles.values()];
  const versions = { ocrmypdf: '16' };
  return {
    profiles: {
      list: () => profiles,
      isShipped: () => false,
      isOwn: () => true,
      problems: () => loaded.problems,
      events: new EventEmitter(),
    },
    mismatches: createProfileMismatches(),
    roots: () => profiles.map(({ paths }) => paths.output_dir),
    triggers: { status: () => [] },
    dms: createDms(createSecretReader({ directory: places.secrets, environment: {} })),
    callerToken: { required: () => ({ state: 'none' }) },
    settings: { state: () => ({ kind: 'good' }), current: () => ({}) },
    settingsDir: path.join(directory, 'settings'),
    scanner: {
      health: () => Promise.resolve(),
      checkScan: ({ device }) => Promise.resolve({ device }),
    },
    socketPath: places.socket,
    processor: { health: async () => ({ status: 'ok', versions, languages: ['eng'], workers: 2 }) },
    processorUrl: 'http://processor:8081',
    // Past the time that the parts need to start.
    upSeconds: () => 3600,
    checkOwner: () => Promise.resolve(),
    syncSpeed: async () => 1,
  };
}
