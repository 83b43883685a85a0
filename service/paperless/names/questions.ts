import { messageOf } from '../../../helpers/error-code.ts';
import type { DmsAccess } from '../ask-dms.ts';
import { identityOf, type DmsDestination } from '../destination.ts';
import type { AccessTo } from '../dms-access.ts';
import { createObject, mayCreate, readObjects, type Made, type Objects } from './objects.ts';
import type { ObjectKind } from './problems.ts';

/** A filter of a list, such as `name__iexact`. */
export type Filter = Readonly<Record<string, string>>;

/** What one call asks the systems, each thing once. Nothing rejects for what a system does. */
export interface Questions {
  readonly access: (destination: DmsDestination) => Promise<DmsAccess>;
  readonly objects: (
    destination: DmsDestination,
    kind: ObjectKind,
    filter?: Filter,
  ) => Promise<Objects>;
  /** Creates an object of that name, or finds the one that somebody else has created this moment. */
  readonly create: (destination: DmsDestination, kind: ObjectKind, name: string) => Promise<Made>;
  readonly mayCreate: (destination: DmsDestination, kind: ObjectKind) => Promise<boolean>;
}

/** Asks within the time of `signal`, however long a system takes: a slow one is slow for each of them. */
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
      // It may exist all the same: another call was faster, or the answer was lost.
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
