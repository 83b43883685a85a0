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

/** Name of the secret that is sent as a bearer token, where there is one; also as NOTIFY_TOKEN. */
const NOTIFY_TOKEN_SECRET = 'notify_token';

/** A receiver on the LAN or the internet answers in tens of milliseconds; no one waits for this one. In milliseconds. */
const TIMEOUT_MS = 5000;

/** Every notification is tried this often: two may arrive, which does no harm. */
const TRIES = 2;

/** How long the end of the service waits for a notification that is under way, in milliseconds. */
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
  /** Posts that a scan which was asked for at the scanner did not begin. */
  readonly refused: (refused: RefusedTrigger) => void;
  /** Gives notifications under way a moment, and then gives them up. */
  readonly close: () => Promise<void>;
}

/** Posts a notification when a scan has ended. No scan waits for it, and none fails with it. */
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

/** Never rejects. The address stays out of the log: that of a webhook is a secret. */
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

/** Resolves with what is wrong; nothing where it was taken. Only the status of the answer is read: its body may have no end. */
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
