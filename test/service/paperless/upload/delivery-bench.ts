import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  deliverDocument,
  type DocumentDelivery,
} from '../../../../service/paperless/upload/deliver-document.ts';
import type {
  Delivery,
  DmsDestination,
  DocumentFile,
} from '../../../../service/paperless/destination.ts';
import { createDms, type Dms } from '../../../../service/paperless/dms.ts';
import type { RequestTimeouts } from '../../../../service/http-client/tracked-request.ts';
import { capturedLog, type CapturedLog } from '../../../support/captured-log.ts';
import { matchesPattern } from '../../../support/matches-pattern.ts';
import { assert, EVENT_MS, temporaryDirectory } from '../../../support/suite.ts';
import type { SampleDmsOptions } from '../../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';

/** The token of these tests. It may leave the process only in the Authorization header. */
export const SENTINEL = 'sentinel+token/0123456789abcdef==';

const never = new AbortController().signal;

export const LONG_TIMEOUTS_MS: RequestTimeouts = {
  lookup: EVENT_MS,
  connect: EVENT_MS,
  secureConnect: EVENT_MS,
  socket: EVENT_MS,
  send: EVENT_MS,
  response: EVENT_MS,
  read: EVENT_MS,
};

export const SHORT_TIMEOUTS_MS: RequestTimeouts = {
  lookup: 2000,
  connect: 2000,
  secureConnect: 500,
  socket: 500,
  send: 1000,
  response: 1000,
  read: 500,
};

export interface Bench {
  readonly dms: SampleDms;
  readonly captured: CapturedLog;
  readonly document: (filename?: string, bytes?: number) => Promise<DocumentFile>;
  readonly destination: (change?: Partial<DmsDestination>) => DmsDestination;
  readonly names: () => ReturnType<Dms['names']>;
  readonly access: (token?: string) => ReturnType<Dms['accessTo']>;
  readonly deliver: (change?: Partial<DocumentDelivery>) => Promise<Delivery>;
  /** Fails if the token appears in the log. */
  readonly close: () => Promise<void>;
}

export async function createBench(options: Partial<SampleDmsOptions> = {}): Promise<Bench> {
  const { path: directory, remove } = await temporaryDirectory();
  const storeDir = join(directory, 'store');
  const dms = await createSampleDms({ tokens: [SENTINEL], storeDir, ...options });
  const captured = capturedLog();
  const clientWith = (token: string): Dms => createDms(async () => token, LONG_TIMEOUTS_MS);
  const client = clientWith(SENTINEL);
  const destination = (change: Partial<DmsDestination> = {}): DmsDestination => ({
    kind: 'dms',
    base_url: dms.url,
    token_secret: 'dms_api_token',
    ...change,
  });
  const document = (filename?: string, bytes?: number): Promise<DocumentFile> =>
    writeDocument(directory, filename, bytes);
  return {
    dms,
    captured,
    document,
    destination,
    names: () => client.names(never),
    access: (token = SENTINEL) => clientWith(token).accessTo(destination(), never),
    deliver: async (change = {}) =>
      deliverDocument({
        document: change.document ?? (await document()),
        metadata: {},
        destination: destination(),
        readSecret: async () => SENTINEL,
        resolveMetadata: client.names(change.signal ?? never).resolve,
        onReady: async () => {},
        signal: never,
        log: captured.log,
        timeouts: LONG_TIMEOUTS_MS,
        ...change,
      }),
    close: async () => {
      await dms.close();
      await remove();
      assert.equal(leaksOf([captured.text()]), []);
    },
  };
}

/** A signal that expires when the test calls `pass`, like one of `AbortSignal.timeout`. */
export function deadline(): { signal: AbortSignal; pass: () => void } {
  const stop = new AbortController();
  return { signal: stop.signal, pass: () => stop.abort(new DOMException('', 'TimeoutError')) };
}

/** Looks like a PDF. Contains the name, so that no two files have the same bytes. */
async function writeDocument(
  directory: string,
  filename = 'document-0001.pdf',
  bytes = 200,
): Promise<DocumentFile> {
  const content = Buffer.alloc(bytes, 'x');
  content.write('%%EOF\n', Math.max(0, bytes - 6));
  content.write(`%PDF-1.7\n${filename}\n`);
  const path = join(directory, filename);
  await writeFile(path, content);
  return { path, filename, bytes, sha256: createHash('sha256').update(content).digest('hex') };
}

export function leaksOf(texts: readonly string[], token: string = SENTINEL): string[] {
  const forms = [
    token,
    encodeURIComponent(token),
    Buffer.from(token).toString('base64'),
    token.slice(0, 20),
  ];
  return texts.filter((text) => forms.some((form) => text.includes(form)));
}

export function errorOf({ entry }: Delivery): string {
  if (entry.status === 'submitted') throw new Error('the delivery was submitted');
  return entry.error;
}

/** Checks a delivery against `refused: words` or `unknown: words`; see `matchesPattern`. */
export function assertEnds(delivery: Delivery, expected: string): void {
  const [, outcome, said = ''] = /^(\w+): (.*)$/su.exec(expected) ?? [];
  const error = errorOf(delivery);
  assert.is(delivery.outcome, outcome, error);
  assert.ok(matchesPattern(said, error), error);
}
