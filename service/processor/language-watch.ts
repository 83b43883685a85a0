import type { Log } from '../../helpers/log.ts';
import type { ProcessorClient } from './processor-client.ts';

/** How long the processor may take to name its languages; it answers in milliseconds when it is there. */
const ASK_TIMEOUT_MS = 3000;
/** How often it is asked: soon after it starts beside us, and again so that a replaced one is noticed. */
const ASK_INTERVAL_MS = 5000;

export interface LanguageWatch {
  /** OCR languages that the processor has; undefined while it has never answered. */
  readonly installed: () => readonly string[] | undefined;
  close(): void;
}

export interface LanguageWatchOptions {
  readonly processor: Pick<ProcessorClient, 'health'>;
  readonly log: Log;
  readonly intervalMs?: number;
}

/** Keeps asking the processor which languages it has, so that a profile that names a missing one is refused at load. */
export async function createLanguageWatch(options: LanguageWatchOptions): Promise<LanguageWatch> {
  let installed: readonly string[] | undefined;

  async function ask(): Promise<void> {
    try {
      const health = await options.processor.health(AbortSignal.timeout(ASK_TIMEOUT_MS));
      installed = health.languages.toSorted();
    } catch (error) {
      options.log.debug(
        { event: 'languages_unknown', err: error },
        'The processor does not list its languages.',
      );
    }
  }

  await ask();
  const timer = setInterval(() => void ask(), options.intervalMs ?? ASK_INTERVAL_MS);
  return { installed: () => installed, close: () => clearInterval(timer) };
}
