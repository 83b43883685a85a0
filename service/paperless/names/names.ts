import { messageOf } from '../../../helpers/error-code.ts';
import type { AccessTo } from '../ask-dms.ts';
import type {
  DmsDestination,
  DocumentMetadata,
  Reference,
  UploadMetadata,
} from '../destination.ts';
import { dryRun } from '../dry-run.ts';
import { checkFieldValue } from './custom-field-values.ts';
import { findObject, createQuestions, type Questions } from './questions.ts';
import type { DmsObject, ObjectKind, Objects } from './objects.ts';
import { wrongValue, type MetadataField, type MetadataProblem } from './problems.ts';

export interface Resolved {
  /** Without fields that have a problem. */
  readonly metadata: UploadMetadata;
  readonly problems: readonly MetadataProblem[];
  /** Why the system did not answer. Undefined if it did. */
  readonly noAnswer: string | undefined;
}

/** Looks up tags and other named objects. Caches them for one scan. Only `resolve` rejects. */
export interface Names {
  /** The objects that the user of the token may view. */
  readonly list: (destination: DmsDestination, kind: ObjectKind) => Promise<Objects>;
  /** Reports unusable names, ids and values of custom fields. Creates nothing. */
  readonly check: (destination: DmsDestination, metadata: DocumentMetadata) => Promise<Resolved>;
  /** Returns ids for names. Creates missing objects if allowed, or rejects. */
  readonly resolve: (
    destination: DmsDestination,
    metadata: DocumentMetadata,
  ) => Promise<UploadMetadata>;
}

interface Mode {
  readonly creates: boolean;
  readonly checksIds: boolean;
}

export function createNames(accessTo: AccessTo): (signal: AbortSignal) => Names {
  return (signal) => {
    const questions = createQuestions(accessTo, signal);
    return {
      list: questions.objects,
      check: (destination, given) => check(destination, given, questions),
      resolve: async (destination, given) => {
        const mode = { creates: true, checksIds: false };
        const found = await resolveMetadata(given, destination, { questions, ...mode });
        const { problems, metadata, noAnswer } = found;
        if (problems.length === 0) return metadata;
        // A system that does not answer causes the same problem for all names: reports it once.
        throw new Error(noAnswer ?? problems.map(({ message }) => message).join(' '));
      },
    };
  };
}

/** Ids and values that no list contains are checked with a test upload. */
async function check(
  destination: DmsDestination,
  given: DocumentMetadata,
  questions: Questions,
): Promise<Resolved> {
  const mode = { creates: false, checksIds: true };
  const found = await resolveMetadata(given, destination, { questions, ...mode });
  const { problems, doubtful, metadata, noAnswer } = found;
  if (!doubtful || problems.length > 0 || noAnswer !== undefined) return found;
  const access = await questions.access(destination).catch(messageOf);
  if (typeof access === 'string') return { ...found, noAnswer: access };
  const ran = await dryRun(access, metadata);
  return ran.kind === 'broken'
    ? { ...found, noAnswer: ran.problem }
    : { ...found, problems: ran.problems };
}

async function resolveMetadata(
  given: DocumentMetadata,
  destination: DmsDestination,
  { questions, creates, checksIds }: Mode & { readonly questions: Questions },
): Promise<Resolved & { readonly doubtful: boolean }> {
  const problems: MetadataProblem[] = [];
  let doubtful = false;
  let noAnswer: string | undefined;

  async function objectOf(field: MetadataField, value: Reference): Promise<DmsObject | undefined> {
    const found = await findObject({ destination, field, value }, questions, creates);
    if (found.kind === 'object') return found.object;
    if (found.kind === 'to_be_created') return undefined;
    if (found.kind === 'problem') {
      if (found.problem.kind === 'unavailable') noAnswer ??= found.problem.message;
      problems.push(found.problem);
      return undefined;
    }
    if (found.answer.kind === 'unavailable') noAnswer ??= found.answer.problem;
    doubtful = true;
    return { id: found.id, name: String(value) };
  }

  async function idOf(field: MetadataField, value?: Reference): Promise<number | undefined> {
    if (value === undefined || (typeof value === 'number' && !checksIds)) return value;
    return (await objectOf(field, value))?.id;
  }

  async function findField(field: Reference): Promise<DmsObject | undefined> {
    const found = await objectOf('custom_fields', field);
    // The value contains document ids, which only a test upload can check.
    if (found?.data_type === 'documentlink') doubtful = true;
    return found;
  }

  const { tags = [], correspondent, document_type, storage_path, custom_fields, ...rest } = given;
  const ids = new Set<number>();
  for (const tag of tags) {
    const id = await idOf('tags', tag);
    if (id !== undefined) ids.add(id);
  }
  const metadata = {
    ...rest,
    tags: [...ids],
    correspondent: await idOf('correspondent', correspondent),
    document_type: await idOf('document_type', document_type),
    storage_path: await idOf('storage_path', storage_path),
    custom_fields: custom_fields && (await fieldValues(custom_fields, findField, problems)),
  };
  return { metadata, problems, doubtful, noAnswer };
}

/** Returns the values by the id of their field. Adds invalid ones to `problems`. */
async function fieldValues(
  given: Readonly<Record<string, unknown>>,
  find: (field: Reference) => Promise<DmsObject | undefined>,
  problems: MetadataProblem[],
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const field = await find(/^\d+$/.test(key) ? Number(key) : key);
    if (field === undefined) continue;
    const checked = checkFieldValue(field, value);
    if ('value' in checked) values[field.id] = checked.value;
    else problems.push(wrongValue(field.name, value, checked.expected));
  }
  return values;
}
