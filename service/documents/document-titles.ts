import { warning } from '../../helpers/warnings.ts';
import type { RecordedDocument, ScanRecord } from '../archive/scan-record.ts';
import type { Destination } from '../paperless/destination.ts';
import { numberedTitle } from '../paperless/upload/title.ts';
import { documentTitle } from '../profiles/title-template.ts';

/** Which of the documents of a scan a title is for. */
export interface TitledDocument extends Pick<RecordedDocument, 'pages' | 'metadata'> {
  /** From 1. */
  readonly number: number;
  /** How many documents the scan gives. */
  readonly count: number;
}

/**
 * The title of a document: that of the request, else that of the codes on the paper, else the template of the destination or
 * of the profile.
 */
export function titleOf(
  { scan_id, started_at, settings, request, pages }: ScanRecord,
  { number, count, metadata, pages: own }: TitledDocument,
  destination?: Pick<Destination, 'title'>,
): string {
  const asked = request.title;
  if (asked !== undefined) return count === 1 ? asked : numberedTitle(asked, number, count);
  if (metadata.title !== undefined) return metadata.title;
  const first = pages.find((page) => page.number === own[0]);
  return documentTitle(destination?.title ?? settings.title, {
    profile: settings.name,
    scan_id,
    started_at: new Date(started_at),
    number,
    count,
    serial_number: request.archive_serial_number ?? metadata.archive_serial_number,
    first_line: first?.recognized?.facts.first_line ?? '',
  });
}

/** A warning where a title names the serial number, and neither the paper nor the request can give one. */
export function serialNumberWarnings({ settings, request }: ScanRecord): string[] {
  const { title, destinations, assembly } = settings;
  const isNamed = [title, ...destinations.map((one) => one.title ?? '')].some((template) =>
    template.includes('{asn}'),
  );
  const isGiven = request.archive_serial_number !== undefined || request.title !== undefined;
  if (!isNamed || isGiven || assembly.barcodes !== undefined) return [];
  return [warning('no_number', {})];
}
