import type { DmsAccess } from '../paperless/ask-dms.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import { createAccess } from '../paperless/dms.ts';
import { ACCOUNT_KEYS, askPaperless, withScheme, type Account } from './ask-paperless.ts';
import { textOf } from './texts/texts.ts';

export type Checked =
  | { readonly kind: 'good'; readonly access: DmsAccess }
  | { readonly kind: 'broken'; readonly isToken: boolean; readonly problem: string };

/** For the terminal, whose user may name any address, even one of this machine. */
export async function addressProblem(url: string): Promise<string | undefined> {
  const asked = await ask(url, { kind: 'none' });
  return asked.kind === 'broken' ? textOf(asked.message) : undefined;
}

/** Tests an upload without a file, so that nothing is stored. */
export async function checkDestination(url: string, token: string): Promise<Checked> {
  const asked = await ask(url, { kind: 'token', token });
  if (asked.kind === 'broken') {
    const { key } = asked.message;
    const isToken = key === 'paperless.not_a_token' || ACCOUNT_KEYS.includes(key);
    return { kind: 'broken', isToken, problem: textOf(asked.message) };
  }
  const { address: base_url } = asked;
  const destination = { kind: 'dms', base_url, token_secret: DEFAULT_TOKEN_SECRET } as const;
  const { signal } = new AbortController();
  return { kind: 'good', access: await createAccess(async () => token)(destination, signal) };
}

function ask(url: string, account: Account): ReturnType<typeof askPaperless> {
  return askPaperless(url, account, {
    trusted: [withScheme(url)],
    signal: new AbortController().signal,
  });
}
