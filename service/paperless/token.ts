import { messageOf } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { cause } from './causes.ts';
import { SECRET_NAME, type SecretReader } from './secrets.ts';

/** What a Paperless-ngx token looks like, and no name of a secret does. */
export const LOOKS_LIKE_TOKEN = /^[0-9a-f]{32,}$/i;

/** Visible ASCII: what an HTTP header can carry, and every token is made of. */
export const TOKEN = /^[\x21-\x7e]+$/;

/** The token in what a person pasted: every example of the API shows it behind `Authorization: Token`. */
export function bareToken(pasted: string): string {
  return pasted.replace(/^(?:Authorization:\s*)?Token\s+/iu, '');
}

/**
 * Reads the API token of a destination from the secret of that name. Throws a Failure that says what is wrong and
 * never holds a token, also when the profile has the token itself where the name of the secret belongs.
 */
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

/** What a cause says is both what happened and what to do. */
function noToken(sentences: string, original?: unknown): Failure {
  return new Failure('destination_unavailable', sentences, { cause: original });
}

/**
 * Returns a function that replaces a token in a text, in every spelling that an answer may have of it: with any of its
 * characters escaped for JSON, a URL or HTML. A text that is decoded afterwards needs it again.
 */
export function createRedactor(token: string): (text: string) => string {
  const spellings = Array.from(token, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16);
    return `(?:\\\\?\\x${hex}|\\\\u00${hex}|%${hex}|&#x0*${hex};|&#0*${code};)`;
  });
  const pattern = new RegExp(spellings.join(''), 'gi');
  return (text) => text.replaceAll(pattern, '[token]');
}
