import { counted } from '../../helpers/counted.ts';
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Documented in --help. */
export const EXIT = {
  done: 0,
  other: 1,
  usage: 2,
  deliveryFailed: 3,
  feederEmpty: 4,
  busy: 5,
  endedEarly: 6,
  interrupted: 130,
} as const;

interface Result {
  readonly scan_id: string;
  readonly state: string;
  readonly page_count: number;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
  readonly documents: readonly {
    readonly filename: string;
    readonly page_count: number;
    readonly destinations: readonly {
      readonly status: string;
      readonly task_id?: string;
      readonly error?: string;
    }[];
  }[];
}

export function exitCodeOf({ status, body }: Answer): number {
  if (status === 200) return failedDeliveries(body) === 0 ? EXIT.done : EXIT.deliveryFailed;
  const { error, page_count } = body;
  if (error === 'no_documents') return EXIT.feederEmpty;
  if (error === 'scanner_busy' || error === 'scan_in_progress') return EXIT.busy;
  if (Number(page_count) > 0) return EXIT.endedEarly;
  return error === 'scanner_busy_elsewhere' ? EXIT.busy : EXIT.other;
}

/** For commands and links in messages. Without `baseUrl`, the service ends with this client. */
export interface Client {
  readonly command: string;
  readonly baseUrl: string | undefined;
}

/** The result of a request, and what to do next. */
export function describeAnswer({ status, body }: Answer, { command, baseUrl }: Client): string {
  if (status === 200) {
    const result = body as unknown as Result;
    const isHeld = result.state === 'held';
    const text = isHeld ? describeHeld(result, command) : describeResult(result);
    const what = isHeld ? 'Look through the pages before they are filed:' : 'Show it:';
    if (baseUrl === undefined) return text;
    return [text, what, `  ${baseUrl}/#scan=${result.scan_id}`].join('\n');
  }
  const { message, scan_id, page_count, busy_with } = body;
  const lines = [String(message)];
  if (status === 401) lines.push('Set the token of the service in the variable SCAN_API_TOKEN.');
  if (Number(page_count) > 0) {
    lines.push(
      'File what is there:',
      `  ${command} --resume ${String(scan_id)}`,
      'Feed the rest:',
      `  ${command} --continue ${String(scan_id)}`,
    );
  }
  const busy = busy_with ?? (body['error'] === 'scan_in_progress' ? scan_id : undefined);
  if (typeof busy === 'string') lines.push('Watch it:', `  ${command} --watch ${busy}`);
  return lines.join('\n');
}

function describeHeld({ scan_id, page_count }: Result, command: string): string {
  return [
    `${counted(page_count, 'page')}. The scan is held: no document is made yet.`,
    'Add paper:',
    `  ${command} --continue ${scan_id} --hold`,
    'Finish it:',
    `  ${command} --resume ${scan_id}`,
  ].join('\n');
}

function describeResult({ page_count, duration_ms, warnings, documents }: Result): string {
  const seconds = (duration_ms / 1000).toFixed(1);
  const lines = [
    `${counted(page_count, 'page')}, ${counted(documents.length, 'document')} in ${seconds} s`,
    ...documents.flatMap(({ filename, page_count: pages, destinations }) => [
      `  ${filename}  ${counted(pages, 'page')}`,
      ...destinations.map(({ status, task_id, error }) =>
        status === 'submitted' ? `    submitted, task ${task_id}` : `    failed: ${error}`,
      ),
    ]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return lines.join('\n');
}

function failedDeliveries(body: Answer['body']): number {
  const { documents } = body as unknown as Result;
  return documents
    .flatMap(({ destinations }) => destinations)
    .filter(({ status }) => status !== 'submitted').length;
}
