import { warning } from '../../../helpers/warnings.ts';
import { withheldDelivery } from '../../archive/deliveries.ts';
import type { UploadEnded } from '../../archive/scan-event.ts';
import { finishedDocuments } from '../../archive/scan-record.ts';
import {
  decideUpload,
  deliveryOf,
  removedDestinations,
  type UploadFacts,
} from '../../archive/upload-decision.ts';
import {
  addressIn,
  entryOf,
  type Destination,
  type DocumentFile,
} from '../../paperless/destination.ts';
import type { Dms } from '../../paperless/dms.ts';
import { findUpload, type Finding, type SoughtUpload } from '../../paperless/upload/find-upload.ts';
import type { Scan } from '../scan.ts';

export interface RepeatedUpload {
  readonly facts: UploadFacts;
  readonly document: number;
  readonly destination: Destination;
  readonly file: DocumentFile;
}

type UploadEnd = Omit<UploadEnded, 'at' | 'type' | 'document' | 'destination'>;

/**
 * Asks the destination whether it has the document. Returns how the upload ended, or undefined if
 * the document must be sent or the system does not answer.
 */
export async function askBeforeUpload(
  { id, deadline, record }: Pick<Scan, 'id' | 'deadline' | 'record'>,
  dms: Pick<Dms, 'accessTo'>,
  { destination, file, ...upload }: RepeatedUpload,
): Promise<UploadEnd | undefined> {
  // Uploads to other destinations may have changed the record since `upload` was planned.
  const document = finishedDocuments(record())[upload.document] ?? upload.facts.document;
  const facts = { ...upload.facts, document };
  let finding: Finding = { documentId: undefined, task: undefined };
  try {
    const access = await dms.accessTo(destination, deadline.signal, 'patient');
    finding = await findUpload(access, file, tasksToFind(facts));
  } catch {
    // Without a token or file, the upload fails too, and reports the reason.
  }
  const decided = decideUpload({ ...facts, finding });
  if (decided.kind === 'arrived') return entryOf({ outcome: 'accepted', taskId: decided.taskId });
  if (decided.kind !== 'keep') return undefined;
  if (decided.reason === 'left_system') {
    return {
      ...withheldDelivery(id, removedDestinations(facts.identities, document)),
      outcome: 'unknown',
    };
  }
  return keptWith(facts, finding);
}

function keptWith({ identity, document }: UploadFacts, { documentId }: Finding): UploadEnd {
  const system = addressIn(identity);
  const why =
    documentId === undefined
      ? warning('being_filed', { system })
      : warning('already_there', { system, id: documentId });
  const warnings = [`${document.filename}: ${why}`];
  const last = deliveryOf(document.uploads[identity], false);
  if (last?.outcome === 'accepted') return { ...last, warnings };
  return { entry: { status: 'failed', error: why }, outcome: 'unknown', warnings };
}

/** The last task that this destination accepted, and all tasks of the other destinations. */
function tasksToFind({ identity, document: { uploads } }: UploadFacts): SoughtUpload {
  const { last, tasks = [] } = uploads[identity] ?? {};
  const others = Object.entries(uploads).filter(([other]) => other !== identity);
  return {
    taskId: last?.outcome === 'accepted' ? tasks.at(-1) : undefined,
    otherTasks: others.flatMap(([, upload]) => upload.tasks),
  };
}
