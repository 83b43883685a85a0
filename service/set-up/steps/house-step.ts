import pLimit from 'p-limit';
import { Failure } from '../../../helpers/failure.ts';
import type { SecretReader } from '../../paperless/secrets.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { CALLER_TOKEN_SECRET } from '../caller-token.ts';
import { checkNotFixed, storing } from './refusals.ts';

/**
 * Sets or removes the house password, which is the caller token, effective immediately. Throws
 * Failure `set_up_closed` if the operator set the token, and `insufficient_storage`.
 */
export type HouseStep = (password: string | null) => Promise<void>;

export interface HouseStepOptions {
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change'>;
  readonly callerToken: {
    readonly required: () => { readonly state: string };
    /** Reads the token now. */
    readonly look: () => Promise<void>;
    /** Reads the token now, and accepts that it was removed. */
    readonly forget: () => Promise<void>;
  };
  readonly readOperatorSecret: SecretReader;
}

const FILE = `secrets/${CALLER_TOKEN_SECRET}`;

export function createHouseStep(options: HouseStepOptions): HouseStep {
  const { files, settings, callerToken, readOperatorSecret } = options;
  /** One call at a time, so that the password file and the setting `house` match. */
  const queue = pLimit(1);

  async function set(password: string): Promise<void> {
    await storing(files, async () => {
      // Damaged settings are noticed before the password counts.
      await settings.change({});
      await files.write(FILE, `${password}\n`);
      await settings.change({ house: 'password' });
    });
    await callerToken.look();
  }

  async function open(): Promise<void> {
    await storing(files, async () => {
      // The password stays if the setting cannot be written.
      await settings.change({ house: 'open' });
      await files.remove(FILE);
    });
    await callerToken.forget();
    if (callerToken.required().state !== 'none') throw stillRequired();
  }

  return async (password) =>
    queue(async () => {
      await checkNotFixed(readOperatorSecret, CALLER_TOKEN_SECRET);
      return password === null ? open() : set(password);
    });
}

/** While the operator's file is empty, every caller is rejected. */
function stillRequired(): Failure {
  const what = `The secret ${CALLER_TOKEN_SECRET} on the machine cannot be used.`;
  return new Failure('set_up_closed', what, {
    remedy: 'Correct it there, or remove it and restart the service.',
    facts: { fixed_by: CALLER_TOKEN_SECRET },
  });
}
