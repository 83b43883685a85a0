import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

export interface FileOperation {
  /** Counts operations from 1, in the order in which they start. */
  readonly number: number;
  /** For example `rename`, or `handle.sync` for an open file. */
  readonly name: string;
  readonly path: string;
}

export interface Performance {
  readonly whole: () => Promise<unknown>;
  /** Performs the first half of a write, as if the machine died in between. */
  readonly half: (() => Promise<unknown>) | undefined;
}

/** Wraps every operation, and decides whether to perform it. */
export type Around = (operation: FileOperation, performance: Performance) => Promise<unknown>;

/** Runs `work` and passes its operations below `root` to `around`. */
export type WithFileFaults = <Result>(
  root: string,
  around: Around,
  work: () => Promise<Result>,
) => Promise<Result>;

interface Watch {
  readonly root: string;
  readonly around: Around;
  count: number;
}

type Callable = (...values: unknown[]) => unknown;

/** Other methods of file handles only create streams or call these. */
const HANDLE_METHODS = [
  'datasync',
  'read',
  'readFile',
  'stat',
  'sync',
  'truncate',
  'write',
  'writeFile',
];

/**
 * Permanently wraps `node:fs`, even names that modules have imported. The async context assigns
 * each operation to its `work`, so several can run at once. All other operations go to
 * `everywhere`.
 */
export async function interceptFileOperations(
  everywhere?: Pick<Watch, 'root' | 'around'>,
): Promise<WithFileFaults> {
  const always = everywhere && { ...everywhere, count: 0 };
  const watches = new AsyncLocalStorage<Watch>();
  const handles = new WeakMap<object, string>();
  const descriptors = new Map<unknown, string>();

  function through(name: string, path: unknown, performance: Performance): Promise<unknown> {
    const watch = watches.getStore() ?? always;
    if (!watch || typeof path !== 'string' || !isBelow(path, watch.root))
      return performance.whole();
    watch.count += 1;
    return watches.exit(() => watch.around({ number: watch.count, name, path }, performance));
  }

  /** `close` is a property of each handle, not of its prototype. */
  function watchHandle(handle: FileHandle, path: string): void {
    handles.set(handle, path);
    const close = handle.close.bind(handle);
    handle.close = async () => {
      await through('handle.close', path, { whole: close, half: undefined });
    };
  }

  replaceAll(promises, Object.keys(promises), (name, real) => async (...values) => {
    const [path, content, ...more] = values;
    const result = await through(name, path, {
      whole: async () => real.apply(promises, values),
      half: /^(?:write|append)File$/.test(name)
        ? async () => real.apply(promises, [path, ...halfOf([content]), ...more])
        : undefined,
    });
    if (name === 'open') watchHandle(result as FileHandle, String(path));
    return result;
  });
  replaceAll(
    await handlePrototype(),
    HANDLE_METHODS,
    (name, real) =>
      async function onHandle(this: object, ...values) {
        return through(`handle.${name}`, handles.get(this), {
          whole: async () => real.apply(this, values),
          half: name.startsWith('write') ? async () => real.apply(this, halfOf(values)) : undefined,
        });
      },
  );
  replaceAll(fs, ['open', 'read', 'close'], (name, real) => (...values) => {
    const done = values.at(-1);
    if (typeof done !== 'function') return real.apply(fs, values);
    const given = values.slice(0, -1);
    const path = name === 'open' ? given[0] : descriptors.get(given[0]);
    const whole = (): Promise<unknown> =>
      called((callback) => real.apply(fs, [...given, callback]));
    const performed = through(`stream.${name}`, path, { whole, half: undefined });
    return answered(performed, done as Callable, (result) => {
      if (name === 'open') descriptors.set(result, String(path));
      if (name === 'close') descriptors.delete(given[0]);
      return [result, given[1]];
    });
  });
  syncBuiltinESMExports();
  return (root, around, work) => watches.run({ root, around, count: 0 }, work);
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function replaceAll(
  target: object,
  names: readonly string[],
  replacement: (name: string, real: Callable) => Callable,
): void {
  for (const name of names) {
    const real: unknown = Reflect.get(target, name);
    if (typeof real === 'function') Reflect.set(target, name, replacement(name, real as Callable));
  }
}

async function handlePrototype(): Promise<object> {
  const handle = await promises.open('/');
  await handle.close();
  return Object.getPrototypeOf(handle) as object;
}

function called(call: (callback: Callable) => unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call((error: unknown, result: unknown) =>
      error instanceof Error ? reject(error) : resolve(result),
    );
  });
}

async function answered(
  promise: Promise<unknown>,
  callback: Callable,
  results: (result: unknown) => unknown[],
): Promise<void> {
  const [settled] = await Promise.allSettled([promise]);
  if (settled.status === 'rejected') callback(settled.reason);
  else callback(null, ...results(settled.value));
}

/** Arguments of `write` or `writeFile` for the first half, at the same position. */
function halfOf([data, offset, length, position]: readonly unknown[]): unknown[] {
  if (typeof data === 'string') return [data.slice(0, data.length / 2)];
  if (typeof length === 'number') return [data, offset, Math.floor(length / 2), position];
  return [data instanceof Uint8Array ? data.subarray(0, data.length / 2) : data];
}

const NUMBERS = { ENOSPC: -28, EIO: -5, EACCES: -13, EMFILE: -24, EROFS: -30 } as const;

export type SystemErrorCode = keyof typeof NUMBERS;

export const SYSTEM_ERRORS = Object.keys(NUMBERS) as SystemErrorCode[];

export interface Failing {
  readonly at: number;
  readonly lasting: boolean;
}

/** `onHit` is called for each failed operation. */
export function failing(
  code: SystemErrorCode,
  { at, lasting }: Failing,
  onHit: () => void,
): Around {
  return async (operation, { whole }) => {
    const { number, name } = operation;
    if (number < at || (number > at && !lasting)) return whole();
    onHit();
    // Linux closes a file even if `close` fails.
    if (name.endsWith('.close')) await whole();
    throw systemError(code, operation);
  };
}

export function systemError(code: SystemErrorCode, { name, path }: FileOperation): Error {
  const error = new Error(`${code}: injected, ${name} '${path}'`);
  return Object.assign(error, { code, errno: NUMBERS[code], syscall: name, path });
}
