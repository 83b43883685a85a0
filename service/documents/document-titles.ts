import { warning } from '../../helpers/warnings.ts';
import type { ScanRecord } from '../archive/scan-record.ts';

/** Warns if a title template uses `{asn}`, but no document can get an archive serial number. */
export function serialNumberWarnings({ settings, request }: ScanRecord): string[] {
  const { title, destinations, assembly } = settings;
  const isNamed = [title, ...destinations.map((one) => one.title ?? '')].some((template) =>
    template.includes('{asn}'),
  );
  const isGiven = request.archive_serial_number !== undefined || request.title !== undefined;
  if (!isNamed || isGiven || assembly.barcodes !== undefined) return [];
  return [warning('no_number', {})];
}
