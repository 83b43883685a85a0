import { counted } from '../../helpers/counted.ts';
import type { StreamEvent } from '../../service/page/event-stream.js';

/** The fields of `view` in a scan's events that show its progress. */
export interface Progress {
  readonly stage: 'scan' | 'process' | 'deliver';
  readonly page_count: number;
  readonly recognized_count: number;
  readonly document_count: number;
  readonly upload: { readonly title: string } | null;
}

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf({ data }: StreamEvent): Fields {
  return JSON.parse(data) as Fields;
}

export function progressAfter(event: StreamEvent): Progress | undefined {
  const fields = fieldsOf(event);
  return (event.event === 'snapshot' ? fields : fields['view']) as Progress | undefined;
}

/** One line. The number of pages is unknown while the feeder runs. */
export function progressLine(progress: Progress): string {
  const { stage, page_count, recognized_count: read, document_count: made, upload } = progress;
  const pages = counted(page_count, 'page');
  if (upload) return `${pages} · sending "${upload.title}"`;
  if (made > 0) return `${pages} · ${counted(made, 'document')} made`;
  if (stage === 'scan') return read > 0 ? `${pages} · ${read} read` : pages;
  return `${pages} · reading ${read}/${page_count} · the feeder is free, take your paper`;
}

/** A line for output that is kept. Undefined if the event does not matter to people. */
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
      // After a jam, paper is still in the feeder.
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
