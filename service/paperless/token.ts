import { messageOf } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { cause } from './causes.ts';
import { SECRET_NAME, type SecretReader } from './secrets.ts';

/** Matches a token of Paperless-ngx, but no name of a secret. */
export const LOOKS_LIKE_TOKEN = /^[0-9a-f]{32,}$/i;

/** Only visible ASCII is allowed in an HTTP header. */
export const TOKEN = /^[\x21-\x7e]+$/;

/** Removes `Authorization: Token`, which people often paste with the token. */
export function bareToken(pasted: string): string {
  return pasted.replace(/^(?:Authorization:\s*)?Token\s+/iu, '');
}

/** The Failure never contains a token, not even one entered as the name of the secret. */
export async function readToken(secret: string, readSecret: SecretReader): Promise<string> {
  if (!SECRET_NAME.test(secret) || LOOKS_LIKE_TOKEN.test(secret)) {
    throw noToken(cause('token/no_name', {}));
  }
  const value = await readSecret(secret).catch((error: unknown) => {
    throw noToken(cause('token/unreadable', { said: messageOf(error) }), error);
  });
  if (value === undefined) {
    throw noToken(cause('token/missing', { secret, variable: secret.toUpperCase() }));
  }
  const token = bareToken(value);
  if (TOKEN.test(token)) return token;
  throw noToken(cause('token/more', { secret }));
}

function noToken(sentences: string, original?: unknown): Failure {
  return new Failure('destination_unavailable', sentences, { cause: original });
}

/** Replaces the token in a text, however it is escaped. Apply again after decoding. */
export function createRedactor(token: string): (text: string) => string {
  const spellings = Array.from(token, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16);
    return `(?:\\\\?\\x${hex}|\\\\u00${hex}|%${hex}|&#x0*${hex};|&#0*${code};)`;
  });
  const pattern = new RegExp(spellings.join(''), 'gi');
  return (text) => text.replaceAll(pattern, '[token]');
}
