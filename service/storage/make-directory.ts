import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';

/**
 * Creates parents too. Node's `recursive` never returns if an existing parent answers ENOENT, as in
 * /proc (seen with Node 24.21).
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(directory)).isDirectory()) return;
    const parent = path.dirname(directory);
    if (code !== 'ENOENT' || (await exists(parent))) throw error;
    await makeDirectory(parent);
    await mkdir(directory);
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
