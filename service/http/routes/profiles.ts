import type { Router } from '@koa/router';
import { nearNames } from '../../../helpers/near.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { ProfileProblem } from '../../profiles/problems.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileMismatches } from '../../profiles/profile-summary.ts';
import { projectProfile } from '../../profiles/projection.ts';
import type { SavedProfile } from '../../profiles/saved/saved-profile.ts';
import type { SavedProfiles } from '../../profiles/saved/saved-profiles.ts';
import { EXPECTED_NAME, PROFILE_NAME } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { jsonBody } from '../json-body.ts';
import { listedProfiles } from '../profile-list.ts';
import { parseSavedProfile } from '../requests.ts';

export interface ProfileRouteParts {
  readonly profiles: ProfileStore;
  readonly saved: SavedProfiles;
  readonly mismatches: ProfileMismatches;
  /** Shipped profiles that GET /profiles leaves out. */
  readonly hidden: () => readonly string[];
  /** The installed OCR languages. Undefined while the processor does not answer. */
  readonly languages: () => readonly string[] | undefined;
}

/** GET /profiles, and GET, PUT and DELETE /profiles/{name}. */
export function profileRoutes(
  router: Router,
  { profiles, saved, mismatches, hidden, languages }: ProfileRouteParts,
): void {
  router.get('/profiles', (ctx) => {
    ctx.body = {
      profiles: listedProfiles(profiles, mismatches, hidden()),
      languages: languages() ?? null,
      saving: profiles.saving(),
      problems: profiles.problems().map(problemBody),
    };
  });

  router.get('/profiles/:name', (ctx) => {
    ctx.body = projectProfile(findProfile(profiles, ctx.params['name'] ?? ''));
  });

  router.put('/profiles/:name', jsonBody(), async (ctx) => {
    const name = nameIn(ctx.params['name']);
    const button = parseSavedProfile(ctx.request.body);
    checkBase(profiles, button);
    const { isNew } = await saved.put(name, button, expectedIn(ctx.get('If-Match')));
    const entry = listedProfiles(profiles, mismatches, []).find((one) => one.name === name);
    ctx.status = isNew ? 201 : 200;
    if (!entry) throw removedMeanwhile(name);
    ctx.etag = entry.revision ?? '';
    ctx.body = entry;
  });

  router.delete('/profiles/:name', async (ctx) => {
    await saved.remove(ctx.params['name'] ?? '', expectedIn(ctx.get('If-Match')));
    ctx.status = 204;
  });
}

/** Throws Failure `invalid_parameter` for a name that no profile may have. */
export function nameIn(name: string = ''): string {
  if (PROFILE_NAME.test(name)) return name;
  const expected = `"name" must have ${EXPECTED_NAME}`;
  throw new Failure('invalid_parameter', `${expected}.`, {
    facts: { fields: [{ field: 'name', expected }] },
  });
}

function removedMeanwhile(name: string): Failure {
  const what = `The saved profile "${name}" was removed meanwhile.`;
  return new Failure('profile_changed', what, { facts: { revision: null } });
}

/** Returns the revision in the header If-Match. Undefined without the header. */
export function expectedIn(header: string): string | undefined {
  return header === '' ? undefined : header.trim().replaceAll(/^(?:W\/)?"|"$/g, '');
}

/** Throws Failure `invalid_body` if the base is a saved button, and like `findProfile`. */
function checkBase(profiles: ProfileStore, { based_on }: SavedProfile): void {
  const button = profiles.buttons().find(({ name }) => name === based_on);
  if (button === undefined) {
    findProfile(profiles, based_on);
    return;
  }
  const expected = `"based_on" must be no saved profile: name its base, "${button.saved.based_on}"`;
  throw new Failure('invalid_body', `${expected}.`, {
    facts: { fields: [{ field: 'based_on', expected }] },
  });
}

/** Throws Failure `profile_not_found`. Names the problems of its file, or a similar profile. */
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

/** How many problems a message lists. The facts contain all. */
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
