import { existsSync } from 'node:fs';

/** Where the systemd units keep their secrets (deploy/systemd). */
const OF_THE_UNITS = '/etc/scan-service/secrets';

/** The secrets of the units, on a machine that has them; undefined where the environment names a directory. */
export function unitsSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (environment['SECRETS_DIR'] !== undefined || !existsSync(OF_THE_UNITS)) return undefined;
  return OF_THE_UNITS;
}
