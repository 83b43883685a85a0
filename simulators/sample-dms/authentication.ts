import { jsonAnswer, type Answer } from './answer.ts';
import type { TokenUser } from './options.ts';

export type Authenticated =
  | { readonly kind: 'user'; readonly user: TokenUser }
  | { readonly kind: 'refused'; readonly answer: Answer };

/** Knows `Authorization: Token <token>`; any other scheme counts as no credentials at all. */
export function authenticate(
  authorization: string | undefined,
  users: readonly TokenUser[],
): Authenticated {
  const token = /^token (.*)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return refused('Authentication credentials were not provided.');
  const user = users.find((candidate) => candidate.token === token);
  if (user === undefined) return refused('Invalid token.');
  if (!user.active) return refused('User inactive or deleted.');
  return { kind: 'user', user };
}

function refused(detail: string): Authenticated {
  return {
    kind: 'refused',
    answer: jsonAnswer(401, { detail }, { 'www-authenticate': 'Token' }),
  };
}
