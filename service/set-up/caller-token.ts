import { randomBytes } from 'node:crypto';

/** The optional secret that callers must send. Also read from SCAN_API_TOKEN. */
export const CALLER_TOKEN_SECRET = 'scan_api_token';

/** As in the openssl command of SECURITY.md. */
const TOKEN_BYTES = 20;

export function newCallerToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}
