import type { Appliance } from './appliance.ts';
import { DemoError } from './demo-error.ts';

/** The parts of a response to POST /scan that the demo uses. */
export interface ScanResult {
  readonly scan_id: string;
  readonly page_count: number;
  readonly documents: readonly {
    readonly filename: string;
    readonly pages: readonly number[];
    readonly destinations: readonly (
      | { readonly status: 'submitted'; readonly task_id: string }
      | { readonly status: 'failed'; readonly error: string }
    )[];
  }[];
}

export interface FirstScan {
  readonly result: ScanResult;
  readonly seconds: number;
  /** From the moment when the scanner had handed over the last page to the response. */
  readonly secondsAfterLastPage: number;
}

/** Longer than the default timeout of the service, so that its own response to a timeout is shown. */
const ANSWER_WITHIN_MS = 330_000;

/** Scans once. Calls `onSheet` for each sheet that is fed. */
export async function scanOnce(
  appliance: Appliance,
  { profile, onSheet, signal }: ScanOptions,
): Promise<FirstScan> {
  const { events } = appliance.scanner;
  let lastPageAt = Number.NaN;
  const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
  const sheetFed = ({ sheet, front }: { sheet: number; front: string }): void =>
    onSheet(sheet, front);
  events.on('page', onPage).on('sheet', sheetFed);
  const startedAt = performance.now();
  try {
    const result = await press(appliance, { profile, signal });
    const answeredAt = performance.now();
    return {
      result,
      seconds: (answeredAt - startedAt) / 1000,
      secondsAfterLastPage: (answeredAt - lastPageAt) / 1000,
    };
  } finally {
    events.off('page', onPage).off('sheet', sheetFed);
  }
}

export interface ScanOptions {
  readonly profile: string;
  readonly onSheet: (sheet: number, front: string) => void;
  readonly signal: AbortSignal;
}

async function press(
  { serviceUrl, parts }: Appliance,
  { profile, signal }: Pick<ScanOptions, 'profile' | 'signal'>,
): Promise<ScanResult> {
  const answer = fetch(`${serviceUrl}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ profile }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  const response = await Promise.race([answer, ...Object.values(parts).map((part) => part.died)]);
  const body = await response.text();
  if (response.status === 200) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of our own service
    return JSON.parse(body) as ScanResult;
  }
  const logFile = logConcerned(body, parts);
  throw new DemoError(`POST /scan answered ${response.status}:\n${pretty(body)}`, { logFile });
}

/** The log of the part that the error code refers to. */
function logConcerned(body: string, parts: Appliance['parts']): string {
  if (/"error":\s*"(?:scanner_|cover_|no_scanner|no_documents)/.test(body))
    return parts.runtime.logFile;
  if (/"error":\s*"process/.test(body)) return parts.processor.logFile;
  return parts.service.logFile;
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
