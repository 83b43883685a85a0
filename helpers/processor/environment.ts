import Joi from 'joi';
import { expecting } from '../rules.ts';
import { availableParallelism } from 'node:os';
import { host, logLevel, port, readVariables, splitList } from '../environment-variables.ts';

/** The settings of the processor; read once, at its start. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  /** Pages and documents that are worked on at once. */
  readonly workers: number;
  readonly logLevel: string;
  /** Further names that callers may use for this processor in the Host header. */
  readonly allowedHosts: readonly string[];
}

/** More than any machine has cores that OCR could use; catches a mistyped number. */
const MAX_WORKERS = 256;

const schema = Joi.object({
  HOST: host,
  PORT: port.default(8081),
  WORKERS: Joi.number()
    .integer()
    .min(1)
    .max(MAX_WORKERS)
    .messages(expecting(`an integer from 1 to ${MAX_WORKERS}`))
    .default(() => availableParallelism()),
  ALLOWED_HOSTS: Joi.string().default(''),
  LOG_LEVEL: logLevel,
});

/** Reads the settings; throws an error that names every wrong variable and what was expected. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const value = readVariables(schema, variables);
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    workers: value.WORKERS,
    logLevel: value.LOG_LEVEL,
    allowedHosts: Object.freeze(splitList(value.ALLOWED_HOSTS)),
  });
}
