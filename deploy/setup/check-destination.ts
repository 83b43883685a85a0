import { messageOf } from '../../helpers/error-code.ts';
import { DEFAULT_TOKEN_SECRET } from '../../service/paperless/destination.ts';
import type { DmsAccess } from '../../service/paperless/ask-dms.ts';
import { createAccess } from '../../service/paperless/dms.ts';
import { TOKEN } from '../../service/paperless/token.ts';
import { dryRun, type Link } from '../../service/paperless/dry-run.ts';

/** The Paperless-ngx, or which answer is wrong: `problem` says what happened and what to do. */
export type Checked =
  | { readonly kind: 'good'; readonly access: DmsAccess }
  | { readonly kind: 'broken'; readonly isToken: boolean; readonly problem: string };

/** Checks an address and a token by an upload without a file, which stores nothing. */
export async function checkDestination(url: string, token: string): Promise<Checked> {
  const base_url = /^[a-z]+:\/\//iu.test(url) ? url : `http://${url}`;
  const destination = { kind: 'dms', base_url, token_secret: DEFAULT_TOKEN_SECRET } as const;
  if (!TOKEN.test(token)) {
    const problem =
      'That is not a token: it has a blank, or a letter that no token has. Paste only the token.';
    return { kind: 'broken', isToken: true, problem };
  }
  try {
    const access = await createAccess(async () => token)(destination, new AbortController().signal);
    const ran = await dryRun(access, {});
    if (ran.kind === 'reached') return { kind: 'good', access };
    const isToken = ran.link === 'token' || ran.link === 'permission';
    return { kind: 'broken', isToken, problem: forNewcomer(ran.problem, ran.link) };
  } catch (error) {
    return { kind: 'broken', isToken: false, problem: messageOf(error) };
  }
}

/** What to do, in the words of the questions: the secret and the profile with its `base_url` do not exist yet. */
function forNewcomer(problem: string, link: Link): string {
  if (link === 'token')
    return 'Paperless-ngx refused the token. Copy it from My Profile in Paperless-ngx, and paste it again.';
  return problem.replaceAll('base_url', 'the address');
}
