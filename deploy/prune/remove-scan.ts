import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../service/archive/event-file.ts';
import { temporaryName } from '../../service/storage/write-atomically.ts';

/**
 * Removes a scan. If its events have changed since `before`, keeps it and returns false. First
 * renames the directory, so that no service finds it. If interrupted, a restarted service removes
 * the rest before its first scan. Rejects with the file system's error.
 */
export async function removeScan(directory: string, before: Date): Promise<boolean> {
  const away = temporaryName(directory);
  await rename(directory, away);
  // A service may have resumed the scan since it was examined.
  const isUnchanged = await stat(path.join(away, EVENT_FILE)).then(
    ({ mtime }) => mtime < before,
    () => false,
  );
  if (isUnchanged) await rm(away, { recursive: true });
  else await rename(away, directory);
  return isUnchanged;
}
