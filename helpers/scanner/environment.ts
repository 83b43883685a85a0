import Joi from 'joi';
import { expecting } from '../rules.ts';
import { logLevel, readVariables } from '../environment-variables.ts';
import { MAX_SOCKET_PATH_BYTES } from '../ipc/socket-path.ts';

/** The settings of the scanner runtime; read once, at its start. */
export interface Environment {
  readonly socketPath: string;
  /** Directories for SANE, separated by colons; never empty, and never ending in one. */
  readonly saneConfigDir: string;
  /** File with certificates that Node itself reads at its start, beside those of public authorities. */
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
  // A warming scanner is silent for half a minute; an hour would no longer be a timeout.
  PAGE_TIMEOUT_SECONDS: Joi.number()
    .min(1)
    .max(3600)
    .messages(expecting('a number of seconds from 1 to 3600'))
    .default(120),
});

/** Reads the settings; throws an error that names every wrong variable and what was expected. */
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

/** A colon at the end means the working directory and then /etc/sane.d to SANE (sane-dll(5)); we mean the second. */
function withoutWorkingDirectory(directories: string): string {
  return directories.endsWith(':') ? `${directories}${SANE_DIRECTORY}` : directories;
}
