import { jsonAnswer, type Answer } from './answer.ts';
import type { SampleDmsOptions, TokenUser } from './options.ts';

export type Authenticated =
  | { readonly kind: 'user'; readonly user: TokenUser }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Supports `Authorization: Token <token>` and `Basic <base64>`. Any other scheme counts as no credentials. */
export function authenticate(
  authorization: string | undefined,
  users: readonly TokenUser[],
  login: SampleDmsOptions['login'],
): Authenticated {
  const [scheme = '', ...words] = (authorization ?? '').split(/\s+/).filter((word) => word !== '');
  const reader = { token: tokenUser, basic: basicUser }[scheme.toLowerCase()];
  if (reader === undefined) return refused(scheme, 'Authentication credentials were not provided.');
  const [credentials, ...more] = words;
  const problem = `Invalid ${scheme.toLowerCase()} header.`;
  if (credentials === undefined) return refused(scheme, `${problem} No credentials provided.`);
  if (more.length > 0) {
    const what = reader === tokenUser ? 'Token' : 'Credentials';
    return refused(scheme, `${problem} ${what} string should not contain spaces.`);
  }
  const user = reader(credentials, users, login);
  return typeof user === 'string' ? refused(scheme, user) : { kind: 'user', user };
}

/** The user, or the reason why there is none. */
type Reader = (
  credentials: string,
  users: readonly TokenUser[],
  login: SampleDmsOptions['login'],
) => TokenUser | string;

const tokenUser: Reader = (credentials, users) => {
  const user = users.find((candidate) => candidate.token === credentials);
  if (user === undefined) return 'Invalid token.';
  return user.active ? user : 'User inactive or deleted.';
};

const basicUser: Reader = (credentials, users, login) => {
  const [username, ...password] = Buffer.from(credentials, 'base64').toString().split(':');
  const right = login?.username === username && login?.password === password.join(':');
  const user = users.find((candidate) => candidate.username === username && candidate.active);
  return (right ? user : undefined) ?? 'Invalid username/password.';
};

function refused(scheme: string, detail: string): Authenticated {
  const challenge = scheme.toLowerCase() === 'basic' ? 'Basic realm="api"' : 'Token';
  const answer = jsonAnswer(401, { detail }, { 'www-authenticate': challenge });
  return { kind: 'refused', answer };
}
