import type { Failure } from '../../../helpers/failure.ts';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import type { ListedScanner } from '../../../service/scanner/scanner-list.ts';
import type { OwnFiles } from '../../../service/settings/own-files.ts';
import type { SettingsStore } from '../../../service/settings/settings-store.ts';
import { createProfileForms } from '../../../service/set-up/profiles/profile-forms.ts';
import { createAskLimit } from '../../../service/set-up/steps/ask-limit.ts';
import { createButtonsStep } from '../../../service/set-up/steps/buttons-step.ts';
import { createDestinationStep } from '../../../service/set-up/steps/destination-step.ts';
import { createFinishStep } from '../../../service/set-up/steps/finish-step.ts';
import { createHouseStep } from '../../../service/set-up/steps/house-step.ts';
import { createLanguagesStep } from '../../../service/set-up/steps/languages-step.ts';
import { createScannerStep } from '../../../service/set-up/steps/scanner-step.ts';
import { testProfile } from '../../support/test-profile.ts';

/** The settings of an appliance on a disk that fails. */
export interface Disk {
  readonly files: OwnFiles;
  readonly settings: SettingsStore;
}

const GLASS: ListedScanner = {
  name: 'fake:0',
  vendor: 'ACME',
  model: 'Glass',
  type: 'scanner',
  problem: null,
  sources: [
    {
      source: 'Flatbed',
      feeder: false,
      sides: ['one'],
      modes: ['Gray'],
      resolutions: [300],
      max_page: null,
      options: [],
    },
  ],
};

const FEEDER: ListedScanner = {
  ...GLASS,
  sources: GLASS.sources.map((source) => ({ ...source, source: 'ADF', feeder: true })),
};

/** The token that `setDestination` stores. */
export const NEW_TOKEN = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

const reload = (): Promise<void> => Promise.resolve();
const setScanner =
  (scanner: ListedScanner) =>
  ({ files, settings }: Disk): Promise<unknown> =>
    createScannerStep({
      scanner: { describeDevice: () => Promise.reject(new Error('not expected')) },
      list: async () => ({ looked_at: '', scanners: [scanner] }),
      files,
      settings,
      reload,
      limit: createAskLimit(),
    })('fake:0');
const profiles = { list: () => [], isShipped: () => true };
const callerToken = { required: () => ({ state: 'none' }) as const, look: reload, forget: reload };
const readOperatorSecret = createSecretReader({ directory: '/missing', environment: {} });
const houseOf = (disk: Disk): ReturnType<typeof createHouseStep> =>
  createHouseStep({ ...disk, callerToken, readOperatorSecret });

/** Stores a profile whose name is new. */
const storeProfile = ({ files, settings }: Disk): Promise<unknown> => {
  const none = { origins: () => new Map(), get: () => undefined };
  const lists = { list: () => [], buttons: () => [], problems: () => [] };
  const store = { ...none, ...lists, check: () => testProfile({ name: 'school' }), reload };
  const forms = createProfileForms({ files, settings, profiles: store });
  const given = { label: 'School', destinations: [] };
  // The store knows no profile, so only the file shows what was stored.
  return forms.put('school', given, undefined).catch((error: Failure) => {
    if (error.code !== 'profile_not_found') throw error;
  });
};

/** The Paperless-ngx answers at `address`, on this machine. */
export const setDestination = ({ files, settings }: Disk, address: string): Promise<unknown> =>
  createDestinationStep({
    files,
    settings,
    readOperatorSecret,
    fixedUrl: undefined,
    trusted: [address],
    reload,
    limit: createAskLimit(),
  })(address, { kind: 'token', token: NEW_TOKEN });

/** By step: the call that stores its answer, and the minimum number of file operations. */
export const STEPS: Readonly<
  Record<string, { readonly run: (disk: Disk) => Promise<unknown>; readonly fewest: number }>
> = {
  'a scanner with only a glass': { run: setScanner(GLASS), fewest: 15 },
  'a scanner with a feeder': { run: setScanner(FEEDER), fewest: 9 },
  languages: {
    run: ({ files, settings }) =>
      createLanguagesStep({
        files,
        settings,
        installed: () => ['deu'],
        fixedZone: undefined,
        reload,
      })({ languages: ['deu'], time_zone: 'UTC' }),
    fewest: 9,
  },
  buttons: {
    run: ({ files, settings }) => createButtonsStep({ files, settings, profiles })(['receipts']),
    fewest: 9,
  },
  'a profile': { run: storeProfile, fewest: 9 },
  'a password of the house': { run: (disk) => houseOf(disk)('a-password-new'), fewest: 15 },
  'no password of the house': { run: (disk) => houseOf(disk)(null), fewest: 9 },
  finish: { run: (disk) => createFinishStep(disk)(), fewest: 9 },
};
