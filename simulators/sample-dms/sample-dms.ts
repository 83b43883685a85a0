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
import { handle } from './routes.ts';
import type { DmsEvents, Sample, UploadRecord } from './sample.ts';
import { createTaskQueue, type Task } from './tasks.ts';

export interface SampleDms {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly documents: () => readonly StoredDocument[];
  readonly tasks: () => readonly Task[];
  readonly uploads: () => readonly UploadRecord[];
  readonly objects: () => SampleObjects;
  readonly setFault: FaultSwitch['set'];
  /** Replaces the first user and the token. */
  readonly setUser: (user: Partial<TokenUser> & { readonly token: string }) => void;
  readonly events: EventEmitter<DmsEvents>;
  /** Queues the tasks that a fault holds. */
  readonly releaseTasks: () => void;
  /** Resolves when the worker has finished all queued tasks; held tasks are not queued. */
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts a document-management system that answers like Paperless-ngx, as observed. It supports
 * what the service, the demo and the tests use, and rejects whatever the real system rejects.
 * Stores documents without reading them.
 */
export async function createSampleDms(options: SampleDmsOptions): Promise<SampleDms> {
  const given = RELEASES[options.version ?? '3.0'];
  const release: Release = { ...given, oldest_api: options.oldest_api ?? given.oldest_api };
  const incoming = join(options.storeDir, 'incoming');
  await mkdir(incoming, { recursive: true });
  const objects = createObjects(options.objects);
  const library = await openLibrary(join(options.storeDir, 'documents'), release, objects.tags);
  const events = new EventEmitter<DmsEvents>();
  const users = usersOf(options.tokens);
  const sample: Sample = {
    options,
    release,
    users,
    objects,
    library,
    tasks: createTaskQueue(library, (task) => events.emit('task_ended', task)),
    faults: createFaultSwitch(),
    uploads: [],
    events,
    incoming,
  };
  const server = createServer((request, response) => {
    // A client that disconnects ends only its own request.
    handle(sample, request, response).catch(() => response.destroy());
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
    tasks: sample.tasks.all,
    uploads: () => [...sample.uploads],
    objects: () => objects,
    setFault: sample.faults.set,
    setUser: (user) => void users.splice(0, 1, ...usersOf([user])),
    events,
    releaseTasks: sample.tasks.release,
    idle: sample.tasks.idle,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await sample.tasks.idle();
    },
  };
}
