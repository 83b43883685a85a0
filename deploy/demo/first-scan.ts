import type { StreamEvent } from '../../service/page/event-stream.js';
import { followToEnd } from '../terminal/follow-scan.ts';
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
  /** Since the scanner delivered the last page. */
  readonly secondsAfterLastPage: number;
}

/** Runs one scan. Calls `onSheet` for each fed sheet, and `onEvent` for each event. */
export async function scanOnce(
  appliance: Appliance,
  { onSheet, ...options }: ScanOptions,
): Promise<FirstScan> {
  const { events } = appliance.scanner;
  let lastPageAt = Number.NaN;
  const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
  const sheetFed = ({ sheet, front }: { sheet: number; front: string }): void =>
    onSheet(sheet, front);
  events.on('page', onPage).on('sheet', sheetFed);
  const startedAt = performance.now();
  try {
    const result = await press(appliance, options);
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
  readonly onEvent: (event: StreamEvent) => void;
  readonly signal: AbortSignal;
}

async function press(
  { serviceUrl, parts }: Appliance,
  { profile, onEvent, signal }: Pick<ScanOptions, 'profile' | 'onEvent' | 'signal'>,
): Promise<ScanResult> {
  const call = { kind: 'scan', body: { profile } } as const;
  const service = { baseUrl: serviceUrl, token: undefined, signal };
  const { status, body } = await Promise.race([
    followToEnd(service, call, onEvent),
    ...Object.values(parts).map((part) => part.died),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the response of our own service
  if (status === 200) return body as unknown as ScanResult;
  const logFile = logConcerned(String(body['error']), parts);
  const text = JSON.stringify(body, undefined, 2);
  throw new DemoError(`POST /scan answered ${status}:\n${text}`, { logFile });
}

function logConcerned(error: string, parts: Appliance['parts']): string {
  if (/^(?:scanner_|cover_|no_scanner|no_documents)/.test(error)) return parts.runtime.logFile;
  if (error.startsWith('process')) return parts.processor.logFile;
  return parts.service.logFile;
}
