import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** The test must remove it. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'scan-service-test-'));
  return { path: directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
