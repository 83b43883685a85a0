import Joi from 'joi';
import { expecting } from '../rules.ts';
import { logLevel, readVariables } from '../environment-variables.ts';
import { MAX_SOCKET_PATH_BYTES } from '../ipc/socket-path.ts';

export interface Environment {
  readonly socketPath: string;
  /** SANE_CONFIG_DIR: separated by colons. Never empty, never ending in a colon. */
  readonly saneConfigDir: string;
  /** A certificate file that is trusted in addition to the public authorities. */
  readonly extraCertificate: string | undefined;
  readonly logLevel: string;
  readonly pageTimeoutMs: number;
}

const SANE_DIRECTORY = '/etc/sane.d';

const schema = Joi.object({
  SCANNER_SOCKET: Joi.string()
    .pattern(/^\//u)
    .max(MAX_SOCKET_PATH_BYTES, 'utf8')
    .messages(expecting(`an absolute path of at most ${MAX_SOCKET_PATH_BYTES} bytes`))
    .default('/run/scan-service/scanner.sock'),
  SANE_CONFIG_DIR: Joi.string()
    .pattern(/^(?:\/[^:]*)(?::\/[^:]*)*:?$/u)
    .messages(expecting('absolute paths separated by colons'))
    .default(SANE_DIRECTORY),
  NODE_EXTRA_CA_CERTS: Joi.string(),
  LOG_LEVEL: logLevel,
  // Scanners are silent for up to half a minute while warming up. More than an hour is of no use.
  PAGE_TIMEOUT_SECONDS: Joi.number()
    .min(1)
    .max(3600)
    .messages(expecting('a number of seconds from 1 to 3600'))
    .default(120),
});

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const value = readVariables(schema, variables);
  return Object.freeze({
    socketPath: value.SCANNER_SOCKET,
    saneConfigDir: withoutWorkingDirectory(value.SANE_CONFIG_DIR),
    extraCertificate: value.NODE_EXTRA_CA_CERTS,
    logLevel: value.LOG_LEVEL,
    pageTimeoutMs: value.PAGE_TIMEOUT_SECONDS * 1000,
  });
}

/** With a trailing colon, SANE also searches the working directory (sane-dll(5)). */
function withoutWorkingDirectory(directories: string): string {
  return directories.endsWith(':') ? `${directories}${SANE_DIRECTORY}` : directories;
}
