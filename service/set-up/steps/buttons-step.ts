import { Failure } from '../../../helpers/failure.ts';
import { DEFAULT_PROFILE } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { storing } from './refusals.ts';
import { shippedButtons, type ShippedButton } from './shipped-buttons.ts';

/**
 * Sets which shipped profiles the page hides. Throws Failure `invalid_body` for the default profile
 * or an unknown one, and `insufficient_storage`.
 */
export type ButtonsStep = (hidden: readonly string[]) => Promise<readonly ShippedButton[]>;

export interface ButtonsStepOptions {
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change' | 'current'>;
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped'>;
}

export function createButtonsStep({ files, settings, profiles }: ButtonsStepOptions): ButtonsStep {
  return async (hidden) => {
    const wrong = hidden.find((name) => name === DEFAULT_PROFILE || !profiles.isShipped(name));
    if (wrong !== undefined) throw notHideable(wrong);
    await storing(files, () => settings.change({ hidden_profiles: [...new Set(hidden)] }));
    return shippedButtons(profiles, settings.current());
  };
}

function notHideable(name: string): Failure {
  const expected = '"hidden" must list shipped profiles other than the default one';
  return new Failure('invalid_body', `${expected}, and not ${JSON.stringify(name)}.`, {
    facts: { fields: [{ field: 'hidden', expected }] },
  });
}
