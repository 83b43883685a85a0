import { messageOf } from '../../helpers/error-code.ts';
import type { ProcessorHealth } from '../../helpers/processor-contract.ts';
import { Failure } from '../../helpers/failure.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import type { Profile } from '../profiles/profile.ts';
import { fail, ok, skipped, warn, type Check } from './check.ts';

export interface ProcessorCheckOptions {
  readonly processor: Pick<ProcessorClient, 'health'>;
  readonly processorUrl: string;
  readonly profiles: readonly Profile[];
  readonly signal: AbortSignal;
  /** How long it may take to answer, in milliseconds. */
  readonly answerMs?: number;
}

const ANSWER_MS = 3000;

/** Whether the processor answers, and has the languages of each profile. */
export async function checkProcessor(options: ProcessorCheckOptions): Promise<Check[]> {
  const { processor, processorUrl, profiles, answerMs = ANSWER_MS } = options;
  const about = { id: 'processor', subject: new URL(processorUrl).origin };
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(answerMs)]);
  try {
    const health = await processor.health(signal);
    return [reached(about, health), ...profiles.map((profile) => languagesOf(profile, health))];
  } catch (error) {
    const late = `The processor at ${about.subject} did not answer within ${answerMs / 1000} s. See its log.`;
    const advice = error instanceof Failure ? messageOf(error) : late;
    const left = profiles.map(({ name }) =>
      skipped({ id: 'processor.languages', subject: name }, 'the processor does not answer'),
    );
    return [fail(about, advice), ...left];
  }
}

function reached(about: Pick<Check, 'id' | 'subject'>, health: ProcessorHealth): Check {
  const versions = Object.entries(health.versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(', ');
  const found = `${health.workers} pages at once, ${versions}`;
  if (health.turns_pages !== false)
    return ok(about, `The processor answers (${found}).`, { found });
  return warn(
    about,
    'The processor does not turn pages upright. Install the package tesseract-ocr-osd there, and restart it.',
    { found },
  );
}

function languagesOf({ name, processing }: Profile, { languages }: ProcessorHealth): Check {
  const about = { id: 'processor.languages', subject: name };
  const missing = processing.languages.filter((language) => !languages.includes(language));
  const findings = { found: languages.join(', '), expected: processing.languages.join(', ') };
  if (missing.length === 0) return ok(about, `It reads ${findings.expected}.`, findings);
  return fail(
    about,
    `The processor cannot read ${missing.join(', ')}, which profile "${name}" names. Install the language (OCR_LANGUAGES, or the package tesseract-ocr-<language>).`,
    findings,
  );
}
