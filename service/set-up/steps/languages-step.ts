import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../helpers/failure.ts';
import { languagePackage } from '../../../helpers/language-package.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { codesOf, languageName, missingLanguages } from '../languages.ts';
import { messageFor, textOf, type Language, type Message } from '../texts/texts.ts';
import { timeZoneOf } from '../time-zone.ts';
import { fixedOnMachine, storing, textsOf, type BothTexts } from './refusals.ts';

export interface WantedLanguages {
  /** Tesseract codes or names of languages. */
  readonly languages?: readonly string[];
  readonly time_zone?: string;
}

export interface SetLanguages {
  readonly languages: readonly string[] | null;
  readonly time_zone: string | null;
  /** Languages that were chosen but are not installed. */
  readonly missing: readonly string[];
  /** How to install the missing languages. */
  readonly text: BothTexts | null;
}

/**
 * Sets the time zone, and the OCR languages of profiles that name none. A missing language is used
 * once it is installed. Throws Failure `invalid_body`, `set_up_closed` or `insufficient_storage`.
 */
export type LanguagesStep = (wanted: WantedLanguages) => Promise<SetLanguages>;

export interface LanguagesStepOptions {
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change' | 'current'>;
  /** Undefined while the processor does not answer. */
  readonly installed: () => readonly string[] | undefined;
  /** The time zone in TZ. */
  readonly fixedZone: string | undefined;
  /** Loads the profiles with the new languages. */
  readonly reload: () => Promise<void>;
  readonly startMs?: number;
}

/** Time to wait for a processor that is starting, such as after a restart during the set-up. */
const START_MS = 10_000;
const LOOK_EVERY_MS = 100;

export function createLanguagesStep(options: LanguagesStepOptions): LanguagesStep {
  const { files, settings, installed, fixedZone, reload, startMs = START_MS } = options;
  return async ({ languages: given, time_zone: wanted }) => {
    const languages = given && languagesIn(given);
    const time_zone = wanted === undefined ? undefined : zoneIn(wanted, fixedZone);
    const isZoneNew = time_zone !== undefined && fixedZone === undefined;
    await storing(files, () =>
      settings.change({ ...(languages && { languages }), ...(isZoneNew && { time_zone }) }),
    );
    await reload();
    const { languages: chosen = null, time_zone: zone = null } = settings.current();
    if (languages) await known(installed, startMs);
    const missing = missingLanguages(chosen ?? [], installed());
    const text = howToInstall(missing);
    return { languages: chosen, time_zone: fixedZone ?? zone, missing, text };
  };
}

function zoneIn(given: string, fixedZone: string | undefined): string {
  const zone = timeZoneOf(given);
  if (zone === undefined) throw wrong('time_zone', messageFor('time_zone.unknown', { given }));
  if (fixedZone !== undefined && zone !== fixedZone) throw fixedOnMachine('The time zone', 'TZ');
  return zone;
}

/** Waits until the processor has listed its languages, or `ms` have passed. */
async function known(installed: LanguagesStepOptions['installed'], ms: number): Promise<void> {
  const giveUp = performance.now() + ms;
  while (installed() === undefined && performance.now() < giveUp) await sleep(LOOK_EVERY_MS);
}

function languagesIn(given: readonly string[]): readonly string[] {
  const read = codesOf(given);
  if (read.kind === 'codes') return read.codes;
  throw wrong('languages', read.message);
}

export function howToInstall(missing: readonly string[]): BothTexts | null {
  if (missing.length === 0) return null;
  const packages = missing.map(languagePackage).join(' ');
  const text = (language: Language): string => {
    const names = missing.map((code) => languageName(code, language)).join(', ');
    const facts = { names, languages: missing.join(' '), packages };
    return textOf(messageFor('languages.missing', facts), language);
  };
  return { en: text('en'), de: text('de') };
}

function wrong(field: string, message: Message): Failure {
  const fields = [{ field, expected: textOf(message) }];
  return new Failure('invalid_body', textOf(message), { facts: { ...textsOf(message), fields } });
}
