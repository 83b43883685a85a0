import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { withEsclLook } from '../../../helpers/scanner/escl-look.ts';

const test = suite('what the address of a scanner that cannot be opened says');

const FAILURE = new Failure('no_scanner_detected', 'The scanner cannot be opened.');

async function found(address: string): Promise<string> {
  const device = `airscan:escl:Office:${address}`;
  const failure = await withEsclLook(FAILURE, { device, env: {} }, AbortSignal.timeout(20_000));
  return failure.message;
}

/** What is found where a server answers like that. */
async function foundAt(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await found(`http://127.0.0.1:${port}/eSCL`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('an answer of 500', async () => {
  const message = await foundAt((_request, response) => response.writeHead(500).end());
  assert.match(message, /^The scanner at 127\.0\.0\.1:\d+ answers with an error \(500\)\./);
});

test('no answer at all', async () => {
  assert.match(await foundAt(() => {}), /does not answer\. Wake it/);
});

test('nothing at that address', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const message = await found(`http://127.0.0.1:${port}/eSCL`);
  assert.match(message, /^No scanner is at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. Switch it on/);
});

test('a name that nobody has', async () => {
  const message = await found('http://no-such-scanner.invalid/eSCL');
  assert.match(message, /^(?:Nothing in the network has the name|The name server does not answer)/);
});

test('one that answers keeps its failure, and so does one without an address', async () => {
  assert.is(await foundAt((_request, response) => response.end('<x/>')), FAILURE.message);
  const usb = { device: 'fujitsu:fi-7160:1', env: {} };
  assert.is(await withEsclLook(FAILURE, usb, AbortSignal.timeout(1000)), FAILURE);
});

test.run();
