import Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The OpenAPI description of the service: the file as it is, and as an object. */
export interface OpenApi {
  readonly yaml: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Reads `service/openapi.yaml`; the version in it is replaced by the one that runs. */
export async function readOpenApi(version: string): Promise<OpenApi> {
  const file = path.resolve(import.meta.dirname, '../openapi.yaml');
  const yaml = (await readFile(file, 'utf8')).replace(/^( {2}version: ).*$/m, `$1${version}`);
  const document: Record<string, unknown> = Joi.attempt(parseYaml(yaml), Joi.object().unknown());
  return { yaml, document };
}
