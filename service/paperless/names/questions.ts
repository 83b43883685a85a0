import { messageOf } from '../../../helpers/error-code.ts';
import type { AccessTo, DmsAccess } from '../ask-dms.ts';
import { identityOf, type DmsDestination } from '../destination.ts';
import {
  createObject,
  mayCreate,
  readObjects,
  type Made,
  type Objects,
  type DmsObject,
  type ObjectKind,
} from './objects.ts';
import {
  FIELDS,
  notCreated,
  notFound,
  notListed,
  severalOf,
  type MetadataProblem,
  type WantedObject,
} from './problems.ts';

type Filter = Readonly<Record<string, string>>;

/** Requests to the systems, with a cache for one scan. Returns errors instead of throwing them. */
export interface Questions {
  readonly access: (destination: DmsDestination) => Promise<DmsAccess>;
  readonly objects: (
    destination: DmsDestination,
    kind: ObjectKind,
    filter?: Filter,
  ) => Promise<Objects>;
  /** Creates an object, or returns it if somebody else has just created it. */
  readonly create: (destination: DmsDestination, kind: ObjectKind, name: string) => Promise<Made>;
  readonly mayCreate: (destination: DmsDestination, kind: ObjectKind) => Promise<boolean>;
}

/** Waits for slow systems until `signal` aborts. */
export function createQuestions(accessTo: AccessTo, signal: AbortSignal): Questions {
  const asked = new Map<string, Promise<Objects>>();
  const access: Questions['access'] = (destination) => accessTo(destination, signal, 'patient');

  async function ask<Answer>(
    destination: DmsDestination,
    question: (access: DmsAccess) => Promise<Answer>,
  ): Promise<Answer | { readonly kind: 'unavailable'; readonly problem: string }> {
    const given = await access(destination).catch(messageOf);
    return typeof given === 'string' ? { kind: 'unavailable', problem: given } : question(given);
  }

  const objects: Questions['objects'] = (destination, kind, filter = {}) => {
    const key = keyOf(destination, kind, filter);
    const answer = asked.get(key) ?? ask(destination, (given) => readObjects(given, kind, filter));
    asked.set(key, answer);
    return answer;
  };

  return {
    access,
    objects,
    create: async (destination, kind, name) => {
      const filter = { name__iexact: name };
      const key = keyOf(destination, kind, filter);
      const made = await ask(destination, (given) => createObject(given, kind, name));
      if (made.kind === 'created') {
        asked.set(key, Promise.resolve({ kind: 'objects', objects: [made.object] }));
        return made;
      }
      // Looks again, since the object may exist: another call made it, or the response was lost.
      asked.delete(key);
      const again = await objects(destination, kind, filter);
      const [object, ...others] = again.kind === 'objects' ? again.objects : [];
      return object && others.length === 0 ? { kind: 'created', object } : made;
    },
    mayCreate: async (destination, kind) =>
      (await ask(destination, (given) => mayCreate(given, kind))) !== false,
  };
}

function keyOf(destination: DmsDestination, kind: ObjectKind, filter: Filter): string {
  return JSON.stringify([identityOf(destination), kind, filter]);
}

export type Found =
  | { readonly kind: 'object'; readonly object: DmsObject }
  /** The id is wrong, or the user may not view its object, or the system did not answer. */
  | { readonly kind: 'unlisted'; readonly id: number; readonly answer: Objects }
  | { readonly kind: 'to_be_created' }
  | { readonly kind: 'problem'; readonly problem: MetadataProblem };

/** With `creates`, creates a missing object if the destination allows it. */
export async function findObject(
  wanted: WantedObject,
  questions: Questions,
  creates: boolean,
): Promise<Found> {
  const { destination, field, value } = wanted;
  const { kind, creatable } = FIELDS[field];
  if (typeof value === 'number') {
    const listed = await questions.objects(destination, kind, { id__in: String(value) });
    const [object] = listed.kind === 'objects' ? listed.objects : [];
    return object ? { kind: 'object', object } : { kind: 'unlisted', id: value, answer: listed };
  }
  const named = await questions.objects(destination, kind, { name__iexact: value });
  if (named.kind !== 'objects') return problem(notListed(wanted, named));
  const alike = lookUp(named.objects, value);
  if (alike.length > 0) return oneOf(wanted, alike);
  // Compares in the whole list, because databases compare letters beyond ASCII differently.
  const all = await questions.objects(destination, kind);
  if (all.kind !== 'objects') return problem(notListed(wanted, all));
  const found = lookUp(all.objects, value);
  if (found.length > 0) return oneOf(wanted, found);
  if (!destination.create_missing || !creatable) return problem(notFound(wanted, all.objects));
  return creates ? created(wanted, value, questions) : toBeCreated(wanted, questions);
}

async function created(wanted: WantedObject, name: string, questions: Questions): Promise<Found> {
  const made = await questions.create(wanted.destination, FIELDS[wanted.field].kind, name);
  if (made.kind === 'created') return { kind: 'object', object: made.object };
  return problem(notCreated(wanted, made));
}

async function toBeCreated(wanted: WantedObject, questions: Questions): Promise<Found> {
  const isAllowed = await questions.mayCreate(wanted.destination, FIELDS[wanted.field].kind);
  return isAllowed ? { kind: 'to_be_created' } : problem(notCreated(wanted, { kind: 'forbidden' }));
}

function problem(what: MetadataProblem): Found {
  return { kind: 'problem', problem: what };
}

function oneOf(wanted: WantedObject, found: readonly DmsObject[]): Found {
  const [object, ...others] = found;
  if (object && others.length === 0) return { kind: 'object', object };
  return problem(severalOf(wanted, found));
}

/** Two users may each have an object of this name. Prefers an exact match. */
function lookUp(objects: readonly DmsObject[], name: string): DmsObject[] {
  const exact = objects.filter((object) => object.name === name);
  if (exact.length > 0) return exact;
  const key = comparable(name);
  return objects.filter((object) => comparable(object.name) === key);
}

function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
