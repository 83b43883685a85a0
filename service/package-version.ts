import Joi from 'joi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export async function readPackageVersion(): Promise<string> {
  const file = path.resolve(import.meta.dirname, '../package.json');
  const content: unknown = JSON.parse(await readFile(file, 'utf8'));
  const { version } = Joi.attempt(content, schema);
  return version;
}

const schema = Joi.object<{ version: string }, true>({
  version: Joi.string().required(),
}).unknown();
