import { Failure } from '../../helpers/failure.ts';
import { languageInstallation, languagePackage } from '../../helpers/language-package.ts';
import type { ProcessorHealth } from '../../helpers/processor-contract.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import { isStarting } from '../processor/processor-start.ts';
import type { Profile } from '../profiles/profile.ts';
import { requireLanguages, requireProcessor } from '../scan/call/preflight.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { languageName, missingLanguages } from '../set-up/languages.ts';
import { askOnce, ok, warn, type Check, type Found } from './check.ts';

export interface ProcessorCheckOptions {
  readonly processor: Pick<ProcessorClient, 'health'>;
  readonly processorUrl: string;
  readonly settings: Pick<SettingsStore, 'current'>;
  readonly upSeconds?: () => number;
}

/** Checks that the processor answers and has the OCR languages of the settings and of each profile. */
export function processorChecks(
  { processor, processorUrl, settings, upSeconds = () => process.uptime() }: ProcessorCheckOptions,
  profiles: readonly Profile[],
  signal: AbortSignal,
): Check[] {
  const health = askOnce(() => requireProcessor(processor, signal));
  const answers: Check = {
    id: 'processor',
    subject: new URL(processorUrl).origin,
    run: async () => {
      try {
        return describe(await health());
      } catch (error) {
        if (isUnreachable(error) && isStarting(upSeconds())) return STARTING;
        throw error;
      }
    },
  };
  const languages = profiles.map((profile) => ({
    id: 'processor.languages',
    subject: profile.name,
    needs: answers,
    run: async (): Promise<Found> => {
      if ((await answers.run(signal)) === STARTING) return WHILE_STARTING;
      requireLanguages(profile, await health());
      if (!profile.processing.ocr) return ok('It leaves the text to others.');
      return ok(`The processor reads ${profile.processing.languages.join(', ')}.`);
    },
  }));
  const { languages: chosen } = settings.current();
  const ofSettings: Check = {
    id: 'processor.chosen_languages',
    subject: 'Chosen languages',
    needs: answers,
    run: async () => {
      if ((await answers.run(signal)) === STARTING) return WHILE_STARTING;
      const { languages: installed } = await health();
      return describeChosen(missingLanguages(chosen ?? [], installed));
    },
  };
  return [answers, ...(chosen ? [ofSettings] : []), ...languages];
}

const WHILE_STARTING: Found = {
  status: 'skipped',
  what: 'Not checked: the processor is starting.',
};

/** Profiles leave out chosen languages that are missing, so that scans go on without them. */
function describeChosen(missing: readonly string[]): Found {
  if (missing.length === 0) return ok('The chosen languages are installed.');
  const names = missing.map((code) => languageName(code, 'en')).join(', ');
  const remedy = `Install it (${languageInstallation(missing.map(languagePackage).join(' '))}).`;
  return warn(`${names}: not installed yet.`, remedy, { found: missing.join(', ') });
}

const STARTING = warn(
  'The processor is starting: it does not answer yet.',
  'Wait a minute, then look again.',
);

function isUnreachable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'processor_unreachable';
}

function describe({ versions, workers }: ProcessorHealth): Found {
  const programs = Object.entries(versions).map(([program, version]) => `${program} ${version}`);
  const found = `${workers} pages at once, ${programs.join(', ')}`;
  return ok(`The processor answers (${found}).`, found);
}
