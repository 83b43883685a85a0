import { randomBytes } from 'node:crypto';

/** The length of the openssl command in SECURITY.md. */
const TOKEN_BYTES = 20;

/** A new token for callers. */
export function newCallerToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
