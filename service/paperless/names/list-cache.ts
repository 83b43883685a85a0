import { messageOf } from '../../../helpers/error-code.ts';
import { beforeAbort } from '../../before-abort.ts';
import type { DmsDestination } from '../destination.ts';
import { systemKey, systemOf, type KnownList } from './find-object.ts';
import type { AccessTo } from '../dms-access.ts';
import { readObjectList, type DmsObject, type ObjectKind } from './object-lists.ts';

export interface ListRequest {
  /** Ends the wait, not the question: others may wait for it too. */
  readonly signal: AbortSignal;
  /** `again`: something was not in the list. `now`: something may have been created this moment. */
  readonly look?: Look | undefined;
  /** The system has just answered something else: that it was silent before does not count. */
  readonly hasAnswered?: boolean;
}

export type Look = 'fresh' | 'again' | 'now';

export interface ListCache {
  /** All of one kind that the user of a token may see, or those that were known last. Never rejects for what a system does. */
  readonly list: (
    destination: DmsDestination,
    kind: ObjectKind,
    request: ListRequest,
  ) => Promise<KnownList>;
  /** Lists what was just created, without a question that may fail. */
  readonly add: (destination: DmsDestination, kind: ObjectKind, object: DmsObject) => void;
}

/** In milliseconds. */
export interface ListAges {
  /** How long a list counts. What was created since is found all the same: a name that is missing is looked for again. */
  readonly fresh: number;
  /** How old a list may be in which something is missing. */
  readonly again: number;
  /** How long a system that did not answer is not asked again: ten documents must not wait for it ten times. */
  readonly silent: number;
}

const LIST_AGES_MS: ListAges = { fresh: 60_000, again: 1000, silent: 5000 };

/** The longest that one question may take, with all pages of a list. */
const QUESTION_MS = 10_000;

interface Entry {
  known: KnownList;
  askedAt: number;
  asking: Promise<KnownList> | undefined;
  /** What was created since the question under way was asked: its answer may lack it. */
  created: readonly DmsObject[];
}

/** Knows nothing at first; asks when something is asked for, and keeps what it hears. */
export function createListCache(accessTo: AccessTo, ages = LIST_AGES_MS): ListCache {
  const maxAge = { fresh: ages.fresh, again: ages.again, now: 0 };
  const entries = new Map<string, Entry>();

  function entryOf(destination: DmsDestination, kind: ObjectKind): Entry {
    const key = `${systemKey(destination)}\n${kind}`;
    const entry = entries.get(key) ?? {
      known: UNKNOWN,
      askedAt: -Infinity,
      asking: undefined,
      created: [],
    };
    entries.set(key, entry);
    return entry;
  }

  async function refresh(
    entry: Entry,
    destination: DmsDestination,
    kind: ObjectKind,
  ): Promise<KnownList> {
    entry.created = [];
    const heard = await ask(accessTo, destination, kind);
    const isSilent = heard.problem?.kind === 'unavailable';
    entry.known = isSilent
      ? { ...heard, objects: entry.known.objects }
      : entry.created.reduce(withObject, heard);
    entry.askedAt = performance.now();
    return entry.known;
  }

  return {
    list: async (destination, kind, { signal, look = 'fresh', hasAnswered = false }) => {
      const entry = entryOf(destination, kind);
      const isSilent = entry.known.problem?.kind === 'unavailable';
      const counts = isSilent && !hasAnswered ? ages.silent : maxAge[look];
      if (performance.now() - entry.askedAt < counts) return entry.known;
      entry.asking ??= refresh(entry, destination, kind).finally(() => (entry.asking = undefined));
      const late = unavailable(`${systemOf(destination)} did not answer in time. Check its log.`);
      return beforeAbort(signal, entry.asking, { ...late, objects: entry.known.objects });
    },
    add: (destination, kind, object) => {
      const entry = entryOf(destination, kind);
      entry.created = [...entry.created, object];
      entry.known = withObject(entry.known, object);
    },
  };
}

/** A list that may not be viewed stays unknown: one object would pass for all of them. */
function withObject(list: KnownList, object: DmsObject): KnownList {
  const { objects } = list;
  if (objects === undefined || objects.some(({ id }) => id === object.id)) return list;
  return { ...list, objects: [...objects, object] };
}

const UNKNOWN: KnownList = { objects: undefined };

async function ask(
  accessTo: AccessTo,
  destination: DmsDestination,
  kind: ObjectKind,
): Promise<KnownList> {
  const access = await accessTo(destination, AbortSignal.timeout(QUESTION_MS)).catch(messageOf);
  if (typeof access === 'string') return unavailable(access);
  const answer = await readObjectList(access, kind);
  if (answer.kind === 'list') return { objects: answer.objects };
  if (answer.kind !== 'forbidden') return unavailable(answer.problem);
  const message = `The user of the token may not view them in ${systemOf(destination)}.`;
  return { objects: undefined, problem: { kind: 'forbidden', message } };
}

function unavailable(message: string): KnownList {
  return { objects: undefined, problem: { kind: 'unavailable', message } };
}
