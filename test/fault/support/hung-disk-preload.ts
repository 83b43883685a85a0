import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { interceptFileOperations } from '../storage-support/file-operations.ts';

/**
 * A preload module: while the pipe HUNG_PIPE exists, each file operation below HUNG_DIR blocks a
 * thread of Node in the kernel, as on a hung disk, until the test writes to the pipe.
 */
const { HUNG_DIR = '', HUNG_PIPE = '' } = process.env;
await interceptFileOperations({
  root: HUNG_DIR,
  around: async (_, { whole }) => {
    // If the pipe has just been removed, the disk works again.
    if (existsSync(HUNG_PIPE))
      await open(HUNG_PIPE).then(
        (pipe) => pipe.close(),
        () => {},
      );
    return whole();
  },
});
