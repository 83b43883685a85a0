import path from 'node:path';

export interface Places {
  readonly root: string;
  readonly settings: string;
  readonly profiles: string;
  readonly sane: string;
  readonly secrets: string;
  readonly scans: string;
  /** The service's own settings. */
  readonly own: string;
}

const CHECKOUT = path.resolve(import.meta.dirname, '../..');

/** As in service/environment.ts. */
const SCANS = '/var/lib/scan-service/scans';

/** In the checkout, or below SETUP_DIR, where docker-compose.yml mounts the checkout. */
export function placesFor(environment: Readonly<Record<string, string | undefined>>): Places {
  const root = environment['SETUP_DIR'] ?? CHECKOUT;
  const scans = environment['OUTPUT_DIR'] || SCANS;
  return {
    root,
    settings: path.join(root, '.env'),
    profiles: path.join(root, 'config/profiles'),
    sane: path.join(root, 'config/sane.d'),
    secrets: path.join(root, 'secrets'),
    scans,
    own: environment['SETTINGS_DIR'] || path.join(path.dirname(scans), 'settings'),
  };
}
