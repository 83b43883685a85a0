import { existsSync } from 'node:fs';

const OF_THE_UNITS = '/etc/scan-service/secrets';

/** The secrets directory of the units, if it exists and the environment names no other. */
export function unitsSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (environment['SECRETS_DIR'] !== undefined || !existsSync(OF_THE_UNITS)) return undefined;
  return OF_THE_UNITS;
}
