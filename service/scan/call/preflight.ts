import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../../helpers/error-code.ts';
import { Failure } from '../../../helpers/failure.ts';
import { languageInstallation } from '../../../helpers/language-package.ts';
import { nearNames } from '../../../helpers/near.ts';
import type { ProcessorHealth } from '../../../helpers/processor-contract.ts';
import { languagesMissing } from '../../processor/languages.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ScanSettings } from '../../profiles/scan-settings.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { giveCommand, makeCommand } from '../../storage/give-directory.ts';
import { makeDirectory } from '../../storage/make-directory.ts';
import { checkFreeSpace, MIN_FREE_BYTES } from '../../storage/free-space.ts';

/** Time limit of each answer, as in /ready (docs/specification.md). */
const ANSWER_MS = 3000;

/** Pause between attempts to reach a starting processor. */
const ASK_AGAIN_MS = 500;

export interface PreflightParts {
  readonly scanner: Pick<ScannerClient, 'health' | 'scanning'>;
  readonly processor: Pick<ProcessorClient, 'health'>;
  /** True if a silent processor may still be starting. Defaults to false. */
  readonly mayBeStarting?: () => boolean;
}

export interface PreflightResult {
  readonly workers: number;
}

/**
 * Checks before feeding that the disk has room, the scanner is free, and the processor has the
 * languages. Waits until the deadline for a processor that is starting. Throws the first problem.
 * `asked`: the caller's settings.
 */
export async function preflight(
  profile: Profile,
  { scanner, processor, mayBeStarting }: PreflightParts,
  deadline: AbortSignal,
  asked: ScanSettings = {},
): Promise<PreflightResult> {
  const directory = profile.paths.output_dir;
  try {
    await makeDirectory(directory).catch((error: unknown) => notWritable(directory, error));
    await requireWritable(directory);
    await checkFreeSpace(directory, MIN_FREE_BYTES);
    const [scannerIs, processorIs] = await Promise.allSettled([
      requireScanner(profile, scanner, deadline),
      requireProcessing(profile, { processor }, deadline, asked),
    ]);
    if (scannerIs.status === 'rejected') throw scannerIs.reason;
    if (processorIs.status === 'fulfilled') return processorIs.value;
    if (!isUnreachable(processorIs.reason) || !mayBeStarting?.()) throw processorIs.reason;
    return await requireProcessing(profile, { processor, mayBeStarting }, deadline, asked);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, what, remedy, facts, cause } = error;
    const advice = `Nothing was fed. ${remedy ?? ''}`.trimEnd();
    throw new Failure(code, what, { remedy: advice, facts, cause });
  }
}

export async function preflightOfProcessing(
  profile: Profile,
  parts: Omit<PreflightParts, 'scanner'>,
  deadline: AbortSignal,
): Promise<PreflightResult> {
  await checkFreeSpace(profile.paths.output_dir, MIN_FREE_BYTES);
  return requireProcessing(profile, parts, deadline);
}

/** Throws Failure `insufficient_storage` unless the service can write to the directory. */
export async function requireWritable(directory: string): Promise<void> {
  const found = await stat(directory).catch((error: unknown) => notWritable(directory, error));
  if (!found.isDirectory()) {
    const remedy = 'Move it away, or choose another output directory.';
    throw new Failure('insufficient_storage', `${directory} is not a directory.`, { remedy });
  }
  await access(directory, constants.W_OK | constants.X_OK).catch((error: unknown) =>
    notWritable(directory, error, found.uid),
  );
}

/** Throws Failure `scanner_runtime_unreachable` if the runtime does not answer in time. */
export function requireRuntime(
  scanner: Pick<ScannerClient, 'health'>,
  deadline: AbortSignal,
  answerMs: number = ANSWER_MS,
): Promise<void> {
  return inTime('The scanner runtime', (signal) => scanner.health(signal), deadline, answerMs);
}

/** Throws Failure `processor_unreachable` if the processor does not answer in time. */
export function requireProcessor(
  processor: Pick<ProcessorClient, 'health'>,
  deadline: AbortSignal,
): Promise<ProcessorHealth> {
  return inTime('The processor', (signal) => processor.health(signal), deadline);
}

export function requireLanguages(
  { name, processing }: Profile,
  { languages }: ProcessorHealth,
): void {
  const missing = languagesMissing(processing, languages);
  if (missing.length === 0) return;
  throw new Failure(
    'processing_failed',
    `The processor cannot read ${missing.join(', ')}, which profile "${name}" names.`,
    {
      remedy: `Install the language (${languageInstallation('tesseract-ocr-<language>')}), or choose among ${languages.join(', ')}.`,
      facts: { missing_languages: missing },
    },
  );
}

function requireAskedLanguages(
  { languages = [] }: ScanSettings,
  { languages: installed }: ProcessorHealth,
): void {
  const missing = languages.find((language) => !installed.includes(language));
  if (missing === undefined) return;
  const nearest = nearNames(missing, installed)[0];
  const offer = `It has ${installed.join(', ')}.`;
  throw new Failure('scan_option_rejected', `The processor cannot read ${missing}.`, {
    remedy: nearest === undefined ? offer : `${offer} Did you mean ${nearest}?`,
    facts: {
      option: 'languages',
      value: missing,
      valid_values: installed,
      ...(nearest !== undefined && { nearest }),
    },
  });
}

/** Checks the scanner before a directory is created for a scan that cannot start. */
async function requireScanner(
  { device }: Profile,
  scanner: PreflightParts['scanner'],
  deadline: AbortSignal,
): Promise<void> {
  await requireRuntime(scanner, deadline);
  const scanning = await inTime('The scanner runtime', scanner.scanning, deadline);
  const busy = scanning.find((scan) => scan.asked === device || scan.device === device);
  if (busy === undefined) return;
  throw new Failure('scanner_busy', 'The scanner is feeding the paper of another scan.', {
    remedy: 'Wait until it has finished, put your paper in and scan again.',
    facts: { busy_with: path.basename(busy.directory) },
  });
}

async function requireProcessing(
  profile: Profile,
  { processor, mayBeStarting = () => false }: Omit<PreflightParts, 'scanner'>,
  deadline: AbortSignal,
  asked: ScanSettings = {},
): Promise<PreflightResult> {
  for (;;) {
    try {
      const health = await requireProcessor(processor, deadline);
      requireAskedLanguages(asked, health);
      requireLanguages(profile, health);
      return { workers: health.workers };
    } catch (error) {
      if (!isUnreachable(error) || !mayBeStarting()) throw error;
    }
    await wait(ASK_AGAIN_MS, undefined, { signal: deadline }).catch(() =>
      deadline.throwIfAborted(),
    );
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'processor_unreachable';
}

function notWritable(directory: string, cause: unknown, owner?: number): never {
  const code = errorCode(cause) ?? 'unknown error';
  const uid = process.getuid?.();
  const belongs = owner === undefined || owner === uid ? '' : `; it belongs to uid ${owner}`;
  const what = `The service, uid ${uid}, cannot write to ${directory} (${code})${belongs}.`;
  const give = owner === undefined ? makeCommand(directory) : giveCommand(directory);
  const remedies: Readonly<Record<string, string>> = {
    EACCES: give,
    EPERM: give,
    EROFS: 'It is on a read-only file system: mount it writable.',
  };
  const remedy = remedies[code] ?? 'Check that it exists, and the disk.';
  throw new Failure('insufficient_storage', what, { remedy, cause });
}

const CODES = {
  'The scanner runtime': 'scanner_runtime_unreachable',
  'The processor': 'processor_unreachable',
} as const;

/**
 * Throws the Failure of the runtime or processor, or an "unreachable" Failure if it did not answer.
 */
async function inTime<Answer>(
  part: keyof typeof CODES,
  ask: (signal: AbortSignal) => Promise<Answer>,
  deadline: AbortSignal,
  answerMs: number = ANSWER_MS,
): Promise<Answer> {
  const late = AbortSignal.timeout(answerMs);
  try {
    return await ask(AbortSignal.any([deadline, late]));
  } catch (cause) {
    deadline.throwIfAborted();
    if (cause instanceof Failure && !late.aborted) throw cause;
    const what = `${part} did not answer within ${answerMs / 1000} s.`;
    throw new Failure(CODES[part], what, { remedy: 'See its log, and restart it.', cause });
  }
}
