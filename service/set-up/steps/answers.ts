import { DEFAULT_TOKEN_SECRET } from '../../paperless/destination.ts';
import type { SecretReader } from '../../paperless/secrets.ts';
import { DEFAULT_PROFILE } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { ChosenScanner, Settings } from '../../settings/settings.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { CALLER_TOKEN_SECRET } from '../caller-token.ts';
import { hasOnlyGlass } from '../glass-profile.ts';
import { missingLanguages, OFFERED_LANGUAGES } from '../languages.ts';
import { howToInstall } from './languages-step.ts';
import { isFixed, type BothTexts } from './refusals.ts';
import { shippedButtons, type ShippedButton } from './shipped-buttons.ts';

/** Body of GET /set-up/answers. Says whether a secret is set, but never contains it. */
export interface SetUpAnswers {
  readonly answers: {
    readonly scanner: ChosenScanner | null;
    readonly paperless: { readonly address: string | null; readonly token: boolean };
    readonly languages: readonly string[] | null;
    readonly time_zone: string | null;
    readonly buttons: readonly ShippedButton[];
    readonly house: Settings['house'] | null;
  };
  /** The variable or secret by which the operator fixed an answer; null if it can be changed. */
  readonly fixed: {
    readonly dms_url: 'DMS_URL' | null;
    readonly dms_api_token: typeof DEFAULT_TOKEN_SECRET | null;
    readonly time_zone: 'TZ' | null;
    readonly scan_api_token: typeof CALLER_TOKEN_SECRET | null;
    /** The operator's own profiles, which the set-up does not change. */
    readonly profiles: readonly string[];
  };
  readonly languages: {
    readonly installed: readonly string[] | null;
    readonly offered: typeof OFFERED_LANGUAGES;
    /** How to install the chosen languages that are missing. */
    readonly text: BothTexts | null;
  };
  readonly to_do: readonly Step[];
  readonly finished_at: string | null;
}

export type Step = 'scanner' | 'paperless' | 'languages' | 'buttons' | 'house';

export interface AnswersOptions {
  readonly settings: Pick<SettingsStore, 'current'>;
  readonly profiles: Pick<ProfileStore, 'list' | 'isShipped' | 'isOwn'>;
  readonly readSecret: SecretReader;
  readonly readOperatorSecret: SecretReader;
  readonly callerToken: { readonly required: () => { readonly state: string } };
  readonly installed: () => readonly string[] | undefined;
  readonly dmsUrl: () => string | undefined;
  readonly fixedUrl: string | undefined;
  readonly fixedZone: string | undefined;
}

/** Returns the answers so far, those that the operator fixed, and the steps still to do. */
export async function answersOf(options: AnswersOptions): Promise<SetUpAnswers> {
  const { settings, readOperatorSecret, installed, dmsUrl, fixedUrl, fixedZone } = options;
  const chosen = settings.current();
  const isFixedSecret = (name: string): Promise<boolean> => isFixed(readOperatorSecret, name);
  const answers = {
    scanner: chosen.scanner ?? null,
    paperless: { address: dmsUrl() ?? null, token: await hasToken(options) },
    languages: chosen.languages ?? null,
    time_zone: fixedZone ?? chosen.time_zone ?? null,
    buttons: shippedButtons(options.profiles, chosen),
    house: houseOf(options),
  };
  const profiles = operatorsProfiles(options);
  return {
    answers,
    fixed: {
      dms_url: fixedUrl === undefined ? null : 'DMS_URL',
      dms_api_token: (await isFixedSecret(DEFAULT_TOKEN_SECRET)) ? DEFAULT_TOKEN_SECRET : null,
      time_zone: fixedZone === undefined ? null : 'TZ',
      scan_api_token: (await isFixedSecret(CALLER_TOKEN_SECRET)) ? CALLER_TOKEN_SECRET : null,
      profiles,
    },
    languages: languagesOf(chosen, installed()),
    to_do: toDo(answers, chosen, profiles.length > 0),
    finished_at: chosen.finished_at ?? null,
  };
}

function languagesOf(
  { languages: chosen = [] }: Settings,
  installed: readonly string[] | undefined,
): SetUpAnswers['languages'] {
  const text = howToInstall(missingLanguages(chosen, installed));
  return { installed: installed ?? null, offered: OFFERED_LANGUAGES, text };
}

/** An operator with own profiles has already chosen the scanner, languages and buttons. */
function toDo(
  { scanner, paperless, languages, buttons, house }: SetUpAnswers['answers'],
  { hidden_profiles: hidden }: Settings,
  hasProfiles: boolean,
): Step[] {
  const isDone: Readonly<Record<Step, boolean>> = {
    scanner: scanner !== null || hasProfiles,
    paperless: paperless.address !== null && paperless.token,
    languages: languages !== null || hasProfiles,
    buttons: hasProfiles || (hidden !== undefined && !needsOtherDefault(buttons, scanner)),
    house: house !== null,
  };
  return STEPS.filter((step) => !isDone[step]);
}

/** True if a person's default profile in Settings needs a feeder, and the scanner has only a glass. */
function needsOtherDefault(
  buttons: readonly ShippedButton[],
  scanner: ChosenScanner | null,
): boolean {
  if (!scanner || !hasOnlyGlass(scanner)) return false;
  return buttons.some(({ name, fits }) => name === DEFAULT_PROFILE && fits === false);
}

const STEPS: readonly Step[] = ['scanner', 'paperless', 'languages', 'buttons', 'house'];

async function hasToken({ readSecret }: AnswersOptions): Promise<boolean> {
  const token = await readSecret(DEFAULT_TOKEN_SECRET).catch(() => undefined);
  return token !== undefined;
}

function houseOf({ settings, callerToken }: AnswersOptions): Settings['house'] | null {
  if (callerToken.required().state !== 'none') return 'password';
  return settings.current().house === 'open' ? 'open' : null;
}

/** Leaves out saved buttons. */
function operatorsProfiles({ profiles }: AnswersOptions): string[] {
  const names = profiles.list().map(({ name }) => name);
  return names.filter((name) => profiles.isOwn(name) && !profiles.isShipped(name));
}
