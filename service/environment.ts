import Joi from 'joi';
import path from 'node:path';
import { LOG_LEVELS } from '../helpers/log.ts';
import { outputDirectory } from './profiles/text-rules.ts';

/** The settings of the service, read once and frozen. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly profilesDir: string;
  /** Scan directory root of profiles that name none. */
  readonly outputDir: string;
  readonly scannerSocket: string;
  readonly processorUrl: string;
  readonly secretsDir: string;
  /** Variables that may stand in for a secret file: those whose names end in `_TOKEN`. */
  readonly secretVariables: Readonly<Record<string, string>>;
  /** Host names that callers may use beside addresses, bare names and those of home networks. */
  readonly allowedHosts: readonly string[];
  readonly logLevel: string;
  readonly buildCommit: string;
  readonly buildTime: string;
}

interface RawEnvironment {
  HOST: string;
  PORT: number;
  PROFILES_DIR: string;
  OUTPUT_DIR: string;
  SCANNER_SOCKET: string;
  PROCESSOR_URL: string;
  SECRETS_DIR: string;
  ALLOWED_HOSTS: string;
  LOG_LEVEL: string;
  BUILD_COMMIT: string;
  BUILD_TIME: string;
}

const text = Joi.string().messages({ '*': '{{#label}} must be text' });
const absolutePath = Joi.string()
  .custom((value: string, helpers) =>
    path.isAbsolute(value) ? value : helpers.error('path.relative'),
  )
  .messages({ '*': '{{#label}} must be an absolute path' });

const schema = Joi.object<RawEnvironment, true>({
  HOST: text.default('127.0.0.1'),
  PORT: Joi.number()
    .port()
    .messages({ '*': '{{#label}} must be the number of a port, from 0 to 65535' })
    .default(8080),
  PROFILES_DIR: text.default(path.resolve(import.meta.dirname, '../profiles')),
  OUTPUT_DIR: outputDirectory.default('/var/lib/scan-service/scans'),
  SCANNER_SOCKET: absolutePath.default('/run/scan-service/scanner.sock'),
  PROCESSOR_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .messages({ '*': '{{#label}} must be an address such as http://127.0.0.1:8081' })
    .default('http://127.0.0.1:8081'),
  SECRETS_DIR: absolutePath.default('/run/secrets'),
  ALLOWED_HOSTS: text.default(''),
  LOG_LEVEL: Joi.string()
    .valid(...LOG_LEVELS)
    .messages({ '*': `{{#label}} must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  BUILD_COMMIT: text.default('unknown'),
  BUILD_TIME: text.default('unknown'),
}).unknown();

/** Reads and checks the environment; throws an Error that names each wrong variable and what was expected. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const set = Object.entries(variables).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(set), { abortEarly: false });
  if (error) {
    const wrong = error.details.map(({ message }) => message).join('; ');
    throw new Error(`Wrong environment variables: ${wrong}.`);
  }
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    profilesDir: path.resolve(value.PROFILES_DIR),
    outputDir: value.OUTPUT_DIR,
    scannerSocket: value.SCANNER_SOCKET,
    processorUrl: value.PROCESSOR_URL,
    secretsDir: value.SECRETS_DIR,
    secretVariables: Object.freeze(tokenVariables(variables)),
    allowedHosts: Object.freeze(splitList(value.ALLOWED_HOSTS)),
    logLevel: value.LOG_LEVEL,
    buildCommit: value.BUILD_COMMIT,
    buildTime: value.BUILD_TIME,
  });
}

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
}

function tokenVariables(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[0].endsWith('_TOKEN') && entry[1] !== undefined,
    ),
  );
}
