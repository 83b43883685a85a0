import type { Destination } from '../paperless/destination.ts';
import { numberedTitle } from '../paperless/upload/title.ts';
import type { Profile } from '../profiles/profile.ts';
import { documentTitle } from '../profiles/title-template.ts';
import type { RecordedDocument, ScanRecord } from './scan-record.ts';

export interface TitledDocument extends Pick<RecordedDocument, 'pages' | 'metadata'> {
  readonly number: number;
  readonly count: number;
}

/** Uses the request's title, else one from codes on the paper, else a template. */
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
    label: labelOf(settings),
    scan_id,
    started_at: new Date(started_at),
    number,
    count,
    serial_number: request.archive_serial_number ?? metadata.archive_serial_number,
    first_line: first?.recognized?.facts.first_line ?? '',
  });
}

function labelOf({ name, label = name, processing }: Profile): string {
  if (typeof label === 'string') return label;
  const [first] = Object.values(label);
  return label[languageCode(processing.languages[0] ?? '')] ?? first ?? name;
}

/** Returns the language of a Tesseract code: `de` for `deu`, `zh` for `chi_sim`. */
function languageCode(language: string): string {
  try {
    return new Intl.Locale(language.split('_', 1)[0] ?? '').language;
  } catch {
    return '';
  }
}
