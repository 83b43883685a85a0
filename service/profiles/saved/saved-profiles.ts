import { Failure } from '../../../helpers/failure.ts';
import { writeFailure } from '../../storage/storage-failure.ts';
import { createTimedTurns, withinTenSeconds, type ChangeLimit } from '../../storage/timed-turns.ts';
import type { ProfileStore } from '../store.ts';
import { MAX_BUTTONS } from './load-buttons.ts';
import {
  readButtons,
  removeButton,
  revisionFor,
  writeButton,
  type SavedButton,
} from './saved-files.ts';

/** The revision that a caller wants to change, or `*` for any; undefined if not given. */
export type Expected = string | undefined;

/** Makes one change at a time. A change is in effect when its promise resolves. */
export interface SavedProfiles {
  /**
   * Saves a button. Without `expected`, it must be new or unchanged. Throws Failure
   * `profile_exists`, `profile_changed`, `profile_read_only`, `too_many_profiles` or
   * `insufficient_storage`.
   */
  put(name: string, saved: object, expected: Expected): Promise<{ readonly isNew: boolean }>;
  /** Throws like `put`, and Failure `profile_not_found`. */
  remove(name: string, expected: Expected): Promise<void>;
}

export function createSavedProfiles(
  directory: string,
  store: Pick<ProfileStore, 'isOwn' | 'reload'>,
  limit: ChangeLimit = withinTenSeconds,
): SavedProfiles {
  const turns = createTimedTurns(limit, () => hung(directory));
  const inTurn = <Value>(change: () => Promise<Value>): Promise<Value> =>
    turns(() =>
      change().catch((error: unknown) => {
        throw writeFailure(directory, error);
      }),
    );

  /** Reloads the profiles even after an error, because the change may be on disk. */
  async function reloadAfter(change: Promise<unknown>): Promise<void> {
    try {
      await change;
    } finally {
      await store.reload();
    }
  }

  async function put(name: string, saved: object, expected: Expected): Promise<{ isNew: boolean }> {
    checkNotOwn(name, store);
    const buttons = await readButtons(directory);
    const known = buttons.find((button) => button.name === name);
    if (expected !== undefined) checkRevision(name, known, expected);
    else if (known) {
      // The client may have lost the response, and now repeats its request.
      if (known.revision === revisionFor(saved)) return { isNew: false };
      throw exists(name, known);
    }
    if (!known && buttons.length >= MAX_BUTTONS) throw tooMany();
    await reloadAfter(writeButton(directory, name, saved));
    return { isNew: known === undefined };
  }

  async function remove(name: string, expected: Expected): Promise<void> {
    const known = (await readButtons(directory)).find((button) => button.name === name);
    if (!known) {
      checkNotOwn(name, store);
      throw new Failure('profile_not_found', `There is no saved profile "${name}".`);
    }
    if (expected !== undefined) checkRevision(name, known, expected);
    await reloadAfter(removeButton(directory, name));
  }

  return {
    put: (name, saved, expected) => inTurn(() => put(name, saved, expected)),
    remove: (name, expected) => inTurn(() => remove(name, expected)),
  };
}

function hung(directory: string): never {
  throw new Failure('insufficient_storage', `${directory} did not answer in time.`, {
    remedy: 'Check the disk; GET /profiles shows whether the change was made.',
  });
}

function checkNotOwn(name: string, store: Pick<ProfileStore, 'isOwn'>): void {
  if (!store.isOwn(name)) return;
  throw new Failure(
    'profile_read_only',
    `"${name}" is the name of a profile that nobody saved here.`,
    {
      remedy:
        'Choose another name: profiles of the operator, and those that come with the service, are never changed.',
    },
  );
}

/** Throws Failure `profile_changed` unless the profile exists in the expected revision. */
export function checkRevision(
  name: string,
  known: Pick<SavedButton, 'revision'> | undefined,
  expected: string,
): void {
  if (known && (expected === '*' || expected === known.revision)) return;
  throw new Failure('profile_changed', `The profile "${name}" was changed or removed meanwhile.`, {
    remedy: 'Read it again to see what it is now.',
    facts: { revision: known?.revision ?? null },
  });
}

/** For a name that is taken. The revision is that of the profile there, if it has one. */
export function exists(
  name: string,
  { revision }: { readonly revision: string | undefined },
): Failure {
  return new Failure('profile_exists', `There is a profile "${name}" already.`, {
    remedy: 'Choose another name, or name its revision in If-Match to replace it.',
    facts: { revision: revision ?? null },
  });
}

export function tooMany(): Failure {
  return new Failure('too_many_profiles', `${MAX_BUTTONS} profiles are saved already.`, {
    remedy: 'Remove one that is not needed.',
    facts: { limit: MAX_BUTTONS },
  });
}
