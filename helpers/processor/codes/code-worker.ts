import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { readPatchCodes } from './patch-code.ts';
import { parsePgm } from './pgm.ts';
import { loadZxing, readZxingCodes } from './zxing.ts';

/** The thread of code-reader.ts. An error ends it, since ZXing may then be broken. */
const port = parentPort;
await loadZxing();
port?.on('message', ({ file, dpi }: { file: string; dpi: number }) => {
  void read(file, dpi).then((codes) => port.postMessage(codes));
});

async function read(file: string, dpi: number): Promise<unknown> {
  const pgm = await readFile(file);
  return [...(await readZxingCodes(pgm, dpi)), ...readPatchCodes(parsePgm(pgm), dpi)];
}
