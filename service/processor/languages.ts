import type { Log } from '../../helpers/log.ts';
import { poll, type Poll } from '../../helpers/poll.ts';
import type { ProcessorClient } from './processor-client.ts';

/** How long the processor may take to name its languages; it answers in milliseconds when it is there. */
const ANSWER_MS = 3000;
/** How often it is asked: soon after it starts beside us, and again so that a replaced one is noticed. */
const EVERY_MS = 5000;

/** Keeps asking the processor which OCR languages it has, so that a profile that names a missing one is refused at load. */
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

/** The languages of a profile that are not among the installed ones; none where it leaves the text to others. */
export function languagesMissing(
  { ocr, languages }: { readonly ocr: boolean; readonly languages: readonly string[] },
  installed: readonly string[],
): string[] {
  return ocr ? languages.filter((language) => !installed.includes(language)) : [];
}
