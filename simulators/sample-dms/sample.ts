import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FaultSwitch } from './faults.ts';
import type { Library } from './library.ts';
import type { SampleObjects } from './objects.ts';
import type { Release, SampleDmsOptions, TokenUser } from './options.ts';
import type { Task, TaskQueue } from './tasks.ts';

export interface Sample {
  readonly options: SampleDmsOptions;
  readonly release: Release;
  readonly users: TokenUser[];
  readonly objects: SampleObjects;
  readonly library: Library;
  readonly tasks: TaskQueue;
  readonly faults: FaultSwitch;
  readonly uploads: UploadRecord[];
  readonly events: EventEmitter<DmsEvents>;
  readonly incoming: string;
}

export interface Asked {
  readonly request: IncomingMessage;
  /** With the address that the client used, for links to other pages of a list. */
  readonly url: URL;
  readonly user: TokenUser;
  readonly apiVersion: number;
}

export interface UploadRecord {
  /** `performance.now()` when the headers arrived, and when the connection finished. */
  readonly started_ms: number;
  ended_ms?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  fields: readonly (readonly [string, string])[];
  filename?: string | undefined;
  bytes?: number | undefined;
  sha256?: string | undefined;
  status?: number | undefined;
  task_id?: string | undefined;
}

export interface DmsEvents {
  upload_started: [UploadRecord];
  body_received: [UploadRecord];
  /** The response was sent, or the connection was lost. */
  upload_ended: [UploadRecord];
  /** The document was stored, or the task failed. */
  task_ended: [Task];
}
