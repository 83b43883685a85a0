import { beforeAbort } from '../../helpers/before-abort.ts';
import { errorCode } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import type { ScanListener } from '../archive/scan-record.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import { responseOf, singleRequest } from '../http-client/single-request.ts';
import type { RefusedTrigger } from '../profiles/trigger.ts';
import {
  notificationOf,
  refusalOf,
  type Notification,
  type NotifySettings,
} from './notification.ts';

/** An optional secret, sent as bearer token. Also read from NOTIFY_TOKEN. */
const NOTIFY_TOKEN_SECRET = 'notify_token';

/** Time limit of one attempt. Scans do not wait for it. */
const TIMEOUT_MS = 5000;

/** The second attempt may cause a duplicate, which is harmless. */
const TRIES = 2;

/** How long a stop of the service waits for notifications. */
const CLOSE_MS = 1000;

export interface NotifierOptions {
  readonly settings: NotifySettings;
  readonly readSecret: SecretReader;
  readonly onOutcome: (outcome: 'sent' | 'failed') => void;
  readonly log: Log;
  readonly timeoutMs?: number;
}

export interface Notifier {
  readonly listener: ScanListener;
  readonly refused: (refused: RefusedTrigger) => void;
  /** Waits for notifications that are being sent, for `CLOSE_MS` at most. */
  readonly close: () => Promise<void>;
}

/** Sends a notification when a scan has ended and is not held. Never delays or fails a scan. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { settings } = options;
  const stopped = new AbortController();
  const sending = new Set<Promise<void>>();
  const begin = (notification: Notification): void => {
    const sent = send(notification, options, stopped.signal);
    sending.add(sent);
    void sent.finally(() => sending.delete(sent));
  };
  return {
    listener: (event, record) => {
      if (event.type !== 'ended' || event.state === 'held') return;
      const notification = notificationOf(record, settings);
      const isFine = notification.type === 'success' || notification.type === 'info';
      if (settings.on === 'failed' && isFine) return;
      begin(notification);
    },
    refused: (refused) => begin(refusalOf(refused, settings)),
    close: async () => {
      const timer = setTimeout(() => stopped.abort(), CLOSE_MS);
      await Promise.all(sending);
      clearTimeout(timer);
    },
  };
}

/** Never rejects. Does not log the address, which may be secret. */
async function send(
  notification: Notification,
  options: NotifierOptions,
  stopped: AbortSignal,
): Promise<void> {
  const { onOutcome, log } = options;
  const scan_id = notification.scan?.scan_id;
  let reason = '';
  for (let tries = 0; tries < TRIES && !stopped.aborted; tries += 1) {
    reason = await post(notification, options, stopped).catch(describe);
    if (reason === '') {
      onOutcome('sent');
      log.info({ event: 'notified', scan_id }, 'notification sent');
      return;
    }
  }
  onOutcome('failed');
  const message = `The notification was not taken (${reason}). Check NOTIFY_URL and the secret ${NOTIFY_TOKEN_SECRET}.`;
  log.warn({ event: 'notification_failed', scan_id }, message);
}

/** Returns the problem, or an empty text. Does not read the body, which may be endless. */
async function post(
  notification: Notification,
  { settings, readSecret, timeoutMs = TIMEOUT_MS }: NotifierOptions,
  stopped: AbortSignal,
): Promise<string> {
  const token = await beforeAbort(stopped, readSecret(NOTIFY_TOKEN_SECRET), () => {
    throw stopped.reason;
  });
  const stream = singleRequest.stream.post(settings.url, {
    json: notification,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    timeout: { request: timeoutMs },
    signal: stopped,
  });
  try {
    const { statusCode } = await responseOf(stream);
    return statusCode >= 200 && statusCode < 300 ? '' : `status ${statusCode}`;
  } finally {
    stream.destroy();
  }
}

function describe(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : 'unknown error');
}
