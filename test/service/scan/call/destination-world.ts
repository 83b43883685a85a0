import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import type { OpenScan } from '../../../../service/archive/open-scan.ts';
import { identityOf } from '../../../../service/paperless/destination.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import type { Scans } from '../../../../service/scan/call/scans.ts';
import type { Task } from '../../../../simulators/sample-dms/tasks.ts';
import type { SampleDms } from '../../../../simulators/sample-dms/sample-dms.ts';
import type { UploadRecord } from '../../../../simulators/sample-dms/sample.ts';
import { feedPages } from '../../../support/scan-parts.ts';
import type { ScanBench } from './scan-bench.ts';

/** Secrets. Each holds the token of the account of that name, or an invalid one. */
export const SECRETS = ['one', 'two'] as const;

export const WORLD_TOKENS = ['token-one', { token: 'token-two', id: 2 }];

export type Place = Readonly<Record<'kind' | 'base_url' | 'token_secret', string>>;

export interface Copy {
  /** The destination that received the copy. */
  readonly identity: string;
  readonly document: string;
  readonly task: string;
}

/**
 * Two systems with two accounts each, and a service whose disk can lose the record of how an upload
 * ended.
 */
export interface World {
  readonly bench: ScanBench;
  readonly scans: Scans;
  readonly systems: readonly SampleDms[];
  readonly wrong: Set<string>;
  readonly disk: { losesEnds: boolean };
  readonly copies: () => Copy[];
  /** Copies that arrived while the destination was still processing an earlier one. */
  readonly early: () => Copy[];
}

/** Statuses that a system shows for a waiting or running task. */
const UNDER_WAY: readonly Task['status'][] = ['PENDING', 'RECEIVED', 'STARTED', 'RETRY'];

export async function createWorld(bench: ScanBench): Promise<World> {
  const wrong = new Set<string>();
  const disk = { losesEnds: false };
  const systems = [bench.dms, await bench.another()];
  const early = new Set<UploadRecord>();
  for (const system of systems) {
    system.events.on('body_received', (upload) => {
      if (isWorkingOn(system, upload)) early.add(upload);
    });
  }
  const losing = async (opening: Promise<OpenScan>): Promise<OpenScan> => {
    const open = await opening;
    return { ...open, append: (...events) => appendUnlessFull(open, disk, events) };
  };
  const { scans } = await bench.start(
    {
      feed: feedPages(2),
      dms: () => createDms(async (name) => (wrong.has(name) ? `wrong-${name}` : `token-${name}`)),
    },
    {
      archive: (real) => ({
        begin: (begun) => losing(real.begin(begun)),
        open: (id, purpose) => losing(real.open(id, purpose)),
      }),
    },
  );
  const arrived = (): UploadRecord[] =>
    systems
      .flatMap((system) => system.uploads())
      .filter(({ task_id }) => task_id !== undefined)
      .toSorted((a, b) => a.started_ms - b.started_ms);
  return {
    bench,
    scans,
    systems,
    wrong,
    disk,
    copies: () => arrived().map(copyOf),
    early: () =>
      arrived()
        .filter((upload) => early.has(upload))
        .map(copyOf),
  };
}

function appendUnlessFull(
  open: OpenScan,
  { losesEnds }: World['disk'],
  events: readonly NewScanEvent[],
): Promise<void> {
  if (!losesEnds || events.every(({ type }) => type !== 'upload_ended')) {
    return open.append(...events);
  }
  return Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
}

function copyOf({ headers, filename = '', task_id: task = '' }: UploadRecord): Copy {
  return {
    identity: identityIn(headers),
    document: filename.slice(-'document-0001.pdf'.length),
    task,
  };
}

function identityIn({ host, authorization }: UploadRecord['headers']): string {
  const token_secret = String(authorization).replace(/^Token \w+-/, '');
  return identityOf({ base_url: `http://${host}`, token_secret });
}

function isWorkingOn(system: SampleDms, upload: UploadRecord): boolean {
  const earlier = system
    .uploads()
    .filter(({ filename }) => filename === upload.filename)
    .filter(({ headers }) => identityIn(headers) === identityIn(upload.headers))
    .map(({ task_id }) => task_id);
  return system
    .tasks()
    .filter(({ task_id }) => earlier.includes(task_id))
    .some((task) => UNDER_WAY.includes(task.status) && !task.acknowledged && !task.isForgotten);
}
