import { stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileReader } from '../../helpers/outside-files.ts';

/**
 * Writes the API token of a new Paperless-ngx to TOKEN_FILE, unless it is already there: POST
 * /api/token/ at PAPERLESS_URL, with PAPERLESS_ADMIN_USER and the password in
 * PAPERLESS_ADMIN_PASSWORD_FILE.
 */

/** The first start migrates the database, which takes minutes on a Raspberry Pi. */
const GIVE_UP_AFTER_MS = 15 * 60_000;
/** Paperless-ngx 3 allows five token requests per minute. */
const TRY_EVERY_MS = 15_000;
const ANSWER_MS = 10_000;
const MAX_PASSWORD_BYTES = 4096;

const { PAPERLESS_URL, PAPERLESS_ADMIN_USER, PAPERLESS_ADMIN_PASSWORD_FILE, TOKEN_FILE } =
  process.env;
if (!PAPERLESS_URL || !PAPERLESS_ADMIN_USER || !PAPERLESS_ADMIN_PASSWORD_FILE || !TOKEN_FILE) {
  throw new Error(
    'PAPERLESS_URL, PAPERLESS_ADMIN_USER, PAPERLESS_ADMIN_PASSWORD_FILE and TOKEN_FILE must be set',
  );
}

const size = await stat(TOKEN_FILE).then(
  (found) => found.size,
  () => 0,
);
if (size > 0) {
  console.log(`${TOKEN_FILE} has a token already: left as it is`);
} else {
  const password = await createFileReader({ maxBytes: MAX_PASSWORD_BYTES })(
    PAPERLESS_ADMIN_PASSWORD_FILE,
  );
  const credentials = { username: PAPERLESS_ADMIN_USER, password };
  const token = await untilAnswered(new URL('/api/token/', PAPERLESS_URL), credentials);
  // World-readable for the service's user. The directory restricts access.
  await writeFile(TOKEN_FILE, `${token}\n`, { mode: 0o644 });
  console.log(`the token of ${PAPERLESS_ADMIN_USER} is in ${TOKEN_FILE}`);
}

async function untilAnswered(url: URL, credentials: object): Promise<string> {
  const giveUp = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    const answer = await ask(url, credentials);
    if ('token' in answer) return answer.token;
    if (answer.final || Date.now() > giveUp) throw new Error(answer.problem);
    console.log(`${answer.problem}: trying again`);
    await sleep(TRY_EVERY_MS);
  }
}

type Answer = { readonly token: string } | { readonly problem: string; readonly final: boolean };

async function ask(url: URL, credentials: object): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json; version=9' },
      body: JSON.stringify(credentials),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body = await response.text();
    const token = /"token"\s*:\s*"([0-9a-f]+)"/.exec(body)?.[1];
    if (response.ok && token !== undefined) return { token };
    // 400: the user or the password is wrong, so retrying does not help.
    return {
      problem: `${url.href} answered ${response.status}: ${body}`,
      final: response.status === 400,
    };
  } catch (error) {
    return { problem: `${url.href}: ${String(error)}`, final: false };
  }
}
