import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refused } from './answer.ts';
import type { TokenUser } from './options.ts';
import type { Asked, Sample } from './sample.ts';

const CHALLENGE = { 'www-authenticate': 'Token' };

/** Checks the API version, then the token. Throws a Refused. */
export function identify(
  { release, users }: Pick<Sample, 'release' | 'users'>,
  { headers: { accept = '*/*', authorization = '' } }: IncomingMessage,
  response: ServerResponse,
): Pick<Asked, 'user' | 'apiVersion'> {
  const asked = /^(?:application\/json|\*\/\*)(?:;\s*version=(\w+))?$/.exec(accept);
  if (!asked) throw new Refused(406, 'Could not satisfy the request Accept header.');
  const apiVersion = Number(asked[1] ?? release.newest_api);
  if (!(apiVersion >= release.oldest_api && apiVersion <= release.newest_api)) {
    throw new Refused(406, 'Invalid version in "Accept" header.');
  }
  const token = /^Token (.*)$/.exec(authorization)?.[1];
  if (token === undefined) {
    throw new Refused(401, 'Authentication credentials were not provided.', CHALLENGE);
  }
  const user = users.find((candidate) => candidate.token === token);
  if (!user) throw new Refused(401, 'Invalid token.', CHALLENGE);
  if (!user.active) throw new Refused(401, 'User inactive or deleted.', CHALLENGE);
  response.setHeader('X-Api-Version', String(release.newest_api));
  response.setHeader('X-Version', release.release);
  return { user, apiVersion };
}

export function demand(user: TokenUser, permission: string): void {
  if (may(user, permission)) return;
  throw new Refused(403, 'You do not have permission to perform this action.');
}

export function may({ permissions }: TokenUser, permission: string): boolean {
  return permissions === 'all' || permissions.includes(permission);
}
