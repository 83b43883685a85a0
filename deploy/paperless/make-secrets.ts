import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates the secrets of a new Paperless-ngx, one file each. Environment variables override
 * generated values. Keeps existing files, because Paperless-ngx reads the password only once.
 */

/** 192 bits are 32 characters, none of which needs quoting. */
const SECRET_BYTES = 24;

const SECRETS = {
  admin_password: 'PAPERLESS_ADMIN_PASSWORD',
  secret_key: 'PAPERLESS_SECRET_KEY',
};

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: make-secrets.ts <directory>');

for (const [name, variable] of Object.entries(SECRETS)) {
  const given = process.env[variable] ?? '';
  const secret = given === '' ? randomBytes(SECRET_BYTES).toString('base64url') : given;
  const file = path.join(directory, name);
  if (existsSync(file)) {
    console.log(`${file} is there already: left as it is`);
    continue;
  }
  // A crash must not leave an empty secret, which would be kept.
  await writeFile(`${file}.new`, secret, { mode: 0o600 });
  await rename(`${file}.new`, file);
  console.log(`${file} was made`);
}
