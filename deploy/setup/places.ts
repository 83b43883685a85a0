import path from 'node:path';

/** Where the files are that belong to the operator. */
export interface Places {
  /** The checkout. */
  readonly root: string;
  readonly settings: string;
  readonly profiles: string;
  readonly sane: string;
  readonly secrets: string;
  /** Where the test scan is kept, as every other scan is. */
  readonly scans: string;
}

const CHECKOUT = path.resolve(import.meta.dirname, '../..');

/** As the service has it (service/environment.ts). */
const SCANS = '/var/lib/scan-service/scans';

/** The places in the checkout, or below SETUP_DIR, where docker-compose.yml mounts them in the same way. */
export function placesFor(environment: Readonly<Record<string, string | undefined>>): Places {
  const root = environment['SETUP_DIR'] ?? CHECKOUT;
  return {
    root,
    settings: path.join(root, '.env'),
    profiles: path.join(root, 'config/profiles'),
    sane: path.join(root, 'config/sane.d'),
    secrets: path.join(root, 'secrets'),
    scans: environment['OUTPUT_DIR'] || SCANS,
  };
}
