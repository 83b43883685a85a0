import Joi from 'joi';
import { availableParallelism } from 'node:os';
import { LOG_LEVELS } from '../log.ts';

/** The settings of the processor; read once, at its start. */
export interface Environment {
  readonly host: string;
  readonly port: number;
  /** Pages and documents that are worked on at once. */
  readonly workers: number;
  readonly logLevel: string;
}

/** More than any machine has cores that OCR could use; catches a mistyped number. */
const MAX_WORKERS = 256;

const schema = Joi.object({
  HOST: Joi.string().empty('').default('127.0.0.1'),
  PORT: Joi.number().empty('').port().default(8081),
  WORKERS: Joi.number()
    .empty('')
    .integer()
    .min(1)
    .max(MAX_WORKERS)
    .default(() => availableParallelism()),
  LOG_LEVEL: Joi.string()
    .empty('')
    .valid(...LOG_LEVELS)
    .default('info'),
}).unknown();

/** Reads the settings; throws an error that names every wrong variable and what was expected. */
export function readEnvironment(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const { value, error } = schema.validate(variables, { abortEarly: false });
  if (error) {
    const wrong = error.details.map(({ message }) => message).join('; ');
    throw new Error(`Wrong environment variables: ${wrong}.`);
  }
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    workers: value.WORKERS,
    logLevel: value.LOG_LEVEL,
  });
}
