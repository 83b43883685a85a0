import { messageOf } from '../../../helpers/error-code.ts';
import type { DmsDestination, DocumentMetadata, MetadataResolver } from '../destination.ts';
import type { AccessTo } from '../dms-access.ts';
import { dryRun } from '../dry-run.ts';
import { systemOf, type KnownList, type ListSource } from './find-object.ts';
import { createListCache, type ListAges } from './list-cache.ts';
import { FIELDS, lookUp, type MetadataField, type MetadataProblem } from './look-up.ts';
import { createObject, type ObjectKind } from './object-lists.ts';
import { resolveMetadata, type Resolved } from './resolve-metadata.ts';

/** The tags, correspondents and so on of every system that documents go to. Nothing rejects for what a system does. */
export interface Names {
  /** All of one kind that the user of the token may see, or those that were known last. */
  readonly list: (
    destination: DmsDestination,
    kind: ObjectKind,
    signal: AbortSignal,
  ) => Promise<KnownList>;
  /**
   * The ids of what metadata name in one system, and why some have none. Creates what is missing where the destination says
   * so.
   */
  readonly find: (
    destination: DmsDestination,
    metadata: DocumentMetadata,
    signal: AbortSignal,
  ) => Promise<Resolved>;
  /**
   * What the system would refuse of these metadata; ids and the values of custom fields are looked at too. Creates what is
   * missing where the destination says so and `create` is true.
   */
  readonly check: (
    destination: DmsDestination,
    metadata: DocumentMetadata,
    options: { readonly signal: AbortSignal; readonly create: boolean },
  ) => Promise<Pick<Resolved, 'problems' | 'silence'>>;
  /** As `find`, for an upload, which has all of its metadata or is not made: rejects with what the problems say. */
  readonly resolve: MetadataResolver;
}

/** Knows nothing at first. */
export function createNames(accessTo: AccessTo, ages?: ListAges): Names {
  const cache = createListCache(accessTo, ages);

  const askOnly = (destination: DmsDestination, signal: AbortSignal): ListSource => ({
    destination,
    list: (kind, look) => cache.list(destination, kind, { signal, look }),
  });

  const creating = (destination: DmsDestination, signal: AbortSignal): ListSource => ({
    ...askOnly(destination, signal),
    create: async (field, name) => {
      const { kind } = FIELDS[field];
      const made = await create(accessTo, { destination, field, name, signal });
      if (typeof made === 'number') {
        cache.add(destination, kind, { id: made, name });
        return made;
      }
      // It may exist all the same: another call was faster, or the answer was lost.
      const hasAnswered = made.kind !== 'unavailable';
      const request = { signal, look: 'now', hasAnswered } as const;
      const { objects } = await cache.list(destination, kind, request);
      const [object, ...others] = lookUp(objects ?? [], name);
      return object && others.length === 0 ? object.id : made;
    },
  });

  const find: Names['find'] = (destination, metadata, signal) =>
    resolveMetadata(metadata, creating(destination, signal), { checkIds: false });

  return {
    list: (destination, kind, signal) => cache.list(destination, kind, { signal }),
    find,
    check: async (destination, given, options) => {
      const { signal } = options;
      const source = (options.create ? creating : askOnly)(destination, signal);
      const resolved = await resolveMetadata(given, source, { checkIds: true });
      const { problems, doubtful, metadata, silence } = resolved;
      if (!doubtful || problems.length > 0 || silence !== undefined) return resolved;
      const access = await accessTo(destination, signal).catch(messageOf);
      if (typeof access === 'string') return { problems, silence: access };
      const ran = await dryRun(access, metadata);
      if (ran.kind === 'broken') return { problems, silence: ran.problem };
      return { problems: ran.problems, silence };
    },
    resolve: async (destination, given, signal) => {
      const { problems, metadata } = await find(destination, given, signal);
      if (problems.length === 0) return metadata;
      throw new Error(problems.map(({ message }) => message).join(' '));
    },
  };
}

interface NewObject {
  readonly destination: DmsDestination;
  readonly field: MetadataField;
  readonly name: string;
  readonly signal: AbortSignal;
}

async function create(
  accessTo: AccessTo,
  { destination, field, name, signal }: NewObject,
): Promise<number | MetadataProblem> {
  const { kind, one, many } = FIELDS[field];
  const access = await accessTo(destination, signal).catch(messageOf);
  const made =
    typeof access === 'string'
      ? ({ kind: 'unavailable', problem: access } as const)
      : await createObject(access, kind, name);
  if ('id' in made) return made.id;
  const why =
    made.kind === 'forbidden'
      ? `The user of the token may not add ${many}: grant that permission, or create it yourself.`
      : made.problem;
  const message = `The ${one} "${name}" cannot be created in ${systemOf(destination)}. ${why}`;
  const isSilent = made.kind === 'unavailable';
  return { field, value: name, kind: isSilent ? 'unavailable' : 'missing', message, near: [] };
}
