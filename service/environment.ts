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

/** Settings from the environment, read once and frozen. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  /** The operator's directory, then the shipped one. */
  readonly profilesDirs: readonly string[];
  readonly savedProfilesDir: string;
  /** Output directory of profiles that name none. */
  readonly outputDir: string;
  readonly scannerSocket: string;
  readonly processorUrl: string;
  readonly secretsDir: string;
  /** Settings, secrets and profiles of the service. The operator's own take precedence. */
  readonly settingsDir: string;
  /** Address of destinations that name none. */
  readonly dmsUrl: string | undefined;
  /** Used if neither the operator nor the settings name one: the bundled Paperless-ngx. */
  readonly defaultDmsUrl: string | undefined;
  /** Undefined if people may choose the time zone in the browser. */
  readonly timeZone: string | undefined;
  /** Undefined to use the time zone of the system. */
  readonly defaultTimeZone: string | undefined;
  /** Variables whose names end in `_TOKEN`. Each can replace a secret file. */
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Names of set variables that only an operator sets. */
  readonly operatorsVariables: readonly string[];
  /** Host names by which callers may reach the service, besides addresses and local names. */
  readonly allowedHosts: readonly string[];
  readonly metrics: boolean;
  /** True if people may set up the appliance in the browser. */
  readonly browserSetUp: boolean;
  readonly notify: NotifySettings | undefined;
  /** File with additional CA certificates. Node reads it when it starts. */
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
  BROWSER_SET_UP: oneOf('on', 'off').default('on'),
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

/**
 * Only operators set these. The others describe the machine, and a new appliance has them too, such
 * as HOST, OUTPUT_DIR, TZ and NODE_EXTRA_CA_CERTS.
 */
const OPERATORS_VARIABLE =
  /^(?:DMS_URL|.*_TOKEN|NOTIFY_URL|NOTIFY_TOPIC|PUBLIC_URL|ALLOWED_HOSTS)$/u;

/** Throws an Error that names each wrong variable and the value it should have. */
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
    // With an empty TZ, Node would not know the time zone.
    defaultTimeZone: variables['TZ'] === '' ? 'UTC' : undefined,
    secretVariables: Object.freeze(tokenVariables(variables)),
    operatorsVariables: Object.freeze(operatorsVariables(variables)),
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

function operatorsVariables(variables: NodeJS.ProcessEnv): string[] {
  const isSet = ([, value = '']: [string, string | undefined]): boolean => value.trim() !== '';
  const names = Object.entries(variables).filter(isSet);
  const set = names.map(([name]) => name).filter((name) => OPERATORS_VARIABLE.test(name));
  return variables['METRICS'] === 'on' ? [...set, 'METRICS'] : set;
}

function tokenVariables(variables: NodeJS.ProcessEnv): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (name.endsWith('_TOKEN') && value !== undefined) set[name] = value;
  }
  return set;
}
