import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../helpers/error-code.ts';

/**
 * Throws unless files can be created in the directory. It may be missing. `also` is further access
 * that an existing directory must allow.
 */
export async function checkWritable(directory: string, also = 0): Promise<void> {
  const mode = constants.W_OK | constants.X_OK;
  try {
    await access(directory, mode | also);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await access(path.dirname(directory), mode);
  }
}
