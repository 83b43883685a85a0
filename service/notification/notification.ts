import { counted } from '../../helpers/counted.ts';
import type { ScanRecord } from '../archive/scan-record.ts';
import {
  failuresIn,
  summaryOf,
  viewOf,
  type ScanSummary,
  type ScanView,
} from '../archive/scan-view.ts';

export interface NotifySettings {
  readonly url: string;
  /** `failed`: only of scans that failed, or with a delivery that did. */
  readonly on: 'all' | 'failed';
  /** Of ntfy. */
  readonly topic: string | undefined;
  /** Address of the service, as a phone reaches it. */
  readonly publicUrl: string | undefined;
}

/** Priorities of ntfy, from 1 to 5; Gotify, which has 10, takes them too. */
const NORMAL = 3;
const HIGH = 4;

/**
 * What is posted when a scan has ended. One body fits several receivers: ntfy reads `topic`, `title`, `message`, `priority`,
 * `tags` and `click`; Gotify `title`, `message` and `priority`; Apprise `title`, `body` and `type`; automations read `event` and `scan`.
 */
export interface Notification {
  readonly topic?: string;
  readonly title: string;
  readonly message: string;
  readonly body: string;
  readonly type: 'success' | 'warning' | 'failure';
  readonly priority: number;
  readonly tags: readonly string[];
  /** The scan on the control page, where the address of the service is known. */
  readonly click?: string;
  readonly event: 'scan_ended';
  readonly scan: ScanSummary;
}

/** The notification of a scan that has ended. */
export function notificationOf(
  record: ScanRecord,
  { topic, publicUrl }: Pick<NotifySettings, 'topic' | 'publicUrl'>,
): Notification {
  const view = viewOf(record, false);
  const { title, message, type } = wordsFor(view);
  return {
    ...(topic !== undefined && { topic }),
    title,
    message,
    body: message,
    type,
    priority: type === 'success' ? NORMAL : HIGH,
    tags: [type === 'success' ? 'white_check_mark' : 'warning'],
    ...(publicUrl !== undefined && {
      click: `${publicUrl.replace(/\/$/, '')}/#scan=${record.scan_id}`,
    }),
    event: 'scan_ended',
    scan: summaryOf(view),
  };
}

type Words = Pick<Notification, 'title' | 'message' | 'type'>;

function wordsFor({ error, page_count, document_count, documents }: ScanView): Words {
  const pages = counted(page_count, 'page');
  if (error) {
    const stored = page_count > 0 ? ` Stored so far: ${pages}.` : '';
    return { title: 'Scan failed', message: `${error.message}${stored}`, type: 'failure' };
  }
  const made = `${pages}, ${counted(document_count, 'document')}`;
  const failed = failuresIn(documents);
  const [cause] = failed;
  if (cause === undefined) {
    return { title: 'Scan finished', message: `${made}, all delivered.`, type: 'success' };
  }
  const title = `Scan finished, but ${failed.length === 1 ? 'a delivery' : `${failed.length} deliveries`} failed`;
  return { title, message: `${made}. ${cause}`, type: 'warning' };
}
