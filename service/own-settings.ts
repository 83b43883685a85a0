import { EventEmitter } from 'node:events';
import type { Log } from '../helpers/log.ts';
import { useTimeZone, type Environment } from './environment.ts';
import { createSecretReader, type SecretReader } from './paperless/secrets.ts';
import type { OwnProfileFiles } from './profiles/load.ts';
import { SHIPPED } from './profiles/load-directories.ts';
import type { ProfileDefaults } from './profiles/schema.ts';
import { createOwnFiles, type OwnFiles } from './settings/own-files.ts';
import { createSettingsStore, type SettingsStore } from './settings/settings-store.ts';

/** Settings of the service. Those of the operator take precedence. */
export interface OwnSettings {
  readonly files: OwnFiles;
  readonly settings: SettingsStore;
  /** Emits `stored` after every step of the set-up that may have stored something. */
  readonly setUpEvents: EventEmitter<{ stored: [] }>;
  readonly secretsDir: string;
  readonly readSecret: SecretReader;
  /** Reads only secrets of the operator. */
  readonly readOperatorSecret: SecretReader;
  readonly profilesDirs: readonly string[];
  readonly profileFiles: OwnProfileFiles;
  /** Address of destinations that name none. */
  readonly dmsUrl: () => string | undefined;
  /** Scanner and languages of profiles that name none. */
  readonly chosen: () => Pick<ProfileDefaults, 'device' | 'languages'>;
  /** Shipped profiles that the page does not show. */
  readonly hidden: () => readonly string[];
}

export async function openOwnSettings(environment: Environment, log: Log): Promise<OwnSettings> {
  const files = createOwnFiles(environment.settingsDir);
  const settings = await createSettingsStore({ files, log });
  keepTimeZone(environment, settings);
  const [secretsDir, directory] = [files.pathOf('secrets'), files.pathOf('profiles')];
  const given = environment.profilesDirs;
  const { secretsDir: operatorsDir, secretVariables } = environment;
  const operators = { directory: operatorsDir, environment: secretVariables };
  return {
    files,
    settings,
    setUpEvents: new EventEmitter(),
    secretsDir,
    readOperatorSecret: createSecretReader(operators),
    readSecret: createSecretReader({
      ...operators,
      own: { directory: secretsDir, read: files.readFile },
    }),
    profilesDirs: [
      ...given.filter((one) => one !== SHIPPED),
      directory,
      ...given.filter((one) => one === SHIPPED),
    ],
    profileFiles: { directory, read: files.readFile },
    dmsUrl: () => environment.dmsUrl ?? settings.current().dms_url ?? environment.defaultDmsUrl,
    chosen: () => {
      const { scanner, languages } = settings.current();
      return { device: scanner?.device, languages };
    },
    hidden: () => settings.current().hidden_profiles ?? [],
  };
}

/** Uses the time zone chosen in the browser, now and after each change, unless TZ is set. */
function keepTimeZone(
  { timeZone, defaultTimeZone }: Environment,
  { current, events }: SettingsStore,
): void {
  if (timeZone !== undefined) return;
  const apply = (): void => {
    const zone = current().time_zone ?? defaultTimeZone;
    if (zone !== undefined) useTimeZone(zone);
  };
  apply();
  events.on('changed', apply);
}
