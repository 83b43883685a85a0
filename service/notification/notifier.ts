import { errorCode } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import type { ScanListener } from '../archive/scan-record.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import { singleRequest } from '../http-client/single-request.ts';
import { notificationOf, type Notification, type NotifySettings } from './notification.ts';

/** Name of the secret that is sent as a bearer token, where there is one; also as NOTIFY_TOKEN. */
const NOTIFY_TOKEN_SECRET = 'notify_token';

/** A receiver on the LAN or the internet answers in tens of milliseconds; nobody waits for this one. In milliseconds. */
const TIMEOUT_MS = 5000;

/** Every notification is sent at most so often: two may arrive, which harms nobody. */
const TRIES = 2;

export interface NotifierOptions {
  readonly settings: NotifySettings;
  readonly readSecret: SecretReader;
  readonly onOutcome: (outcome: 'sent' | 'failed') => void;
  readonly log: Log;
  readonly timeoutMs?: number;
}

/** Posts a notification when a scan has ended. No scan waits for it, and none fails with it. */
export function createNotifier(options: NotifierOptions): ScanListener {
  const { settings } = options;
  return (event, record) => {
    if (event.type !== 'ended' || event.state === 'held') return;
    const notification = notificationOf(event, record, settings);
    if (settings.on === 'all' || notification.type !== 'success') void send(notification, options);
  };
}

/** Never rejects. The address stays out of the log: that of a webhook is a secret. */
async function send(notification: Notification, options: NotifierOptions): Promise<void> {
  const { onOutcome, log } = options;
  const { scan_id } = notification.scan;
  let reason = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    reason = await post(notification, options).catch(describe);
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

/** Resolves with what is wrong; nothing where it was taken. */
async function post(
  notification: Notification,
  { settings, readSecret, timeoutMs = TIMEOUT_MS }: NotifierOptions,
): Promise<string> {
  const token = await readSecret(NOTIFY_TOKEN_SECRET);
  const { statusCode } = await singleRequest.post(settings.url, {
    json: notification,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    timeout: { request: timeoutMs },
  });
  return statusCode >= 200 && statusCode < 300 ? '' : `status ${statusCode}`;
}

function describe(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : 'unknown error');
}
