import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram, type Ended } from '../../../helpers/child-process.ts';
import { serveRequests, type RequestHandlers } from '../../../helpers/ipc/request-server.ts';
import { createLog } from '../../../helpers/log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../deploy/images');

async function check(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Ended> {
  const [file = '', script = '', ...rest] = args;
  const program = {
    file,
    args: [path.join(DIRECTORY, script), ...rest],
    cwd: '/',
    env: programEnvironment(variables),
  };
  return runProgram(program, { timeoutMs: 60_000 });
}

const http = suite('http-health');

async function checkAgainst(answer: RequestListener): Promise<Ended> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  try {
    return await check(['bash', 'http-health.sh', '/ready'], { PORT: port });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

http('is healthy when the path answers 200', async () => {
  let asked: string | undefined;
  const ended = await checkAgainst((request, response) => {
    asked = request.url;
    response.end('{}');
  });
  assert.is(ended.exitCode, 0);
  assert.is(asked, '/ready');
});

http('says what came instead of 200', async () => {
  const ended = await checkAgainst((_request, response) => {
    response.writeHead(503).end('{"reason":"no_profiles_loaded"}');
  });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stdout, /^HTTP\/1.1 503 .*no_profiles_loaded/s);
});

http('is not healthy where nobody listens', async () => {
  const ended = await check(['bash', 'http-health.sh', '/ready'], { PORT: '1' });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stderr, /Connection refused/);
});

http.run();

const scanner = suite('scanner-health');

async function checkRuntime(health: RequestHandlers['health']): Promise<Ended> {
  const temporary = await temporaryDirectory();
  const socket = path.join(temporary.path, 'scanner.sock');
  const refuse = async (): Promise<never> => {
    throw new Error('only the health is asked for');
  };
  const others = { list_devices: refuse, describe_device: refuse, read_sensors: refuse };
  const server = await serveRequests(
    socket,
    { health, ...others, check_scan: refuse, scan: refuse },
    createLog('test', 'silent'),
  );
  try {
    return await check([process.execPath, 'scanner-health.ts'], { SCANNER_SOCKET: socket });
  } finally {
    await server.close();
    await temporary.remove();
  }
}

scanner('is healthy when the runtime answers', async () => {
  assert.is((await checkRuntime(async () => ({ status: 'ok', scanning: [] }))).exitCode, 0);
});

scanner('is not healthy when the runtime does not answer', async () => {
  const ended = await checkRuntime(async (_ask, { signal }) => {
    await once(signal, 'abort');
    return { status: 'ok', scanning: [] };
  });
  assert.is(ended.exitCode, 1);
  assert.is.not(ended.stdout, '');
});

scanner('is not healthy where there is no runtime', async () => {
  const ended = await check([process.execPath, 'scanner-health.ts'], {
    SCANNER_SOCKET: '/nonexistent/scanner.sock',
  });
  assert.is(ended.exitCode, 1);
  assert.match(ended.stdout, /The scanner runtime cannot be reached/);
});

scanner.run();
