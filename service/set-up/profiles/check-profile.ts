import { Failure } from '../../../helpers/failure.ts';
import type { FileProblem } from '../../profiles/problems.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { conflictText, triggerConflicts } from '../../profiles/trigger.ts';
import { textsOf } from '../steps/refusals.ts';
import { messageFor, textOf } from '../texts/texts.ts';

export interface ProfileText {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** The key of a destination's address, which a form cannot set. */
const ADDRESS = /^destinations\[\d+\]\.base_url$/;

/** Checks a profile as the store would load it. Throws Failure `invalid_body`. */
export function checkProfile(
  { name, file, text }: ProfileText,
  profiles: Pick<ProfileStore, 'check' | 'list'>,
): void {
  const profile = profiles.check(file, text);
  if (Array.isArray(profile)) throw refusalOf(profile);
  const others = profiles.list().filter((one) => one.name !== name);
  // The new one comes last, so that it is the one that loses.
  const conflict = triggerConflicts([...others, profile]).find((one) => one.name === name);
  if (!conflict) return;
  const message = messageFor('profile.trigger', { other: conflict.other });
  const expected = conflictText(profile.trigger, conflict.other);
  throw new Failure('invalid_body', expected, {
    facts: { ...textsOf(message), fields: [{ field: 'trigger', expected }] },
  });
}

function refusalOf(problems: readonly FileProblem[]): Failure {
  const address = problems.find(({ field }) => field !== null && ADDRESS.test(field));
  const fields = problems.map(({ field, message: expected, remedy }) => ({
    field: field ?? '(body)',
    expected: remedy === undefined ? expected : `${expected} ${remedy}.`,
  }));
  if (!address) {
    const texts = fields.map(({ expected }) => expected);
    return new Failure('invalid_body', texts.join(' '), { facts: { fields } });
  }
  const message = messageFor('profile.no_paperless');
  const expected = textOf(message);
  return new Failure('invalid_body', expected, {
    facts: { ...textsOf(message), fields: [{ field: 'destinations', expected }] },
  });
}
