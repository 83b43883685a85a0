import { isDeepStrictEqual } from 'node:util';
import { EXPECTED_NAME, PROFILE_NAME } from '../../service/profiles/schema.ts';
import { fieldsOf, textIn, type Fields } from '../../service/set-up/fields.ts';
import {
  profileFields,
  profileText,
  type ProfileAnswers,
} from '../../service/set-up/profile-text.ts';
import { profileFile, readOrEmpty } from './earlier.ts';
import type { Places } from './places.ts';
import type { Questions } from './questions.ts';

export interface ProfileFile {
  readonly name: string;
  /** The button's label on the control page, in English. */
  readonly button: string;
  /** Undefined if the file needs no change. */
  readonly text: string | undefined;
}

/**
 * The profile to write: a new one, or the existing one with the answers, if the user confirms. If
 * not, asks for another name.
 */
export async function chooseProfile(
  answers: ProfileAnswers,
  before: Fields | undefined,
  { questions, places }: { readonly questions: Questions; readonly places: Places },
): Promise<ProfileFile> {
  const { profile: name } = answers;
  const fields = profileFields(answers, before);
  const text = profileText(fields);
  const button = textIn(fields, 'label') ?? textIn(fieldsOf(fields['label']), 'en') ?? name;
  const isThere = (await readOrEmpty(profileFile(places, name))) !== '';
  if (!isThere) return { name, button, text };
  if (before !== undefined && isDeepStrictEqual(plain(fields), before)) {
    questions.say(`The profile ${name} is unchanged.`);
    return { name, button, text: undefined };
  }
  const stays = 'Everything except comments is kept, and a copy of the file too.';
  const question = `The profile ${name} is there already. Put the answers into it? ${stays}`;
  if (!questions.canAsk || (await questions.confirm(question, undefined)))
    return { name, button, text };
  const other = await newName(questions);
  return chooseProfile({ ...answers, profile: other }, undefined, { questions, places });
}

async function newName(questions: Questions): Promise<string> {
  for (;;) {
    const name = await questions.text({ question: 'Name of a new profile', option: '--profile' });
    if (PROFILE_NAME.test(name)) return name;
    questions.say(`A name must be ${EXPECTED_NAME}.`);
  }
}

/** Removes undefined fields, as writing to a file does. */
function plain(fields: Fields): Fields {
  return JSON.parse(JSON.stringify(fields)) as Fields;
}
