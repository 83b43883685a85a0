import Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CATALOGUE } from '../../helpers/failure.ts';

/** The OpenAPI description of the service: the file as it is, and as an object. */
export interface OpenApi {
  readonly yaml: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Reads `service/openapi.yaml`; the version that runs and the codes of all failures are put into it. */
export async function readOpenApi(version: string): Promise<OpenApi> {
  const file = path.resolve(import.meta.dirname, '../openapi.yaml');
  const yaml = (await readFile(file, 'utf8'))
    .replace(/^( {2}version: ).*$/m, `$1${version}`)
    .replace(/^( {6}enum: )\[\]$/m, `$1[${Object.keys(CATALOGUE).join(', ')}]`);
  const document: Record<string, unknown> = Joi.attempt(parseYaml(yaml), Joi.object().unknown());
  return { yaml, document };
}
