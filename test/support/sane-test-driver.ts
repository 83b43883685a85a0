import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const LIBRARIES = '/usr/lib';
const DRIVER = 'libsane-test.so.1';
const CALL = Buffer.from('pthread_setcanceltype\0');
const HARMLESS = Buffer.from('pthread_testcancel\0'.padEnd(CALL.length, '\0'));

/**
 * Copies SANE's `test` backend into `directory` without a deadlock that hangs about 1% of scans on
 * a busy machine. Resolves with the variable that makes SANE load the copy.
 *
 * When a page is complete or reading fails, sanei_thread.c (SANE 1.1.1 to 1.3.1) cancels the
 * backend's thread, even inside `malloc` or `free` (PTHREAD_CANCEL_ASYNCHRONOUS). There the thread
 * holds the lock of its heap. It needs that lock again to end, so scanimage or saned waits forever.
 * In the copy, the call that permits this is replaced: the thread is cancelled only while it writes
 * or sleeps.
 */
export async function copyTestDriver(directory: string): Promise<{ LD_LIBRARY_PATH: string }> {
  const driver = await readFile(await findDriver());
  for (let at = driver.indexOf(CALL); at !== -1; at = driver.indexOf(CALL))
    HARMLESS.copy(driver, at);
  const copies = path.join(directory, 'drivers');
  await mkdir(copies);
  await writeFile(path.join(copies, DRIVER), driver);
  return { LD_LIBRARY_PATH: copies };
}

async function findDriver(): Promise<string> {
  for (const architecture of await readdir(LIBRARIES)) {
    const folder = path.join(LIBRARIES, architecture, 'sane');
    const names = await readdir(folder).catch((): string[] => []);
    if (names.includes(DRIVER)) return path.join(folder, DRIVER);
  }
  throw new Error(`${DRIVER} is not installed below ${LIBRARIES}`);
}
