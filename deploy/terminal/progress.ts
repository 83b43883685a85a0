import { counted } from '../../helpers/counted.ts';
import type { StreamEvent } from '../../service/page/event-stream.js';

/** How far a scan is, as its events say. */
export interface Progress {
  readonly pages: number;
  readonly recognized: number;
  readonly isFed: boolean;
  readonly documents: number;
  /** What is being uploaded, and to which destination. */
  readonly upload: string | undefined;
}

export const NO_PROGRESS: Progress = {
  pages: 0,
  recognized: 0,
  isFed: false,
  documents: 0,
  upload: undefined,
};

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an event. */
export function fieldsOf({ data }: StreamEvent): Fields {
  return JSON.parse(data) as Fields;
}

/** What is known after an event; unknown events change nothing. */
export function advance(progress: Progress, event: StreamEvent): Progress {
  const fields = fieldsOf(event);
  switch (event.event) {
    case 'snapshot':
    case 'resumed':
      return {
        ...NO_PROGRESS,
        pages: Number(fields['page_count']),
        isFed: fields['stage'] !== 'scan',
      };
    case 'page':
      return { ...progress, pages: progress.pages + 1 };
    case 'recognized':
      return { ...progress, recognized: progress.recognized + 1 };
    case 'fed':
      return { ...progress, isFed: fields['complete'] !== false };
    case 'assembled':
      return { ...progress, documents: progress.documents + 1 };
    case 'upload_begun':
      return { ...progress, upload: documentName(fields) };
    default:
      return progress;
  }
}

/** One line that says how far the scan is. While the feeder runs, nobody knows how many pages there will be. */
export function progressLine({ pages, recognized, isFed, documents, upload }: Progress): string {
  if (upload !== undefined) return `${counted(pages, 'page')} · sending ${upload}`;
  if (documents > 0) return `${counted(pages, 'page')} · ${counted(documents, 'document')} made`;
  if (!isFed)
    return recognized > 0
      ? `${counted(pages, 'page')} · ${recognized} read`
      : counted(pages, 'page');
  return `${counted(pages, 'page')} · reading ${Math.min(recognized, pages)}/${pages} · the feeder is free, take your paper`;
}

/** A line for an event, for output that is kept; undefined for one that says nothing to a person. */
export function eventLine(event: StreamEvent): string | undefined {
  const fields = fieldsOf(event);
  switch (event.event) {
    case 'begun':
      return `scan ${String(fields['scan_id'])} has begun`;
    case 'resumed':
    case 'snapshot':
      return `scan ${String(fields['scan_id'])} has ${counted(Number(fields['page_count']), 'page')}`;
    case 'page':
      return `page ${String(fields['number'])}: ${String(fields['side'])} of sheet ${String(fields['sheet'])}`;
    case 'fed':
      // After a jam there is still paper in it.
      return fields['complete'] === false ? undefined : 'the feeder is free, take your paper';
    case 'recognized':
      return `page ${String(fields['page'])} is read`;
    case 'assembled':
      return `${documentName(fields)} is made`;
    case 'upload_begun':
      return `sending ${documentName(fields)}`;
    case 'upload_ended':
      return `${documentName(fields)} is ${fields['outcome'] === 'accepted' ? 'submitted' : 'not submitted'}`;
    default:
      return undefined;
  }
}

function documentName({ document, title }: Fields): string {
  return typeof title === 'string' ? `"${title}"` : `document ${Number(document) + 1}`;
}
