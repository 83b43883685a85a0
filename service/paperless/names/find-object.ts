import type { DmsObject, Objects } from './objects.ts';
import {
  FIELDS,
  notCreated,
  notFound,
  notListed,
  severalOf,
  type MetadataProblem,
  type Thing,
} from './problems.ts';
import type { Questions } from './questions.ts';

/** What a name or an id means in a system. */
export type Found =
  | { readonly kind: 'object'; readonly object: DmsObject }
  /** An id that no list shows: the user of the token may not see all that there is, or the system does not answer. */
  | { readonly kind: 'unlisted'; readonly id: number; readonly answer: Objects }
  | { readonly kind: 'to_be_created' }
  | { readonly kind: 'problem'; readonly problem: MetadataProblem };

/** Finds one tag, correspondent, custom field and so on; `creates` one that its destination wants created. */
export async function findObject(
  thing: Thing,
  questions: Questions,
  creates: boolean,
): Promise<Found> {
  const { destination, field, value } = thing;
  const { kind, creatable } = FIELDS[field];
  if (typeof value === 'number') {
    const listed = await questions.objects(destination, kind, { id__in: String(value) });
    const [object] = listed.kind === 'objects' ? listed.objects : [];
    return object ? { kind: 'object', object } : { kind: 'unlisted', id: value, answer: listed };
  }
  const named = await questions.objects(destination, kind, { name__iexact: value });
  if (named.kind !== 'objects') return problem(notListed(thing, named));
  const alike = lookUp(named.objects, value);
  if (alike.length > 0) return oneOf(thing, alike);
  // A database may compare letters beyond ASCII by their case, or by how they are composed.
  const all = await questions.objects(destination, kind);
  if (all.kind !== 'objects') return problem(notListed(thing, all));
  const found = lookUp(all.objects, value);
  if (found.length > 0) return oneOf(thing, found);
  if (!destination.create_missing || !creatable) return problem(notFound(thing, all.objects));
  return creates ? created(thing, value, questions) : toBeCreated(thing, questions);
}

async function created(thing: Thing, name: string, questions: Questions): Promise<Found> {
  const made = await questions.create(thing.destination, FIELDS[thing.field].kind, name);
  if (made.kind === 'created') return { kind: 'object', object: made.object };
  return problem(notCreated(thing, made));
}

async function toBeCreated(thing: Thing, questions: Questions): Promise<Found> {
  const isAllowed = await questions.mayCreate(thing.destination, FIELDS[thing.field].kind);
  return isAllowed ? { kind: 'to_be_created' } : problem(notCreated(thing, { kind: 'forbidden' }));
}

function problem(what: MetadataProblem): Found {
  return { kind: 'problem', problem: what };
}

function oneOf(thing: Thing, found: readonly DmsObject[]): Found {
  const [object, ...others] = found;
  if (object && others.length === 0) return { kind: 'object', object };
  return problem(severalOf(thing, found));
}

/**
 * What a name means: one object, none, or several, as two users may each have a tag of the same name. A name in another case, or
 * composed of other characters, counts where none is spelled like it.
 */
function lookUp(objects: readonly DmsObject[], name: string): DmsObject[] {
  const exact = objects.filter((object) => object.name === name);
  if (exact.length > 0) return exact;
  const key = comparable(name);
  return objects.filter((object) => comparable(object.name) === key);
}

function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
