import { counted } from '../../helpers/counted.ts';
import type { ScanRecord } from '../archive/scan-record.ts';
import { describeTrigger, type RefusedTrigger, type Trigger } from '../profiles/trigger.ts';
import {
  failuresIn,
  summaryOf,
  viewOf,
  type ScanSummary,
  type ScanView,
} from '../archive/scan-view.ts';

export interface NotifySettings {
  readonly url: string;
  /** `failed`: only for failed scans and failed deliveries. */
  readonly on: 'all' | 'failed';
  readonly topic: string | undefined;
  readonly publicUrl: string | undefined;
}

/** Priorities of ntfy, from 1 to 5. Gotify accepts these too. */
const NORMAL = 3;
const HIGH = 4;

/**
 * Sent when a scan has ended. Has the fields of ntfy (`topic`, `title`, `message`, `priority`,
 * `tags`, `click`), Gotify (`title`, `message`, `priority`) and Apprise (`title`, `body`, `type`),
 * and `event` and `scan` for automations.
 */
export interface Notification {
  readonly topic?: string;
  readonly title: string;
  readonly message: string;
  readonly body: string;
  /** `info`: everything works, and a person acted or must act. */
  readonly type: 'success' | 'info' | 'warning' | 'failure';
  readonly priority: number;
  readonly tags: readonly string[];
  /** Link to the scan on the control page, if PUBLIC_URL is set. */
  readonly click?: string;
  /** `scan_refused`: a trigger fired, but its scan did not start. */
  readonly event: 'scan_ended' | 'scan_refused';
  /** Not set for `scan_refused`. */
  readonly scan?: Omit<ScanSummary, 'first_page'>;
}

type Addresses = Pick<NotifySettings, 'topic' | 'publicUrl'>;

export function notificationOf(record: ScanRecord, addresses: Addresses): Notification {
  const view = viewOf(record, false);
  const { title, message, type } = wordsFor(view);
  const named = view.title === null ? '' : `${view.title}: `;
  const begun = view.trigger === null ? '' : ` ${startedBy(view.trigger)}`;
  const click = `#scan=${record.scan_id}`;
  const { first_page: _, ...scan } = summaryOf(view);
  return {
    ...notice({ title, message: `${named}${message}${begun}`, type }, addresses, click),
    event: 'scan_ended',
    scan,
  };
}

export function refusalOf(
  { profile, trigger, failure }: RefusedTrigger,
  addresses: Addresses,
): Notification {
  const message = `${failure.message} Asked for at the scanner, by ${describeTrigger(trigger)} (profile ${profile}).`;
  const words = { title: 'Scan not started', message, type: 'failure' } as const;
  return { ...notice(words, addresses, ''), event: 'scan_refused' };
}

function startedBy(trigger: Trigger): string {
  return `Started at the scanner, by ${describeTrigger(trigger)}.`;
}

/** `hash` names the part of the control page to open. */
function notice(
  { title, message, type }: Words,
  { topic, publicUrl }: Addresses,
  hash: string,
): Omit<Notification, 'event'> {
  return {
    ...(topic !== undefined && { topic }),
    title,
    message,
    body: message,
    type,
    priority: type === 'success' || type === 'info' ? NORMAL : HIGH,
    tags: [TAGS[type]],
    ...(publicUrl !== undefined && { click: `${publicUrl.replace(/\/$/, '')}/${hash}` }),
  };
}

/** Emoji names of ntfy. */
const TAGS = {
  success: 'white_check_mark',
  info: 'information_source',
  warning: 'warning',
  failure: 'warning',
} as const satisfies Record<Notification['type'], string>;

type Words = Pick<Notification, 'title' | 'message' | 'type'>;

function wordsFor({
  error,
  page_count,
  kept_page_count,
  document_count,
  documents,
}: ScanView): Words {
  const pages = counted(error ? page_count : kept_page_count, 'page');
  if (error) {
    const stored = page_count > 0 ? ` Stored so far: ${pages}.` : '';
    const message = `${error.message}${stored}`;
    // This is no failure: somebody forgot the paper or pressed Stop.
    if (error.error === 'no_documents') return { title: 'Nothing to scan', message, type: 'info' };
    if (error.error === 'scan_stopped') return { title: 'Scan stopped', message, type: 'info' };
    return { title: 'Scan failed', message, type: 'failure' };
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
