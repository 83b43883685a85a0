import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCode, messageOf } from '../../../helpers/error-code.ts';
import { createProcessorClient } from '../../../service/processor/processor-client.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { misbehavingServer } from './misbehaving-server.ts';

const test = suite('requests that are sent again');

const OPTIONS = { languages: ['eng'], deskew: true, rotate_pages: false, optimize: 2 };

test('a page whose file gives no bytes is named, with a way past it, and so in the log', async () => {
  const temporary = await temporaryDirectory();
  const server = await misbehavingServer((request) => request.resume());
  const { log, lines } = capturedLog();
  const client = createProcessorClient({ baseUrl: server.url.href, log, patienceMs: 300 });
  const pageFile = path.join(temporary.path, 'page-0002.tif');
  // Can be opened; the first address of every process answers EIO.
  await symlink('/proc/self/mem', pageFile);
  const outFile = path.join(temporary.path, 'page-0002.pdf');
  const request = { pageFile, outFile, options: OPTIONS, signal: new AbortController().signal };
  const error = await rejection(client.recognizePage(request));
  await server.close();
  await temporary.remove();
  assert.is(errorCode(error), 'insufficient_storage');
  assert.is(
    messageOf(error),
    `page-0002.tif of the scan cannot be read (EIO). Check the disk and try again, or move the file out of ${temporary.path} to go on without this page.`,
  );
  const said = lines().map(({ event, what }) => [event, what]);
  assert.ok(said.length > 0);
  for (const line of said) assert.equal(line, ['file_unreadable', 'Recognition of page-0002.tif']);
});

test.run();
