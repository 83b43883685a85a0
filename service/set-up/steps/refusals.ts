import { Failure, type FailureFacts } from '../../../helpers/failure.ts';
import type { SecretReader } from '../../paperless/secrets.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import { writeFailure } from '../../storage/storage-failure.ts';
import { textOf, type Message } from '../texts/texts.ts';

/** For a failure that a person can fix: the key of its text, and the text. */
export function textsOf(message: Message): FailureFacts {
  return { problem: message.key, text: bothTexts(message) };
}

export interface BothTexts {
  readonly en: string;
  readonly de: string;
}

function bothTexts(message: Message): BothTexts {
  return { en: textOf(message), de: textOf(message, 'de') };
}

/** `by` is the variable or secret that the operator set. */
export function fixedOnMachine(what: string, by: string): Failure {
  return new Failure('set_up_closed', `${what} is fixed on the machine, by ${by}.`, {
    remedy: 'Change it there.',
    facts: { fixed_by: by },
  });
}

/** Throws Failure `set_up_closed` if the operator set this secret. */
export async function checkNotFixed(readOperatorSecret: SecretReader, name: string): Promise<void> {
  if (await isFixed(readOperatorSecret, name)) throw fixedOnMachine(`The secret ${name}`, name);
}

/** True if the operator set this secret, even if it cannot be read. */
export async function isFixed(readOperatorSecret: SecretReader, name: string): Promise<boolean> {
  try {
    return (await readOperatorSecret(name)) !== undefined;
  } catch {
    return true;
  }
}

/** Throws Failure `insufficient_storage` if the directory of settings cannot be written. */
export async function storing<Value>(files: OwnFiles, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    throw writeFailure(files.root, error);
  }
}
