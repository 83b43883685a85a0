import Joi from 'joi';
import { expecting } from '../rules.ts';
import { availableParallelism } from 'node:os';
import { host, logLevel, port, readVariables, splitList } from '../environment-variables.ts';

export interface Environment {
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly logLevel: string;
  /** Further names accepted in the Host header. */
  readonly allowedHosts: readonly string[];
}

/** More than OCR could use on any machine. Catches typing errors. */
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
