import path from 'node:path';
import { isMissing } from '../../../helpers/error-code.ts';
import { Failure } from '../../../helpers/failure.ts';
import { createFileReader, type FileReader } from '../../../helpers/outside-files.ts';
import type { FormProfile } from '../../profiles/form-schema.ts';
import { SHIPPED, type ProfileOrigin } from '../../profiles/load-directories.ts';
import type { FileProblem } from '../../profiles/problems.ts';
import type { Profile } from '../../profiles/profile.ts';
import { revisionOf } from '../../profiles/saved/saved-files.ts';
import { DEFAULT_PROFILE } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { hasOnlyGlass } from '../glass-profile.ts';
import { contentOf, formOf } from './profile-file.ts';

/** A profile as Settings shows it. */
export interface ListedForm {
  readonly name: string;
  readonly label: Profile['label'] | null;
  readonly by: ProfileOrigin['by'];
  /** The operator's file. Null for a profile that Settings can change. */
  readonly fixed_by: string | null;
  readonly revision: string | null;
  /** True if the profile is stored by Settings. A shipped one of its name then counts again. */
  readonly removable: boolean;
  readonly problems: readonly Pick<FileProblem, 'field' | 'message'>[];
  /** Null if the form cannot show it: the operator's, or a file with more than the form knows. */
  readonly profile: FormProfile | null;
}

export interface ListedFormsOptions {
  readonly files: Pick<OwnFiles, 'read'>;
  readonly settings: Pick<SettingsStore, 'current'>;
  readonly profiles: Pick<ProfileStore, 'origins' | 'get' | 'problems'>;
  /** Reads shipped profiles. */
  readonly readFile?: FileReader;
}

export interface ListedForms {
  /** Sorted by name. */
  readonly all: () => Promise<ListedForm[]>;
  /** Throws Failure `profile_not_found`. */
  readonly get: (name: string) => Promise<ListedForm>;
  /** The file of a profile that is not the operator's. Undefined if it is missing. */
  readonly textOf: (name: string) => Promise<string | undefined>;
}

const MAX_FILE_BYTES = 256 * 1024;

export function createListedForms(options: ListedFormsOptions): ListedForms {
  const { files, settings, profiles } = options;
  const { readFile = createFileReader({ maxBytes: MAX_FILE_BYTES }) } = options;

  async function textOf(name: string): Promise<string | undefined> {
    const origin = profiles.origins().get(name);
    if (origin === undefined || origin.by === 'operator') return undefined;
    try {
      return await (origin.by === 'service'
        ? files.read(fileOf(name, origin))
        : readFile(path.join(SHIPPED, origin.file)));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async function entryOf([name, { by, file }]: [string, ProfileOrigin]): Promise<ListedForm> {
    const text = await textOf(name).catch(() => undefined);
    const content = text === undefined ? undefined : contentOf(text);
    const problems = profiles.problems().filter((one) => one.profile === name);
    return {
      name,
      label: profiles.get(name)?.label ?? null,
      by,
      fixed_by: by === 'operator' ? file : null,
      revision: text === undefined ? null : revisionOf(text),
      removable: by === 'service' && !isNeeded(name, settings),
      problems: problems.map(({ field, message }) => ({ field, message })),
      profile: (content && formOf(content)) ?? null,
    };
  }

  return {
    all: () => {
      const inOrder = [...profiles.origins()].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return Promise.all(inOrder.map(entryOf));
    },
    get: async (name) => {
      const origin = profiles.origins().get(name);
      if (origin) return entryOf([name, origin]);
      throw new Failure('profile_not_found', `There is no profile ${JSON.stringify(name)}.`);
    },
    textOf,
  };
}

/** Below SETTINGS_DIR. */
export function fileOf(name: string, origin: ProfileOrigin | undefined): string {
  return `profiles/${origin?.file ?? `${name}.yaml`}`;
}

/** For a scanner with only a glass, the set-up stores a default profile. */
export function isNeeded(name: string, { current }: Pick<SettingsStore, 'current'>): boolean {
  const { scanner } = current();
  return name === DEFAULT_PROFILE && scanner !== undefined && hasOnlyGlass(scanner);
}
