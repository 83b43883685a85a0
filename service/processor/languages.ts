import type { Log } from '../../helpers/log.ts';
import { poll, type Poll } from '../../helpers/poll.ts';
import type { ProcessorClient } from './processor-client.ts';

const ANSWER_MS = 3000;
/** Polls often, to notice when the processor starts or is replaced. */
const EVERY_MS = 5000;

/** Polls the installed OCR languages. Profiles that need others are not loaded. */
export function watchLanguages(
  processor: Pick<ProcessorClient, 'health'>,
  log: Log,
  everyMs: number = EVERY_MS,
): Promise<Poll<readonly string[]>> {
  return poll({
    look: async () => {
      const { languages } = await processor.health(AbortSignal.timeout(ANSWER_MS));
      return languages.toSorted();
    },
    everyMs,
    onError: (err) =>
      log.debug({ event: 'languages_unknown', err }, 'The processor does not list its languages.'),
  });
}

/** Returns a profile's languages that are not installed. None are needed without OCR. */
export function languagesMissing(
  { ocr, languages }: { readonly ocr: boolean; readonly languages: readonly string[] },
  installed: readonly string[],
): string[] {
  return ocr ? languages.filter((language) => !installed.includes(language)) : [];
}
