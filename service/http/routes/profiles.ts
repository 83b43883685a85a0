import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import type { Profile } from '../../profiles/profile.ts';
import { projectProfile } from '../../profiles/projection.ts';
import type { ProfileStore } from '../../profiles/store.ts';

/** GET /profiles and GET /profiles/{name}. */
export function profileRoutes(router: Router, profiles: ProfileStore): void {
  router.get('/profiles', (ctx) => {
    ctx.body = {
      profiles: profiles.list().map(({ name, description }) => ({ name, description })),
    };
  });

  router.get('/profiles/:name', (ctx) => {
    ctx.body = projectProfile(findProfile(profiles, ctx.params['name'] ?? ''));
  });
}

/** The profile of that name; throws Failure `profile_not_found` that names those there are. */
export function findProfile(profiles: ProfileStore, name: string): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  const names = profiles.list().map((known) => known.name);
  throw new Failure(
    'profile_not_found',
    `there is no profile ${JSON.stringify(name.slice(0, 100))}; ${names.length > 0 ? `there are: ${names.join(', ')}` : 'none is loaded'}`,
    { facts: { profiles: names } },
  );
}
