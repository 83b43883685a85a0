import type { Router } from '@koa/router';
import { nearNames } from '../../../helpers/near.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { ProfileProblem } from '../../profiles/problems.ts';
import type { Profile } from '../../profiles/profile.ts';
import { summaryOfProfile, type UnfitProfiles } from '../../profiles/profile-summary.ts';
import { projectProfile } from '../../profiles/projection.ts';
import type { ProfileStore } from '../../profiles/store.ts';

export interface ProfileRouteParts {
  readonly profiles: ProfileStore;
  readonly unfit: UnfitProfiles;
  /** What the processor reads; undefined while it cannot be asked. */
  readonly languages: () => readonly string[] | undefined;
}

/** GET /profiles, with what is wrong with the files that were not loaded, and GET /profiles/{name}. */
export function profileRoutes(
  router: Router,
  { profiles, unfit, languages }: ProfileRouteParts,
): void {
  router.get('/profiles', (ctx) => {
    ctx.body = {
      profiles: profiles.list().map((profile) => {
        const { name } = profile;
        // A profile of the operator is a wish: what is wrong with it is a problem, and no reason to leave it out.
        const reason = profiles.isShipped(name) ? unfit.reason(name) : undefined;
        const usable = reason === undefined;
        return { ...summaryOfProfile(profile), usable, reason: reason ?? null };
      }),
      languages: languages() ?? null,
      problems: profiles.problems().map(problemBody),
    };
  });

  router.get('/profiles/:name', (ctx) => {
    ctx.body = projectProfile(findProfile(profiles, ctx.params['name'] ?? ''));
  });
}

/**
 * The profile of that name; throws Failure `profile_not_found` that lists the loaded ones, with the problems of the file that
 * has the name, or with the nearest name.
 */
export function findProfile(profiles: ProfileStore, name: string): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  const names = profiles.list().map((known) => known.name);
  const problems = profiles.problems().filter((problem) => problem.profile === name);
  const nearest = nearNames(name, names)[0];
  throw new Failure('profile_not_found', notFound(name, names, problems, nearest), {
    facts: {
      profiles: names,
      ...(problems.length > 0 && { problems: problems.map(problemBody) }),
      ...(nearest !== undefined && { nearest }),
    },
  });
}

/** Problems and names in a message; all of them are among the facts. */
const MAX_TOLD = 20;

function notFound(
  name: string,
  names: readonly string[],
  problems: readonly ProfileProblem[],
  nearest: string | undefined,
): string {
  const quoted = JSON.stringify(name.slice(0, 100));
  if (problems.length > 0) {
    const told = problems.slice(0, MAX_TOLD).map(({ message }) => message);
    const { file, remedy } = problems[0] ?? {};
    if (remedy !== undefined)
      return `The profile ${quoted} is not loaded: ${told.join(' ')} ${remedy}.`;
    return `The profile ${quoted} is not loaded. Correct ${file}: ${told.join(' ')}`;
  }
  const missing = `There is no profile ${quoted}.`;
  if (nearest !== undefined) return `${missing} Did you mean "${nearest}"?`;
  if (names.length === 0) return `${missing} No profile is loaded.`;
  return `${missing} Use one of: ${names.slice(0, MAX_TOLD).join(', ')}.`;
}

function problemBody({ file, field, message }: ProfileProblem): Omit<ProfileProblem, 'profile'> {
  return { file, field, message };
}
