import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../../helpers/error-code.ts';
import { Failure } from '../../../helpers/failure.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ScannerClient } from '../../scanner/scanner-client.ts';
import { makeDirectory } from '../../storage/make-directory.ts';
import { checkFreeSpace, MIN_FREE_BYTES } from '../../storage/free-space.ts';

/** How long a part may take to answer that it is there, before paper is fed; docs/specification.md gives the runtime as much in /ready. */
const PART_CHECK_MS = 3000;

export interface PreflightParts {
  readonly scanner: Pick<ScannerClient, 'health' | 'scanning'>;
  readonly processor: ProcessorClient;
}

export interface PreflightResult {
  /** Pages that the processor works on at once. */
  readonly workers: number;
}

/**
 * Everything that can be known before a sheet moves: there is room for pages, the scanner runtime answers and feeds nobody
 * else's paper, the processor answers and has the profile's languages. Paper that was fed for nothing has to be sorted by
 * hand, so each is a Failure.
 */
export async function preflight(
  profile: Profile,
  parts: PreflightParts,
  deadline: AbortSignal,
): Promise<PreflightResult> {
  await prepareOutputDirectory(profile.paths.output_dir);
  await checkFreeSpace(profile.paths.output_dir, MIN_FREE_BYTES);
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(PART_CHECK_MS)]);
  const [scanner, processor] = await Promise.allSettled([
    checkScanner(profile, parts.scanner, signal),
    checkProcessor(profile, parts.processor, signal),
  ]);
  if (scanner.status === 'rejected') {
    throw unlessFailure(scanner.reason, 'scanner_runtime_unreachable', 'The scanner runtime');
  }
  if (processor.status === 'rejected') throw processor.reason;
  deadline.throwIfAborted();
  return processor.value;
}

/** The part of `preflight` that a scan needs whose pages are on disk already. */
export async function preflightOfProcessing(
  profile: Profile,
  { processor }: Pick<PreflightParts, 'processor'>,
  deadline: AbortSignal,
): Promise<PreflightResult> {
  await checkFreeSpace(profile.paths.output_dir, MIN_FREE_BYTES);
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(PART_CHECK_MS)]);
  return checkProcessor(profile, processor, signal);
}

/** The lock of the scanner is the runtime's own; it is looked at here so that a scan that cannot begin leaves no directory. */
async function checkScanner(
  { device }: Profile,
  scanner: PreflightParts['scanner'],
  signal: AbortSignal,
): Promise<void> {
  await scanner.health(signal);
  const busy = (await scanner.scanning(signal)).find(
    (scan) => scan.asked === device || scan.device === device,
  );
  if (busy === undefined) return;
  throw new Failure(
    'scanner_busy',
    'The scanner is feeding the paper of another scan. Wait until it has finished, put your paper in and scan again.',
    { facts: { busy_with: path.basename(busy.directory) } },
  );
}

async function checkProcessor(
  profile: Profile,
  processor: ProcessorClient,
  signal: AbortSignal,
): Promise<PreflightResult> {
  try {
    const { workers, languages } = await processor.health(signal);
    checkLanguages(profile, languages);
    return { workers };
  } catch (error) {
    throw unlessFailure(error, 'processor_unreachable', 'The processor');
  }
}

async function prepareOutputDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const uid = process.getuid?.();
    const advice = ['EACCES', 'EPERM'].includes(code)
      ? `The service, uid ${uid}, has no permission: sudo install -d -o ${uid} -m 0750 ${directory} (in containers, that is the directory SCANS in .env)`
      : 'Check that it exists and belongs to the user of the service.';
    throw new Failure(
      'insufficient_storage',
      `The output directory ${directory} cannot be written to (${code}); nothing was fed. ${advice}`,
      { cause: error },
    );
  }
}

function checkLanguages(profile: Profile, installed: readonly string[]): void {
  if (!profile.processing.ocr) return;
  const missing = profile.processing.languages.filter((language) => !installed.includes(language));
  if (missing.length === 0) return;
  throw new Failure(
    'processing_failed',
    `The processor lacks the language ${missing.join(', ')} of profile "${profile.name}"; nothing was fed. ` +
      `Install it, or choose among ${installed.join(', ')}.`,
    { facts: { missing_languages: missing } },
  );
}

function unlessFailure(
  error: unknown,
  code: 'scanner_runtime_unreachable' | 'processor_unreachable',
  part: string,
): Failure {
  if (error instanceof Failure) return error;
  return new Failure(
    code,
    `${part} did not answer within ${PART_CHECK_MS / 1000} s; nothing was fed. Check that it is running, and its log.`,
    { cause: error },
  );
}
