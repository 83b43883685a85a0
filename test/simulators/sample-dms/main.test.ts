import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PDF, TOKEN } from './dms-client.ts';

const test = suite('sample DMS, by hand');

const MAIN = join(import.meta.dirname, '../../../simulators/sample-dms/main.ts');

test('it tells its address, then each document, and ends with SIGTERM', async () => {
  const store = await mkdtemp(join(tmpdir(), 'sample-dms-'));
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--store', store], {
    env: { SAMPLE_DMS_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url = /^sample DMS ready at (.*)$/.exec(String((await lines.next()).value))?.[1];
  for (const title of ['Invoice', '{%']) {
    const form = new FormData();
    form.append('title', title);
    form.append('document', new Blob([PDF]), 'a.pdf');
    const encoded = new Response(form);
    await fetch(`${url}/api/documents/post_document/`, {
      method: 'POST',
      headers: {
        authorization: `Token ${TOKEN}`,
        'content-type': encoded.headers.get('content-type') ?? '',
      },
      body: await encoded.arrayBuffer(),
    });
  }
  const stored = `stored document 1 "Invoice" (22 bytes, tags []): ${store}/documents/0000001.pdf`;
  assert.is((await lines.next()).value, stored);
  assert.match(String((await lines.next()).value), /^task [0-9a-f-]{36} failed: a\.pdf: /);
  child.kill('SIGTERM');
  assert.equal(await ended, [0, null]);
  await rm(store, { recursive: true });
});

test('without a token or a store it says how to start it', async () => {
  const child = spawn(process.execPath, [MAIN, '--port', '0'], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stderr) said += String(chunk);
  assert.match(said, /^usage: SAMPLE_DMS_TOKEN=<token>/);
  assert.equal(await ended, [2, null]);
});

test.run();
