import Joi from 'joi';
import path from 'node:path';
import { LOG_LEVELS } from '../helpers/log.ts';

/** Everything the service is told by its environment, read once and frozen. */
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
  /** Host names that callers may use beside address literals, bare names, localhost and `*.local`. */
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

const schema = Joi.object<RawEnvironment, true>({
  HOST: Joi.string().default('127.0.0.1'),
  PORT: Joi.number().port().default(8080),
  PROFILES_DIR: Joi.string().default(path.resolve(import.meta.dirname, '../profiles')),
  OUTPUT_DIR: Joi.string().custom(absolutePath).default('/var/lib/scan-service/scans'),
  SCANNER_SOCKET: Joi.string().custom(absolutePath).default('/run/scan-service/scanner.sock'),
  PROCESSOR_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .default('http://127.0.0.1:8081'),
  SECRETS_DIR: Joi.string().custom(absolutePath).default('/run/secrets'),
  ALLOWED_HOSTS: Joi.string().allow('').default(''),
  LOG_LEVEL: Joi.string()
    .valid(...LOG_LEVELS)
    .default('info'),
  BUILD_COMMIT: Joi.string().default('unknown'),
  BUILD_TIME: Joi.string().default('unknown'),
}).unknown();

/** Reads and checks the environment; throws an Error that names each wrong variable and what was expected. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const set = Object.entries(variables).filter(([, value]) => value !== '');
  const { value, error } = schema.validate(Object.fromEntries(set), { abortEarly: false });
  if (error) throw new Error(`environment: ${error.details.map((d) => d.message).join('; ')}`);
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

function absolutePath(value: string): string {
  if (!path.isAbsolute(value)) throw new Error('must be an absolute path');
  return value;
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
