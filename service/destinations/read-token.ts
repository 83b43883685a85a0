import type { SecretReader } from './secrets.ts';

/** What a Paperless-ngx token looks like, and no name of a secret does. */
const LOOKS_LIKE_TOKEN = /^[0-9a-f]{32,}$/i;

const SECRET_NAME = /^[a-z0-9_]{1,64}$/;

/** Visible ASCII: what an HTTP header can carry, and every token is made of. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads the API token of a destination from the secret of that name. Throws an Error whose message says what is wrong and
 * never holds a token, also when the profile has the token itself where the name of the secret belongs.
 */
export async function readToken(secret: string, readSecret: SecretReader): Promise<string> {
  if (!SECRET_NAME.test(secret) || LOOKS_LIKE_TOKEN.test(secret)) {
    throw new Error(
      'The token_secret of this destination is not the name of a secret. Store the token in a file of the secrets directory and give the name of that file.',
    );
  }
  const value = await readSecret(secret).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new Error(`The token cannot be read. Correct its file. (${reason})`, { cause: error });
  });
  if (value === undefined) {
    throw new Error(
      `There is no API token. Create the secret ${secret} or set ${secret.toUpperCase()}.`,
    );
  }
  if (TOKEN.test(value)) return value;
  throw new Error(`The secret ${secret} holds more than a token. Store only the token in it.`);
}
