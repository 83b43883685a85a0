import type { Around, FileOperation } from './file-operations.ts';

/** Numbers of the errors that a file system has when it fails. */
const NUMBERS = { ENOSPC: -28, EIO: -5, EACCES: -13, EMFILE: -24, EROFS: -30 } as const;

export type SystemErrorCode = keyof typeof NUMBERS;

export const SYSTEM_ERRORS: readonly SystemErrorCode[] = [
  'ENOSPC',
  'EIO',
  'EACCES',
  'EMFILE',
  'EROFS',
];

export interface Failing {
  /** Number of the operation that fails. */
  readonly at: number;
  /** Those after it fail as well. */
  readonly lasting: boolean;
}

/** Fails operations with an error as Node makes it; `onHit` is called for each. */
export function failing(
  code: SystemErrorCode,
  { at, lasting }: Failing,
  onHit: () => void,
): Around {
  return async (operation, { whole }) => {
    const { number, name } = operation;
    if (number < at || (number > at && !lasting)) return whole();
    onHit();
    // Linux closes a file whatever it answers.
    if (name.endsWith('.close')) await whole();
    throw systemError(code, operation);
  };
}

/** An error of the file system as Node makes it. */
export function systemError(code: SystemErrorCode, { name, path }: FileOperation): Error {
  const error = new Error(`${code}: injected, ${name} '${path}'`);
  return Object.assign(error, { code, errno: NUMBERS[code], syscall: name, path });
}
