import Joi from 'joi';
import { expecting, oneOf } from '../helpers/rules.ts';
import path from 'node:path';
import {
  host,
  logLevel,
  port,
  readVariables,
  splitList,
} from '../helpers/environment-variables.ts';
import type { NotifySettings } from './notification/notification.ts';
import { SHIPPED } from './profiles/load-directories.ts';
import { outputDirectory, plainAddress } from './profiles/text-rules.ts';

/** Read once and frozen. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  /** In order of precedence. */
  readonly profilesDirs: readonly string[];
  readonly savedProfilesDir: string;
  /** For profiles that name no output directory. */
  readonly outputDir: string;
  readonly scannerSocket: string;
  readonly processorUrl: string;
  readonly secretsDir: string;
  /** The service's own settings, secrets and profiles. Those of the operator take precedence. */
  readonly settingsDir: string;
  /** For destinations without an address. */
  readonly dmsUrl: string | undefined;
  /** The bundled Paperless-ngx, unless the operator or the settings name another. */
  readonly defaultDmsUrl: string | undefined;
  /** Undefined if the settings may choose it. */
  readonly timeZone: string | undefined;
  /** Undefined to use the system's time zone. */
  readonly defaultTimeZone: string | undefined;
  /** All variables that end in `_TOKEN`, which can replace secret files. */
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Besides IP addresses, names without a dot, and names of home networks. */
  readonly allowedHosts: readonly string[];
  readonly metrics: boolean;
  /** Allows setting up the appliance in the browser. */
  readonly browserSetUp: boolean;
  readonly notify: NotifySettings | undefined;
  /** Additional CA certificates, which Node reads at its start. */
  readonly extraCertificate: string | undefined;
  readonly logLevel: string;
  readonly buildCommit: string;
  readonly buildTime: string;
}

const CHECKOUT = path.resolve(import.meta.dirname, '..');

const text = Joi.string().messages(expecting('text'));
const absolutePath = Joi.string()
  .custom((value: string, helpers) =>
    path.isAbsolute(value) ? value : helpers.error('path.relative'),
  )
  .messages(expecting('an absolute path'));

const schema = Joi.object({
  HOST: host,
  PORT: port.default(8080),
  PROFILES_DIR: text.default(`${path.join(CHECKOUT, 'config/profiles')}:${SHIPPED}`),
  SAVED_PROFILES_DIR: outputDirectory,
  SHIPPED_PROFILES: oneOf('on', 'off').default('on'),
  OUTPUT_DIR: outputDirectory.default('/var/lib/scan-service/scans'),
  SCANNER_SOCKET: absolutePath.default('/run/scan-service/scanner.sock'),
  PROCESSOR_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .messages(expecting('an address such as http://127.0.0.1:8081'))
    .default('http://127.0.0.1:8081'),
  SECRETS_DIR: absolutePath.default('/run/secrets'),
  SETTINGS_DIR: outputDirectory,
  DMS_URL: plainAddress,
  DMS_URL_DEFAULT: plainAddress,
  TZ: Joi.string(),
  ALLOWED_HOSTS: text.default(''),
  METRICS: oneOf('on', 'off').default('off'),
  BROWSER_SET_UP: oneOf('on', 'off').default('off'),
  NOTIFY_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .messages(expecting('an address such as http://ntfy.lan')),
  NOTIFY_ON: oneOf('all', 'failed').default('all'),
  NOTIFY_TOPIC: text,
  PUBLIC_URL: plainAddress,
  NODE_EXTRA_CA_CERTS: Joi.string(),
  LOG_LEVEL: logLevel,
  BUILD_COMMIT: text.default('unknown'),
  BUILD_TIME: text.default('unknown'),
});

/** Throws an Error that lists each wrong variable and its expected value. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const value = readVariables(schema, variables);
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    profilesDirs: Object.freeze(
      directoriesOf(value.PROFILES_DIR).filter(
        (directory) => value.SHIPPED_PROFILES === 'on' || directory !== SHIPPED,
      ),
    ),
    savedProfilesDir:
      value.SAVED_PROFILES_DIR ?? path.join(path.dirname(value.OUTPUT_DIR), 'saved-profiles'),
    outputDir: value.OUTPUT_DIR,
    scannerSocket: value.SCANNER_SOCKET,
    processorUrl: value.PROCESSOR_URL,
    secretsDir: value.SECRETS_DIR,
    settingsDir: value.SETTINGS_DIR ?? path.join(path.dirname(value.OUTPUT_DIR), 'settings'),
    dmsUrl: value.DMS_URL,
    defaultDmsUrl: value.DMS_URL_DEFAULT,
    timeZone: value.TZ,
    // With an empty TZ, Node would report an unknown time zone.
    defaultTimeZone: variables['TZ'] === '' ? 'UTC' : undefined,
    secretVariables: Object.freeze(tokenVariables(variables)),
    allowedHosts: Object.freeze(splitList(value.ALLOWED_HOSTS)),
    metrics: value.METRICS === 'on',
    browserSetUp: value.BROWSER_SET_UP === 'on',
    notify: notifySettings(value),
    extraCertificate: value.NODE_EXTRA_CA_CERTS,
    logLevel: value.LOG_LEVEL,
    buildCommit: value.BUILD_COMMIT,
    buildTime: value.BUILD_TIME,
  });
}

export function useTimeZone(zone: string): void {
  process.env['TZ'] = zone;
}

function notifySettings(value: Record<string, string | undefined>): NotifySettings | undefined {
  const { NOTIFY_URL: url, NOTIFY_ON: on, NOTIFY_TOPIC: topic, PUBLIC_URL: publicUrl } = value;
  if (url === undefined) return undefined;
  return { url, on: on === 'failed' ? 'failed' : 'all', topic, publicUrl };
}

function directoriesOf(list: string): string[] {
  const directories = list.split(':').filter((directory) => directory !== '');
  return directories.map((directory) => path.resolve(directory));
}

function tokenVariables(variables: NodeJS.ProcessEnv): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (name.endsWith('_TOKEN') && value !== undefined) set[name] = value;
  }
  return set;
}
