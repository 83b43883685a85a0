import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../service/archive/event-file.ts';
import { temporaryName } from '../../service/storage/write-atomically.ts';

/**
 * Removes the directory of a scan whose events have not changed since `before`; resolves with whether it did. The directory is renamed
 * first: from then on no service finds it, and the next scan removes what is left of one whose removal was cut off. Rejects with the
 * file system's error.
 */
export async function removeScan(directory: string, before: Date): Promise<boolean> {
  const away = temporaryName(directory);
  await rename(directory, away);
  // A service may have taken the scan up since it was looked at.
  const isUnchanged = await stat(path.join(away, EVENT_FILE)).then(
    ({ mtime }) => mtime < before,
    () => false,
  );
  if (isUnchanged) await rm(away, { recursive: true });
  else await rename(away, directory);
  return isUnchanged;
}
