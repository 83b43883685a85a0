import type { Log } from '../helpers/log.ts';
import type { Environment } from './environment.ts';
import type { CallerToken } from './http/caller-token.ts';
import type { OperatorParts } from './http/routes/operator.ts';
import { scannersBody } from './http/routes/set-up.ts';
import type { StepParts } from './http/routes/set-up-steps.ts';
import { createWrongTokens } from './http/wrong-tokens.ts';
import { createNewness, type NewnessParts } from './operator/newness.ts';
import { createOperator, type Operator } from './operator/operator.ts';
import type { OwnSettings } from './own-settings.ts';
import { SHIPPED } from './profiles/load-directories.ts';
import type { ProfileStore } from './profiles/store.ts';
import type { ScannerClient } from './scanner/scanner-client.ts';
import type { ScannerList } from './scanner/scanner-list.ts';
import type { SelfTest } from './self-test/self-test.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { createProfileForms } from './set-up/profiles/profile-forms.ts';
import { answersOf } from './set-up/steps/answers.ts';
import { createAskLimit } from './set-up/steps/ask-limit.ts';
import { createButtonsStep } from './set-up/steps/buttons-step.ts';
import { createDestinationStep } from './set-up/steps/destination-step.ts';
import { createFinishStep } from './set-up/steps/finish-step.ts';
import { createHouseStep } from './set-up/steps/house-step.ts';
import { createLanguagesStep } from './set-up/steps/languages-step.ts';
import { createScannerStep } from './set-up/steps/scanner-step.ts';

export interface OperatorContext extends Pick<NewnessParts, 'roots'> {
  readonly callerToken: CallerToken;
  readonly profiles: ProfileStore;
  readonly scanner: ScannerClient;
  readonly scannerList: (refresh: boolean) => Promise<ScannerList>;
  /** Undefined while the processor does not answer. */
  readonly installed: () => readonly string[] | undefined;
  readonly selfTest: SelfTest;
  readonly log: Log;
}

/** Undefined if set-up in the browser is off. Logs if the appliance waits for set-up. */
export function openOperator(
  environment: Environment,
  own: OwnSettings,
  context: OperatorContext,
): OperatorParts | undefined {
  if (!environment.browserSetUp) return undefined;
  const { files, settings, readSecret } = own;
  const { log } = context;
  const operator = createOperator({ files, brake: createWrongTokens(undefined, 'passwords') });
  const { secretsDir, savedProfilesDir, operatorsVariables } = environment;
  const profilesDirs = environment.profilesDirs.filter((directory) => directory !== SHIPPED);
  const isNew = createNewness({
    ...context,
    files,
    settings,
    readSecret,
    secretsDir,
    profilesDirs,
    savedProfilesDir,
    operatorsVariables,
  });
  void announce(operator, isNew, log);
  return {
    operator: beginning(operator, settings, log),
    isNew,
    isFinished: () => {
      const { begun_at, finished_at } = settings.current();
      return begun_at === undefined || finished_at !== undefined;
    },
    steps: createSteps(environment, own, context),
  };
}

/**
 * Marks an appliance that was set up, and logs if this one waits for set-up. Not awaited: a hanging
 * share must not delay the start.
 */
async function announce(
  operator: Operator,
  isNew: OperatorParts['isNew'],
  log: Log,
): Promise<void> {
  if (!(await isNew()) || (await operator.state()) !== 'none') return;
  const text = 'This appliance is new: the first person who opens its page sets it up.';
  log.warn({ event: 'set_up_waits' }, text);
}

/** Records in the settings when the set-up in the browser began. */
function beginning(
  operator: Operator,
  settings: Pick<SettingsStore, 'change'>,
  log: Log,
): Operator {
  return {
    ...operator,
    claim: async (password, mayClaim) => {
      const session = await operator.claim(password, mayClaim);
      await settings.change({ begun_at: new Date().toISOString() }).catch((err: unknown) => {
        log.warn({ event: 'settings_unusable', err }, 'The begin of the set-up was not noted.');
      });
      return session;
    },
  };
}

function createSteps(
  { dmsUrl: fixedUrl, defaultDmsUrl, timeZone: fixedZone }: Environment,
  own: OwnSettings,
  { callerToken, profiles, scanner, scannerList, installed, selfTest }: OperatorContext,
): StepParts {
  const { files, settings, setUpEvents, readSecret, readOperatorSecret, dmsUrl } = own;
  const reload = (): Promise<void> => profiles.reload();
  const limit = createAskLimit();
  return {
    selfTest,
    answers: () =>
      answersOf({
        settings,
        profiles,
        readSecret,
        readOperatorSecret,
        callerToken,
        installed,
        dmsUrl,
        fixedUrl,
        fixedZone,
      }),
    scanners: async (refresh) =>
      scannersBody(await scannerList(refresh), profiles.list(), dmsUrl()),
    setScanner: noting(
      setUpEvents,
      createScannerStep({ scanner, list: scannerList, files, settings, reload, limit }),
    ),
    setDestination: noting(
      setUpEvents,
      createDestinationStep({
        files,
        settings,
        readOperatorSecret,
        fixedUrl,
        trusted: [fixedUrl, defaultDmsUrl].filter((url) => url !== undefined),
        reload,
        limit,
      }),
    ),
    setLanguages: noting(
      setUpEvents,
      createLanguagesStep({ files, settings, installed, fixedZone, reload }),
    ),
    setButtons: noting(setUpEvents, createButtonsStep({ files, settings, profiles })),
    setHouse: noting(
      setUpEvents,
      createHouseStep({ files, settings, callerToken, readOperatorSecret }),
    ),
    finish: noting(setUpEvents, createFinishStep({ files, settings })),
    profileForms: createProfileForms({ files, settings, profiles }),
  };
}

/** Wraps a step so that it emits `stored`, even if it fails: it may have stored a part. */
function noting<Given extends unknown[], Value>(
  events: OwnSettings['setUpEvents'],
  step: (...given: Given) => Promise<Value>,
): (...given: Given) => Promise<Value> {
  return async (...given) => {
    try {
      return await step(...given);
    } finally {
      events.emit('stored');
    }
  };
}
