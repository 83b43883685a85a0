import { messageOf } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { SECRET_NAME, type SecretReader } from './secrets.ts';

/** What a Paperless-ngx token looks like, and no name of a secret does. */
const LOOKS_LIKE_TOKEN = /^[0-9a-f]{32,}$/i;

/** Visible ASCII: what an HTTP header can carry, and every token is made of. */
export const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads the API token of a destination from the secret of that name. Throws a Failure that says what is wrong and
 * never holds a token, also when the profile has the token itself where the name of the secret belongs.
 */
export async function readToken(secret: string, readSecret: SecretReader): Promise<string> {
  if (!SECRET_NAME.test(secret) || LOOKS_LIKE_TOKEN.test(secret)) {
    throw noToken(
      'The token_secret of this destination is not the name of a secret.',
      'Store the token in a file of the secrets directory and give the name of that file.',
    );
  }
  const value = await readSecret(secret).catch((error: unknown) => {
    throw noToken('The token cannot be read.', `Correct its file. (${messageOf(error)})`, error);
  });
  if (value === undefined) {
    const remedy = `Create the secret ${secret} or set ${secret.toUpperCase()}.`;
    throw noToken('There is no API token.', remedy);
  }
  if (TOKEN.test(value)) return value;
  throw noToken(`The secret ${secret} holds more than a token.`, 'Store only the token in it.');
}

function noToken(what: string, remedy: string, cause?: unknown): Failure {
  return new Failure('destination_unavailable', what, { remedy, cause });
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
