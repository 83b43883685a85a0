import { EventEmitter, once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createFaultSwitch, type FaultSwitch } from './faults.ts';
import { openLibrary, type StoredDocument } from './library.ts';
import { createObjects, type SampleObjects } from './objects.ts';
import {
  RELEASES,
  usersOf,
  type Release,
  type SampleDmsOptions,
  type TokenUser,
} from './options.ts';
import { handle, type Sample } from './routing.ts';
import { createTaskQueue, type Task } from './tasks.ts';
import { createThrottle } from './token.ts';
import type { DmsEvents, UploadRecord } from './upload.ts';

export interface SampleDms {
  /** Base address, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The first of the given tokens. */
  readonly token: string;
  readonly documents: () => readonly StoredDocument[];
  readonly tasks: () => readonly Task[];
  /** All uploads so far, in order of arrival. */
  readonly uploads: () => readonly UploadRecord[];
  /** Its tags, correspondents and so on. */
  readonly objects: () => SampleObjects;
  readonly setFault: FaultSwitch['set'];
  /** Replaces the first user and the token. */
  readonly setUser: (user: Partial<TokenUser> & { readonly token: string }) => void;
  readonly events: EventEmitter<DmsEvents>;
  /** Resolves when the worker has finished all tasks queued so far. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a document-management system that imitates the observed HTTP behaviour of Paperless-ngx: uploads and their errors in
 * every detail, the rest as far as a scan service and its tests need it. It stores documents but does not read them.
 */
export async function createSampleDms(options: SampleDmsOptions): Promise<SampleDms> {
  const given = RELEASES[options.version ?? '3.0'];
  const refusesDuplicates = options.refuses_duplicates ?? given.refuses_duplicates;
  const release: Release = { ...given, refuses_duplicates: refusesDuplicates };
  const incoming = join(options.storeDir, 'incoming');
  await mkdir(incoming, { recursive: true });
  const documents = join(options.storeDir, 'documents');
  const library = await openLibrary(documents, release);
  const events = new EventEmitter<DmsEvents>();
  const tasks = createTaskQueue(library, (task) => events.emit('task_ended', task));
  const uploads: UploadRecord[] = [];
  const faults = createFaultSwitch();
  const users = usersOf(options);
  const objects = createObjects(options.objects);
  const parts: Sample = {
    options,
    users,
    release,
    incoming,
    library,
    events,
    tasks,
    uploads,
    faults,
    objects,
    throttle: createThrottle(release.token_requests),
  };
  const server = createServer((request, response) => {
    // A client that disconnects only ends its own request.
    handle(parts, request, response).catch(() => response.destroy());
  });
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    token: users[0]?.token ?? '',
    documents: library.documents,
    tasks: tasks.all,
    uploads: () => [...uploads],
    objects: () => objects,
    setFault: faults.set,
    setUser: (user) => void users.splice(0, 1, ...usersOf({ tokens: [user] })),
    events,
    idle: tasks.idle,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await tasks.idle();
    },
  };
}
