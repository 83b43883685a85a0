import { randomBytes } from 'node:crypto';

/** As in the openssl command of SECURITY.md. */
const TOKEN_BYTES = 20;

export function newCallerToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
