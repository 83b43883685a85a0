import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createDirectoryLocks, lockDirectory } from '../../../service/archive/directory-lock.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, failure, rejection, withFixture, within } from '../../support/suite.ts';

interface Owner {
  readonly process: ChildProcess;
  /** `locked`, or the code of the failure. */
  readonly said: string;
}

const PROGRAM = path.join(import.meta.dirname, 'lock-owner-process.ts');

/** Starting Node on a busy machine. */
const START_MS = 30_000;

const test = withFixture('the lock of an output directory', async (directory) => {
  const children: ChildProcess[] = [];
  /** Starts a process that takes the lock; resolves when it has it, or has not got it. */
  const start = async (): Promise<Owner> => {
    const child = spawn(process.execPath, [PROGRAM, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const line = once(createInterface(child.stdout), 'line');
    const [said] = (await within(START_MS, line, 'the lock')) as [string];
    return { process: child, said };
  };
  const close = async (): Promise<void> => {
    for (const child of children) await kill(child);
  };
  return { directory, start, close };
});

async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

test('is held by another process until that is killed', async ({ directory, start }) => {
  const owner = await start();
  assert.is(owner.said, 'locked');
  await failure('output_dir_in_use', lockDirectory(directory));
  await kill(owner.process);
  assert.equal(await readdir(directory), ['.service.lock'], 'what a killed owner leaves');
  const release = await lockDirectory(directory);
  assert.is((await start()).said, 'output_dir_in_use');
  await release();
});

test('goes to exactly one of the processes that start at the same moment', async ({ start }) => {
  await kill((await start()).process);
  const owners = await Promise.all([start(), start(), start()]);
  assert.equal(owners.map(({ said }) => said).toSorted(), [
    'locked',
    'output_dir_in_use',
    'output_dir_in_use',
  ]);
});

test('is asked for again after it was refused', async ({ directory }) => {
  const release = await lockDirectory(directory);
  const locks = createDirectoryLocks(capturedLog().log);
  await failure('output_dir_in_use', locks.take(directory));
  await release();
  await locks.take(directory);
  await locks.releaseAll();
});

test('holds for a long path, and by every name of it', async ({ directory }) => {
  const deep = path.join(directory, 'x'.repeat(200), 'y'.repeat(200));
  await mkdir(deep, { recursive: true });
  const link = path.join(directory, 'link');
  await symlink(deep, link);
  const [one, two] = [
    createDirectoryLocks(capturedLog().log),
    createDirectoryLocks(capturedLog().log),
  ];
  await one.take(deep);
  await one.take(`${deep}//`);
  await one.take(link);
  await one.check(link);
  for (const name of [deep, link]) {
    await failure('output_dir_in_use', two.take(name));
    await failure('output_dir_in_use', two.check(name));
  }
  await one.releaseAll();
  assert.equal(await readdir(deep), []);
  await two.take(link);
  await two.releaseAll();
});

test('is not done without where the directory is gone', async ({ directory }) => {
  const locks = createDirectoryLocks(capturedLog().log);
  const gone = path.join(directory, 'gone');
  assert.match(String(await rejection(locks.take(gone))), /ENOENT|EACCES/);
});
