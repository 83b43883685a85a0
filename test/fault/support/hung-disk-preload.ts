import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { interceptFileOperations } from '../storage-support/file-operations.ts';

/**
 * Loaded before a program (`node --import`), it makes each file operation below the directory HUNG_DIR hang while there is a
 * pipe HUNG_PIPE: it keeps a thread of Node in the kernel until somebody writes to the pipe, as one on a disk that does
 * not answer.
 */
const { HUNG_DIR = '', HUNG_PIPE = '' } = process.env;
await interceptFileOperations({
  root: HUNG_DIR,
  around: async (_, { whole }) => {
    // The pipe may be gone when it is opened: the disk answers again.
    if (existsSync(HUNG_PIPE))
      await open(HUNG_PIPE).then(
        (pipe) => pipe.close(),
        () => {},
      );
    return whole();
  },
});
